import { randomUUID } from 'node:crypto';
import { askRunner } from './shared-services.ts';
import { databasesOf, queryOnce, startPostgres, type Databases, type PostgresServer } from './postgres-server.ts';
import { openPostgresStoresAt, type PostgresStores } from './postgres-stores.ts';
import type { Lifetime } from './service.ts';

/*
 * The PostgreSQL that all test files use, each with databases of its own. A test that kills or freezes a server starts one with `startPostgres`.
 */

export interface SharedPostgres extends Databases, Pick<PostgresServer, 'url' | 'adminUrl' | 'query'> {
  password: string;
  port: number;
  runAs: PostgresServer['runAs'];
  /** The address of a migrated database without records, to copy. */
  template: string;
  /** Returns what the server has logged so far, each line after the name of its database and a `|`. */
  readLog(): Promise<string>;
}

/** What another process needs to know of the server. */
export type PostgresAddress = Pick<SharedPostgres, 'password' | 'port' | 'runAs' | 'url' | 'adminUrl' | 'template'>;

let shared: Promise<SharedPostgres> | undefined;

/**
 * Async on purpose: `node:test` takes whoever awaits a promise for part of the test in which the promise was made. Each caller gets a promise of its
 * own, or its hooks would belong to the first file that asked.
 */
export async function sharedPostgres(): Promise<SharedPostgres> {
  const postgres = await (shared ??= connectOrStart());
  return postgres;
}

async function connectOrStart(): Promise<SharedPostgres> {
  const address = await askRunner<PostgresAddress>('/postgres');
  // A server of this process ends with the process: its watch sees to that.
  if (address === undefined) return startShared({ after() {} });
  const query: PostgresServer['query'] = (sql, values = []) => queryOnce(address.adminUrl, sql, values);
  return {
    ...address,
    query,
    ...databasesOf(address, query, () => randomUUID().slice(0, 8)),
    readLog: async () => (await askRunner<string>('/postgres-log')) ?? '',
  };
}

/** Nothing pulls the plug of this server, so it does not wait for the disk. */
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
