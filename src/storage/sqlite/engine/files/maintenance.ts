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

/**
 * Records the state of the database after a clean stop, in a file next to it. A database in any other state was left by
 * a crash or copied, and has to be checked: one that was copied while in use is usually corrupt.
 */
export function noteCleanEnd(databasePath: string): void {
  try {
    // If there is a log, another program has the database open, and will close it.
    if (!existsSync(logOf(databasePath))) writeFileSync(noteOf(databasePath), stateOf(databasePath) ?? '');
  } catch {
    // After an error, such as a full disk, the next start checks the database.
  }
}

/** Whether the last stop was clean. True for a new database. */
export function hasEndedCleanly(databasePath: string): boolean {
  const state = stateOf(databasePath);
  if (state === undefined) return true;
  if (existsSync(logOf(databasePath))) return false;
  const note = noteOf(databasePath);
  return existsSync(note) && readFileSync(note, 'utf8') === state;
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
