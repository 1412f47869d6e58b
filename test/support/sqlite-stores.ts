import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { DatabaseStores } from '../../src/storage/rows/stores/stores.ts';
import { openDatabase, openInMemory, openReader } from '../../src/storage/sqlite/engine/database.ts';
import { createInlineWriter } from '../../src/storage/sqlite/writer/write-transactions.ts';
import { migrate } from '../../src/storage/sqlite/migrations/migrations.ts';
import { createSqliteStores } from '../../src/storage/sqlite/stores.ts';
import { startWriter, type Writer } from '../../src/storage/sqlite/engine/writer.ts';
import type { Lifetime } from './lifetime.ts';

export interface SqliteStores extends DatabaseStores {
  path: string;
  /** The connection that the stores read with. */
  reader: DatabaseSync;
}

/** The embedded database in a temporary folder, closed and deleted after the test. */
export async function openSqliteStores(t: Lifetime): Promise<SqliteStores> {
  // One hook, not two: hooks run in the order in which they were added, and the folder must be deleted last.
  const folder = await mkdtemp(join(tmpdir(), 'menagerie-test-'));
  const path = join(folder, 'menagerie.db');
  await writeFile(path, await migratedDatabase());
  const stores = { path, ...openStoresAt(path) };
  t.after(async () => {
    await stores.close();
    await rm(folder, { recursive: true, force: true });
  });
  return stores;
}

/**
 * Stores on one database for many tests, emptied for each: opening another takes a hundred times as long. Each test
 * gets an object of its own.
 */
export function emptiedSqliteStores(lifetime: Lifetime): () => Promise<SqliteStores> {
  let opening: Promise<SqliteStores> | undefined;
  const ends: (() => Promise<void>)[] = [];
  lifetime.after(async () => {
    for (const end of ends) await end();
  });
  return async () => {
    const stores = await (opening ??= openSqliteStores({ after: (end) => void ends.push(end) }));
    const db = openDatabase(stores.path);
    db.exec(`pragma foreign_keys = off; begin immediate; ${deletionsIn(db)} commit`);
    db.close();
    return { ...stores };
  };
}

/** Statements that delete every record and reset the sequences. */
function deletionsIn(db: DatabaseSync): string {
  const tables = db
    .prepare("select name from pragma_table_list where type = 'table' and name not like 'sqlite_%'")
    .all();
  const deletions = tables.map(({ name }) => (name === 'next_id' ? '' : `delete from ${String(name)};`));
  return `${deletions.join('')} delete from sqlite_sequence; update next_id set id = 1;`;
}

let migrated: Promise<Buffer> | undefined;

/** The bytes of a migrated database without records: copying it is faster than migrating an empty one. */
export async function migratedDatabase(): Promise<Buffer> {
  const bytes = await (migrated ??= migrateNew());
  return bytes;
}

async function migrateNew(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'menagerie-test-'));
  const path = join(folder, 'menagerie.db');
  const db = openDatabase(path);
  migrate(db);
  // Closing the last connection moves the write-ahead log into the file.
  db.close();
  const bytes = await readFile(path);
  await rm(folder, { recursive: true });
  return bytes;
}

/** A migrated database at a path. */
export function openSqliteStoresAt(path: string): SqliteStores {
  const db = openDatabase(path);
  migrate(db);
  db.close();
  return { path, ...openStoresAt(path) };
}

/** The database in memory, with one connection for everything; closed after the test. */
export async function openSqliteStoresInMemory(t: Lifetime): Promise<Omit<SqliteStores, 'path'>> {
  const db = openInMemory();
  migrate(db);
  const stores = storesWith(db, createInlineWriter(db));
  t.after(() => stores.close());
  return stores;
}

function openStoresAt(path: string): Omit<SqliteStores, 'path'> {
  return storesWith(openReader(path), startWriter(path));
}

function storesWith(reader: DatabaseSync, writer: Writer): Omit<SqliteStores, 'path'> {
  const stores = createSqliteStores({ reader, scanner: reader, writer });
  let closing: Promise<void> | undefined;
  return { ...stores, reader, close: () => (closing ??= stores.close()) };
}

/** Changes the database of a data folder beside a service, without its rules. */
export function changeDatabase(dataDir: string, sql: string): void {
  const db = new DatabaseSync(join(dataDir, 'menagerie.db'), { timeout: 5000 });
  db.exec(sql);
  db.close();
}
