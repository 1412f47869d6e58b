import { after } from 'node:test';
import { sharedPostgres } from '../support/postgres-server.ts';
import { emptyDatabase, openPostgresStoresAt, type PostgresStores } from '../support/postgres-stores.ts';
import { describeStores } from './store-suite.ts';

/** One database for all tests, emptied before each: to make one takes longer than most of them. */
let opening: Promise<PostgresStores> | undefined;

async function openOnce(): Promise<PostgresStores> {
  const server = await sharedPostgres();
  return openPostgresStoresAt(await server.createDatabase());
}

describeStores('PostgreSQL', async () => {
  const stores = await (opening ??= openOnce());
  await emptyDatabase(stores.connections);
  return stores;
});

after(async () => {
  await (await opening)?.close();
});
