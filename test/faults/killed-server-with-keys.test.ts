import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { clientOf } from '../support/client.ts';
import { KeyedClients } from '../support/keyed-clients.ts';
import { startServer } from '../support/menagerie-process.ts';
import { temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

const KILLS = 20;
const CLIENTS = 16;
/** Longer on a busy machine. */
const PATIENCE_MS = 30_000;

void it(`idempotency keys: repeated requests change once while the server is killed ${KILLS} times`, async (t) => {
  const dataDir = await temporaryFolder(t);
  const clients = new KeyedClients('kill');
  let server = await startServer(t, dataDir, ['--empty']);
  clients.base = server.base;
  clients.start(t, CLIENTS);
  let cutOff = 0;
  for (let round = 0; round < KILLS; round++) {
    const { acknowledged } = clients;
    await until('a response', async () => clients.acknowledged > acknowledged, PATIENCE_MS);
    await delay((round * 97) % 200);
    assert.equal((await server.end('SIGKILL')).signal, 'SIGKILL');
    clients.base = '';
    cutOff += countCutOff(dataDir);
    server = await startServer(t, dataDir, ['--empty']);
    clients.base = server.base;
  }
  await clients.stop();
  assert.equal((await server.end('SIGTERM')).code, 0);
  assert.ok(cutOff > 0, 'expected a kill between a change and the record of its response');
  assert.ok(clients.sentAgain > cutOff);
  checkDatabase(dataDir, clients);
  t.diagnostic(`${clients.acknowledged} changes, ${clients.sentAgain} retries; ${cutOff} between change and record`);
});

void it('idempotency keys: a request of a killed server can be repeated as soon as the next one has started', async (t) => {
  const dataDir = await temporaryFolder(t);
  // Hashing their passwords takes long enough to kill the server in between.
  const json = Array.from({ length: 50 }, (_, index) => ({ username: `user-${index}`, password: `password ${index}` }));
  const headers = { 'idempotency-key': 'a key of at least 22 characters'.replaceAll(' ', '-') };
  const send = ({ base }: { base: string }) => clientOf(base)('POST', 'user/createWithArray', { json, headers });
  const killed = await startServer(t, dataDir);
  const lost = send(killed).catch(() => undefined);
  const pending = 'select 1 from idempotent_request where claimed_until_ms > 0 and done_by is null';
  const countPending = () => read(dataDir, (db) => db.prepare(pending).all()).length;
  await until('a claim', async () => countPending() > 0, PATIENCE_MS);
  await killed.end('SIGKILL');
  await lost;
  assert.equal(countPending(), 1, 'expected a kill before the change');
  const response = await send(await startServer(t, dataDir));
  assert.equal(response.status, 200, response.text);
  assert.equal(read(dataDir, (db) => db.prepare('select 1 from account').all()).length, json.length);
});

/** Requests whose change was made, but whose response was not recorded. */
function countCutOff(dataDir: string): number {
  return read(dataDir, (db) =>
    db.prepare('select 1 from idempotent_request where done_by is not null and answer is null').all(),
  ).length;
}

function checkDatabase(dataDir: string, { pets, users }: KeyedClients): void {
  const [versions, accounts] = read(dataDir, (db) => [
    db.prepare('select pet_id, count(*) as count from pet_version group by pet_id').all(),
    db.prepare('select username from account').all(),
  ]);
  assert.deepEqual(
    new Map(versions?.map(({ pet_id: id, count }) => [String(id), Number(count)])),
    new Map([...pets.values()].map(({ id, changes }) => [id, changes])),
  );
  assert.deepEqual(accounts?.map(({ username }) => String(username)).toSorted(), [...users].toSorted());
}

function read<T>(dataDir: string, ask: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(join(dataDir, 'menagerie.db'), { timeout: 5000 });
  try {
    return ask(db);
  } finally {
    db.close();
  }
}
