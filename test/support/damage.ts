import { open } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';

/* Damaged database files. */

/** Moves the write-ahead log into the file. */
export function takeLogIn(databasePath: string): void {
  const db = new DatabaseSync(databasePath);
  db.exec('pragma wal_checkpoint(truncate)');
  db.close();
}

/** Overwrites some pages of a file, given as fractions of it. */
export async function overwritePages(path: string, from: number, to: number): Promise<void> {
  const PAGE_BYTES = 4096;
  const file = await open(path, 'r+');
  try {
    const pages = (await file.stat()).size / PAGE_BYTES;
    const first = Math.floor(pages * from);
    const garbage = Buffer.alloc((Math.floor(pages * to) - first) * PAGE_BYTES, 0xa5);
    await file.write(garbage, 0, garbage.byteLength, first * PAGE_BYTES);
  } finally {
    await file.close();
  }
}
