import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { runMenagerie, startMenagerie, type Ended } from '../support/menagerie-process.ts';
import { startTestService, temporaryFolder } from '../support/service.ts';
import { skipWithoutPlaygrounds } from '../support/nodes.ts';
import { until } from '../support/until.ts';
import type { Lifetime } from '../support/lifetime.ts';

/* `menagerie grade` with real suites, each in a process of its own. */

const SUITE = resolve(import.meta.dirname, '../../examples/grading/petstore.test.js');

const ENVIRONMENT = { PATH: process.env['PATH'] ?? '' };

interface Report {
  totals: { planted: number; met: number; noticed: number; missed: number; notMet: number };
  bugs: { id: string; verdict: string; met: number; suite: string }[];
}

interface Graded extends Ended {
  report: Report;
  page: string;
}

/** Grades the test file. */
async function gradeFile(t: Lifetime, file: string, ...flags: readonly string[]): Promise<Graded> {
  const folder = await temporaryFolder(t);
  const files = ['grade.json', 'grade.html'].map((name) => join(folder, name));
  const reports = files.flatMap((path) => ['--report', path]);
  const command = [process.execPath, '--test', file];
  const args = ['grade', '--contents', 'empty', ...reports, ...flags, '--', ...command];
  const ended = await runMenagerie(t, args, { environment: ENVIRONMENT });
  const [json = '', page = ''] = await Promise.all(files.map((path) => readFile(path, 'utf8').catch(() => '')));
  return { ...ended, report: (json === '' ? undefined : JSON.parse(json)) as Report, page };
}

async function suiteOf(t: Lifetime, body: string): Promise<string> {
  const file = join(await temporaryFolder(t), 'suite.test.mjs');
  await writeFile(
    file,
    `import assert from 'node:assert/strict';
     import { existsSync, writeFileSync } from 'node:fs';
     import { test } from 'node:test';
     const get = (path) => fetch(\`\${process.env.MENAGERIE_URL}/v2/\${path}\`);
     test('suite', async () => { ${body} });`,
  );
  return file;
}

const verdicts = ({ report }: Graded) => Object.fromEntries(report.bugs.map(({ id, verdict }) => [id, verdict]));

void describe('menagerie grade', { concurrency: 2, skip: skipWithoutPlaygrounds() }, () => {
  void it('suite of Petstore operations: meets and notices the ten bugs of its set', async (t) => {
    const graded = await gradeFile(t, SUITE, '--bugs', 'petstore');
    assert.deepEqual([graded.code, graded.stderr], [0, ''], graded.stdout);
    assert.deepEqual(graded.report.totals, { planted: 10, met: 10, noticed: 10, missed: 0, notMet: 0, flaky: 0 });
    assert.match(graded.stdout, /^Without bugs, the suite passes \([\d.]+ s, [\d.]+ s\)\.\n/);
    assert.match(graded.stdout, /The suite noticed 10 of the 10 bugs that it met\.\n/);
    assert.match(graded.stdout, /For a README: \*\*Planted bugs\*\*: 10 of 10 met bugs noticed, of 10 planted \(/);
    assert.match(graded.page, /^<!doctype html>[^]*10 of the 10[^]*bug-24[^]*noticed/);
  });

  void it('suite that checks little: misses a bug that it met, does not meet others, and exits with 1', async (t) => {
    const suite = await suiteOf(
      t,
      "await get('pet/findByStatus?status=sold'); assert.equal((await get('pet/7777')).status, 404);",
    );
    const { stdout, code, ...graded } = await gradeFile(
      t,
      suite,
      '--bugs',
      'bug-07,bug-18,bug-21',
      '--contents=samples',
    );
    assert.equal(code, 1, stdout);
    assert.deepEqual(verdicts({ stdout, code, ...graded }), {
      'bug-07': 'not met',
      'bug-18': 'noticed',
      'bug-21': 'missed',
    });
    assert.match(stdout, /Missed bugs:\n[^]*bug-21 +wrong-data +1 +findPetsByStatus leaves out the last pet\.\n/);
  });

  void it('command: is escaped in the page of the report', async (t) => {
    const suite = await suiteOf(t, "await get('pet/1');");
    const renamed = join(await temporaryFolder(t), '<img src=x onerror=alert(1)>.mjs');
    await writeFile(renamed, await readFile(suite));
    const { page, code, stderr } = await gradeFile(t, renamed, '--bugs', 'bug-07');
    assert.equal(code, 0, stderr);
    assert.match(page, /&lt;img src=x onerror=alert\(1\)&gt;\.mjs/);
    assert.doesNotMatch(page, /<img|<script|https?:/);
  });

  const unusable: Readonly<Record<string, [body: string, says: RegExp, ...flags: string[]]>> = {
    'fails without bugs': [
      "await get('pet/1'); assert.fail('always');",
      /^The suite fails without bugs, so it cannot be graded\. The end of its output:\n[^]*always/,
    ],
    'fails now and then': [
      "await get('pet/1'); if (!existsSync('MARK')) { writeFileSync('MARK', ''); assert.fail('once'); }",
      /^The suite is flaky, so it cannot be graded: without bugs, it fails in 1 of 2 runs\./,
      '--jobs=1',
    ],
    'sends no request': ['', /^The suite sent no request to the address in MENAGERIE_URL, so it cannot be graded\.\n/],
    'creates playgrounds': [
      "await fetch(`${process.env.MENAGERIE_URL}/v2/playgrounds`, { method: 'POST' });",
      /^The suite creates playgrounds, so it cannot be graded: /,
    ],
    'never ends': [
      "await get('pet/1'); await new Promise(() => setInterval(() => {}, 1000));",
      /^The suite takes too long without bugs, so it cannot be graded\./,
      '--timeout=1',
    ],
  };
  for (const [name, [body, says, ...flags]] of Object.entries(unusable))
    void it(`suite that ${name}: is not graded, and exits with 2`, async (t) => {
      const mark = join(await temporaryFolder(t), 'mark');
      const suite = await suiteOf(t, body.replaceAll('MARK', mark));
      const { code, stdout, stderr, report } = await gradeFile(t, suite, ...flags);
      assert.equal(code, 2, stdout);
      assert.match(stderr, says);
      assert.equal(report, undefined);
    });

  const refused: [args: string[], says: RegExp][] = [
    [[], /^An argument is missing\.\nUsage: menagerie grade \[FLAGS\] -- COMMAND/],
    [
      ['--bugs', 'petshop', '--', 'true'],
      /^--bugs must be all, petstore, wrong-data, .*, or IDs from bug-01 to bug-30\.\n$/,
    ],
    [['--jobs', '0', '--', 'true'], /^--jobs must be a whole number from 1 to 64\.\n$/],
    [['--report', 'grade.pdf', '--', 'true'], /^The name of a report must end with \.json or \.html\.\n$/],
    [['--report', '/nowhere/grade.json', '--', 'true'], /^The folder of the report does not exist: \/nowhere\n$/],
    [['--', '/nowhere/suite'], /^The command cannot be run: \/nowhere\/suite does not exist\.\n$/],
    [['--url', 'http://127.0.0.1:9', '--', 'true'], /Check that the service is running, and --url\.\n$/],
  ];
  for (const [args, says] of refused)
    void it(`menagerie grade ${args.join(' ')}: is refused with 2`, async (t) => {
      const { code, stdout, stderr } = await runMenagerie(t, ['grade', ...args], { environment: ENVIRONMENT });
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, says);
    });

  void it('--url: uses a running service, and leaves no playground there', async (t) => {
    const { origin, base } = await startTestService(t, { flags: ['--access=sandbox'] });
    const suite = await suiteOf(t, "assert.equal((await get('pet/7777')).status, 404);");
    const graded = await gradeFile(t, suite, '--url', origin, '--bugs', 'bug-18');
    assert.deepEqual([graded.code, verdicts(graded)], [0, { 'bug-18': 'noticed' }]);
    const { status } = await fetch(`${base}/pet/1`);
    assert.equal(status, 200, 'its own pets are as before');
  });

  void it('--access secured: passes the passwords of the users, so that bugs of permissions are met', async (t) => {
    const suite = await suiteOf(
      t,
      `const login = await get(\`user/login?username=admin&password=\${process.env.MENAGERIE_ADMIN_PASSWORD}\`);
       const authorization = \`Bearer \${/session:([^"]+)/.exec(await login.text())[1]}\`;
       const url = \`\${process.env.MENAGERIE_URL}/v2/user/admin\`;
       assert.equal((await fetch(url, { headers: { authorization } })).status, 200);
       assert.equal((await fetch(url)).status, 401);`,
    );
    const graded = await gradeFile(t, suite, '--access', 'secured', '--bugs', 'bug-30,bug-29');
    assert.deepEqual([graded.code, verdicts(graded)], [0, { 'bug-29': 'not met', 'bug-30': 'noticed' }], graded.stderr);
  });

  void it('placeholders: have the address, and failing runs show their output on request', async (t) => {
    const file = join(await temporaryFolder(t), 'suite.mjs');
    await writeFile(
      file,
      `const { status } = await fetch(process.argv[2] + '/pet/7777');
       if (status !== 404) { console.log('no such pet, yet', status); process.exitCode = 1; }`,
    );
    const args = ['--bugs=bug-18', '--show-output', '--', process.execPath, file, '{base}'];
    const { code, stdout, stderr } = await runMenagerie(t, ['grade', ...args], { environment: ENVIRONMENT });
    assert.equal(code, 0, stderr);
    assert.match(stdout, /\nbug-18 {2}noticed, met by 1 request \([\d.]+ s\)\nno such pet, yet 200\n/);
  });

  void it('Ctrl-C: ends the suite with the processes that it has started, and exits with 130', async (t) => {
    const mark = join(await temporaryFolder(t), 'pid');
    const suite = await suiteOf(
      t,
      `const { spawn } = await import('node:child_process');
       const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' });
       writeFileSync('${mark}', String(child.pid));
       await new Promise(() => {});`,
    );
    const args = ['grade', '--jobs', '1', '--', process.execPath, '--test', suite];
    const { child, ended } = startMenagerie(t, args, { environment: ENVIRONMENT });
    let pid = 0;
    await until('the suite has started a process', async () => {
      pid = Number(await readFile(mark, 'utf8').catch(() => '0'));
      return pid > 0;
    });
    child.kill('SIGINT');
    assert.equal((await ended).code, 130);
    await until('the process has ended', () => Promise.resolve(!isRunning(pid)));
  });
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
