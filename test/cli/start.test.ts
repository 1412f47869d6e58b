import assert from 'node:assert/strict';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { appendFile, cp, mkdir, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../support/service.ts';

/*
 * npm start in a checkout: the web application is built when it is missing or older than its sources, by one of those who start at once.
 */

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const OLDER_NODE = '/usr/bin/node';
const SAYS_IT_BUILDS = /^Building the web application\.\.\. done in \d+\.\d s$/m;

/** As somebody has it who has just cloned it. */
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

/** With what `npm ci --omit=dev` brings. */
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
  /** What it has written until now. */
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
  while (!written.stdout.includes('\n') && child.exitCode === null)
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
  void it('serves without the application where nothing can build it, and says what to do', async () => {
    const folder = await newCheckout();
    await installForProduction(folder);
    const { written, front } = await startIn(folder);
    assert.match(written.stderr, /^What builds the web application is not installed: "npm ci" without --omit=dev/);
    assert.equal(front.status, 200);
    assert.match(front.text, /npm run build:web/);
  });

  void it('says on an older Node.js what is needed, before anything else', (t) => {
    const version = existsSync(OLDER_NODE) ? spawnSync(OLDER_NODE, ['--version'], { encoding: 'utf8' }).stdout : '';
    if (!/^v(?:\d|1\d|2[0-3])\./.test(version)) {
      t.skip('there is no older Node.js on this machine');
      return;
    }
    const { status, stdout, stderr } = spawnSync(OLDER_NODE, [join(ROOT, 'scripts/start.js')], { encoding: 'utf8' });
    assert.equal(status, 1);
    assert.equal(stdout, '');
    assert.match(stderr, /^Menagerie needs Node\.js 24\.\d+ or newer; this is [\d.]+\.[^\n]*\n$/);
  });
});

void describe('the web application in a checkout', async () => {
  const folder = await newCheckout();
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const builtFiles = () => readdir(join(folder, 'dist/web/assets'));

  void it('is built by one of those who start at once, also where another was ended on the way', async () => {
    await mkdir(join(folder, 'dist/.web-building'), { recursive: true });
    const { pid } = spawnSync(process.execPath, ['--version']);
    await writeFile(join(folder, 'dist/.web-building/owner'), String(pid));
    const outputs = await Promise.all([buildIn(folder), buildIn(folder), buildIn(folder)]);
    assert.equal(outputs.filter((output) => SAYS_IT_BUILDS.test(output)).length, 1, outputs.join());
    assert.deepEqual(await readdir(join(folder, 'dist')), ['web']);
    const names = await builtFiles();
    for (const name of names.filter((each) => /\.(?:js|css)$/.test(each)))
      assert.ok(names.includes(`${name}.br`) || !names.includes(`${name}.gz`), name);
  });

  void it('is not built again while its sources stay the same', async () => {
    assert.equal(await buildIn(folder), '');
    const { written, front } = await startIn(folder);
    assert.doesNotMatch(written.stderr, /Building/);
    assert.match(front.text, /<script type="module"/);
  });

  void it('is built again by the next start after a change, and nothing of the old one is left', async () => {
    const before = await builtFiles();
    await appendFile(join(folder, 'src/web/main.tsx'), '\nconsole.log("changed");\n');
    // Whoever began to build long ago and was ended is not waited for, though somebody else has the number now.
    const owner = join(folder, 'dist/.web-building/owner');
    await mkdir(dirname(owner));
    await writeFile(owner, String(process.pid));
    const longAgo = new Date(Date.now() - 60 * 60_000);
    await utimes(owner, longAgo, longAgo);
    const { written, front } = await startIn(folder);
    assert.match(written.stderr, SAYS_IT_BUILDS);
    assert.equal(written.stdout.split('\n').length, 2, 'programs read the first line of it');
    const [, entry = ''] = /src="\/assets\/([^"]+)"/.exec(front.text) ?? [];
    assert.ok(!before.includes(entry));
    assert.ok((await builtFiles()).includes(entry));
  });

  void it('stays as it was where the new one cannot be built', async () => {
    const before = await builtFiles();
    await appendFile(join(folder, 'src/web/main.tsx'), '\nconst = broken;\n');
    const { written, front } = await startIn(folder);
    assert.match(written.stderr, /could not be built/);
    assert.equal(front.status, 200);
    assert.deepEqual(await builtFiles(), before);
    await rm(folder, { recursive: true, force: true });
  });
});
