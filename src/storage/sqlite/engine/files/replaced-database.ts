import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { unusable } from '../../../../domain/failure.ts';
import { DATABASE_NAME } from '../database.ts';

/*
 * A database that replaces another one at the next start: a restored one, or the one from before a restore. Each step
 * is a rename. Whenever the process is killed, the next start has the old database, or goes on to the new one.
 */

/** The subfolder of the data folder in which a restored database is prepared. */
export const STAGED_FOLDER = 'staged-database';

/** The subfolder with the database of the next start. It exists only if that is complete. */
const NEXT_FOLDER = 'next-database';

/** The subfolder with the database from before the last restore. */
const REPLACED_FOLDER = 'before-restore';

/** The file beside the replaced database that says when it was replaced, and by which backup. */
const NOTE = 'restore.json';

export interface ReplacementNote {
  /** The name of the restored backup; null if a restore was undone. */
  backup: string | null;
  atMs: number;
}

/**
 * Lets the next start use a database that was prepared in the staged folder. The one from before an earlier restore is
 * deleted.
 */
export function announceStaged(dataDir: string, note: ReplacementNote): void {
  rmSync(join(dataDir, REPLACED_FOLDER), { recursive: true, force: true });
  announce(dataDir, STAGED_FOLDER, note);
}

/** Lets the next start use the database from before the last restore again. */
export function announceReplaced(dataDir: string, note: ReplacementNote): void {
  // It may have a log, which must be in the file before the file is moved alone.
  const db = new DatabaseSync(join(dataDir, REPLACED_FOLDER, DATABASE_NAME));
  db.exec('pragma wal_checkpoint(truncate)');
  db.close();
  announce(dataDir, REPLACED_FOLDER, note);
}

function announce(dataDir: string, folder: string, note: ReplacementNote): void {
  writeFileSync(join(dataDir, folder, NOTE), JSON.stringify(note), { flush: true });
  renameSync(join(dataDir, folder), join(dataDir, NEXT_FOLDER));
  flush(dataDir);
}

/** Called by the one server of the folder, before it opens the database. @returns whether there is another one now */
export function replaceDatabase(dataDir: string, derived: readonly string[]): boolean {
  const [next, replaced] = [join(dataDir, NEXT_FOLDER), join(dataDir, REPLACED_FOLDER)];
  const isAnnounced = existsSync(join(next, DATABASE_NAME));
  if (isAnnounced) {
    mkdirSync(replaced, { recursive: true, mode: 0o700 });
    // The file last: without it, no program opens the log of it.
    for (const suffix of ['-wal', '-shm', '-closed', '']) move(dataDir, replaced, `${DATABASE_NAME}${suffix}`);
    move(next, replaced, NOTE);
    flush(replaced);
    for (const name of derived) rmSync(join(dataDir, name), { force: true });
    move(next, dataDir, DATABASE_NAME);
    flush(dataDir);
  }
  for (const folder of [next, join(dataDir, STAGED_FOLDER)]) rmSync(folder, { recursive: true, force: true });
  return isAnnounced;
}

/** @throws Failure `unavailable` while a replacement has begun, so that no command creates a new database */
export function refuseBegunReplacement(dataDir: string): void {
  if (existsSync(join(dataDir, DATABASE_NAME)) || !existsSync(join(dataDir, NEXT_FOLDER))) return;
  throw unusable('A restore from the backups page has not finished. Start the service, which finishes it.');
}

/** The last restore that can be undone. */
export function findReplaced(dataDir: string): ReplacementNote | undefined {
  const folder = join(dataDir, REPLACED_FOLDER);
  if (!existsSync(join(folder, DATABASE_NAME))) return undefined;
  try {
    const { backup = null, atMs = 0 } = JSON.parse(
      readFileSync(join(folder, NOTE), 'utf8'),
    ) as Partial<ReplacementNote>;
    return { backup, atMs };
  } catch {
    return { backup: null, atMs: 0 };
  }
}

/** Deletes the database from before the last restore. */
export function deleteReplaced(dataDir: string): void {
  rmSync(join(dataDir, REPLACED_FOLDER), { recursive: true, force: true });
}

/** Moves a file if it exists. */
function move(from: string, to: string, name: string): void {
  if (existsSync(join(from, name))) renameSync(join(from, name), join(to, name));
}

function flush(folder: string): void {
  const file = openSync(folder, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
