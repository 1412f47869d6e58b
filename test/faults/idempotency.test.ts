import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { KeyedClients } from '../support/keyed-clients.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';
import { askOnce, assertSound, serveFrom, untilReady } from './served-database.ts';

const MAX_RECOVERY_MS = 10_000;

async function checkDatabase(url: string, { pets, users }: KeyedClients): Promise<void> {
  const versions = await askOnce(url, 'select pet_id, count(*)::int as count from pet_version group by pet_id');
  assert.deepEqual(
    new Map(versions.map(({ pet_id: id, count }) => [String(id), Number(count)])),
    new Map([...pets.values()].map(({ id, changes }) => [id, changes])),
  );
  const accounts = await askOnce(url, 'select username from account');
  assert.deepEqual(accounts.map(({ username }) => String(username)).toSorted(), [...users].toSorted());
  await assertSound(url);
}

void test('idempotency keys: repeated requests change once while PostgreSQL is killed', async (t) => {
  const postgres = await startPostgres(t);
  const service = await serveFrom(t, postgres.url);
  const clients = new KeyedClients('postgres');
  clients.base = service.base;
  clients.start(t, 24);
  for (let round = 0; round < 4; round++) {
    await delay(400 + round * 130);
    await postgres.kill();
    await delay(300);
    await postgres.restart();
    await untilReady(service, MAX_RECOVERY_MS);
  }
  await delay(300);
  await clients.stop();
  await checkDatabase(postgres.url, clients);
  t.diagnostic(`${clients.acknowledged} changes, ${clients.sentAgain} retries`);
});

void test('idempotency keys: repeated requests change once while nodes are killed in turn', async (t) => {
  const url = await (await sharedPostgres()).createDatabase();
  const clients = new KeyedClients('nodes');
  let [doomed, other] = await Promise.all([serveFrom(t, url), serveFrom(t, url)]);
  clients.base = doomed.base;
  clients.start(t, 16);
  for (let round = 0; round < 3; round++) {
    await delay(500 + round * 70);
    clients.base = other.base;
    await doomed.end('SIGKILL');
    [doomed, other] = [other, await serveFrom(t, url)];
  }
  await delay(300);
  await clients.stop();
  await checkDatabase(url, clients);
  t.diagnostic(`${clients.acknowledged} changes, ${clients.sentAgain} retries`);
});
