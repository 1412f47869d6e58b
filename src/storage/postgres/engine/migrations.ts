import { DatabaseError } from 'pg';
import { Failure } from '../../../domain/failure.ts';
import { backfillPetCounts } from '../pets/pet-backfills.ts';
import type { Connections } from './connections.ts';
import { statement, type Ask } from './statements.ts';
import { readMigrations, type Migration } from './migration-files.ts';
import { usernameKey } from '../../../domain/accounts/user.ts';

/** Backfills that SQL alone cannot do, by the migration after which they run, in its transaction. */
const BACKFILLS: Readonly<Record<string, (ask: Ask) => Promise<void>>> = {
  '009-user-names.sql': backfillUsernameKeys,
  '011-search-in-memory.sql': (ask) => backfillPetCounts((work) => work(ask)),
};

/** The table with the schema version. Its existence marks the database as one of Menagerie. */
const makeSchemaTable = statement(
  'create table if not exists menagerie_schema (only_row int4 primary key, version int4 not null)',
);
const createSchemaRow = statement(
  'insert into menagerie_schema (only_row, version) values (1, 0) on conflict (only_row) do nothing',
);
const ownTable = statement(
  `select count(*) from information_schema.tables where table_schema = current_schema() and table_name = 'menagerie_schema'`,
);
const otherTables = statement(
  `select count(*) from information_schema.tables where table_schema = current_schema() and table_name in ('account', 'pet', 'session', 'photo', 'audit')`,
);
const encoding = statement('show server_encoding');
const readVersion = statement('select version from menagerie_schema where only_row = 1');
const lockVersion = statement('select version from menagerie_schema where only_row = 1 for update');
const setVersion = statement('update menagerie_schema set version = $1 where only_row = 1');
const lockOrder = statement('select only_row from change_order where only_row = 1 for update');
const storeVersionForWriters = statement('update change_order set schema_version = $1 where only_row = 1');

/** From this migration on, the row that changes lock has the schema version as well. */
const WRITERS_CHECK_SINCE = 6;

/** Two nodes create the same table at the same time: unique_violation in the system catalog, duplicate_table, duplicate_object. */
const CREATED_CONCURRENTLY = new Set(['23505', '42P07', '42710']);

/**
 * Migrates a database, with one transaction per migration, under a lock: of several nodes that start together, one migrates, and the others find it done.
 * No change is made meanwhile, and a node of an older version cannot change anything afterwards.
 *
 * @throws Failure `unavailable` for a database of another program, of another encoding, or of a newer Menagerie; it is left unchanged
 */
export async function migrate(connections: Connections): Promise<void> {
  const migrations = readMigrations();
  await claim(connections);
  for (;;) {
    const [row] = await connections.ask<[version: number]>(readVersion);
    const version = row?.[0] ?? 0;
    refuseNewer(version, migrations.length);
    const next = migrations[version];
    if (next === undefined) return;
    await applyMigration(connections, version, next);
  }
}

async function applyMigration(connections: Connections, version: number, { name, sql }: Migration): Promise<void> {
  const claimNext = async (ask: Ask) => {
    const [locked] = await ask<[version: number]>(lockVersion);
    if (locked?.[0] !== version) return false;
    // The first migration creates this row.
    if (version > 0) await ask(lockOrder);
    await ask(setVersion, version + 1);
    return true;
  };
  await connections.migration(sql, claimNext, async (ask) => {
    await BACKFILLS[name]?.(ask);
    if (version + 1 > WRITERS_CHECK_SINCE) await ask(storeVersionForWriters, version + 1);
  });
}

async function claim({ ask }: Connections): Promise<void> {
  const isOurs = countOf(await ask(ownTable)) > 0n;
  if (!isOurs) {
    const [[serverEncoding] = []] = await ask<[string]>(encoding);
    if (serverEncoding !== 'UTF8')
      throw new Failure('unavailable', 'The database does not keep text as UTF-8. Make one with encoding UTF8.');
    if (countOf(await ask(otherTables)) > 0n && countOf(await ask(ownTable)) === 0n)
      throw new Failure('unavailable', 'The database holds the tables of another program. Choose another database.');
  }
  // If the table exists, none is created: a serving node does not need the permission to create tables.
  for (let isMade = isOurs; !isMade;) {
    try {
      await ask(makeSchemaTable);
      isMade = true;
    } catch (error) {
      if (!(error instanceof DatabaseError) || !CREATED_CONCURRENTLY.has(error.code ?? '')) throw error;
    }
  }
  await ask(createSchemaRow);
}

function countOf(rows: readonly (readonly unknown[])[]): bigint {
  return (rows[0]?.[0] ?? 0n) as bigint;
}

function refuseNewer(version: number, known: number): void {
  if (version <= known) return;
  throw new Failure(
    'unavailable',
    `The database was written by a newer Menagerie (schema ${version}; this one knows up to ${known}). Start that version, or choose another database.`,
  );
}

const accounts = statement(
  'select id, username, username_key from account where char_length(username_key) <> octet_length(username_key) order by id',
);
const owner = statement('select 1 from account where username_key = $1');
const setKey = statement('update account set username_key = $1 where id = $2');

/** Computes the keys of all user names again. A name whose new key belongs to an older account keeps its old key. Only names beyond ASCII differ. */
export async function backfillUsernameKeys(ask: Ask): Promise<void> {
  for (const [id, username, oldKey] of await ask<[id: bigint, username: string, key: string]>(accounts)) {
    const key = usernameKey(username);
    if (key !== oldKey && (await ask(owner, key)).length === 0) await ask(setKey, key, id);
  }
}
