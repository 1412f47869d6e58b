import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, describe, it } from 'node:test';
import type { Role } from '../../src/domain/access.ts';
import { clientOf } from '../support/client.ts';
import { EXECUTABLE, startServer } from '../support/menagerie-process.ts';
import {
  assertRefusal,
  commandsOn,
  deskOn,
  HELP,
  outputOf,
  type Run,
  runCommand,
} from '../support/operator-commands.ts';
import { bearer, logIn, newSecuredFolder } from '../support/secured.ts';
import { removeFolder } from '../support/service.ts';

interface EntryView {
  id: number;
  at: string;
  action: string;
  outcome: string;
  actor: { id: number | null; name: string } | null;
  via: string;
  address: string | null;
  subject: { kind: string; id: string; name: string | null } | null;
  details: Record<string, string> | null;
}

async function listEntries(run: Run, ...flags: string[]): Promise<EntryView[]> {
  const stdout = outputOf(await run(['audit', 'list', '--json', ...flags]));
  assert.match(stdout, /^(?:\{"id":[^\n]*\}\n)*$/);
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as EntryView);
}

function roleOf(turn: number): Role {
  return turn % 2 === 0 ? 'editor' : 'viewer';
}

void describe('menagerie audit list without a server', { concurrency: 4 }, async () => {
  const dataDir = await newSecuredFolder();
  after(() => removeFolder(dataDir));
  const desk = await deskOn({ after }, dataDir);
  // The folder has four entries already, one for each user.
  const CHANGES = 1250;
  await Promise.all(
    Array.from({ length: CHANGES }, (_, turn) => desk.administration.setRole(desk.operator, 'vera', roleOf(turn))),
  );
  const COUNT = CHANGES + 4;

  void it('table: the newest fifty entries, newest first', async () => {
    const table = outputOf(await commandsOn(dataDir)(['audit', 'list']));
    const [heads = '', ...rows] = table.trimEnd().split('\n');
    assert.match(heads, /^TIME +ACTOR +VIA +ADDRESS +ACTION +SUBJECT +OUTCOME +DETAILS$/);
    assert.equal(rows.length, 50);
    const row =
      /^\d{4}-\d\d-\d\d \d\d:\d\d +\S+ +command-line +- +account\.role-set +account vera +done +from: (\w+), to: (\w+)$/;
    const [newest = ''] = rows;
    assert.equal(row.exec(newest)?.[2], roleOf(CHANGES - 1), newest);
  });

  const counts: [flags: string[], count: number][] = [
    [[], COUNT],
    [['--limit', '1'], 1],
    [['--limit', '1001'], 1001],
    [['--action', 'account.created'], 4],
    [['--subject', 'VERA', '--action', 'account.role-set'], CHANGES],
    [['--subject', 'edna', '--kind', 'account', '--outcome', 'done'], 1],
    [['--until', '2020-01-31'], 0],
    [['--since', '2020-01-31T12:00:00Z', '--actor', 'unknown'], 0],
  ];
  for (const [flags, count] of counts) {
    void it(`--json ${flags.join(' ')}: ${count} entries, newest first, each once`, async () => {
      const entries = await listEntries(commandsOn(dataDir), ...flags);
      assert.equal(entries.length, count);
      const ids = entries.map(({ id }) => id);
      assert.deepEqual(
        ids,
        [...new Set(ids)].toSorted((a, b) => b - a),
      );
      if (count === COUNT) assert.equal(ids[0], COUNT);
    });
  }

  void it('entry: contains actor, credential and subject', async () => {
    const [entry] = await listEntries(commandsOn(dataDir), '--subject', 'root');
    const { id, at, actor, ...rest } = entry ?? assert.fail();
    assert.ok(id >= 1);
    assert.ok(Math.abs(Date.parse(at) - Date.now()) < 120_000);
    assert.deepEqual([actor?.id, typeof actor?.name], [null, 'string']);
    assert.deepEqual(rest, {
      action: 'account.created',
      outcome: 'done',
      via: 'command-line',
      credential: null,
      address: null,
      subject: { kind: 'account', id: '1', name: 'root' },
      details: { role: 'admin' },
    });
  });

  const refused: { args: string[]; code: 1 | 2; says: RegExp }[] = [
    { args: ['list', '--limit', '0'], code: 2, says: /--limit must be a whole number, at least 1/ },
    { args: ['list', '--action', 'account.exploded'], code: 1, says: /action must be one of pet, pet\.added,/ },
    { args: ['list', '--since', 'yesterday'], code: 1, says: /since must be a time such as 2026-/ },
    { args: ['list', 'root'], code: 2, says: /^There are too many arguments\.\nUsage: menagerie audit list/ },
    { args: ['clear'], code: 2, says: /^Unknown command: audit clear\. Run/ },
  ];
  for (const { args, code, says } of refused) {
    void it(`${args.join(' ')}: is refused`, async () => {
      assertRefusal(await commandsOn(dataDir)(['audit', ...args]), { code, says });
    });
  }

  void it('closed pipe, as with "head": the command ends without an error', async (t) => {
    const child = spawn(process.execPath, [EXECUTABLE, 'audit', 'list', '--json', '--data-dir', dataDir], {
      env: {},
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    t.after(() => child.kill('SIGKILL'));
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
    child.stdout.once('data', () => child.stdout.destroy());
    await once(child, 'close');
    assert.equal(errors, '');
  });
});

void describe('menagerie audit list beside a running server', () => {
  void it('entries: include changes over HTTP and from the command line immediately, but no reads', async (t) => {
    const dataDir = await newSecuredFolder();
    t.after(() => removeFolder(dataDir));
    const { base } = await startServer(t, dataDir, ['--empty', '--access', 'secured']);
    const call = clientOf(base);
    const run = commandsOn(dataDir);
    const token = await logIn(call, 'edna');
    const headers = bearer(token);
    assert.equal((await call('POST', 'pet', { headers, json: { name: 'Rex' } })).status, 200);
    assert.equal((await call('POST', 'user/login', { json: { username: 'root', password: 'wrong' } })).status, 400);
    assert.equal((await call('GET', 'admin/users', { headers })).status, 403);
    outputOf(await run(['user', 'close', 'edna']));
    outputOf(await run(['user', 'list']));
    assert.equal((await run(['user', 'role', 'unknown', 'admin'])).code, 1);
    const entries = await listEntries(run, '--limit', '5');
    assert.deepEqual(
      entries.map(({ action, outcome, via, address, subject, actor }) =>
        [
          action,
          outcome,
          via,
          address ?? '-',
          subject?.name ?? subject?.id ?? '-',
          via === 'session' ? actor?.name : '',
        ]
          .join(' ')
          .trim(),
      ),
      [
        'account.closed done command-line - edna',
        'access refused session 127.0.0.1 - edna',
        'session.begun failed anonymous 127.0.0.1 root',
        'pet.added done session 127.0.0.1 Rex edna',
        'session.begun done session 127.0.0.1 edna edna',
      ],
    );
    assert.deepEqual(await listEntries(run, '--limit', '5'), entries);
    assert.deepEqual(
      (await listEntries(run, '--actor', 'edna')).map(({ action }) => action),
      ['access', 'pet.added', 'session.begun'],
    );
  });
});

void describe('menagerie audit', () => {
  void it('--help: describes each filter', async () => {
    const help = outputOf(await runCommand(['audit', '--help']));
    assert.match(help, HELP);
    for (const flag of ['action', 'outcome', 'actor', 'kind', 'subject', 'since', 'until', 'limit'])
      assert.ok(help.includes(`--${flag} `), flag);
  });
});
