import { realpathSync, statSync, type BigIntStats } from 'node:fs';

/** The database, its write-ahead log and its shared memory. Changes since the last checkpoint are in the log only. */
const SUFFIXES = ['', '-wal', '-shm'] as const;

/**
 * Watches the files of an open database. On Unix, a file that was deleted or replaced can still be written through an
 * open descriptor: changes would be acknowledged, and lost when the process ends. SQLite does not check for this in WAL
 * mode; in other modes it compares inodes, as this class does.
 */
export class FilePlaces {
  readonly #path: string;
  readonly #inodes = new Map<string, bigint>();

  /** @param path the path of a database that was just opened */
  constructor(path: string) {
    // SQLite resolves symbolic links, so the log is next to the target file.
    this.#path = realpathSync(path);
    this.findProblem();
  }

  /** Returns the problem; undefined while no file has been moved, deleted or replaced. */
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

  /** Size of the write-ahead log in bytes. */
  logBytes(): number {
    return Number(statsOf(`${this.#path}-wal`)?.size ?? 0);
  }
}

function statsOf(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    // For example, a parent folder was replaced by a file.
    return undefined;
  }
}
