import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { Agent, type ClientRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import sharp from 'sharp';
import { runCommand } from '../support/operator-commands.ts';
import {
  assertNotStarted,
  runMenagerie,
  type RunningServer,
  startMenagerie,
  startServer,
} from '../support/menagerie-process.ts';
import { openRequest } from '../support/open-request.ts';
import { temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';
import { ensureWebBuilt } from '../support/web-build.ts';

const OLDER_NODE = '/usr/bin/node';

interface PetView {
  id: number;
  name: string;
  category: { name: string };
  photoUrls: string[];
  tags: { name: string }[];
  status: string;
}

async function getJson<T>(url: string): Promise<T> {
  const response = await fetch(url);
  assert.equal(response.status, 200, url);
  return (await response.json()) as T;
}

async function statusOf(url: string, init?: RequestInit): Promise<number> {
  const response = await fetch(url, init);
  await response.arrayBuffer();
  return response.status;
}

const listAll = (base: string) => getJson<PetView[]>(`${base}/pet/findByStatus?status=available,pending,sold`);

void describe('menagerie serve', () => {
  void it(
    'has one arena of the allocator, unless the environment has another number',
    {
      skip: process.platform !== 'linux' && 'only Linux has /proc',
    },
    async (t) => {
      for (const [environment, arenas] of [
        [{}, '1'],
        [{ MALLOC_ARENA_MAX: '2' }, '2'],
      ] as const) {
        const { child } = await startServer(t, await temporaryFolder(t), ['--empty'], { environment });
        const variables = (await readFile(`/proc/${child.pid}/environ`, 'utf8')).split('\0');
        assert.ok(variables.includes(`MALLOC_ARENA_MAX=${arenas}`), variables.join());
      }
    },
  );

  void it('variables of a Kubernetes Service with the same name: are ignored, with a line in the log', async (t) => {
    const environment = {
      MENAGERIE_DATA_DIR: await temporaryFolder(t),
      MENAGERIE_PORT: 'tcp://10.96.3.7:8080',
      MENAGERIE_SERVICE_HOST: '10.96.3.7',
    };
    const { child, written, ended } = startMenagerie(t, ['serve', '--port', '0'], { environment });
    await Promise.race([once(child.stdout ?? child, 'data'), ended]);
    assert.match(written.stdout, /http:\/\/127\.0\.0\.1:\d+\/v2/);
    child.kill('SIGTERM');
    const { stderr } = await ended;
    const lines = stderr.split('\n').filter((line) => line.includes('Kubernetes'));
    assert.equal(lines.length, 1, stderr);
    assert.match(lines[0] ?? '', /"level":30.*\["MENAGERIE_PORT","MENAGERIE_SERVICE_HOST"\]/);
    assert.doesNotMatch(stderr, /unknown and ignored/);
  });

  void it(
    'HEAD and 304 for a photo: leave no file open',
    { skip: process.platform !== 'linux' && 'counts open files as Linux shows them' },
    async (t) => {
      const server = await startServer(t, await temporaryFolder(t), []);
      const url = (await listAll(server.base))[0]?.photoUrls[0] ?? '';
      const etag = (await fetch(url, { method: 'HEAD' })).headers.get('etag') ?? '';
      const openFiles = async () => (await readdir(`/proc/${server.child.pid}/fd`)).length;
      const before = await openFiles();
      for (let count = 0; count < 30; count++) {
        assert.equal(await statusOf(url, { method: 'HEAD' }), 200);
        assert.equal(await statusOf(url, { headers: { 'if-none-match': etag } }), 304);
      }
      assert.ok((await openFiles()) < before + 20, `from ${before} open files to ${await openFiles()}`);
    },
  );
});

void describe('menagerie serve', () => {
  const unusable: [what: string, place: (folder: string) => Promise<unknown>, dataDir: string][] = [
    ['a file as data folder', (folder) => writeFile(join(folder, 'data'), 'mine'), 'data'],
    ['a file above the data folder', (folder) => writeFile(join(folder, 'data'), 'mine'), 'data/below'],
    ['a file as photo folder', (folder) => writeFile(join(folder, 'photos'), 'mine'), '.'],
    ['a folder as database', (folder) => mkdir(join(folder, 'menagerie.db')), '.'],
  ];
  for (const [what, place, dataDir] of unusable) {
    void it(`${what}: does not start`, async (t) => {
      const folder = await temporaryFolder(t);
      await place(folder);
      assertNotStarted(
        await runCommand(['serve', '--port', '0', '--data-dir', join(folder, dataDir)]),
        /folder|database/,
      );
    });
  }

  for (const flags of [['--empty'], []]) {
    void it(`database that the writer cannot open: does not start, prints no stack (${flags.join() || 'with samples'})`, async (t) => {
      // Runs in every thread before its own code.
      const module = `import { isMainThread, workerData } from 'node:worker_threads';
        import { mkdirSync, rmSync } from 'node:fs';
        if (!isMainThread && workerData.databasePath !== undefined) {
          rmSync(workerData.databasePath);
          mkdirSync(workerData.databasePath);
        }`;
      const environment = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(module)}` };
      const args = ['serve', '--port', '0', '--data-dir', await temporaryFolder(t), ...flags];
      assertNotStarted(
        await runMenagerie(t, args, { environment }),
        / cannot be used \(menagerie\.db: it is a folder, not a file\)/,
      );
    });
  }

  void it('address of another machine: does not start', async (t) => {
    const args = ['serve', '--port', '0', '--host', '127.999.0.1', '--data-dir', await temporaryFolder(t)];
    const { code, stderr } = await runCommand(args);
    assert.ok(code === 1 || code === 2);
    assert.match(stderr, /^Menagerie cannot start:\s[^\n]+\n$/);
  });

  const badCalls: [args: string[], says: RegExp[]][] = [
    [['serve', '--prot', '80'], [/--prot/]],
    [
      ['serve', '--port', 'hunter2', '--log-level', 'hunter3'],
      [/--port/, /--log-level/],
    ],
    [['sevre'], [/sevre/, /--help/]],
  ];
  for (const [args, says] of badCalls) {
    void it(`${args.join(' ')}: exit code 2`, async () => {
      const { code, stdout, stderr } = await runCommand(args);
      assert.equal(code, 2);
      assert.equal(stdout, '');
      for (const pattern of says) assert.match(stderr, pattern);
      assert.doesNotMatch(stderr, /hunter|\n {4}at /);
    });
  }

  void it('older Node.js: prints the required version', async (t) => {
    const version = existsSync(OLDER_NODE) ? spawnSync(OLDER_NODE, ['--version'], { encoding: 'utf8' }).stdout : '';
    if (!/^v(?:\d|1\d|2[0-3])\./.test(version)) {
      t.skip('needs an older Node.js');
      return;
    }
    const { code, stdout, stderr } = await runMenagerie(t, ['serve', '--port', '0'], { node: OLDER_NODE });
    assert.equal(code, 1);
    assert.equal(stdout, '');
    assert.match(stderr, /^Menagerie needs Node\.js 24\.\d+ or newer; this is [\d.]+\.[^\n]*\n$/);
  });
});

void describe('menagerie', () => {
  const cases: [args: string[], says: RegExp[]][] = [
    [[], [/serve/, /--help/]],
    [['--help'], [/serve/]],
    [
      ['serve', '--help'],
      [/--data-dir FOLDER/, /--port PORT/, /--empty/, /MENAGERIE_DATA_DIR/],
    ],
    [['serve', '--port', 'x', '--help'], [/--port PORT/]],
    [['--version'], [/^\d+\.\d+\.\d+\n$/]],
  ];
  for (const [args, says] of cases) {
    void it(`${args.join(' ') || 'no arguments'}: prints to standard output, exit code 0`, async () => {
      const { code, stdout, stderr } = await runCommand(args);
      assert.deepEqual([code, stderr], [0, '']);
      for (const pattern of says) assert.match(stdout, pattern);
    });
  }
});

async function untilLogged({ written, child }: RunningServer, text: string): Promise<void> {
  while (!written.stderr.includes(text) && child.exitCode === null) await delay(10);
}

async function responseTo(open: ClientRequest): Promise<IncomingMessage> {
  const [response] = (await once(open, 'response')) as [IncomingMessage];
  response.resume();
  return response;
}

/** A faster stop has not waited for the timeout of 20 s. */
const MAX_STOP_MS = 16_000;

void describe('shutdown', () => {
  const body = JSON.stringify({ id: 77, name: 'Just in time', photoUrls: [] });

  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    void it(`${signal}: responds to pending requests, accepts no new ones, keeps acknowledged changes, exit code 0`, async (t) => {
      const dataDir = await temporaryFolder(t);
      const server = await startServer(t, dataDir);
      // An idle connection must not delay the shutdown.
      await statusOf(`${server.origin}/livez`);
      const open = await openRequest(server.base, body);
      const ended = server.end(signal);
      await untilLogged(server, 'shutting down');
      await delay(100);
      await assert.rejects(fetch(`${server.origin}/readyz`, { headers: { connection: 'close' } }));
      open.end(body.slice(5));
      assert.equal((await responseTo(open)).statusCode, 200);
      const { code, signal: killedBy, stderr } = await ended;
      assert.deepEqual([code, killedBy], [0, null]);
      assert.match(stderr, /"msg":"stopped"/);
      const again = await startServer(t, dataDir);
      assert.equal((await getJson<PetView>(`${again.base}/pet/77`)).name, 'Just in time');
    });
  }

  void it('--drain-seconds: is not ready for that time, but responds', async (t) => {
    const server = await startServer(t, await temporaryFolder(t), ['--empty', '--drain-seconds', '4']);
    const startedAt = performance.now();
    const ended = server.end('SIGTERM');
    await until('not ready', async () => (await statusOf(`${server.origin}/readyz`)) === 503);
    for (let count = 0; count < 10; count++) assert.equal(await statusOf(`${server.origin}/v2`), 200);
    assert.equal((await ended).code, 0);
    const tookMs = performance.now() - startedAt;
    assert.ok(tookMs >= 4000, `it took ${Math.round(tookMs)} ms`);
  });

  void it('pending request of a playground: gets its response, and an event stream ends', async (t) => {
    const server = await startServer(t, await temporaryFolder(t), ['--empty']);
    const created = await fetch(`${server.base}/playgrounds`, { method: 'POST' });
    const { token } = (await created.json()) as { token: string };
    const playground = `${server.origin}/s/${token}/v2`;
    const events = await fetch(`${playground}/events`);
    const open = await openRequest(playground, body);
    const response = responseTo(open);
    const ended = server.end('SIGTERM');
    await untilLogged(server, 'shutting down');
    await events.text();
    open.end(body.slice(5));
    assert.equal((await response).statusCode, 200);
    const respondedAt = performance.now();
    assert.equal((await ended).code, 0);
    const tookMs = performance.now() - respondedAt;
    assert.ok(tookMs < MAX_STOP_MS, `it took ${Math.round(tookMs)} ms more`);
  });

  void it('connection of a pending request: is closed after the response', async (t) => {
    const agent = new Agent({ keepAlive: true });
    t.after(() => agent.destroy());
    const server = await startServer(t, await temporaryFolder(t), ['--empty']);
    const open = await openRequest(server.base, body, agent);
    const ended = server.end('SIGTERM');
    await untilLogged(server, 'shutting down');
    open.end(body.slice(5));
    assert.equal((await responseTo(open)).statusCode, 200);
    const respondedAt = performance.now();
    assert.equal((await ended).code, 0);
    const tookMs = performance.now() - respondedAt;
    assert.ok(tookMs < MAX_STOP_MS, `it took ${Math.round(tookMs)} ms more`);
  });

  void it('connection without a request, as browsers open them: does not delay the shutdown', async (t) => {
    const server = await startServer(t, await temporaryFolder(t), ['--empty']);
    const idle = connect(Number(new URL(server.origin).port), '127.0.0.1');
    idle.on('error', () => {});
    t.after(() => idle.destroy());
    await once(idle, 'connect');
    await statusOf(`${server.origin}/livez`);
    const startedAt = performance.now();
    assert.equal((await server.end('SIGTERM')).code, 0);
    const tookMs = performance.now() - startedAt;
    assert.ok(tookMs < MAX_STOP_MS, `it took ${Math.round(tookMs)} ms`);
  });

  const logs: [what: string, cut: string, skip: string | false][] = [
    ['on a full disk', '2>/dev/full', process.platform !== 'linux' && 'only Linux has /dev/full'],
    ['with a reader that has exited', '2> >(exit 0)', !existsSync('/bin/bash') && 'needs bash'],
    ['that is closed', '2>&-', process.platform === 'win32' && 'Windows has no shell for it'],
  ];
  for (const [what, cut, skip] of logs) {
    for (const format of what.includes('reader') ? ['json', 'pretty'] : ['json']) {
      void it(`log ${what} (${format}): the service works, exit code 0`, { skip }, async (t) => {
        const node = join(await temporaryFolder(t), 'node');
        const shell = existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh';
        await writeFile(node, `#!${shell}\nexec '${process.execPath}' "$@" ${cut}\n`, { mode: 0o755 });
        const flags = ['--empty', '--log-level', 'debug', '--log-format', format];
        const server = await startServer(t, await temporaryFolder(t), flags, { node });
        for (let count = 0; count < 10; count++) assert.equal(await statusOf(`${server.base}/pet/1`), 404);
        const { code, signal } = await server.end('SIGTERM');
        assert.deepEqual([code, signal], [0, null]);
      });
    }
  }

  void it(
    'Ctrl-C under npm start, where the signal arrives twice: responds to pending requests',
    { skip: process.platform === 'win32' && 'Windows has no process groups' },
    async (t) => {
      await ensureWebBuilt();
      const root = new URL('../..', import.meta.url);
      const dataDir = await temporaryFolder(t);
      const args = ['start', '--silent', '--', '--port', '0', '--empty', '--data-dir', dataDir];
      const npm = spawn('npm', args, { cwd: root, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
      const hasNpm = await Promise.race([once(npm, 'spawn').then(() => true), once(npm, 'error').then(() => false)]);
      const group = -(npm.pid ?? 0);
      if (!hasNpm || group === 0) {
        t.skip('needs npm');
        return;
      }
      t.after(() => {
        try {
          process.kill(group, 'SIGKILL');
        } catch {
          // It has exited.
        }
      });
      const written = { stdout: '', stderr: '' };
      npm.stdout.setEncoding('utf8').on('data', (text: string) => (written.stdout += text));
      npm.stderr.setEncoding('utf8').on('data', (text: string) => (written.stderr += text));
      const ended = once(npm, 'close');
      while (!written.stdout.includes('/v2\n')) await Promise.race([once(npm.stdout, 'data'), ended]);
      const base = / (http:\/\/\S+\/v2)/.exec(written.stdout)?.[1] ?? '';
      const open = await openRequest(base, body);
      const response = responseTo(open).then(
        ({ statusCode }) => statusCode,
        () => undefined,
      );
      // A terminal signals the whole process group.
      process.kill(group, 'SIGINT');
      await delay(300);
      open.end(body.slice(5));
      assert.equal(await response, 200);
      await ended;
      assert.match(written.stderr, /"msg":"stopped"/);
    },
  );
});

async function assertPhotos(pets: readonly PetView[]): Promise<void> {
  for (const { name, photoUrls } of pets) {
    assert.equal(photoUrls.length, 1, name);
    const response = await fetch(photoUrls[0] ?? '');
    assert.equal(response.status, 200, name);
    const { info } = await sharp(await response.arrayBuffer())
      .raw()
      .toBuffer({ resolveWithObject: true });
    assert.ok(info.width >= 200 && info.height >= 200, name);
  }
}

async function assertSamples(base: string): Promise<void> {
  const pets = await listAll(base);
  assert.equal(pets.length, 20);
  assert.deepEqual(new Set(pets.map(({ category }) => category.name)), new Set(['Dogs', 'Cats', 'Rabbits', 'Lions']));
  assert.deepEqual(new Set(pets.map(({ status }) => status)), new Set(['available', 'pending', 'sold']));
  assert.ok(pets.every(({ tags }) => tags.length > 0));
  await assertPhotos(pets);
  for (const username of [...Array.from({ length: 10 }, (_, index) => `user${index + 1}`), 'user%3F10']) {
    const user = await getJson<{ username: string }>(`${base}/user/${username}`);
    assert.equal(user.username, decodeURIComponent(username));
    assert.equal(await statusOf(`${base}/user/login?username=${username}&password=x`), 400);
  }
}

void describe('sample catalogue', () => {
  void it('new database: gets the samples once, with one log entry', async (t: TestContext) => {
    const dataDir = await temporaryFolder(t);
    const first = await startServer(t, dataDir, []);
    await assertSamples(first.base);
    await statusOf(`${first.base}/pet/1`, { method: 'DELETE' });
    const { code, stderr } = await first.end('SIGTERM');
    assert.equal(code, 0);
    assert.equal(stderr.split('\n').filter((line) => line.includes('sample')).length, 1);
    const second = await startServer(t, dataDir, []);
    assert.equal((await listAll(second.base)).length, 19);
    const { stderr: secondLog } = await second.end('SIGTERM');
    assert.doesNotMatch(secondLog, /sample/);
  });

  void it('server killed while it adds the samples: the next start completes them', async (t) => {
    const dataDir = await temporaryFolder(t);
    const killed = startMenagerie(t, ['serve', '--port', '0', '--data-dir', dataDir]);
    // After the first photo, others are still missing.
    const folder = join(dataDir, 'photos');
    for (let waits = 0; waits < 1000; waits++) {
      const shelves = existsSync(folder) ? (await readdir(folder)).filter((name) => name.length === 2) : [];
      if (shelves.length > 0 || killed.child.exitCode !== null) break;
      await delay(5);
    }
    killed.child.kill('SIGKILL');
    await killed.ended;
    const server = await startServer(t, dataDir, []);
    await assertSamples(server.base);
  });
});
