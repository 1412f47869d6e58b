import assert from 'node:assert/strict';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { appendFile, cp, mkdir, readdir, readFile, rename, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { removeFolder, temporaryFolder } from '../support/service.ts';
import { ensureBundled } from '../support/menagerie-process.ts';
import { ensureWebBuilt } from '../support/web-build.ts';

/*
 * npm start in a checkout builds the web application if it is missing or older than its sources, in one of several
 * concurrent starts. It stops with npm.
 */

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const START = ['scripts/newer-node.js', 'scripts/start.ts'] as const;
const OLDER_NODE = '/usr/bin/node';
const IN_MEMORY = ['--ephemeral', '--empty', '--port', '0'] as const;
const BUILD_OUTPUT = /^Building the web application\.\.\. done in \d+\.\d s$/m;
const BUNDLE_OUTPUT = /^Building the server\.\.\. done in \d+\.\d s$/m;

async function newCheckout(): Promise<string> {
  const folder = await temporaryFolder({ after });
  for (const name of [
    'src',
    'scripts',
    'assets',
    'package.json',
    'package-lock.json',
    'vite.config.ts',
    'tsconfig.json',
  ])
    await cp(join(ROOT, name), join(folder, name), { recursive: true });
  return folder;
}

/** A checkout with both builds of this one. */
async function newBuiltCheckout(): Promise<string> {
  const folder = await newCheckout();
  ensureBundled();
  await cp(join(ROOT, 'bundle'), join(folder, 'bundle'), { recursive: true });
  await cp(await ensureWebBuilt(), join(folder, 'dist/web'), { recursive: true });
  return folder;
}

/** Like `npm ci --omit=dev`. */
async function installForProduction(folder: string): Promise<void> {
  const description = await readFile(join(ROOT, 'package.json'), 'utf8');
  const { dependencies } = JSON.parse(description) as { dependencies: Readonly<Record<string, string>> };
  for (const name of Object.keys(dependencies)) {
    await mkdir(dirname(join(folder, 'node_modules', name)), { recursive: true });
    await symlink(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
  }
}

/** Links all packages but one, which Vite then finds in the folder itself. */
async function installWithCopyOf(folder: string, scope: string, name: string): Promise<void> {
  const [from, to] = [ROOT, folder].map((each) => join(each, 'node_modules')) as [string, string];
  await mkdir(join(to, scope), { recursive: true });
  for (const each of await readdir(from)) if (each !== scope) await symlink(join(from, each), join(to, each));
  await cp(join(from, scope, name), join(to, scope, name), { recursive: true });
}

interface Ran {
  child: ChildProcess;
  written: { stdout: string; stderr: string };
}

function run(folder: string, command: string, ...args: readonly string[]): Ran {
  const child = spawn(command, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  after(() => child.kill('SIGKILL'));
  const written = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (written.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (written.stderr += text));
  return { child, written };
}

/** Returns when the condition holds, or the process has ended. */
async function untilWritten(child: ChildProcess, isWritten: () => boolean): Promise<void> {
  const ended = once(child, 'exit');
  const { stdout, stderr } = child;
  assert.ok(stdout !== null && stderr !== null);
  while (!isWritten() && child.exitCode === null)
    await Promise.race([once(stdout, 'data'), once(stderr, 'data'), ended]);
}

async function outputOf({ child, written }: Ran): Promise<string> {
  await once(child, 'close');
  return written.stdout;
}

async function startIn(folder: string): Promise<Ran & { front: { status: number; text: string } }> {
  const { child, written } = run(folder, process.execPath, ...START, ...IN_MEMORY);
  const ended = once(child, 'exit');
  await untilWritten(child, () => written.stdout.includes('/v2\n'));
  const origin = / (http:\/\/\S+)\/v2/.exec(written.stdout)?.[1] ?? assert.fail(written.stderr);
  const response = await fetch(origin, { headers: { accept: 'text/html' } });
  const front = { status: response.status, text: await response.text() };
  child.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null]);
  return { child, written, front };
}

async function buildIn(folder: string): Promise<string> {
  const { child, written } = run(folder, process.execPath, 'scripts/build-web.ts', '--if-stale');
  assert.deepEqual(await once(child, 'close'), [0, null], written.stderr);
  return written.stderr;
}

void describe('npm start', () => {
  void it('missing build tools: serves without the web application, and says how to build it', async () => {
    const folder = await newCheckout();
    await installForProduction(folder);
    const { written, front } = await startIn(folder);
    assert.match(written.stderr, /^The build tools are not installed\. Run "npm ci" without --omit=dev/);
    assert.equal(front.status, 200);
    assert.match(front.text, /npm run build:web/);
  });

  void it('older Node.js: continues in the one that npm has installed, and without one prints the required version only', async (t) => {
    const version = existsSync(OLDER_NODE) ? spawnSync(OLDER_NODE, ['--version'], { encoding: 'utf8' }).stdout : '';
    if (!/^v(?:\d|1\d|2[0-3])\./.test(version)) {
      t.skip('needs an older Node.js');
      return;
    }
    const startIn = (cwd: string) => spawnSync(OLDER_NODE, [...START, '--help'], { cwd, encoding: 'utf8' });
    const folder = await newBuiltCheckout();
    const alone = startIn(folder);
    assert.deepEqual([alone.status, alone.stdout], [1, '']);
    assert.match(alone.stderr, /^Menagerie needs Node\.js 24\.\d+ or newer; this is [\d.]+\.[^\n]*"npm ci"[^\n]*\n$/);
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    const { status, stdout, stderr } = startIn(folder);
    assert.deepEqual([status, stderr], [0, '']);
    assert.match(stdout, /^Start the service\./);
  });

  // A shell between npx and the service ignores SIGINT, because a terminal sends it to all of them.
  const ways = [
    [
      ['npm', 'start', '--'],
      ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL'],
    ],
    [
      ['npx', 'menagerie', 'serve'],
      ['SIGTERM', 'SIGHUP', 'SIGKILL'],
    ],
  ] as const;
  for (const [[command, ...args], signals] of ways)
    for (const signal of signals)
      void it(`${[command, ...args].join(' ')}, ${signal} to npm alone: the service stops as well`, async () => {
        await ensureWebBuilt();
        ensureBundled();
        const { child, written } = run(ROOT, command, ...args, ...IN_MEMORY);
        await untilWritten(child, () => written.stdout.includes('/v2\n'));
        // The service holds the other ends.
        const closed = once(child, 'close');
        child.kill(signal);
        await closed;
        assert.match(written.stderr, /"msg":"stopped"/);
      });

  void it('signals of a terminal, to npm and the service: one request to stop', async () => {
    const { child, written } = run(ROOT, process.execPath, ...START, ...IN_MEMORY);
    await untilWritten(child, () => written.stdout.includes('/v2\n'));
    child.kill('SIGINT');
    await untilWritten(child, () => written.stderr.includes('shutting down'));
    child.kill('SIGINT');
    assert.deepEqual(await once(child, 'close'), [0, null]);
  });

  void it('killed while it builds the web application: the build ends as well', async () => {
    const folder = await newCheckout();
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    const { child, written } = run(folder, process.execPath, ...START, ...IN_MEMORY);
    await untilWritten(child, () => written.stderr.includes('Building'));
    const closed = once(child, 'close');
    child.kill('SIGKILL');
    await closed;
    assert.doesNotMatch(written.stderr, BUILD_OUTPUT);
  });
});

void describe('web application in a checkout', async () => {
  void it('below a folder with # and ? in its name: is built', async () => {
    const place = join(await temporaryFolder({ after }), 'C# 100%? ä');
    await rename(await newCheckout(), place);
    await installWithCopyOf(place, '@vitejs', 'plugin-react');
    const { written, front } = await startIn(place);
    assert.match(written.stderr, BUILD_OUTPUT);
    assert.match(written.stderr, BUNDLE_OUTPUT);
    assert.match(front.text, /<script type="module"/);
  });

  const folder = await newBuiltCheckout();
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const builtFiles = () => readdir(join(folder, 'dist/web/assets'));
  const owner = join(folder, 'dist/.web-building/owner');

  /** Writes the process id of a build that has not finished. */
  async function writeOwner(pid: number): Promise<void> {
    await mkdir(dirname(owner), { recursive: true });
    await writeFile(owner, String(pid));
  }

  void it('unchanged sources: are not built again', async () => {
    const { written, front } = await startIn(folder);
    assert.doesNotMatch(written.stderr, /Building/);
    assert.match(front.text, /<script type="module"/);
  });

  void it('changed sources: one of three concurrent starts builds them, even if an earlier build was killed', async () => {
    const before = await builtFiles();
    await appendFile(join(folder, 'src/web/main.tsx'), '\nconsole.log("changed");\n');
    await writeOwner(spawnSync(process.execPath, ['--version']).pid);
    const [{ written, front }, ...outputs] = await Promise.all([startIn(folder), buildIn(folder), buildIn(folder)]);
    const built = [written.stderr, ...outputs].filter((output) => BUILD_OUTPUT.test(output));
    assert.equal(built.length, 1, [written.stderr, ...outputs].join());
    assert.match(written.stdout, /^Web application [^\n]*\n(?:[A-Z][\w ]{16}\S[^\n]*\n){5}$/, 'only the start lines');
    assert.deepEqual(await readdir(join(folder, 'dist')), ['web']);
    const names = await builtFiles();
    // A file of a few hundred bytes may be larger as Brotli or gzip; such a form is not stored.
    for (const name of names.filter((each) => /\.(?:js|css)$/.test(each)))
      if ((await stat(join(folder, 'dist/web/assets', name))).size > 1000)
        assert.deepEqual(names.filter((each) => each.startsWith(`${name}.`)).toSorted(), [`${name}.br`, `${name}.gz`]);
    const [, entry = ''] = /src="\/assets\/([^"]+)"/.exec(front.text) ?? [];
    assert.ok(names.includes(entry) && !before.includes(entry));
  });

  void it('sources that cannot be built: the old build stays, and a build that began an hour ago is ignored', async () => {
    const before = await builtFiles();
    await appendFile(join(folder, 'src/web/main.tsx'), '\nconst = broken;\n');
    // Another process has the ID now.
    await writeOwner(process.pid);
    const longAgo = new Date(Date.now() - 60 * 60_000);
    await utimes(owner, longAgo, longAgo);
    const { written, front } = await startIn(folder);
    assert.match(written.stderr, /Building the web application failed/);
    assert.equal(front.status, 200);
    assert.deepEqual(await builtFiles(), before);
    await removeFolder(folder);
  });
});

void describe('bundle of the server', () => {
  const MAIN = 'src/cli/main.ts';
  /** Makes the program fail at its first statement. */
  const BUG = `data:text/javascript,${encodeURIComponent("process.umask = () => { throw new Error('planted'); };")}`;
  const runWithBug = (folder: string) =>
    spawnSync(process.execPath, [`--import=${BUG}`, 'src/cli/menagerie.js', '--version'], {
      cwd: folder,
      encoding: 'utf8',
    });

  void it('bug: its stack names the file and line of the source', async () => {
    const folder = await newBuiltCheckout();
    const lines = (await readFile(join(folder, MAIN), 'utf8')).split('\n');
    const line = lines.findIndex((text) => text.includes('process.umask(')) + 1;
    const { stderr } = runWithBug(folder);
    assert.match(
      stderr,
      new RegExp(`^Error: planted\\n(?:    at .*\\n)*    at .*main .*/${MAIN}:${line}:\\d+\\)?$`, 'm'),
    );
  });

  void it('changed sources: run instead of the bundle, until npm start builds it again', async () => {
    const folder = await newBuiltCheckout();
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    const version = () => run(folder, process.execPath, 'src/cli/menagerie.js', '--version');
    const path = join(folder, MAIN);
    await writeFile(path, (await readFile(path, 'utf8')).replace('`${VERSION}\\n`', '`changed ${VERSION}\\n`'));
    assert.match(await outputOf(version()), /^changed /);
    const before = await readdir(join(folder, 'bundle'));
    const { written } = await startIn(folder);
    assert.match(written.stderr, BUNDLE_OUTPUT);
    assert.match(await readFile(join(folder, 'bundle/main.js'), 'utf8'), /changed/);
    assert.match(await outputOf(version()), /^changed /);
    const names = await readdir(join(folder, 'bundle'));
    const missing = before.filter((name) => !names.includes(name));
    assert.deepEqual(missing, [], 'a running service can still load the files of its build');
    await removeFolder(folder);
  });
});
