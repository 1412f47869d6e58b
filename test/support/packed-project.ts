import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Lifetime } from './service.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const run = promisify(execFile);

/** The output and exit code of a program. */
export interface Ran {
  code: number | null;
  output: string;
}

/** A project with the packed package installed, and the dependencies of this checkout instead of a registry's. */
export interface PackedProject {
  folder: string;
  /** Runs Node.js in the project. */
  node: (...args: readonly string[]) => Promise<Ran>;
  write: (path: string, text: string) => Promise<void>;
}

export async function newPackedProject(t: Lifetime): Promise<PackedProject> {
  const folder = await mkdtemp(join(tmpdir(), 'menagerie-test-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const modules = join(folder, 'node_modules');
  await mkdir(modules);
  await run('npm', ['run', 'package', '--', '--pack-destination', folder], { cwd: ROOT });
  const packed = (await readdir(folder)).find((name) => name.endsWith('.tgz')) ?? '';
  await run('tar', ['-xzf', join(folder, packed), '-C', folder]);
  await rename(join(folder, 'package'), join(modules, 'menagerie'));
  await linkDependencies(modules);
  const write = (path: string, text: string) => writeFile(join(folder, path), text);
  await write('package.json', '{"private":true,"type":"module"}');
  return { folder, write, node: (...args) => nodeIn(folder, args) };
}

/** The dependencies of the package, transitively; and the types of Node.js, for a TypeScript project. */
async function linkDependencies(modules: string): Promise<void> {
  const { dependencies } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
    dependencies: Readonly<Record<string, string>>;
  };
  for (const name of [...Object.keys(dependencies), '@types/node', 'undici-types']) {
    await mkdir(dirname(join(modules, name)), { recursive: true });
    await symlink(join(ROOT, 'node_modules', name), join(modules, name));
  }
}

async function nodeIn(folder: string, args: readonly string[]): Promise<Ran> {
  const environment: NodeJS.ProcessEnv = { ...process.env };
  // With this variable set, Node.js reports to its parent in a binary format.
  delete environment['NODE_TEST_CONTEXT'];
  const child = spawn(process.execPath, args, { cwd: folder, env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const [code] = await once(child, 'close');
  return { code: code as number | null, output };
}

/** The compiler of this project. */
export const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
