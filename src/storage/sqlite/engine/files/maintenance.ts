import { existsSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { type Failure, unusable } from '../../../../domain/failure.ts';
import { openDatabase, prepareRows } from '../database.ts';
import { damageText, isDamage } from './troubles.ts';

/* Integrity checks of the database, and checkpoints of its write-ahead log. */

/** Larger databases are checked in the background. A gigabyte takes a few seconds. */
const MAX_BYTES_BEFORE_SERVING = 1024 ** 3;

/** Stops after the first problem. */
const CHECK = 'quick_check(1)';

const SOUND = 'ok';

/** Instead of the lines of the check, such as "*** in database main ***", which `menagerie doctor` prints. */
const FAULTS = 'its check found errors';

export interface MaintenanceJob {
  databasePath: string;
  pragma: typeof CHECK | 'wal_checkpoint(passive)';
}

type MaintenanceResult = { rows: readonly (readonly unknown[])[] } | { failure: string; isDamage: boolean };

/** The note beside the database while a service uses it. */
const IN_USE = 'in use';

/**
 * How the last program has left the database. `unclean`: by a crash, or it is a copy, so it has to be checked: one that
 * was copied while in use is usually corrupt. `without log`: a service has crashed, and its log is gone, with the
 * changes since the last checkpoint.
 */
export type LastEnd = 'clean' | 'unclean' | 'without log';

/** Of a new database, `clean`. */
export function lastEndOf(databasePath: string): LastEnd {
  const state = stateOf(databasePath);
  if (state === undefined) return 'clean';
  if (existsSync(logOf(databasePath))) return 'unclean';
  const note = readNote(databasePath);
  if (note === IN_USE) return 'without log';
  return note === state ? 'clean' : 'unclean';
}

/** Before a start opens a database, which writes the log of a crash back. */
export function noteStart(databasePath: string, end: LastEnd): void {
  if (end === 'unclean') forgetUse(databasePath);
}

/** Once the log of a service exists. */
export function noteUse(databasePath: string): void {
  if (existsSync(logOf(databasePath))) writeNote(databasePath, IN_USE);
}

/**
 * Records the state of a database that was closed, in a file next to it.
 *
 * @param before how it was left before it was opened; `clean` for a service, which has checked it
 */
export function noteEnd(databasePath: string, before: LastEnd = 'clean'): void {
  const state = stateOf(databasePath);
  // If there is a log, another program has the database open, and will close it.
  if (state === undefined || existsSync(logOf(databasePath))) return;
  if (before === 'clean') writeNote(databasePath, state);
  // This program has written the log of a crash back.
  else if (before === 'unclean') forgetUse(databasePath);
}

function forgetUse(databasePath: string): void {
  if (readNote(databasePath) === IN_USE) writeNote(databasePath, '');
}

function readNote(databasePath: string): string {
  const note = noteOf(databasePath);
  return existsSync(note) ? readFileSync(note, 'utf8') : '';
}

function writeNote(databasePath: string, text: string): void {
  try {
    if (readNote(databasePath) !== text) writeFileSync(noteOf(databasePath), text, { flush: true });
  } catch {
    // After an error, such as a full disk, the next start checks the database.
  }
}

/**
 * Checks a database after an unclean stop.
 *
 * @returns true if it is too large, so that `checkInBackground` has to check it
 * @throws Failure `unavailable` for a damaged database, which is left unchanged
 */
export function checkBeforeServing(databasePath: string, maxBytes = MAX_BYTES_BEFORE_SERVING): boolean {
  const { size } = statSync(databasePath);
  // SQLite would take it for a new database, and discard the log.
  if (size === 0 && logSizeOf(databasePath) > 0) throw damaged(databasePath, 'the file is empty, but has a log');
  if (size > maxBytes) return true;
  const problem = check(databasePath);
  if (problem !== undefined) throw damaged(databasePath, problem);
  return false;
}

/** Returns a description of the damage; undefined if there is none. */
function check(databasePath: string): string | undefined {
  try {
    const db = openDatabase(databasePath);
    try {
      return prepareRows(db, `pragma ${CHECK}`)()[0]?.[0] === SOUND ? undefined : FAULTS;
    } finally {
      db.close();
    }
  } catch (error) {
    if (isDamage(error)) return (error as Error).message;
    throw error;
  }
}

/** Returns a description of the damage; undefined if there is none. @throws Error if the database cannot be read */
export async function checkInBackground(databasePath: string): Promise<string | undefined> {
  const result = await run({ databasePath, pragma: CHECK });
  if ('failure' in result) {
    if (result.isDamage) return result.failure;
    throw new Error(result.failure);
  }
  return result.rows[0]?.[0] === SOUND ? undefined : damageText(FAULTS);
}

/**
 * Writes the log back to the database, except pages that readers need.
 * @throws Error with the reason if pages remain in the log
 */
export async function checkpoint(databasePath: string): Promise<void> {
  const result = await run({ databasePath, pragma: 'wal_checkpoint(passive)' });
  if ('failure' in result) throw new Error(result.failure);
  const [, pages, taken] = result.rows[0] ?? [];
  if (pages !== taken)
    throw new Error(`${Number(pages) - Number(taken)} pages remain, in use by a reader or another checkpoint`);
}

function run(job: MaintenanceJob): Promise<MaintenanceResult> {
  const thread = new Worker(new URL('maintenance-thread.ts', import.meta.url), { workerData: job });
  thread.unref();
  return new Promise((resolve, reject) => {
    thread.once('message', resolve).once('error', reject);
    thread.once('exit', () => reject(new Error('the thread ended without a result')));
  });
}

function damaged(databasePath: string, found: string): Failure {
  return unusable(damageText(found, databasePath));
}

function logSizeOf(databasePath: string): number {
  return statSync(logOf(databasePath), { throwIfNoEntry: false })?.size ?? 0;
}

/** SQLite resolves symbolic links, so the log is next to the target file. */
function logOf(databasePath: string): string {
  return `${realpathSync(databasePath)}-wal`;
}

function noteOf(databasePath: string): string {
  return `${databasePath}-closed`;
}

function stateOf(databasePath: string): string | undefined {
  const found = statSync(databasePath, { bigint: true, throwIfNoEntry: false });
  return found && `${found.size} bytes at ${found.mtimeNs}`;
}
