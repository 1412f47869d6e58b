import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statement } from '../../src/storage/postgres/engine/statements.ts';
import { connectTo } from '../support/postgres-stores.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';
import { until } from '../support/until.ts';

const sleepLong = statement('select pg_sleep(600)');
const sleepers = statement(
  `select pid from pg_stat_activity where query = 'select pg_sleep(600)' and state = 'active'`,
);

void test('long statement: ends with its client, and releases its locks', async (t) => {
  const server = await sharedPostgres();
  const url = await server.createDatabase();
  const watching = connectTo(url);
  t.after(async () => {
    await watching.close();
    await server.dropDatabase(url);
  });
  const countSleepers = async () => (await watching.ask(sleepers)).length;
  const moving = connectTo(url, { responseTimeoutMs: 300_000 });
  const cutOff = assert.rejects(moving.transaction((ask) => ask(sleepLong)));
  await until('the statement runs', async () => (await countSleepers()) === 1);
  await moving.close();
  await cutOff;
  await until('the statement has ended', async () => (await countSleepers()) === 0);
});
