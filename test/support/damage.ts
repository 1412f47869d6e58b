import { open, stat } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';

/* Damaged database files. */

/** Moves the write-ahead log into the file. */
export function takeLogIn(databasePath: string): void {
  const db = new DatabaseSync(databasePath);
  db.exec('pragma wal_checkpoint(truncate)');
  db.close();
}

const PAGE_BYTES = 4096;

/** Overwrites some pages of a file, given as fractions of it. */
export async function overwritePages(path: string, from: number, to: number): Promise<void> {
  const pages = (await stat(path)).size / PAGE_BYTES;
  const first = Math.floor(pages * from);
  await overwrite(path, first, Math.floor(pages * to) - first);
}

/** Overwrites one page. @param number counted from 1, as SQLite does */
export function overwritePage(path: string, number: number): Promise<void> {
  return overwrite(path, number - 1, 1);
}

async function overwrite(path: string, first: number, pages: number): Promise<void> {
  const file = await open(path, 'r+');
  try {
    const garbage = Buffer.alloc(pages * PAGE_BYTES, 0xa5);
    await file.write(garbage, 0, garbage.byteLength, first * PAGE_BYTES);
  } finally {
    await file.close();
  }
}
