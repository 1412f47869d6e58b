import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { startProcess } from './tools/processes.ts';
import { WORKING_TREE } from './tools/servers.ts';

interface Commit {
  hash: string;
  /** Short hash and subject. */
  title: string;
}

const LOCK = 'package-lock.json';
/** The compile cache is not shared: it would grow with each run. */
const CACHE = '.cache';

/**
 * @param name a revision; by default, the one that the changes in progress started from.
 * @throws with a message for the user
 */
export function findCommit(name = findBase()): Commit {
  try {
    const hash = git('rev-parse', '--verify', '--quiet', `${name}^{commit}`);
    return { hash, title: git('log', '-1', '--format=%h %s', hash) };
  } catch (error) {
    throw new Error(`There is no commit "${name}".`, { cause: error });
  }
}

/** The last common commit with main; if that is HEAD, HEAD or, if src/ has no uncommitted changes, the one before. */
function findBase(): string {
  try {
    const base = git('merge-base', 'HEAD', 'main');
    if (base !== git('rev-parse', 'HEAD')) return base;
    return git('status', '--porcelain', '--', 'src', LOCK) === '' ? 'HEAD~1' : 'HEAD';
  } catch (error) {
    throw new Error('There is no branch "main": name a commit with --against.', { cause: error });
  }
}

/** Builds the bundle, in a checkout that has one: without, the service would start from its sources. */
export async function buildBundle(checkout: string): Promise<void> {
  const script = join(checkout, 'scripts/build-bundle.ts');
  if (!existsSync(script)) return;
  await startProcess(process.execPath, [script, '--if-stale'], { cores: 'all cores' }).lastLines();
}

/** Writes the files of a commit to a new folder, with its packages. */
export async function checkOut({ hash }: Commit, folder: string): Promise<void> {
  const archive = `${folder}.tar`;
  mkdirSync(folder);
  // Unlike a worktree, this leaves nothing in the repository if the run is killed.
  git('archive', '--output', archive, hash);
  execFileSync('tar', ['-xf', archive, '-C', folder]);
  rmSync(archive);
  const [known, other] = [WORKING_TREE, folder].map((root) => readFileSync(join(root, LOCK), 'utf8'));
  if (known === other) {
    linkPackages(folder);
    return;
  }
  console.log(`The commit has another ${LOCK}, so its packages are installed with npm ci.`);
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel', 'error', '--prefer-offline'];
  await startProcess('npm', ['ci', '--prefix', folder, ...flags], { cores: 'all cores' }).lastLines();
}

function linkPackages(folder: string): void {
  const [from, to] = [join(WORKING_TREE, 'node_modules'), join(folder, 'node_modules')];
  mkdirSync(to);
  for (const name of readdirSync(from)) if (name !== CACHE) symlinkSync(join(from, name), join(to, name));
}

function git(...args: readonly string[]): string {
  const stdio: ['ignore', 'pipe', 'ignore'] = ['ignore', 'pipe', 'ignore'];
  return execFileSync('git', args, { cwd: WORKING_TREE, encoding: 'utf8', stdio }).trim();
}
