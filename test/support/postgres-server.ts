import { join } from 'node:path';
import { Client, escapeIdentifier, escapeLiteral, type QueryResult } from 'pg';
import { debianBinaries, embeddedBinaries, type PostgresBinaries } from './postgres-binaries.ts';
import { ADMIN, initializeFolder, removeFolder, type PostgresFolder, type PostgresOptions } from './postgres-folder.ts';
import { runServer } from './postgres-process.ts';
import type { Lifetime } from './lifetime.ts';

/** The owner of the databases, not a superuser. */
export const OWNER = 'menagerie';

export interface DatabaseOptions {
  /** The URL of a database to copy, without open connections. */
  template?: string;
  /** An ICU locale for the default sort order, such as `en-US`; without it, texts are sorted by bytes. */
  icuLocale?: string;
}

export interface Databases {
  /** Returns the URL of a new database, empty unless it has a template. */
  createDatabase(options?: DatabaseOptions): Promise<string>;
  /** Closes all connections to it as well. */
  dropDatabase(url: string): Promise<void>;
}

export interface PostgresServer extends PostgresFolder, Databases {
  /** The database `menagerie`, as its owner, who is not a superuser. */
  url: string;
  /** The database `postgres`, as the superuser. */
  adminUrl: string;
  /** Such as `18.4`. */
  version: string;
  /** The server's log so far. */
  log(): string;
  /** Runs one statement as the superuser, on a separate connection. */
  query(sql: string, values?: readonly unknown[]): Promise<QueryResult<Record<string, unknown>>>;
  /** Kills all its processes. */
  kill(): Promise<void>;
  /** Uses the same port; shuts a running server down first. */
  restart(): Promise<void>;
  /** Freezes all its processes: connections stay open without a response. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  /** An orderly shutdown, which closes every connection. */
  stop(): Promise<void>;
}

/** A new PostgreSQL 18 server, stopped and deleted at the end of the lifetime. */
export async function startPostgres(t: Lifetime, options: PostgresOptions = {}): Promise<PostgresServer> {
  return startWith(t, await embeddedBinaries(), options);
}

/** The same with the PostgreSQL of Debian's packages; undefined if it is not installed. */
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

/** Starts a server on an initialized data folder. */
export async function startOn(t: Lifetime, folder: PostgresFolder): Promise<PostgresServer> {
  const log = { text: '' };
  const start = () => runPostgres(folder, log);
  let current = await start();
  let databaseCount = 0;
  t.after(async () => {
    // An immediate shutdown, since the data goes too, but one that frees the shared memory.
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
  // A standby reports "ready to accept read-only connections".
  return runServer({ file, args: ['-D', dataFolder], folder: dataFolder, runAs, ready: 'ready to accept' }, log);
}

/** @param nextName the suffix of the next database name, after `menagerie_` */
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
 * The same URL with longer timeouts than the service's defaults: on a busy machine, connecting may take longer than a
 * request would wait. Not for tests of servers that do not respond.
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
  // It may be killed during a statement, which then fails.
  client.on('error', () => {});
  await client.connect();
  try {
    return await client.query<Record<string, unknown>>(sql, [...values]);
  } finally {
    await client.end();
  }
}
