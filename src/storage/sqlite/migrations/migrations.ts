import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DatabaseSync } from 'node:sqlite';
import { unusable } from '../../../domain/failure.ts';
import { derivePets } from './pet-backfills.ts';
import { APPLICATION_ID, inTransaction, readPragma, prepare, prepareRows } from '../engine/database.ts';
import type { OnBatch, OnMigration } from '../../rows/migration-events.ts';
import { usernameKey } from '../../../domain/accounts/user.ts';

const MIGRATIONS_FOLDER = fileURLToPath(new URL('.', import.meta.url));

/** Backfills that SQL alone cannot do, by the migration after which they run. */
const BACKFILLS: Readonly<Record<string, (db: DatabaseSync, onBatch: OnBatch) => void>> = {
  '010-user-names.sql': backfillUsernameKeys,
  '021-public-additions.sql': derivePets,
};

interface Migration {
  name: string;
  sql: string;
}

/**
 * Migrates a database, with one transaction per migration, under the write lock: of two processes that start together,
 * one migrates, and the other finds it done. SQLite's `user_version` counts the migrations.
 *
 * @throws Failure `unavailable` for a database of a newer Menagerie; it is left unchanged
 */
export function migrate(db: DatabaseSync, onMigration: OnMigration = () => {}): void {
  const migrations = readMigrations();
  refuseNewer(db, migrations.length);
  const isNew = readSchema(db) === 0;
  while (readSchema(db) < migrations.length) applyNext(db, migrations, isNew ? () => {} : onMigration);
}

/** Whether no migration is left to run. */
export function isUpToDate(db: DatabaseSync): boolean {
  return readSchema(db) >= countMigrations();
}

/** The `user_version` of a database of this version. */
export function countMigrations(): number {
  return migrationNames().length;
}

/** The migrations that a database does not have yet. */
export function listPending(db: DatabaseSync): readonly string[] {
  return migrationNames().slice(readSchema(db));
}

/** The number of migrations that a database has; 0 for a new one. */
export function readSchema(db: DatabaseSync): number {
  return Number(readPragma(db, 'user_version'));
}

function applyNext(db: DatabaseSync, migrations: readonly Migration[], onMigration: OnMigration): void {
  inTransaction(db, () => {
    const done = readSchema(db);
    const next = migrations[done];
    if (next === undefined) return;
    const migration = next.name;
    onMigration({ kind: 'started', migration, number: done + 1, total: migrations.length });
    const startMs = performance.now();
    db.exec(`${next.sql}; pragma application_id = ${APPLICATION_ID}; pragma user_version = ${done + 1}`);
    BACKFILLS[migration]?.(db, (rows, total) => onMigration({ kind: 'progress', migration, done: rows, total }));
    onMigration({ kind: 'finished', migration, ms: Math.round(performance.now() - startMs) });
  });
}

/** @throws Failure `unavailable` for a database of a newer Menagerie */
export function refuseNewer(db: DatabaseSync, known = countMigrations()): void {
  const version = readSchema(db);
  if (version <= known) return;
  throw unusable(
    `The database was written by a newer Menagerie (schema ${version}; this one knows up to ${known}). Start that version, or choose another data folder.`,
  );
}

/** The numbered SQL files, in order. */
function readMigrations(): readonly Migration[] {
  return migrationNames().map((name) => ({ name, sql: readFileSync(join(MIGRATIONS_FOLDER, name), 'utf8') }));
}

function migrationNames(): readonly string[] {
  const names = readdirSync(MIGRATIONS_FOLDER).filter((name) => name.endsWith('.sql'));
  return names.toSorted();
}

/**
 * Computes the keys of all user names again. A name whose new key belongs to an older account keeps its old key. Only
 * names beyond ASCII differ.
 */
export function backfillUsernameKeys(db: DatabaseSync): void {
  const accounts = prepareRows<[id: bigint, username: string, key: string]>(
    db,
    'select id, username, username_key from account where length(username_key) <> octet_length(username_key) ' +
      'order by id',
  );
  const owner = prepareRows(db, 'select 1 from account where username_key = ?');
  const setKey = prepare(db, 'update account set username_key = ? where id = ?');
  for (const [id, username, oldKey] of accounts()) {
    const key = usernameKey(username);
    if (key !== oldKey && owner(key).length === 0) setKey.run(key, id);
  }
}
