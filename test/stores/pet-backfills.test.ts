import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { Client } from 'pg';
import type { DatabaseStores } from '../../src/storage/rows/stores/stores.ts';
import type { PetChange } from '../../src/domain/pets/pet-change.ts';
import { openDump as openPostgresDump } from '../../src/storage/postgres/dump.ts';
import { readMigrations } from '../../src/storage/postgres/engine/migration-files.ts';
import { openDump as openSqliteDump } from '../../src/storage/sqlite/dump.ts';
import { APPLICATION_ID, openDatabase, prepare } from '../../src/storage/sqlite/engine/database.ts';
import { applyEach, editPet, photo, putPet, removePet, restorePet, STAMP } from '../support/changes.ts';
import { openPostgresStoresAt } from '../support/postgres-stores.ts';
import type { Lifetime } from '../support/lifetime.ts';
import { temporaryFolder } from '../support/service.ts';
import { openNewPostgresStores, sharedPostgres } from '../support/shared-postgres.ts';
import { openSqliteStores, openSqliteStoresAt } from '../support/sqlite-stores.ts';

/*
 * The counts, and the versions in which pets were added, are maintained with every change. A migration of a database
 * with records and a restore into another database must derive the same.
 */

const SQLITE_MIGRATIONS = join(import.meta.dirname, '../../src/storage/sqlite/migrations');

/** The versions of the schema to migrate from: the oldest, and the last one without versions of additions. */
const SQLITE_VERSIONS = [1, 12];
const POSTGRES_VERSIONS = [1, 10];

/** The last versions for which a draft was added when it was made. */
const SQLITE_DRAFTS = 20;
const POSTGRES_DRAFTS = 18;

/** The tables from which the rest is derived. Their columns have changed: an older version has some of them. */
const TABLES = ['pet', 'pet_version', 'removed_pet', 'pet_tag', 'photo', 'pet_photo'];

const DERIVED = [
  'select id, version, added_version from pet order by id',
  'select id, version, added_version from removed_pet order by id',
  // A count of zero may or may not have a row.
  'select kind, name, count from pet_count where count <> 0 order by kind, name',
];

/**
 * Counts of an older version: of kinds that are no longer stored, and those that it did not derive for earlier changes.
 */
const OLD_COUNTS = `insert into pet_count (kind, name, count) values ('total', '', 7), ('status', 'sold', 3), ('adopted', '1970-01-01', 1)`;

const at = (one: PetChange, atMs: number): PetChange => ({ ...one, stamp: { ...STAMP, atMs } });

const tags = (...names: string[]) => names.map((name) => ({ name }));

async function change(stores: DatabaseStores): Promise<void> {
  await applyEach(
    stores.pets,
    Array.from({ length: 2500 }, (_, index) =>
      at(
        putPet({ name: `Žofie ${index}`, category: { name: `K${index % 3}` }, tags: tags(`t${index % 7}`) }),
        index * 7e7,
      ),
    ),
  );
  await applyEach(stores.pets, [
    at(putPet({ name: 'max' }, 2n ** 63n - 1n), 5),
    at(editPet(3n, { name: '🐕', status: 'sold' }), 4e9),
    at(putPet({ tags: tags('t1', 'new', '') }, 4n), 5e9),
    at(removePet(5n), 6e9),
    at(removePet(6n), 6e9),
  ]);
  await applyEach(stores.pets, [
    at(putPet({ name: 'again' }, 6n), 7e9),
    at(removePet(7n), 7e9),
    at(putPet({}, 7n), 8e9),
    at(editPet(7n, { name: 'edited' }), 8e9),
    at(removePet(10n), 8e9),
    at(putPet({}, 10n), 8e9),
    at(editPet(10n, { name: 'edited' }), 8e9),
    at(removePet(10n), 8e9),
  ]);
  await applyEach(stores.pets, [
    ...Array.from({ length: 40 }, (_, index) => at(editPet(BigInt(100 + index), { status: 'sold' }), index * 5e7)),
    at(removePet(100n), 8e9),
    at(restorePet(100n), 9e9),
    at(editPet(101n, { status: 'pending' }), 9e9),
    at(editPet(101n, { status: 'sold' }), 9e9),
    at(editPet(8n, { photo: photo('a') }), 9e9),
    at(editPet(9n, { photo: photo('a') }), 9e9),
    at(editPet(9n, { photo: photo('b') }), 9e9),
    at(editPet(9n, { photo: photo('c') }), 9e9),
    at(editPet(9n, { photos: { kind: 'remove', digest: photo('c').digest } }), 9e9),
  ]);
}

const publish = (id: bigint, isPublished: boolean | null) => editPet(id, { profile: { edit: { isPublished } } });

/** Drafts that are published, sold, deleted and restored, and published pets that become drafts. */
async function changeDrafts({ pets }: DatabaseStores): Promise<void> {
  await applyEach(pets, [
    ...[200n, 201n, 202n, 203n, 204n].map((id) => at(publish(id, false), 8e9)),
    at(publish(200n, null), 9e9),
    at(editPet(201n, { status: 'sold' }), 9e9),
    at(publish(201n, true), 9.1e9),
    at(removePet(202n), 9e9),
    at(restorePet(202n), 9e9),
    at(removePet(203n), 9e9),
  ]);
  await applyEach(pets, [at(publish(202n, true), 9.2e9), at(removePet(202n), 9.3e9), at(restorePet(202n), 9.3e9)]);
}

type Row = Record<string, unknown>;

function readSqlite(db: DatabaseSync): Row[][] {
  return DERIVED.map((sql) => prepare(db, sql).all());
}

/** Migrates the records from this version of the schema, and returns what is derived from them. */
async function migratedOnSqlite(t: Lifetime, source: DatabaseSync, version: number): Promise<Row[][]> {
  const path = join(await temporaryFolder(t), 'menagerie.db');
  const db = new DatabaseSync(path);
  const scripts = readdirSync(SQLITE_MIGRATIONS)
    .filter((name) => name.endsWith('.sql'))
    .toSorted()
    .slice(0, version);
  for (const name of scripts) db.exec(readFileSync(join(SQLITE_MIGRATIONS, name), 'utf8'));
  db.exec(
    `pragma application_id = ${APPLICATION_ID}; pragma user_version = ${version}; pragma foreign_keys = off; begin`,
  );
  for (const table of TABLES) {
    const columns = db.prepare('select name from pragma_table_info(?)').all(table);
    const list = columns.map(({ name }) => String(name)).join(', ');
    const rows = prepare(source, `select ${list} from ${table}`).all();
    const add = prepare(db, `insert into ${table} (${list}) values (${columns.map(() => '?').join(', ')})`);
    for (const row of rows) add.run(...Object.values(row));
  }
  db.exec(`commit; ${version > 1 ? OLD_COUNTS : ''}`);
  db.close();
  const stores = openSqliteStoresAt(path);
  try {
    return readSqlite(stores.reader);
  } finally {
    await stores.close();
  }
}

async function askPostgres<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function readPostgres(url: string): Promise<Row[][]> {
  return askPostgres(url, async (client) => {
    const contents: Row[][] = [];
    for (const sql of DERIVED)
      contents.push((await client.query<Row>(sql.replaceAll(/\b(kind|name)(?=,|$)/g, '$1 collate "C"'))).rows);
    return contents;
  });
}

async function migratedOnPostgres(t: Lifetime, source: string, version: number): Promise<Row[][]> {
  const server = await sharedPostgres();
  const url = await server.createDatabase();
  t.after(() => server.dropDatabase(url));
  await askPostgres(url, async (client) => {
    for (const { sql } of readMigrations().slice(0, version)) await client.query(sql);
    await client.query(`create table menagerie_schema (only_row int4 primary key, version int4 not null);
      insert into menagerie_schema (only_row, version) values (1, ${version})`);
    for (const table of TABLES) {
      const { rows: columns } = await client.query<{ column_name: string }>(
        `select column_name from information_schema.columns where table_schema = 'public' and table_name = $1`,
        [table],
      );
      const list = columns.map(({ column_name }) => column_name).join(', ');
      // As JSON, which the table converts back.
      const { rows } = await askPostgres(source, (from) =>
        from.query<{ all: string }>(
          `select coalesce(json_agg(one), '[]')::text as all from (select ${list} from ${table}) as one`,
        ),
      );
      await client.query(
        `insert into ${table} (${list}) select ${list} from json_populate_recordset(null::${table}, $1)`,
        [rows[0]?.all],
      );
    }
    if (version > 1) await client.query(OLD_COUNTS);
  });
  await (await openPostgresStoresAt(url)).close();
  return readPostgres(url);
}

function assertRich([pets, deleted, counts]: readonly Row[][]): void {
  assert.ok((pets?.length ?? 0) > 2000 && (deleted?.length ?? 0) > 1 && (counts?.length ?? 0) > 5);
}

/** Forgets what is derived. */
const FORGET = `delete from pet_count; update pet set added_version = 1; update removed_pet set added_version = 1; ${OLD_COUNTS}`;

void describe('counts and versions of additions', () => {
  void it('are the same after a migration or a restore, on SQLite', async (t) => {
    const stores = await openSqliteStores(t);
    await change(stores);
    const db = openDatabase(stores.path);
    t.after(() => db.close());
    const assertDerives = async () => {
      const kept = readSqlite(db);
      db.exec(FORGET);
      assert.notDeepEqual(readSqlite(db), kept);
      await openSqliteDump(db).derive();
      assert.deepEqual(readSqlite(db), kept);
      return kept;
    };
    const kept = await assertDerives();
    assertRich(kept);
    for (const version of SQLITE_VERSIONS) assert.deepEqual(await migratedOnSqlite(t, db, version), kept, `${version}`);
    await changeDrafts(stores);
    const withDrafts = await assertDerives();
    assert.deepEqual(await migratedOnSqlite(t, db, SQLITE_DRAFTS), withDrafts);
  });

  void it('are the same after a migration or a restore, on PostgreSQL', async (t) => {
    const stores = await openNewPostgresStores(t);
    await change(stores);
    const { url } = stores;
    const assertDerives = async () => {
      const kept = await readPostgres(url);
      await askPostgres(url, (client) => client.query(FORGET));
      assert.notDeepEqual(await readPostgres(url), kept);
      await (await openPostgresDump(stores.connections)).derive();
      assert.deepEqual(await readPostgres(url), kept);
      return kept;
    };
    const kept = await assertDerives();
    assertRich(kept);
    for (const version of POSTGRES_VERSIONS)
      assert.deepEqual(await migratedOnPostgres(t, url, version), kept, `${version}`);
    await changeDrafts(stores);
    const withDrafts = await assertDerives();
    assert.deepEqual(await migratedOnPostgres(t, url, POSTGRES_DRAFTS), withDrafts);
  });
});
