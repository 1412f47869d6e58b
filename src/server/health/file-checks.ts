import { existsSync, type BigIntStats } from 'node:fs';
import { chmod, lstat, readdir, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { FoundProblem } from '../../domain/health/finding.ts';
import { INDEX_FILE, isIndexFileSound } from '../search/index-file.ts';
import { SECRET_KEY_FILE } from '../settings/secret-key.ts';
import { canUse, serviceUserOf } from './service-user.ts';
import { problemOf, subjectsOf, type DatabaseContext, type HealthCheck, type HealthContext } from './check.ts';

/* Checks of the data folder. */

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

/** Less is an error: the write-ahead log alone may grow to 64 MiB. */
const MIN_FREE_BYTES = 128 * MIB;
const LOW_FREE_BYTES = GIB;

/** Files with password hashes, and the key of secrets. */
const SECRET_FILES = new Set(['menagerie.db', 'menagerie.db-wal', SECRET_KEY_FILE]);

const OWNER_READS = 0o400n;
const OWNER_WRITES = 0o200n;
const OWNER_ENTERS = 0o100n;
const OTHERS_READ = 0o004n;
const OTHERS_WRITE = 0o002n;
const OTHERS_ENTER = 0o001n;
const ALL_OF_OTHERS = 0o007n;

/** In a quick check, the files of single photos are left out. */
const QUICK_DEPTH = 2;

/** Belongs to root. It exists if the data folder is the root of a file system. */
const LOST_AND_FOUND = 'lost+found';

interface FoundFile {
  path: string;
  stats: BigIntStats;
}

export const filesCheck: HealthCheck<HealthContext> = {
  name: 'files',
  async find({ places, isQuick }) {
    if (process.platform === 'win32') return [];
    const folder = await lstatOf(places.dataDir);
    if (folder === undefined) return [];
    const found: Record<'owner' | 'permissions' | 'writable' | 'exposed', string[]> = {
      owner: [],
      permissions: [],
      writable: [],
      exposed: [],
    };
    const user = await serviceUserOf(places.dataDir, folder);
    const isOpen = (folder.mode & OTHERS_ENTER) !== 0n;
    for await (const { path, stats } of filesIn(places.dataDir, folder, isQuick ? QUICK_DEPTH : Infinity)) {
      if (!canUse(user, stats)) found[stats.uid === user.uid ? 'permissions' : 'owner'].push(path);
      if ((isOpen || path === places.dataDir) && (stats.mode & OTHERS_WRITE) !== 0n) found.writable.push(path);
      else if (isOpen && isExposed(path, stats, places.dataDir)) found.exposed.push(path);
    }
    return [
      ...problemOf('file-owner', found.owner).map((problem) => ({ ...problem, detail: String(user.uid) })),
      ...problemOf('file-permissions', found.permissions),
      ...problemOf('file-writable', found.writable),
      ...problemOf('file-exposed', found.exposed),
    ];
  },
  async repair(context, found) {
    for (const problem of ['file-writable', 'file-exposed'] as const)
      for (const path of subjectsOf(found, problem)) await changeMode(path, ({ mode }) => mode & ~ALL_OF_OTHERS);
    // A folder that can be entered again may have further files.
    for (let left = found; ; left = await filesCheck.find(context)) {
      const paths = subjectsOf(left, 'file-permissions');
      if (paths.length === 0) return undefined;
      for (const path of paths) await changeMode(path, (stats) => stats.mode | neededBy(stats));
    }
  },
};

export const diskCheck: HealthCheck<HealthContext> = {
  name: 'disk',
  async find({ places }) {
    const folders = [places.dataDir, ...(places.bucket === undefined ? [join(places.dataDir, 'photos')] : [])];
    const devices = new Set<bigint>();
    const found: FoundProblem[] = [];
    for (const folder of folders) {
      const stats = await lstatOf(folder);
      if (stats === undefined || devices.has(stats.dev)) continue;
      devices.add(stats.dev);
      const { bavail, bsize } = await statfs(folder);
      const free = bavail * bsize;
      if (free >= LOW_FREE_BYTES) continue;
      const problem = free < MIN_FREE_BYTES ? 'disk-full' : 'disk-low';
      found.push({ problem, count: 1, subjects: [folder], detail: mebibytes(free) });
    }
    return found;
  },
};

export const logCheck: HealthCheck<DatabaseContext> = {
  name: 'log',
  async find({ database: { log } }) {
    if (log === undefined) return [];
    if (log.isLost) return [{ problem: 'log-lost', count: 1, subjects: [] }];
    const bytes = log.readBytes();
    return bytes <= log.maxBytes ? [] : [{ problem: 'log-large', count: 1, subjects: [], detail: mebibytes(bytes) }];
  },
  async repair({ database }, found) {
    if (found.some(({ problem }) => problem === 'log-large')) database.log?.shorten();
    return undefined;
  },
};

/** The folder, and the files in it down to this depth. A file may be deleted meanwhile. */
async function* filesIn(path: string, stats: BigIntStats, depth: number): AsyncGenerator<FoundFile> {
  yield { path, stats };
  if (!stats.isDirectory() || depth === 0) return;
  for (const name of await readdir(path).catch(() => [])) {
    if (name === LOST_AND_FOUND) continue;
    const each = join(path, name);
    const statsOfEach = await lstatOf(each);
    // A symbolic link has no permissions of its own.
    if (statsOfEach !== undefined && !statsOfEach.isSymbolicLink()) yield* filesIn(each, statsOfEach, depth - 1);
  }
}

function neededBy(stats: BigIntStats): bigint {
  return stats.isDirectory() ? OWNER_READS | OWNER_WRITES | OWNER_ENTERS : OWNER_READS | OWNER_WRITES;
}

function isExposed(path: string, { mode }: BigIntStats, dataDir: string): boolean {
  return SECRET_FILES.has(path.slice(dataDir.length + 1)) && (mode & OTHERS_READ) !== 0n;
}

/** Only the owner and root can change it: files of others stay a finding. */
async function changeMode(path: string, changed: (stats: BigIntStats) => bigint): Promise<void> {
  const stats = await lstatOf(path);
  const user = process.getuid?.();
  if (stats === undefined || (user !== 0 && Number(stats.uid) !== user)) return;
  await chmod(path, Number(changed(stats) & 0o7777n));
}

async function lstatOf(path: string): Promise<BigIntStats | undefined> {
  return lstat(path, { bigint: true }).catch(() => undefined);
}

function mebibytes(bytes: number): string {
  return `${Math.round(bytes / MIB)} MiB`;
}

/** The next start builds the index again from the pets, and whenever it contradicts their history. */
export const searchIndexCheck: HealthCheck<HealthContext> = {
  name: 'search-index',
  async find({ places }) {
    const path = join(places.dataDir, INDEX_FILE);
    const isSound = !existsSync(path) || (await isIndexFileSound(path));
    return isSound ? [] : [{ problem: 'search-index-unusable', count: 1, subjects: [] }];
  },
  async repair({ places }) {
    await rm(join(places.dataDir, INDEX_FILE));
    return [];
  },
};
