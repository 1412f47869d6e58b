import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client, types as driverTypes, type CustomTypesConfig } from 'pg';
import { databaseOf } from './nodes.ts';
import { sharedPostgres } from './shared-postgres.ts';
import type { Lifetime } from './lifetime.ts';

/* Reads the database directly, bypassing the service. */

/** Tables that change without a change of records: audit entries of refusals, request counters, webhook progress. */
const BESIDE = [
  'webhook',
  'webhook_delivery',
  'audit',
  'counted_failures',
  'request_lease',
  'sqlite_sequence',
  'change_order',
  'menagerie_schema',
];

const INT8_OID = 20;

/** 64-bit integers as bigint, as the embedded database returns them here. */
const types = {
  getTypeParser: (oid: number, format: 'text' | 'binary') =>
    oid === INT8_OID ? BigInt : (driverTypes.getTypeParser(oid, format) as (text: string) => unknown),
} as CustomTypesConfig;

export type StoredRow = Readonly<Record<string, unknown>>;

export interface StoredTables {
  /** Runs a statement with the parameters $1, $2 and so on. Integers are returned as bigint. */
  query: (sql: string, ...values: readonly string[]) => Promise<readonly StoredRow[]>;
  /** The names of all tables, sorted. */
  tables: () => Promise<readonly string[]>;
  /** Returns the contents of these tables as a text to compare, without times of last use. */
  readerOf: (tables: readonly string[]) => Promise<() => Promise<string>>;
}

/** A column that changes on its own. */
const LAST_USE = 'last_used_at_ms';

/**
 * Without the tables of the full-text index: their layout depends on the order of changes, and their content is in the
 * table of words.
 */
const SQLITE_TABLES = `select name from pragma_table_list where schema = 'main' and type in ('table', 'virtual') and name <> 'sqlite_schema'`;

/** The tables of a data folder's database, on either engine. */
export async function openTables(t: Lifetime, dataDir: string): Promise<StoredTables> {
  const url = await databaseOf(dataDir);
  return url === undefined ? openEmbedded(t, dataDir) : openPostgres(t, url);
}

function openEmbedded(t: Lifetime, dataDir: string): StoredTables {
  const db = new DatabaseSync(join(dataDir, 'menagerie.db'), { readBigInts: true, timeout: 5000 });
  t.after(async () => db.close());
  const query: StoredTables['query'] = async (sql, ...values) =>
    db.prepare(sql).all(Object.fromEntries(values.map((value, index) => [`$${index + 1}`, value])));
  return {
    query,
    tables: () => namesOf(query(SQLITE_TABLES)),
    readerOf: async (tables) => embeddedReader(db, await Promise.all(tables.map(rowsOf))),
  };

  async function rowsOf(table: string): Promise<TextsOfTable> {
    const columns = (await query(`select name from pragma_table_info('${table}')`)).map(({ name }) => String(name));
    const texts = columns.filter((name) => name !== LAST_USE).map((name) => `quote("${name}")`);
    return { table, rows: `select ${texts.join(` || ',' || `)} as row from "${table}"` };
  }
}

async function openPostgres(t: Lifetime, connectionString: string): Promise<StoredTables> {
  const client = new Client({ connectionString });
  // The database may be dropped while it is open.
  client.on('error', () => {});
  await client.connect();
  t.after(() => client.end());
  const query: StoredTables['query'] = async (text, ...values) =>
    (await client.query<StoredRow>({ text, values: [...values], types })).rows;
  return {
    query,
    tables: () => namesOf(query("select tablename as name from pg_tables where schemaname = 'public'")),
    async readerOf(tables) {
      const texts = tables.map((table) => {
        const rows = `select (to_jsonb(t) - '${LAST_USE}')::text as row from "${table}" t`;
        return `(select string_agg(row, chr(10) order by row collate "C") from (${rows})) as "${table}"`;
      });
      return async () => textOf(await query(`select ${texts.join(', ')}`));
    },
  };
}

/** The rows of a table, each as a text. */
interface TextsOfTable {
  table: string;
  rows: string;
}

/**
 * The database builds the text: some tests read everything a thousand times, and rows as objects would take most of
 * their time.
 */
function embeddedReader(db: DatabaseSync, all: readonly TextsOfTable[]): () => Promise<string> {
  const texts = all.map(
    ({ table, rows }) => `(select group_concat(row, char(10) order by row) from (${rows})) as "${table}"`,
  );
  const everything = db.prepare(`select ${texts.join(', ')}`);
  // Changes when another connection has changed the file.
  const version = db.prepare('pragma data_version');
  let last: { version: unknown; text: string } | undefined;
  return async () => {
    const current = version.get()?.['data_version'];
    if (last === undefined || last.version !== current) last = { version: current, text: textOf(everything.all()) };
    return last.text;
  };
}

/** Each table's name, followed by its rows. */
function textOf([tables = {}]: readonly StoredRow[]): string {
  return Object.entries(tables)
    .map(([table, text]) => `${table}\n${typeof text === 'string' ? text : ''}`)
    .join('\n\n');
}

async function namesOf(rows: Promise<readonly StoredRow[]>): Promise<readonly string[]> {
  return (await rows).map(({ name }) => String(name)).toSorted();
}

/** Everything stored, as a text to compare, without the audit log, counters and times of last use. */
export async function openStored(t: Lifetime, dataDir: string): Promise<() => Promise<string>> {
  const { tables, readerOf } = await openTables(t, dataDir);
  return readerOf((await tables()).filter((name) => !BESIDE.includes(name)));
}

/** A row as a text to compare. */
export function textOfRow(row: StoredRow): string {
  const columns = Object.entries(row).filter(([column]) => column !== LAST_USE);
  return JSON.stringify(columns, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));
}

/** All stored bytes: every file of the data folder, and on PostgreSQL every table and the server's log. */
export async function readEverythingKept(t: Lifetime, dataDir: string): Promise<readonly Buffer[]> {
  const entries = await readdir(dataDir, { recursive: true, withFileTypes: true });
  const files = await Promise.all(
    entries.filter((entry) => entry.isFile()).map((entry) => readFile(join(entry.parentPath, entry.name))),
  );
  if ((await databaseOf(dataDir)) === undefined) return files;
  const { query, tables } = await openTables(t, dataDir);
  const rows = await Promise.all(
    (await tables()).map((table) => query(`select to_jsonb(t)::text as text from ${table} t`)),
  );
  const texts = [...rows.flat().map(({ text }) => String(text)), await (await sharedPostgres()).readLog()];
  return [...files, ...texts.map((text) => Buffer.from(text))];
}
