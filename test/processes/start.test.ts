import assert from 'node:assert/strict';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { appendFile, cp, mkdir, readdir, readFile, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { removeFolder, temporaryFolder } from '../support/service.ts';
import { ensureWebBuilt } from '../support/web-build.ts';

/*
 * npm start in a checkout builds the web application if it is missing or older than its sources, in one of several concurrent starts.
 */

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const OLDER_NODE = '/usr/bin/node';
const BUILD_OUTPUT = /^Building the web application\.\.\. done in \d+\.\d s$/m;

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

/** Like `npm ci --omit=dev`. */
async function installForProduction(folder: string): Promise<void> {
  const description = await readFile(join(ROOT, 'package.json'), 'utf8');
  const { dependencies } = JSON.parse(description) as { dependencies: Readonly<Record<string, string>> };
  for (const name of Object.keys(dependencies)) {
    await mkdir(dirname(join(folder, 'node_modules', name)), { recursive: true });
    await symlink(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
  }
}

interface Ran {
  child: ChildProcess;
  written: { stdout: string; stderr: string };
}

function runNode(...args: readonly string[]): Ran {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  after(() => child.kill('SIGKILL'));
  const written = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (written.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (written.stderr += text));
  return { child, written };
}

async function startIn(folder: string): Promise<Ran & { front: { status: number; text: string } }> {
  const { child, written } = runNode(join(folder, 'scripts/start.js'), '--ephemeral', '--empty', '--port', '0');
  const ended = once(child, 'exit');
  while (!written.stdout.includes('/v2\n') && child.exitCode === null)
    await Promise.race([once(child.stdout ?? assert.fail(), 'data'), ended]);
  const origin = / (http:\/\/\S+)\/v2/.exec(written.stdout)?.[1] ?? assert.fail(written.stderr);
  const response = await fetch(origin, { headers: { accept: 'text/html' } });
  const front = { status: response.status, text: await response.text() };
  child.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null]);
  return { child, written, front };
}

async function buildIn(folder: string): Promise<string> {
  const { child, written } = runNode(join(folder, 'scripts/build-web.ts'), '--if-stale');
  assert.deepEqual(await once(child, 'close'), [0, null], written.stderr);
  return written.stderr;
}

void describe('npm start', () => {
  void it('missing build tools: serves without the web application, and says how to build it', async () => {
    const folder = await newCheckout();
    await installForProduction(folder);
    const { written, front } = await startIn(folder);
    assert.match(
      written.stderr,
      /^The build tools of the web application are not installed\. Run "npm ci" without --omit=dev/,
    );
    assert.equal(front.status, 200);
    assert.match(front.text, /npm run build:web/);
  });

  void it('older Node.js: prints the required version only', (t) => {
    const version = existsSync(OLDER_NODE) ? spawnSync(OLDER_NODE, ['--version'], { encoding: 'utf8' }).stdout : '';
    if (!/^v(?:\d|1\d|2[0-3])\./.test(version)) {
      t.skip('needs an older Node.js');
      return;
    }
    const { status, stdout, stderr } = spawnSync(OLDER_NODE, [join(ROOT, 'scripts/start.js')], { encoding: 'utf8' });
    assert.equal(status, 1);
    assert.equal(stdout, '');
    assert.match(stderr, /^Menagerie needs Node\.js 24\.\d+ or newer; this is [\d.]+\.[^\n]*\n$/);
  });
});

void describe('web application in a checkout', async () => {
  const folder = await newCheckout();
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const builtFiles = () => readdir(join(folder, 'dist/web/assets'));
  const owner = join(folder, 'dist/.web-building/owner');

  /** Writes the process id of a build that has not finished. */
  async function writeOwner(pid: number): Promise<void> {
    await mkdir(dirname(owner), { recursive: true });
    await writeFile(owner, String(pid));
  }

  void it('unchanged sources: are not built again', async () => {
    await cp(await ensureWebBuilt(), join(folder, 'dist/web'), { recursive: true });
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
    for (const name of names.filter((each) => /\.(?:js|css)$/.test(each)))
      assert.ok(names.includes(`${name}.br`) || !names.includes(`${name}.gz`), name);
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
