import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { unusable } from '../../../../domain/failure.ts';
import { readPragma } from '../database.ts';

/* A copy of the database before a migration, to go back to the previous version of the program. */

/** The subfolder of the data folder with the copies. */
const COPIES_FOLDER = 'before-migrations';

const KEPT_COPIES = 3;

const COPY_NAME = /^menagerie-schema-(\d+)-[\dTZ-]+\.db$/;

export interface CopySpace {
  /** For the copy, and as much for the write-ahead log: a migration may write every page. */
  neededBytes: number;
  freeBytes: number;
}

export function measureCopy(db: DatabaseSync, databasePath: string): CopySpace {
  const pages = Number(readPragma(db, 'page_count')) - Number(readPragma(db, 'freelist_count'));
  const bytes = pages * Number(readPragma(db, 'page_size'));
  const { bavail, bsize } = statfsSync(dirname(databasePath));
  return { neededBytes: 2 * bytes, freeBytes: bavail * bsize };
}

/**
 * Copies the database, and deletes all but the newest copies.
 *
 * @returns the path of the copy
 * @throws Failure `unavailable` if the disk has too little space
 */
export function copyBeforeMigration(db: DatabaseSync, databasePath: string): { path: string; bytes: number } {
  const folder = join(dirname(databasePath), COPIES_FOLDER);
  requireSpace(measureCopy(db, databasePath), folder);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const schema = Number(readPragma(db, 'user_version'));
  const path = join(folder, `menagerie-schema-${schema}-${new Date().toISOString().replaceAll(/[:.]/g, '-')}.db`);
  const unfinished = join(folder, 'unfinished.db');
  rmSync(unfinished, { force: true });
  try {
    // SQLite fills an empty file, which only its owner can read.
    closeSync(openSync(unfinished, 'wx', 0o600));
    db.prepare('vacuum into ?').run(unfinished);
    flush(unfinished);
    renameSync(unfinished, path);
    flush(folder);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
  deleteOldCopies(folder, basename(path));
  return { path, bytes: statSync(path).size };
}

/**
 * Keeps one copy of each schema: a migration that fails at each start must not replace the copies of other versions.
 */
function deleteOldCopies(folder: string, newest: string): void {
  const copies = readdirSync(folder).filter((name) => COPY_NAME.test(name) && name !== newest);
  const isOfSameSchema = (name: string) => schemaOf(name) === schemaOf(newest);
  const others = copies
    .filter((name) => !isOfSameSchema(name))
    .toSorted((one, other) => schemaOf(other) - schemaOf(one));
  for (const name of [...copies.filter(isOfSameSchema), ...others.slice(KEPT_COPIES - 1)]) rmSync(join(folder, name));
}

function schemaOf(name: string): number {
  return Number(COPY_NAME.exec(name)?.[1]);
}

function requireSpace({ neededBytes, freeBytes }: CopySpace, folder: string): void {
  if (freeBytes >= neededBytes) return;
  throw unusable(
    `The database is copied to ${folder} before it is migrated. This needs ${megabytes(neededBytes)}, but ${megabytes(freeBytes)} are free. Free some space, or back up the data elsewhere and run "menagerie migrate --no-copy".`,
  );
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1_000_000)} MB`;
}

/** Waits until a file or folder is on the disk. */
function flush(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
