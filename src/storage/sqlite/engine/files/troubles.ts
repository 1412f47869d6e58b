import { isSqliteError } from '../database.ts';

/*
 * Errors of SQLite that are not bugs, but problems of the disk, the files or another program. Codes:
 * https://sqlite.org/rescode.html
 */

const BUSY = 5;
const READONLY = 8;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const NOTADB = 26;

/** The failed system call for each extended code of IOERR. */
const FAILED_CALLS: Readonly<Record<number, string>> = {
  266: 'read',
  522: 'read',
  778: 'write',
  1034: 'fsync',
  1290: 'fsync',
  1546: 'truncate',
  4874: 'open',
};

const WHAT_TO_DO =
  'Stop the service and restore the data folder from a backup, or save what can be read with the command ' +
  '".recover" of sqlite3.';

export function isEngineTrouble(error: unknown): boolean {
  return isSqliteError(error, BUSY, READONLY, IOERR, CORRUPT, FULL, CANTOPEN, NOTADB);
}

/** Whether the disk failed, so that the durability of the last writes is unknown. */
export function isDiskError(error: unknown): boolean {
  return isSqliteError(error, IOERR);
}

/** Whether no space is left. */
export function isFull(error: unknown): boolean {
  return isSqliteError(error, FULL);
}

/** Whether the database file is corrupt. */
export function isDamage(error: unknown): boolean {
  return isSqliteError(error, CORRUPT, NOTADB);
}

/** The reason, for the log and for operators. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'errcode' in error ? Number(error.errcode) : 0;
  if (isFull(error)) return 'the disk is full';
  if (isDiskError(error)) return `the disk fails (${FAILED_CALLS[code] ?? 'input/output'}, SQLite code ${code})`;
  if (isSqliteError(error, READONLY)) return `the database file or its disk is read-only (SQLite code ${code})`;
  if (isSqliteError(error, BUSY)) return 'another program keeps the database locked';
  return isDamage(error) ? damageText(error.message) : error.message;
}

/**
 * @param found the description by SQLite
 * @param path of the database; without it, the text continues a sentence
 */
export function damageText(found: string, path?: string): string {
  return `${path === undefined ? 'the database' : `The database ${path}`} is damaged (${found}). ${WHAT_TO_DO}`;
}
