import { DatabaseError } from 'pg';
import {
  DUMP_TABLES,
  dumpTable,
  type Dump,
  type DumpCounters,
  type DumpTableName,
  type DumpTarget,
} from '../rows/dump/dump-tables.ts';
import type { DumpRow, DumpTable, DumpValue } from '../rows/dump/dump-table.ts';
import { Failure } from '../../domain/failure.ts';
import { searchKeysOf } from '../rows/accounts/account-rows.ts';
import {
  isUnused,
  OlderSqlDump,
  replaceInstallation,
  requireKnownSchema,
  SqlDump,
  sqlType,
  writtenByAnother,
} from '../rows/dump/database-dump.ts';
import type { Reads } from '../rows/steps.ts';
import type { Connections } from './engine/connections.ts';
import { KNOWN_SCHEMA } from './engine/migration-files.ts';
import { askCommon, statement, type Ask, type Parameter, type Statement } from './engine/statements.ts';
import { openReads } from './engine/steps.ts';
import { findMark, removeMark, writeMark } from './engine/unfinished-restore.ts';
import { claim, migrate } from './migrations/migrations.ts';
import { derivePets } from './migrations/pet-backfills.ts';

const UNIQUE_VIOLATION = '23505';

const NOTED_AT_ONCE = 10_000;

const writeOrder = statement(
  'update change_order set next_pet_id = $1, next_account_id = $2, last_version = $3, last_audit_id = $4 where ' +
    'only_row = 1',
);
// A standby that has not replayed the restore must not serve sessions and keys that existed before it. In batches,
// because statements have a timeout.
const noteVersions = [
  statement(
    'update session set last_version = $1 where digest = any(array(select digest from session where last_version ' +
      '<> $1 limit $2)) returning 1',
  ),
  statement(
    'update api_key set last_version = $1 where digest = any(array(select digest from api_key where last_version ' +
      '<> $1 limit $2)) returning 1',
  ),
];
const isOurs = statement(`select to_regclass('menagerie_schema') is not null`);
const schemaVersion = statement('select version from menagerie_schema where only_row = 1');

const INSERTS = new Map(DUMP_TABLES.map((table) => [table.name, insertInto(table)]));

/** Whether this is a database of Menagerie, of any version. */
export async function holdsCatalogue({ ask }: Connections): Promise<boolean> {
  return (await ask<[isOurs: boolean]>(isOurs))[0]?.[0] === true;
}

/**
 * Marks and migrates a new target, also if an earlier migration of it was interrupted. One that is in use is left
 * unchanged, and refused later.
 */
export async function prepareTarget(connections: Connections): Promise<void> {
  const { ask } = connections;
  const readVersion = async () => (await ask<[version: number]>(schemaVersion))[0]?.[0] ?? 0;
  await claim(connections);
  if ((await readVersion()) === 0) await writeMark(connections, '');
  const isMade = (await findMark(connections)) !== '';
  if (!isMade || (await askCommon(ask)<[isUnused: boolean]>(isUnused))[0]?.[0] === true) await migrate(connections);
}

/**
 * An existing database as the source or target of a copy.
 *
 * @param ask reads of a snapshot; by default, each statement reads the current state
 * @throws Failure `unavailable` for another schema version
 */
export async function openDump(connections: Connections, ask = connections.ask): Promise<DumpTarget> {
  const [[schema] = [0]] = await ask<[version: number]>(schemaVersion);
  requireKnownSchema(schema, KNOWN_SCHEMA);
  return new PostgresDump(connections, openReads(ask));
}

const existingColumns = statement(
  'select table_name::text, column_name::text from information_schema.columns where table_schema = current_schema()',
);

/** A database before its migration, as a source only. */
export async function openOlderDump(ask: Ask): Promise<Dump> {
  const rows = await ask<[table: string, column: string]>(existingColumns);
  const existing = new Map<string, Set<string>>();
  for (const [table, column] of rows) existing.set(table, (existing.get(table) ?? new Set()).add(column));
  return new OlderSqlDump(openReads(ask), existing);
}

class PostgresDump extends SqlDump implements DumpTarget {
  readonly #connections: Connections;

  constructor(connections: Connections, reads: Reads) {
    super(reads);
    this.#connections = connections;
  }

  async writeInstallationId(id: string): Promise<void> {
    await this.#connections.transaction((ask) => askCommon(ask)(replaceInstallation, id));
  }

  findMark(): Promise<string | undefined> {
    return findMark(this.#connections);
  }

  begin(source: string): Promise<void> {
    return writeMark(this.#connections, source);
  }

  finish(): Promise<void> {
    return removeMark(this.#connections);
  }

  async write(table: DumpTableName, rows: readonly DumpRow[]): Promise<void> {
    const insert = INSERTS.get(table) as Statement;
    const columns = columnsOf(table, rows);
    try {
      await this.#connections.transaction((ask) => ask(insert, ...columns));
    } catch (error) {
      throw isTaken(error) ? writtenByAnother() : error;
    }
  }

  async writeCounters({ nextPetId, nextAccountId, lastVersion, lastAuditId }: DumpCounters): Promise<void> {
    const { transaction } = this.#connections;
    for (const noteVersion of noteVersions) {
      const note = () => transaction((ask) => ask(noteVersion, lastVersion, NOTED_AT_ONCE));
      while ((await note()).length === NOTED_AT_ONCE);
    }
    await transaction((ask) => ask(writeOrder, nextPetId, nextAccountId, lastVersion, lastAuditId));
  }

  async derive(): Promise<void> {
    await derivePets((work) => this.#connections.transaction((ask) => work(ask)));
  }
}

function insertInto({ name, columns }: DumpTable): Statement {
  const entries = Object.entries(columns);
  const list = entries.map(([column]) => column).join(', ');
  const arrays = entries.map(([, type], index) => `$${index + 1}::${sqlType(type)}[]`).join(', ');
  if (name !== 'account') return statement(`insert into ${name} (${list}) select * from unnest(${arrays})`);
  // unnest flattens an array of arrays, so the search keys of each account are sent as the text of an array.
  return statement(
    `insert into account (${list}, search_keys) select ${list}, search_keys::text[]
     from unnest(${arrays}, $${entries.length + 1}::text[]) as given (${list}, search_keys)`,
  );
}

/** The rows as one array for each column. */
function columnsOf(name: DumpTableName, rows: readonly DumpRow[]): Parameter[] {
  const names = Object.keys(dumpTable(name).columns);
  const columns = names.map((_name, index) => rows.map((row) => storable(name, row[index] ?? null)));
  if (name !== 'account') return columns;
  const indexes = ['username', 'first_name', 'last_name', 'email'].map((column) => names.indexOf(column));
  return [...columns, rows.map((row) => searchKeysText(indexes.map((index) => row[index] as string | null)))];
}

function storable(name: string, value: DumpValue): DumpValue {
  if (typeof value !== 'string' || !value.includes('\0')) return value;
  throw new Failure(
    'invalid-input',
    `There is a text with the character U+0000 in ${name}, which PostgreSQL cannot keep. Change it in the source, and begin with an empty target.`,
  );
}

/** An array as PostgreSQL writes it (https://www.postgresql.org/docs/current/arrays.html, section 8.15.6). */
function searchKeysText([username, firstName, lastName, email]: readonly (string | null)[]): string {
  const keys = searchKeysOf({
    username: username ?? '',
    firstName: firstName ?? undefined,
    lastName: lastName ?? undefined,
    email: email ?? undefined,
  });
  return `{${keys.map((key) => `"${key.replaceAll(/["\\]/g, String.raw`\$&`)}"`).join()}}`;
}

function isTaken(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === UNIQUE_VIOLATION;
}
