import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { test, type TestContext } from 'node:test';
import { temporaryFolder } from '../support/service.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** A copy of the program that uses the same packages, but has its own compile cache. */
async function install(t: TestContext): Promise<string> {
  const folder = await temporaryFolder(t);
  await cp(join(ROOT, 'src'), join(folder, 'src'), { recursive: true });
  await cp(join(ROOT, 'package.json'), join(folder, 'package.json'));
  await symlink(join(ROOT, 'assets'), join(folder, 'assets'));
  await mkdir(join(folder, 'node_modules'));
  for (const name of await readdir(join(ROOT, 'node_modules')))
    if (name !== '.cache') await symlink(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
  return folder;
}

/** Starts the service, adds, reads and finds a pet, and stops it. */
async function runOnce(t: TestContext, folder: string): Promise<void> {
  const args = ['src/cli/menagerie.js', 'serve', '--port', '0', '--data-dir', join(folder, 'data'), '--empty'];
  const child = spawn(process.execPath, args, { cwd: folder, env: {}, stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  const base = / (http:\/\/\S+\/v2)/.exec(await startOutput(child))?.[1] ?? '';
  const added = await fetch(`${base}/pet`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"id":1,"name":"Rex"}',
  });
  assert.equal(added.status, 200);
  assert.equal(await added.text(), await (await fetch(`${base}/pet/1`)).text());
  // Otherwise the search thread starts a second later, which may be after the end.
  assert.equal((await fetch(`${base}/pet?text=rex`)).status, 200);
  child.kill('SIGTERM');
  const [code] = (await once(child, 'exit')) as [number | null];
  assert.equal(code, 0);
}

async function startOutput({ stdout }: ChildProcess): Promise<string> {
  assert.ok(stdout);
  const [text] = (await once(stdout, 'data', { signal: AbortSignal.timeout(60_000) })) as [Buffer];
  return text.toString();
}

async function filesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}

void test('compile cache: is written by the first start and used by the second', async (t) => {
  const folder = await install(t);
  const cache = join(folder, 'node_modules', '.cache', 'menagerie');
  await runOnce(t, folder);
  const files = await filesOf(cache);
  assert.ok(files.length > 50, `${files.length} files`);
  await runOnce(t, folder);
  assert.deepEqual((await filesOf(cache)).toSorted(), files.toSorted(), 'nothing was compiled again');
});

void test('compile cache that cannot be written: the service starts without it', async (t) => {
  const folder = await install(t);
  const cacheRoot = join(folder, 'node_modules', '.cache');
  // A file in its place also stops the superuser.
  await writeFile(cacheRoot, '');
  await runOnce(t, folder);
});

void test('damaged compile cache: is ignored', async (t) => {
  const folder = await install(t);
  await runOnce(t, folder);
  for (const path of await filesOf(join(folder, 'node_modules', '.cache', 'menagerie')))
    await writeFile(path, 'not what Node wrote');
  await runOnce(t, folder);
});
