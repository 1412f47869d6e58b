import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import { unusable } from '../../../domain/failure.ts';

/** The name of the database in the data folder. */
export const DATABASE_NAME = 'menagerie.db';

/** Marks the files of Menagerie in SQLite's header (`application_id`): "MENA" in ASCII. */
export const APPLICATION_ID = 0x4d454e41;

/** How long a statement waits for the write of another process, such as a command. */
const BUSY_TIMEOUT_MS = 5000;

const WAL_RETRY_MS = 20;

/** Maximum size of the write-ahead log after a large transaction. Usually it has 4 MB. */
export const LOG_LIMIT_BYTES = 64 * 1024 * 1024;

/** SQLite's code for a lock that another process holds. */
const SQLITE_BUSY = 5;

/** SQLite's code for a file that is not a database. */
const SQLITE_NOTADB = 26;

/**
 * Opens the database file, or creates it, and ensures that commits are durable.
 *
 * @throws Failure `unavailable` for a file of another program; it is left unchanged
 */
export function openDatabase(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true });
  try {
    refuseForeignFile(db, path);
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
  // FULL makes every commit wait for the disk. A build of SQLite with another default would lose acknowledged changes
  // in a power cut.
  assertPragma(db, 'journal_mode', 'wal');
  assertPragma(db, 'synchronous', 2);
  assertPragma(db, 'foreign_keys', 1);
}

/**
 * If several processes open a new file together, SQLite refuses the switch immediately, regardless of the busy timeout,
 * so it is retried.
 */
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

function refuseForeignFile(db: DatabaseSync, path: string): void {
  const foreign = unusable(
    `The file ${path} belongs to another program, or its beginning is damaged. Choose another data folder, or restore it from a backup.`,
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

/** A read-only connection, for the reads of the event loop. */
export function openReader(path: string): DatabaseSync {
  const db = openDatabase(path);
  db.exec('pragma query_only = on');
  return db;
}

/**
 * A connection for a copy of all data. On a read-only disk, SQLite cannot create a log. Without one, it opens the file
 * as immutable, which is safe because nothing can change it (https://sqlite.org/wal.html#read_only_databases).
 */
export function openSource(path: string): DatabaseSync {
  if (!isOnReadOnlyDisk(path)) return openReader(path);
  const url = pathToFileURL(path);
  if (!existsSync(`${path}-wal`)) url.searchParams.set('immutable', '1');
  const db = new DatabaseSync(url, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    refuseForeignFile(db, path);
    db.exec('pragma temp_store = memory');
  } catch (error) {
    db.close();
    throw error;
  }
  return db;
}

function isOnReadOnlyDisk(path: string): boolean {
  try {
    accessSync(dirname(path), constants.W_OK);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EROFS';
  }
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
    // After some errors, such as a full disk, SQLite has rolled back already, and another rollback would hide the
    // error.
    if (db.isTransaction) db.exec('rollback');
    throw error;
  }
}

/** A database in memory. @param content its initial content, as returned by `serialize` */
export function openInMemory(content?: Uint8Array): DatabaseSync {
  const db = new DatabaseSync(':memory:', { enableForeignKeyConstraints: true });
  if (content !== undefined) db.deserialize(content);
  db.exec('pragma temp_store = memory');
  assertPragma(db, 'foreign_keys', 1);
  return db;
}

/**
 * Prepares a statement. Integers are returned as bigint, without exception: Node reports the last inserted id after
 * every `run`, even of a statement that inserts nothing, and throws if that id is not a safe integer; after one pet
 * with the id 2^63 - 1, every change would fail.
 *
 * If the limit is a parameter, SQLite plans with its value, and so prepares the statement again for each execution
 * (3.53, `sqlite3ExprIsInteger`). With a plus sign before it, it does not: on 2026-11-26, a page of one pet took 4 µs
 * instead of 9, and a page of 50 took 42 µs instead of 48.
 */
export function prepare(db: DatabaseSync, sql: string): StatementSync {
  const statement = db.prepare(sql.replaceAll(/\blimit (?=\?)/g, 'limit +'));
  statement.setReadBigInts(true);
  return statement;
}

/**
 * Prepares a statement without a result, as a function of its parameters. The report of `run`, the number of rows and
 * the last id, would take a tenth of the time of a small insert.
 */
export function prepareChange(db: DatabaseSync, sql: string): (...parameters: SQLInputValue[]) => void {
  const statement = prepare(db, sql);
  return (...parameters) => void statement.get(...parameters);
}

/** Prepares a statement as a function from its parameters to its rows, each an array of the columns. */
export function prepareRows<Row extends readonly unknown[]>(
  db: DatabaseSync,
  sql: string,
): (...parameters: SQLInputValue[]) => Row[] {
  const statement = prepare(db, sql);
  statement.setReturnArrays(true);
  return (...parameters) => statement.all(...parameters) as unknown as Row[];
}

/** Like `prepareRows`, with an iterator: rows after the last one that is taken are not read. */
export function iterateRows<Row extends readonly unknown[]>(
  db: DatabaseSync,
  sql: string,
): (...parameters: SQLInputValue[]) => Iterable<Row> {
  const statement = prepare(db, sql);
  statement.setReturnArrays(true);
  return (...parameters) => statement.iterate(...parameters) as unknown as Iterable<Row>;
}

/** Like `prepareRows`, for a statement with at most one row. */
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

/**
 * Locks a data folder for one server. It is SQLite's lock on a separate file: the operating system releases it when the
 * process ends in any way, so a killed server leaves nothing to clean up. Commands that work on the data beside the
 * server do not need it.
 *
 * @returns a function that releases the lock
 * @throws Failure `unavailable` while another server holds it
 */
export function lockForServer(path: string): () => void {
  const lock = new DatabaseSync(path, { timeout: 0 });
  try {
    lock.exec('pragma locking_mode = exclusive; begin exclusive');
  } catch (error) {
    lock.close();
    if (isSqliteError(error, SQLITE_BUSY)) {
      throw unusable(
        'Another Menagerie server is using this data folder. Stop it first, or choose another data folder.',
      );
    }
    throw error;
  }
  return () => lock.close();
}
