import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseError } from 'pg';
import { unusable } from '../../../domain/failure.ts';
import { derivePets } from './pet-backfills.ts';
import type { Connections } from '../engine/connections.ts';
import { statement, type Ask } from '../engine/statements.ts';
import { readMigrations, WRITERS_CHECK_SINCE, type Migration } from '../engine/migration-files.ts';
import { findOlderPrograms, olderProgramsConnected } from '../engine/connected-programs.ts';
import type { OnBatch, OnMigration } from '../../rows/migration-events.ts';
import { usernameKey } from '../../../domain/accounts/user.ts';
import { refuseRetired } from '../engine/retired-database.ts';

/** Backfills that SQL alone cannot do, by the migration after which they run, in its transaction. */
const BACKFILLS: Readonly<Record<string, (ask: Ask, onBatch: OnBatch) => Promise<void>>> = {
  '009-user-names.sql': backfillUsernameKeys,
  '019-public-additions.sql': (ask, onBatch) => derivePets((work) => work(ask), onBatch),
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
const versionForWriters = statement('select schema_version from change_order where only_row = 1');

/**
 * Two nodes create the same table at the same time: unique_violation in the system catalog, duplicate_table,
 * duplicate_object.
 */
const CREATED_CONCURRENTLY = new Set(['23505', '42P07', '42710']);

const LOCK_RETRY_MS = 1000;

/**
 * Migrates a database, with one transaction per migration, under a lock: of several nodes that start together, one
 * migrates, and the others find it done.
 * No change is made meanwhile, and a node that does not work with the new schema cannot change anything afterwards.
 * Before the first one, the connected programs must work with all of them: between two, no version can back up the
 * database.
 *
 * @throws Failure `unavailable` for a database of another program, of another encoding, of a Menagerie that is too new,
 *   or whose data was moved, and while programs are connected that do not work with a migration; it is left unchanged
 */
export async function migrate(connections: Connections, onMigration: OnMigration = () => {}): Promise<void> {
  const migrations = readMigrations();
  await claim(connections);
  const first = await readVersionOf(connections.ask);
  await refuseRetired(connections.ask, first);
  if (first > migrations.length) return refuseTooNew(connections.ask, first, migrations.length);
  for (let version = first; version < migrations.length; version = await readVersionOf(connections.ask)) {
    const [next, ...later] = migrations.slice(version);
    if (next === undefined) return;
    const step = { migration: next.name, number: version + 1, total: migrations.length };
    // The migrations of a new database take no time.
    const isNew = first === 0;
    if (!isNew) onMigration({ kind: 'started', ...step });
    const startMs = performance.now();
    await applyMigration(connections, version, [next, ...later], isNew ? () => {} : onMigration);
    if (!isNew) onMigration({ kind: 'finished', migration: next.name, ms: Math.round(performance.now() - startMs) });
  }
}

const databaseSize = statement('select pg_database_size(current_database())');

/** The migrations that `migrate` would make. Changes nothing. @throws Failure `unavailable` for a newer database */
export async function describePending(ask: Ask) {
  const migrations = readMigrations();
  const schema = await readVersionOf(ask);
  if (schema > migrations.length) await refuseTooNew(ask, schema, migrations.length);
  const pending = migrations.slice(schema);
  const [[databaseBytes] = [0n]] = await ask<[bytes: bigint]>(databaseSize);
  return {
    schema,
    knownSchema: migrations.length,
    pending: pending.map(({ name, worksSince }) => ({ name, isRolling: worksSince <= schema })),
    databaseBytes: Number(databaseBytes),
    olderNodes: pending.length === 0 ? [] : await findOlderPrograms(ask, schema, pending.at(-1)?.worksSince ?? 0),
  };
}

async function readVersionOf(ask: Ask): Promise<number> {
  return (await ask<[version: number]>(readVersion))[0]?.[0] ?? 0;
}

async function applyMigration(
  connections: Connections,
  version: number,
  pending: readonly [Migration, ...Migration[]],
  onMigration: OnMigration,
): Promise<void> {
  const [{ name, sql, worksSince }] = pending;
  let older: readonly string[] = [];
  const claimNext = async (ask: Ask) => {
    const [locked] = await ask<[version: number]>(lockVersion);
    if (locked?.[0] !== version) return false;
    // The first migration creates this row.
    if (version > 0) await ask(lockOrder);
    older = await findOlderPrograms(ask, version, pending.at(-1)?.worksSince ?? worksSince);
    if (older.length > 0) return false;
    await ask(setVersion, version + 1);
    return true;
  };
  const finish = async (ask: Ask) => {
    await BACKFILLS[name]?.(ask, (done, total) => onMigration({ kind: 'progress', migration: name, done, total }));
    if (version + 1 > WRITERS_CHECK_SINCE) await ask(storeVersionForWriters, worksSince);
  };
  while (!(await connections.migration(sql, claimNext, finish))) {
    onMigration({ kind: 'waiting', migration: name });
    await delay(LOCK_RETRY_MS);
  }
  if (older.length === 0) return;
  const refusing = pending.find((each) => each.worksSince > version)?.name ?? name;
  throw olderProgramsConnected(refusing, older);
}

/** Creates the table with the schema version. @throws Failure `unavailable` for a database of another program */
export async function claim({ ask }: Connections): Promise<void> {
  const isOurs = countOf(await ask(ownTable)) > 0n;
  if (!isOurs) {
    const [[serverEncoding] = []] = await ask<[string]>(encoding);
    if (serverEncoding !== 'UTF8')
      throw unusable('The database does not keep text as UTF-8. Make one with encoding UTF8.');
    if (countOf(await ask(otherTables)) > 0n && countOf(await ask(ownTable)) === 0n)
      throw unusable('The database holds the tables of another program. Choose another database.');
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

async function refuseTooNew(ask: Ask, version: number, known: number): Promise<void> {
  const [[worksSince] = [version]] = await ask<[worksSince: number]>(versionForWriters);
  if (worksSince <= known) return;
  throw unusable(
    `The database was written by a newer Menagerie (schema ${version}; this one knows up to ${known}). Start that version, or choose another database.`,
  );
}

const accounts = statement(
  'select id, username, username_key from account where char_length(username_key) <> octet_length(username_key) ' +
    'order by id',
);
const owner = statement('select 1 from account where username_key = $1');
const setKey = statement('update account set username_key = $1 where id = $2');

/**
 * Computes the keys of all user names again. A name whose new key belongs to an older account keeps its old key. Only
 * names beyond ASCII differ.
 */
export async function backfillUsernameKeys(ask: Ask): Promise<void> {
  for (const [id, username, oldKey] of await ask<[id: bigint, username: string, key: string]>(accounts)) {
    const key = usernameKey(username);
    if (key !== oldKey && (await ask(owner, key)).length === 0) await ask(setKey, key, id);
  }
}
