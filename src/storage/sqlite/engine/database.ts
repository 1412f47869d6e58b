import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import { Failure } from '../../../domain/failure.ts';

/** The mark of our files in SQLite's header (`application_id`): "MENA" in ASCII. */
export const APPLICATION_ID = 0x4d454e41;

/** How long a statement waits for another process, say the command line, to finish its write. */
const BUSY_TIMEOUT_MS = 5000;

const WAL_RETRY_MS = 20;

/** The write-ahead log keeps this much of the disk after a large transaction. Usually it has 4 MB. */
export const LOG_LIMIT_BYTES = 64 * 1024 * 1024;

/** SQLite's code for "somebody else holds the lock". */
export const SQLITE_BUSY = 5;

/** SQLite's code for a file that is no database. */
const SQLITE_NOTADB = 26;

/**
 * Opens the database file, creating it where there is none, and makes sure that a commit is a promise.
 *
 * @throws Failure `unavailable` for a file of another program; it is left as it is
 */
export function openDatabase(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true });
  try {
    refuseForeignFile(db);
    configure(db);
  } catch (error) {
    db.close();
    throw error;
  }
  return db;
}

function configure(db: DatabaseSync): void {
  switchToWal(db);
  db.exec(
    `pragma synchronous = full; pragma temp_store = memory; pragma cache_size = -16384; pragma journal_size_limit = ${LOG_LIMIT_BYTES}`,
  );
  // FULL makes every commit wait for the disk. A build or a URI option that quietly lowers it would break "nothing acknowledged is ever lost".
  assertPragma(db, 'journal_mode', 'wal');
  assertPragma(db, 'synchronous', 2);
  assertPragma(db, 'foreign_keys', 1);
}

/** Where several programs open a new file at once, the switch is refused at once, whatever the busy time-out says: it is tried again. */
function switchToWal(db: DatabaseSync): void {
  const deadline = Date.now() + BUSY_TIMEOUT_MS;
  for (;;) {
    try {
      db.exec('pragma journal_mode = wal');
      return;
    } catch (error) {
      if (!isSqliteError(error, SQLITE_BUSY) || Date.now() > deadline) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAL_RETRY_MS);
    }
  }
}

function refuseForeignFile(db: DatabaseSync): void {
  const foreign = new Failure(
    'unavailable',
    'The database file belongs to another program, or its beginning is damaged. Choose another data folder, or restore it from a backup.',
  );
  try {
    const isEmpty = readPragma(db, 'schema_version') === 0;
    if (!isEmpty && readPragma(db, 'application_id') !== APPLICATION_ID) throw foreign;
  } catch (error) {
    throw isSqliteError(error, SQLITE_NOTADB) ? foreign : error;
  }
}

export function isSqliteError(error: unknown, ...codes: readonly number[]): boolean {
  // The low byte of an extended result code is the primary one (https://sqlite.org/rescode.html).
  return (
    error instanceof Error &&
    'errcode' in error &&
    typeof error.errcode === 'number' &&
    codes.includes(error.errcode & 0xff)
  );
}

/** A connection that cannot write, for the event loop's reads. */
export function openReader(path: string): DatabaseSync {
  const db = openDatabase(path);
  db.exec('pragma query_only = on');
  return db;
}

/**
 * Runs `work` in one transaction that takes the write lock first.
 *
 * @throws the error of `work` or of the commit; the transaction is rolled back
 */
export function inTransaction<T>(db: DatabaseSync, work: () => T): T {
  db.exec('begin immediate');
  try {
    const result = work();
    db.exec('commit');
    return result;
  } catch (error) {
    // After some errors, such as a full disk, SQLite has rolled back already, and a second time would throw another error instead of that one.
    if (db.isTransaction) db.exec('rollback');
    throw error;
  }
}

/** A database that ends with its only connection. @param content what `serialize` gave of another, to begin with */
export function openInMemory(content?: Uint8Array): DatabaseSync {
  const db = new DatabaseSync(':memory:', { enableForeignKeyConstraints: true });
  if (content !== undefined) db.deserialize(content);
  db.exec('pragma temp_store = memory');
  assertPragma(db, 'foreign_keys', 1);
  return db;
}

/**
 * Prepares a statement. Integers come as bigint, without exception: Node reports the last inserted id after every `run`, even of a statement
 * that inserts nothing, and throws when that id is no JavaScript number; after one pet with the id 2^63 - 1, every change would fail.
 */
export function prepare(db: DatabaseSync, sql: string): StatementSync {
  const statement = db.prepare(sql);
  statement.setReadBigInts(true);
  return statement;
}

/**
 * A prepared statement that only does something, as a function of its parameters. What `run` reports, how many rows and the last id, would be put together
 * anew for every row of a transaction: a tenth of the time of a small insert.
 */
export function prepareChange(db: DatabaseSync, sql: string): (...parameters: SQLInputValue[]) => void {
  const statement = prepare(db, sql);
  return (...parameters) => void statement.get(...parameters);
}

/** A prepared statement as a function from its parameters to its rows, each an array of the columns. */
export function prepareRows<Row extends readonly unknown[]>(
  db: DatabaseSync,
  sql: string,
): (...parameters: SQLInputValue[]) => Row[] {
  const statement = prepare(db, sql);
  statement.setReturnArrays(true);
  return (...parameters) => statement.all(...parameters) as unknown as Row[];
}

/** The same, one row after the other: those behind the last one that is taken are not read. */
export function iterateRows<Row extends readonly unknown[]>(
  db: DatabaseSync,
  sql: string,
): (...parameters: SQLInputValue[]) => Iterable<Row> {
  const statement = prepare(db, sql);
  statement.setReturnArrays(true);
  return (...parameters) => statement.iterate(...parameters) as unknown as Iterable<Row>;
}

/** The same for a statement that gives one row, or none. */
export function prepareRow(
  db: DatabaseSync,
  sql: string,
): (...parameters: SQLInputValue[]) => readonly SQLOutputValue[] | undefined {
  const statement = prepare(db, sql);
  statement.setReturnArrays(true);
  return (...parameters) => statement.get(...parameters) as unknown as readonly SQLOutputValue[] | undefined;
}

export function readPragma(db: DatabaseSync, name: string): unknown {
  const row = db.prepare(`pragma ${name}`).get();
  return row === undefined ? undefined : Object.values(row)[0];
}

function assertPragma(db: DatabaseSync, name: string, expected: unknown): void {
  const actual = readPragma(db, name);
  if (actual !== expected)
    throw new Error(`SQLite has ${name} = ${String(actual)}, but ${String(expected)} is needed.`);
}
