import { randomUUID } from 'node:crypto';
import { askRunner } from './shared-services.ts';
import {
  databasesOf,
  patiently,
  queryOnce,
  startPostgres,
  type Databases,
  type PostgresServer,
} from './postgres-server.ts';
import { openPostgresStoresAt, type PostgresStores } from './postgres-stores.ts';
import type { Lifetime } from './lifetime.ts';

/*
 * The PostgreSQL server of all test files; each uses its own databases. A test that kills or freezes a server starts
 * one with `startPostgres`.
 */

export interface SharedPostgres extends Databases, Pick<PostgresServer, 'url' | 'adminUrl' | 'query'> {
  password: string;
  port: number;
  runAs: PostgresServer['runAs'];
  /** The URL of a migrated database without records, to copy. */
  template: string;
  /** Returns the server's log so far, each line after the name of its database and a `|`. */
  readLog(): Promise<string>;
}

/** The data that other processes need to use the server. */
export type PostgresAddress = Pick<SharedPostgres, 'password' | 'port' | 'runAs' | 'url' | 'adminUrl' | 'template'>;

let shared: Promise<SharedPostgres> | undefined;

/**
 * Async on purpose: `node:test` assigns the awaiting code to the test in which the promise was created. Each caller
 * gets its own promise; otherwise its hooks would belong to the first file that called.
 */
export async function sharedPostgres(): Promise<SharedPostgres> {
  const postgres = await (shared ??= connectOrStart());
  return postgres;
}

async function connectOrStart(): Promise<SharedPostgres> {
  const address = await askRunner<PostgresAddress>('/postgres');
  // A server of this process ends with it: see postgres-watch.ts.
  if (address === undefined) return startShared({ after() {} });
  const query: PostgresServer['query'] = (sql, values = []) => queryOnce(address.adminUrl, sql, values);
  return {
    ...address,
    query,
    ...databasesOf(address, query, () => randomUUID().slice(0, 8)),
    readLog: async () => (await askRunner<string>('/postgres-log')) ?? '',
  };
}

/** This server never loses power, so it does not flush to the disk. */
export async function startShared(t: Parameters<typeof startPostgres>[0]): Promise<SharedPostgres> {
  const server = await startPostgres(t, {
    fsync: false,
    settings: { log_line_prefix: '%d|', max_connections: '400', full_page_writes: 'off' },
  });
  const template = await server.createDatabase();
  await (await openPostgresStoresAt(template)).close();
  const { password, port, runAs, url, adminUrl } = server;
  return {
    password,
    port,
    runAs,
    url,
    adminUrl,
    template,
    query: (sql, values) => server.query(sql, values),
    createDatabase: (options) => server.createDatabase(options),
    dropDatabase: (address) => server.dropDatabase(address),
    readLog: () => Promise.resolve(server.log()),
  };
}

/** The URL of a new database, which is dropped after the test. `patiently` explains the timeouts. */
export async function newDatabaseFor(t: Lifetime): Promise<string> {
  const server = await sharedPostgres();
  const url = patiently(await server.createDatabase());
  t.after(() => server.dropDatabase(url));
  return url;
}

/** The stores on a new database, which is dropped after the test. */
export async function openNewPostgresStores(t: Lifetime): Promise<PostgresStores> {
  const server = await sharedPostgres();
  const url = await server.createDatabase();
  const stores = await openPostgresStoresAt(url);
  t.after(async () => {
    await stores.close();
    await server.dropDatabase(url);
  });
  return stores;
}
