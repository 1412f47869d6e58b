import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { after, describe, it, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { clientOf } from '../support/client.ts';
import { EXECUTABLE, runMenagerie, startServer } from '../support/menagerie-process.ts';
import { deskOn, outputOf, runCommand } from '../support/operator-commands.ts';
import { bearer, logIn, newSecuredFolder, PASSWORDS } from '../support/secured.ts';
import { removeFolder } from '../support/service.ts';

const PASSWORD = PASSWORDS['edna'] ?? '';
const OTHER_PASSWORD = PASSWORDS['vera'] ?? '';

void describe('password from standard input', { concurrency: 2 }, async () => {
  const dataDir = await newSecuredFolder();
  after(() => removeFolder(dataDir));
  const { base } = await startServer({ after }, dataDir, ['--empty', '--access', 'secured']);
  const call = clientOf(base);

  const cases: [what: string, input: string, password: string, leavesInputOpen?: true][] = [
    ['line that ends with \\r\\n: the end is cut', 'one two three four\r\n', 'one two three four'],
    ['spaces and tabs: are kept', '  one\ttwo three four  \n', '  one\ttwo three four  '],
    ['several lines: the first is the password', `one two three four\r\n${PASSWORD}\n`, 'one two three four'],
    [
      'decomposed characters: equal the composed ones',
      'E\u0301te\u0301 a\u0300 la plage ce soir\n',
      '\u00c9t\u00e9 \u00e0 la plage ce soir',
    ],
    [
      '1024 characters: are accepted',
      `${'four score and 7 '.repeat(60)}1234\n`,
      `${'four score and 7 '.repeat(60)}1234`,
    ],
    [
      'Unicode line separator: does not end the password',
      'one two three four\u2028five\n',
      'one two three four\u2028five',
    ],
    ['input that stays open: its first line is enough', 'one two three four\n', 'one two three four', true],
  ];
  cases.forEach(([what, input, password, leavesInputOpen = false], index) => {
    void it(what, async (t) => {
      const username = `reader${index}`;
      const args = ['user', 'create', username, '--data-dir', dataDir];
      const ended = leavesInputOpen
        ? await runMenagerie(t, args, { input, leavesInputOpen })
        : await runCommand(args, { input });
      assert.equal(outputOf(ended), `Created user ${username} with role viewer.\n`);
      await logIn(call, username, password);
    });
  });
});

const HAS_SCRIPT = /util-linux/.test(spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout ?? '');
const WITHOUT_SCRIPT = !HAS_SCRIPT && 'needs "script" of util-linux';

interface Typed {
  code: number | null;
  /** Standard output and standard error. */
  screen: string;
}

/** Runs a command in a terminal, and types the next text whenever the screen shows the next prompt. */
async function typeInto(
  t: TestContext,
  args: readonly string[],
  typed: readonly [prompt: RegExp, keys: string][],
): Promise<Typed> {
  const quoted = [process.execPath, EXECUTABLE, ...args].map((arg) => `'${arg}'`).join(' ');
  const child = spawn('script', ['-qec', quoted, '/dev/null'], {
    env: { PATH: process.env['PATH'] ?? '', SHELL: '/bin/sh', TERM: 'xterm' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  let screen = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (screen += text));
  child.stdin.on('error', () => {});
  const ended = once(child, 'close');
  let place = 0;
  for (const [prompt, keys] of typed) {
    const deadline = Date.now() + 30_000;
    while (!prompt.test(screen.slice(place)) && child.exitCode === null && Date.now() < deadline) await delay(20);
    assert.match(screen.slice(place), prompt, screen);
    place = screen.length;
    child.stdin.write(keys);
  }
  // A command that hangs is killed; the screen shows why.
  const giveUp = setTimeout(() => child.kill('SIGKILL'), 30_000);
  const [code] = (await ended) as [number | null];
  clearTimeout(giveUp);
  return { code, screen };
}

function promptFor(username: string): RegExp {
  return new RegExp(`New password for ${username}: `);
}

void describe('password from a terminal', { skip: WITHOUT_SCRIPT, concurrency: 2 }, async () => {
  const dataDir = HAS_SCRIPT ? await newSecuredFolder() : '';
  after(() => removeFolder(dataDir));
  const desk = await deskOn({ after }, dataDir);

  const REPEAT = /Repeat the password: /;

  async function actionsOn(username: string): Promise<unknown> {
    const entries = await desk.auditLog.listEntries(
      desk.operator,
      { subject: username },
      { beforeId: undefined, limit: 1000 },
    );
    return entries.map(({ action }) => action);
  }

  void it('typed twice: is accepted and not shown', async (t) => {
    const { code, screen } = await typeInto(
      t,
      ['user', 'create', 'typist', '--data-dir', dataDir],
      [
        [promptFor('typist'), `${PASSWORD}\r`],
        [REPEAT, `${PASSWORD}\r`],
      ],
    );
    assert.equal(code, 0, screen);
    assert.match(screen, /Created user typist with role viewer\./);
    assert.ok(!screen.includes(PASSWORD) && !screen.includes(PASSWORD.slice(0, 4)), screen);
    assert.equal(screen.split('New password for typist: ').length, 2);
    const server = await startServer(t, dataDir, ['--empty', '--access', 'secured']);
    const call = clientOf(server.base);
    const token = await logIn(call, 'typist', PASSWORD);
    assert.equal((await call('GET', 'account', { headers: bearer(token) })).status, 200);
  });

  const refused: [what: string, keys: [string, string?], code: number, says: RegExp][] = [
    ['different repetition', [`${PASSWORD}\r`, `${OTHER_PASSWORD}\r`], 2, /do not match\. Nothing was changed\./],
    ['weak password', ['hunter2\r', 'hunter2\r'], 1, /must have at least 15 characters/],
    ['empty password', ['\r', '\r'], 2, /The password is missing\./],
  ];
  for (const [what, keys, expected, says] of refused) {
    void it(`${what}: changes nothing`, async (t) => {
      const before = await actionsOn('edna');
      const { code, screen } = await typeInto(
        t,
        ['user', 'password', 'edna', '--data-dir', dataDir],
        [
          [promptFor('edna'), keys[0]],
          [REPEAT, keys[1] ?? ''],
        ],
      );
      assert.equal(code, expected, screen);
      assert.match(screen, says);
      assert.doesNotMatch(screen, /hunter2|otters|viewers|\n {4}at /);
      assert.deepEqual(await actionsOn('edna'), before);
    });
  }

  for (const [name, keys] of [
    ['Ctrl-C', '\u0003'],
    ['Ctrl-D', '\u0004'],
  ] as const) {
    void it(`${name}: changes nothing and prints no stack`, async (t) => {
      const before = await actionsOn('otto');
      const { code, screen } = await typeInto(
        t,
        ['user', 'password', 'otto', '--data-dir', dataDir],
        [[promptFor('otto'), keys]],
      );
      assert.ok(code === 1 || code === 2 || code === 130, `${code}: ${screen}`);
      assert.doesNotMatch(screen, /\n\s+at |Error:/);
      assert.deepEqual(await actionsOn('otto'), before);
    });
  }

  void it('unknown user: no prompt', async (t) => {
    const { code, screen } = await typeInto(t, ['user', 'password', 'unknown', '--data-dir', dataDir], []);
    assert.equal(code, 1);
    assert.match(screen, /^User not found\s*$/);
  });
});
