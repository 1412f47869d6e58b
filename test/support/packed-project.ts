import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Lifetime } from './lifetime.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const run = promisify(execFile);

/** The output and exit code of a program. */
export interface Ran {
  code: number | null;
  output: string;
}

/** A new project, outside of the checkout, in which npm has installed the packed package. */
export interface PackedProject {
  folder: string;
  /** The packed package. */
  archive: string;
  /** Runs Node.js in the project. */
  node: (...args: readonly string[]) => Promise<Ran>;
  write: (path: string, text: string) => Promise<void>;
}

export async function newPackedProject(t: Lifetime): Promise<PackedProject> {
  const parent = await mkdtemp(join(tmpdir(), 'menagerie-test-'));
  t.after(() => rm(parent, { recursive: true, force: true }));
  await run('npm', ['run', 'package', '--', '--pack-destination', parent], { cwd: ROOT });
  const archive = join(parent, (await readdir(parent)).find((name) => name.endsWith('.tgz')) ?? '');
  const folder = join(parent, 'project');
  await mkdir(folder);
  const write = (path: string, text: string) => writeFile(join(folder, path), text);
  await write('package.json', '{"private":true,"type":"module"}');
  const { devDependencies } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
    devDependencies: Readonly<Record<string, string>>;
  };
  // For the TypeScript projects.
  const types = `@types/node@${devDependencies['@types/node']}`;
  const flags = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];
  await run('npm', ['install', ...flags, archive, types], { cwd: folder });
  return { folder, archive, write, node: (...args) => nodeIn(folder, args) };
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
