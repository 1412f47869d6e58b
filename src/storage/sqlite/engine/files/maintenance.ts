import { existsSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Failure } from '../../../../domain/failure.ts';
import { openDatabase, prepareRows } from '../database.ts';
import { damageText, isDamage } from './troubles.ts';

/*
 * Is the database whole, and does its write-ahead log come to an end?
 */

/** Larger ones are checked while they are served. A gigabyte takes some seconds. */
const MAX_BYTES_BEFORE_SERVING = 1024 ** 3;

/** After as many findings, the rest makes no difference. */
const CHECK = 'quick_check(1)';

const SOUND = 'ok';

export interface MaintenanceJob {
  databasePath: string;
  pragma: typeof CHECK | 'wal_checkpoint(passive)';
}

type MaintenanceResult = { rows: readonly (readonly unknown[])[] } | { failure: string; isDamage: boolean };

/**
 * Remembers, in a file beside the database, how a clean end left it. Any other state comes from a crash or a copy and has to be checked: a database that
 * was copied while it was in use is usually torn.
 */
export function noteCleanEnd(databasePath: string): void {
  try {
    // Where there is a log, another program has the database open, and will close it.
    if (!existsSync(logOf(databasePath))) writeFileSync(noteOf(databasePath), stateOf(databasePath) ?? '');
  } catch {
    // A full disk, for instance: the next start checks the database.
  }
}

/** New ones have ended cleanly as well. */
export function hasEndedCleanly(databasePath: string): boolean {
  const state = stateOf(databasePath);
  if (state === undefined) return true;
  if (existsSync(logOf(databasePath))) return false;
  const note = noteOf(databasePath);
  return existsSync(note) && readFileSync(note, 'utf8') === state;
}

/**
 * Checks a database that did not end cleanly.
 *
 * @returns whether it is too large for that: then it is to be checked with `checkInBackground`
 * @throws Failure `unavailable` for a damaged one, which is not changed
 */
export function checkBeforeServing(databasePath: string, maxBytes = MAX_BYTES_BEFORE_SERVING): boolean {
  const { size } = statSync(databasePath);
  // SQLite would take it for a new one, and drop the log.
  if (size === 0 && logSizeOf(databasePath) > 0) throw damaged(databasePath, 'the file is empty, but has a log');
  if (size > maxBytes) return true;
  const found = check(databasePath);
  if (found !== SOUND) throw damaged(databasePath, found);
  return false;
}

function check(databasePath: string): string {
  try {
    const db = openDatabase(databasePath);
    try {
      return String(prepareRows(db, `pragma ${CHECK}`)()[0]?.[0]);
    } finally {
      db.close();
    }
  } catch (error) {
    if (isDamage(error)) return (error as Error).message;
    throw error;
  }
}

/** Returns the damage, undefined for a sound database. @throws when it cannot be read */
export async function checkInBackground(databasePath: string): Promise<string | undefined> {
  const result = await run({ databasePath, pragma: CHECK });
  if ('failure' in result) {
    if (result.isDamage) return result.failure;
    throw new Error(result.failure);
  }
  const found = String(result.rows[0]?.[0]);
  return found === SOUND ? undefined : damageText(found);
}

/** Writes the log back to the database, except for pages that readers need. @throws with the reason when pages remain */
export async function checkpoint(databasePath: string): Promise<void> {
  const result = await run({ databasePath, pragma: 'wal_checkpoint(passive)' });
  if ('failure' in result) throw new Error(result.failure);
  const [, pages, taken] = result.rows[0] ?? [];
  if (pages !== taken)
    throw new Error(`a reader needs ${Number(pages) - Number(taken)} pages of it, or another program takes it in`);
}

function run(job: MaintenanceJob): Promise<MaintenanceResult> {
  // JavaScript in the package.
  const body = join(import.meta.dirname, `maintenance-thread${extname(import.meta.filename)}`);
  const thread = new Worker(body, { workerData: job });
  thread.unref();
  return new Promise((resolve, reject) => {
    thread.once('message', resolve).once('error', reject);
    thread.once('exit', () => reject(new Error('the thread ended without a result')));
  });
}

function damaged(databasePath: string, found: string): Failure {
  return new Failure('unavailable', `${databasePath}: ${damageText(found)}`);
}

function logSizeOf(databasePath: string): number {
  return statSync(logOf(databasePath), { throwIfNoEntry: false })?.size ?? 0;
}

/** SQLite follows links: the log is beside the file itself. */
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
