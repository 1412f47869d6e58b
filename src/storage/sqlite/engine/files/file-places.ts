import { realpathSync, statSync, type BigIntStats } from 'node:fs';

/** The database, its write-ahead log and its shared memory. Changes since the last checkpoint are in the log only. */
const SUFFIXES = ['', '-wal', '-shm'] as const;

/**
 * Watches the files of an open database. On Unix, a file that was removed or replaced can still be written through an open descriptor: changes would be
 * acknowledged, and be gone with the process. SQLite itself does not look in WAL mode; where it does, it compares inodes, as this does.
 */
export class FilePlaces {
  readonly #path: string;
  readonly #inodes = new Map<string, bigint>();

  /** @param path of a database that was opened a moment ago */
  constructor(path: string) {
    // SQLite follows links: the log is beside the file itself.
    this.#path = realpathSync(path);
    this.findProblem();
  }

  /** Returns the problem; undefined while all files that were seen are in their places. */
  findProblem(): string | undefined {
    for (const suffix of SUFFIXES) {
      const path = `${this.#path}${suffix}`;
      const inode = statsOf(path)?.ino;
      const known = this.#inodes.get(path);
      if (known === undefined && inode !== undefined) this.#inodes.set(path, inode);
      else if (inode !== known)
        return `${path} was ${inode === undefined ? 'removed' : 'replaced'} under the running service. Stop it, restore the data folder, and start it again.`;
    }
    return undefined;
  }

  /** Bytes of the write-ahead log. */
  logBytes(): number {
    return Number(statsOf(`${this.#path}-wal`)?.size ?? 0);
  }
}

function statsOf(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    // A folder on the way was replaced by a file, for instance.
    return undefined;
  }
}
