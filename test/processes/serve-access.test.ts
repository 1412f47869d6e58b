import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { callAs, clientOf } from '../support/client.ts';
import {
  type Ended,
  EXECUTABLE,
  type ProcessOptions,
  runMenagerie,
  type RunningServer,
  startPendingServer,
  startServer,
} from '../support/menagerie-process.ts';
import { commandsOn, outputOf, runCommand } from '../support/operator-commands.ts';
import { rawExchange } from '../support/raw-http.ts';
import { logIn, newSecuredFolder, PASSWORDS } from '../support/secured.ts';
import { removeFolder, temporaryFolder } from '../support/service.ts';

const run = promisify(execFile);

const PASSWORD = PASSWORDS['root'] ?? '';

/** The loopback origin of a server that listens on all addresses. */
function nearOrigin({ origin }: RunningServer): string {
  return `http://127.0.0.1:${new URL(origin).port}`;
}

async function tryToServe(
  t: TestContext,
  dataDir: string,
  flags: readonly string[],
  options: ProcessOptions = {},
): Promise<Ended> {
  return runMenagerie(t, ['serve', '--port', '0', '--data-dir', dataDir, ...flags], options);
}

void describe('open access', { concurrency: 4 }, () => {
  void it('--host 0.0.0.0: does not start and creates nothing', async (t) => {
    const dataDir = join(await temporaryFolder(t), 'data');
    const ended = await runCommand(['serve', '--port', '0', '--data-dir', dataDir, '--host', '0.0.0.0']);
    assert.equal(ended.code, 2);
    assert.equal(ended.stdout, '');
    assert.match(ended.stderr, /^Menagerie cannot start:\n- --host [^\n]*loopback[^\n]*--access secured\.\n$/);
    assert.ok(!existsSync(dataDir));
  });

  void it('MENAGERIE_HOST=0.0.0.0: does not start without --access secured', async (t) => {
    const dataDir = await newFolderWithStaff(t);
    const environment = { MENAGERIE_HOST: '0.0.0.0' };
    assert.equal((await tryToServe(t, dataDir, [], { environment })).code, 2);
    const server = await startServer(t, dataDir, ['--empty', '--access', 'secured'], { environment });
    assert.equal((await fetch(`${nearOrigin(server)}/readyz`)).status, 200);
  });
});

async function newFolderWithStaff(t: TestContext): Promise<string> {
  const dataDir = await newSecuredFolder();
  t.after(() => removeFolder(dataDir));
  return dataDir;
}

/** Runs the command of an error message in a shell; only the username is filled in. */
async function runSuggested(command: string, environment: Readonly<Record<string, string>>): Promise<string> {
  const script = `npx() { test "$1" = menagerie && shift && "$NODE" "$EXECUTABLE" "$@"; }
printf '%s\\n' "$PASSWORD" | ${command.replace(' USERNAME ', ' ada ')}`;
  const env = { ...environment, NODE: process.execPath, EXECUTABLE, PASSWORD, PATH: process.env['PATH'] ?? '' };
  return (await run('/bin/sh', ['-c', script], { env })).stdout;
}

void describe('secured access without an administrator who can log in', { concurrency: 4 }, () => {
  const COMMAND = /^Or run +(npx menagerie [^\n]*)$/m;

  const folders: { where: string; folder: string; environment?: Readonly<Record<string, string>> }[] = [
    { where: 'a new folder with a space, a quote and a dollar in its name', folder: "it's my $HOME" },
    { where: 'MENAGERIE_HOST', folder: 'data', environment: { MENAGERIE_HOST: '0.0.0.0' } },
  ];
  for (const { where, folder, environment = {} } of folders) {
    void it(`${where}: prints the command that creates an administrator, and then starts`, async (t) => {
      const dataDir = join(await temporaryFolder(t), folder);
      const pending = await startPendingServer(t, dataDir, ['--empty'], { environment });
      assert.match(pending.origin, /^http:\/\/127\.0\.0\.1:/);
      const command = COMMAND.exec(pending.written.stdout)?.[1] ?? assert.fail(pending.written.stdout);
      assert.equal(await runSuggested(command, environment), 'Created user ada with role admin.\n');
      const { port } = new URL(await pending.started());
      await logIn(clientOf(`http://127.0.0.1:${port}/v2`), 'ada', PASSWORD);
    });
  }
});

void describe('secured access', { concurrency: 4 }, () => {
  const HTTPS_WARNING = /passwords[^\n]*--public-url https/;

  const everywhere: [flags: string[], warns: boolean][] = [
    [['--host', '0.0.0.0'], true],
    [['--host', '0.0.0.0', '--public-url', 'http://pets.example.org'], true],
    [['--host', '0.0.0.0', '--public-url', 'https://pets.example.org'], false],
    [['--host', '127.0.0.1'], false],
    [['--trusted-proxies', '1'], true],
    [['--public-url', 'http://pets.example.org'], true],
  ];
  for (const [flags, warns] of everywhere) {
    void it(`${flags.join(' ')}: requires a login for changes, and ${warns ? 'warns that passwords are sent unencrypted' : 'does not warn'}`, async (t) => {
      const server = await startServer(t, await newFolderWithStaff(t), ['--empty', '--access', 'secured', ...flags]);
      const base = `${nearOrigin(server)}/v2`;
      await logIn(clientOf(base), 'root');
      const response = await callAs(base, 'GET', 'pet/1', { headers: { host: 'pets.example.org' } });
      assert.equal(response.status, 404);
      assert.equal(response.headers.get('menagerie-access'), null);
      assert.equal((await clientOf(base)('POST', 'pet', { json: { name: 'Rex' } })).status, 401);
      const { code, stdout, stderr } = await server.end('SIGTERM');
      assert.equal(code, 0);
      assert.match(stdout, /^Access +secured \(permissions by role\)$/m);
      assert.equal(HTTPS_WARNING.test(stderr), warns, stderr);
      assert.doesNotMatch(stdout, /sandbox/);
    });
  }
});

void describe('sandbox access', { concurrency: 4 }, () => {
  const flags = ['--empty', '--access', 'sandbox', '--host', '0.0.0.0', '--cors-origins', 'https://app.example.org'];

  void it('start: prints a warning to standard output, whatever the log level', async (t) => {
    const dataDir = await temporaryFolder(t);
    for (const level of ['silent', 'info']) {
      const server = await startServer(t, dataDir, [...flags, '--log-level', level]);
      assert.equal((await fetch(`${nearOrigin(server)}/readyz`)).status, 200);
      const { code, stdout } = await server.end('SIGTERM');
      assert.equal(code, 0);
      assert.match(stdout, /^Access +sandbox \([^\n]*anyone[^\n]*\)$/m);
    }
  });

  void it('any address and any Host: are accepted, and every response has Menagerie-Access', async (t) => {
    const server = await startServer(t, await temporaryFolder(t), flags);
    const origin = nearOrigin(server);
    const json = { 'content-type': 'application/json' };
    const origins = { origin: 'https://app.example.org' };
    const calls: { method: string; path: string; status: number; headers?: Record<string, string>; body?: string }[] = [
      { method: 'POST', path: 'v2/pet', status: 200, headers: json, body: '{"name":"Anybody\'s"}' },
      { method: 'GET', path: 'v2/pet/1', status: 200 },
      { method: 'HEAD', path: 'v2/pet/1', status: 200 },
      { method: 'GET', path: 'v2/pet/1', status: 304, headers: { 'if-none-match': '*' } },
      { method: 'GET', path: 'v2/pet/findByStatus?status=sold', status: 200 },
      { method: 'GET', path: 'v2/pet/9', status: 404 },
      { method: 'GET', path: 'v2/pet/nine', status: 400 },
      { method: 'GET', path: 'v2/nowhere', status: 404 },
      { method: 'GET', path: 'nowhere.ico', status: 404 },
      { method: 'GET', path: '', status: 200 },
      { method: 'GET', path: 'livez', status: 200 },
      { method: 'GET', path: 'readyz', status: 200 },
      { method: 'GET', path: 'reset-password', status: 200 },
      { method: 'PATCH', path: 'v2/pet', status: 405 },
      {
        method: 'OPTIONS',
        path: 'v2/pet',
        status: 204,
        headers: { ...origins, 'access-control-request-method': 'PUT' },
      },
      { method: 'POST', path: 'v2/pet', status: 400, headers: json, body: '{' },
      { method: 'POST', path: 'v2/pet', status: 415, headers: { 'content-type': 'text/html' }, body: 'x' },
      { method: 'GET', path: 'v2/pet/1', status: 406, headers: { accept: 'image/png' } },
      { method: 'GET', path: 'v2/user/logout', status: 403, headers: { 'sec-fetch-site': 'cross-site' } },
      { method: 'GET', path: 'v2/admin/users', status: 401 },
      { method: 'GET', path: 'v2/user/%E0%A4%A', status: 400 },
      { method: 'GET', path: 'v2/pet/1', status: 417, headers: { expect: 'miracles' } },
      { method: 'GET', path: 'v2/user/login?username=a&password=b', status: 400 },
    ];
    for (const { method, path, status, headers = {}, body } of calls) {
      const what = `${method} ${path} ${JSON.stringify(headers)}`;
      const response = await callAs(origin, method, path, {
        headers: { host: 'pets.example.org', ...headers },
        ...(body !== undefined && { body }),
      });
      assert.equal(response.status, status, `${what}: ${response.text}`);
      assert.equal(response.headers.get('menagerie-access'), 'sandbox', what);
    }

    const malformed: [what: string, bytes: string, status: number][] = [
      ['no HTTP at all', 'hello\r\n\r\n', 400],
      ['no Host', 'GET /v2/pet/1 HTTP/1.1\r\n\r\n', 400],
      ['two Hosts', 'GET /v2/pet/1 HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', 400],
      ['a header without end', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`, 431],
      ['two lengths', 'POST /v2/pet HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 400],
    ];
    for (const [what, bytes, status] of malformed) {
      const { text } = await rawExchange(origin, bytes);
      assert.match(text, new RegExp(`^HTTP/1\\.1 ${status} `), what);
      assert.match(text, /^menagerie-access: sandbox\r$/im, what);
    }
  });

  void it('open access: its responses have no Menagerie-Access', async (t) => {
    const server = await startServer(t, await temporaryFolder(t));
    const response = await fetch(`${server.base}/pet/1`);
    await response.arrayBuffer();
    assert.equal(response.headers.get('menagerie-access'), null);
  });
});

/** The modes of the folder and of its content, by path. */
async function modesOf(folder: string): Promise<Map<string, string>> {
  const modes = new Map<string, string>();
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  for (const path of [folder, ...entries.map(({ parentPath, name }) => join(parentPath, name))]) {
    const { mode } = await stat(path);
    modes.set(path.slice(folder.length), (mode & 0o7777).toString(8));
  }
  return modes;
}

async function assertPrivate(folder: string, names: readonly string[]): Promise<void> {
  const modes = await modesOf(folder);
  for (const name of names) assert.ok(modes.has(`/${name}`), `${name} in ${[...modes.keys()].join()}`);
  for (const [path, mode] of modes) assert.match(mode, /^[67]00$/, path);
}

void describe('new data folder', { skip: process.platform === 'win32' && 'Windows has no file modes' }, () => {
  void it('created by the server: only the owner can read the database, its files and the photos', async (t) => {
    const dataDir = join(await temporaryFolder(t), 'above', 'data');
    const server = await startServer(t, dataDir, []);
    await assertPrivate(dataDir, ['menagerie.db', 'menagerie.db-wal', 'menagerie.db-shm', 'server.lock', 'photos']);
    await server.end('SIGTERM');
    await assertPrivate(dataDir, ['menagerie.db']);
  });

  void it('created by a command, or readable by others: only the owner can read the database', async (t) => {
    const open = await temporaryFolder(t);
    await mkdir(join(open, 'data'), { mode: 0o755 });
    const create = commandsOn(join(open, 'data'));
    outputOf(await create(['user', 'create', 'root', '--role', 'admin'], `${PASSWORD}\n`));
    const modes = await modesOf(join(open, 'data'));
    assert.equal(modes.get('/menagerie.db'), '600');
    const fresh = commandsOn(join(open, 'fresh'));
    outputOf(await fresh(['user', 'create', 'root', '--role', 'admin'], `${PASSWORD}\n`));
    await assertPrivate(join(open, 'fresh'), ['menagerie.db']);
  });
});

void describe('password as an argument, visible to every user', { concurrency: 4 }, () => {
  const calls: string[][] = [
    ['serve', '--password=hunter2'],
    ['serve', '--port', '0', 'hunter2'],
    ['user', 'create', 'ada', '--password=hunter2'],
    ['user', 'create', 'ada', '-p', 'hunter2'],
    ['user', 'password', 'ada', 'hunter2'],
  ];
  for (const args of calls) {
    void it(`${args.join(' ')}: is a usage error that does not repeat it`, async (t) => {
      const dataDir = join(await temporaryFolder(t), 'data');
      const { code, stdout, stderr } = await runCommand([...args, '--data-dir', dataDir], { input: PASSWORD });
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, /\S/);
      assert.doesNotMatch(stderr, /hunter2|\n {4}at /);
      assert.ok(!existsSync(dataDir));
    });
  }
});
