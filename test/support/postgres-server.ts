import { join } from 'node:path';
import { Client, escapeIdentifier, escapeLiteral, type QueryResult } from 'pg';
import { debianBinaries, embeddedBinaries, type PostgresBinaries } from './postgres-binaries.ts';
import { ADMIN, initializeFolder, removeFolder, type PostgresFolder, type PostgresOptions } from './postgres-folder.ts';
import { runServer } from './postgres-process.ts';
import type { Lifetime } from './service.ts';

/** Who owns the databases, and is not a superuser. */
export const OWNER = 'menagerie';

export interface DatabaseOptions {
  /** The address of a database to copy, to which nobody is connected. */
  template?: string;
  /** An ICU locale by which texts are sorted where a query does not say, as `en-US`; by their bytes when left out. */
  icuLocale?: string;
}

export interface Databases {
  /** The address of a new database, empty unless it has a template. */
  createDatabase(options?: DatabaseOptions): Promise<string>;
  /** With every connection to it. */
  dropDatabase(url: string): Promise<void>;
}

export interface PostgresServer extends PostgresFolder, Databases {
  /** The database `menagerie`, as its owner, who is not a superuser. */
  url: string;
  /** The database `postgres`, as the superuser. */
  adminUrl: string;
  /** `18.4` */
  version: string;
  /** What the server has written so far. */
  log(): string;
  /** One statement as the superuser, on a connection of its own. */
  query(sql: string, values?: readonly unknown[]): Promise<QueryResult<Record<string, unknown>>>;
  /** All its processes, at once and without a goodbye. */
  kill(): Promise<void>;
  /** On the same port; if it still runs, it is ended in order first. */
  restart(): Promise<void>;
  /** All its processes stand still: connections stay open, and nothing answers. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  /** In order, with every connection. */
  stop(): Promise<void>;
}

/** A new server of PostgreSQL 18, gone with its data when the lifetime is over. */
export async function startPostgres(t: Lifetime, options: PostgresOptions = {}): Promise<PostgresServer> {
  return startWith(t, await embeddedBinaries(), options);
}

/** The same with the PostgreSQL of Debian's packages; undefined where it is not installed. */
export async function startDebianPostgres(
  t: Lifetime,
  options: PostgresOptions = {},
): Promise<PostgresServer | undefined> {
  const binaries = debianBinaries();
  return binaries && startWith(t, binaries, options);
}

async function startWith(t: Lifetime, binaries: PostgresBinaries, options: PostgresOptions): Promise<PostgresServer> {
  const folder = await initializeFolder(binaries, options);
  const server = await startOn(t, folder);
  await server.query(`create role ${OWNER} login password ${escapeLiteral(folder.password)}`);
  await server.query(`create database ${OWNER} owner ${OWNER}`);
  return server;
}

/** Starts the server of a data folder that is ready. */
export async function startOn(t: Lifetime, folder: PostgresFolder): Promise<PostgresServer> {
  const log = { text: '' };
  const start = () => runPostgres(folder, log);
  let current = await start();
  let databaseCount = 0;
  t.after(async () => {
    // At once, since its data goes too; but so that it removes the memory that it shares.
    await current.end('SIGQUIT');
    await removeFolder(folder.dataFolder);
  });
  const adminUrl = addressOf(folder, ADMIN, ADMIN);
  const query = (sql: string, values: readonly unknown[] = []) => queryOnce(adminUrl, sql, values);
  const { rows } = await query("select split_part(current_setting('server_version'), ' ', 1) as version");
  return {
    ...folder,
    url: addressOf(folder, OWNER, OWNER),
    adminUrl,
    version: String(rows[0]?.['version']),
    log: () => log.text,
    query,
    ...databasesOf(folder, query, () => String(++databaseCount)),
    kill: () => current.kill(),
    async restart() {
      await current.end('SIGINT');
      current = await start();
    },
    freeze: () => current.freeze(),
    thaw: () => Promise.resolve(current.thaw()),
    stop: () => current.end('SIGINT'),
  };
}

function runPostgres({ binaries, dataFolder, runAs }: PostgresFolder, log: { text: string }) {
  const file = join(binaries.folder, 'postgres');
  // A standby says "read-only connections".
  return runServer({ file, args: ['-D', dataFolder], folder: dataFolder, runAs, ready: 'ready to accept' }, log);
}

/** @param nextName what follows `menagerie_` in the name of the next database */
export function databasesOf(
  folder: Pick<PostgresFolder, 'password' | 'port'>,
  query: PostgresServer['query'],
  nextName: () => string,
): Databases {
  return {
    async createDatabase(options = {}) {
      const name = `${OWNER}_${nextName()}`;
      await query(`create database ${name} owner ${OWNER} ${databaseClauses(options)}`);
      return addressOf(folder, OWNER, name);
    },
    async dropDatabase(url) {
      await query(`drop database if exists ${escapeIdentifier(databaseOf(url))} with (force)`);
    },
  };
}

function databaseClauses({ template, icuLocale }: DatabaseOptions): string {
  if (template !== undefined) return `template ${escapeIdentifier(databaseOf(template))}`;
  if (icuLocale === undefined) return '';
  return `template template0 locale_provider icu icu_locale ${escapeLiteral(icuLocale)}`;
}

/**
 * The same address with more patience than the service has by itself: on a machine that has other work, a connection may take longer to be made than
 * who asks for a pet would wait. Nothing for a test of what happens when a server does not answer.
 */
export function patiently(url: string): string {
  const patient = new URL(url);
  patient.searchParams.set('connect_timeout', '60');
  return patient.href;
}

function databaseOf(url: string): string {
  return new URL(url).pathname.slice(1);
}

export function addressOf(
  { password, port }: Pick<PostgresFolder, 'password' | 'port'>,
  user: string,
  database: string,
): string {
  return `postgres://${user}:${password}@127.0.0.1:${port}/${database}`;
}

export async function queryOnce(connectionString: string, sql: string, values: readonly unknown[]) {
  const client = new Client({ connectionString });
  // It may be killed while a statement is under way; the statement fails then, which is enough.
  client.on('error', () => {});
  await client.connect();
  try {
    return await client.query<Record<string, unknown>>(sql, [...values]);
  } finally {
    await client.end();
  }
}
