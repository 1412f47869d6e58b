import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { after, test } from 'node:test';
import { pino } from 'pino';
import { compose } from '../../src/main/composition.ts';
import { startServer } from '../../src/main/server.ts';
import { openStores } from '../../src/main/stores.ts';
import { putPet } from '../support/changes.ts';
import { openConnection } from '../support/connection.ts';
import { openSocket } from '../support/raw-http.ts';
import { testConfigOn } from '../support/service.ts';

/*
 * Complete lists of a large catalogue: others do not wait for their end, and nobody reads on for a client that has gone.
 */

const MANY = 8000;
const STATUS = 'pet/findByStatus?status=sold';

const dataDir = await mkdtemp(join(tmpdir(), 'menagerie-test-'));
const config = await testConfigOn(dataDir, ['--empty', '--stop-timeout-seconds', '1']);
const stores = await openStores(config);
const asked = { parts: 0 };
const pets: typeof stores.pets = {
  ...stores.pets,
  listByStatus: (statuses, part) => {
    asked.parts++;
    return stores.pets.listByStatus(statuses, part);
  },
};
const counting = { ...stores, pets };
const log = pino({ level: 'silent' });
const composition = compose(counting, config, log, Date.now);
const server = await startServer({ stores: counting, composition, config, log });
server.markFilled();
const base = `${server.origin}/v2`;
after(async () => {
  await server.stop();
  await stores.close();
  await rm(dataDir, { recursive: true, force: true });
});
await Promise.all(
  Array.from({ length: MANY }, () => stores.pets.apply(putPet({ status: 'sold', photoUrls: ['x'.repeat(500)] }))),
);

void test('reads by id are answered while several complete lists go out', async (t) => {
  const listing = openConnection(base, { connections: 4 });
  const reading = openConnection(base);
  t.after(() => {
    listing.close();
    reading.close();
  });
  asked.parts = 0;
  const lists = { atWork: 4 };
  const texts = Array.from({ length: 4 }, async () => {
    const { text } = await listing.call('GET', STATUS);
    lists.atWork--;
    assert.equal((JSON.parse(text) as unknown[]).length, MANY);
  });
  const partsBefore: number[] = [];
  while (lists.atWork === 4) {
    assert.equal((await reading.call('GET', 'pet/1')).status, 200);
    partsBefore.push(asked.parts);
  }
  await Promise.all(texts);
  // Of some 320 parts, counted and not timed: a read waits for a few of them, not for a list.
  const waitedFor = partsBefore.map((count, index) => count - (partsBefore[index - 1] ?? 0));
  assert.ok(partsBefore.length >= 10, `${partsBefore.length} reads were answered`);
  assert.ok(Math.max(...waitedFor) <= 40, `a read waited for ${Math.max(...waitedFor)} parts`);
});

void test('of a list whose client has gone, no more is read', async () => {
  asked.parts = 0;
  const socket = await openSocket(server.origin);
  // It reads nothing, so the list stops by itself when all that lies between is full; and then the client goes.
  socket.pause();
  socket.write(`GET /v2/${STATUS} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  while (asked.parts < 2) await delay(5);
  socket.destroy();
  await delay(50);
  const partsAtEnd = asked.parts;
  await delay(200);
  assert.equal(asked.parts, partsAtEnd);
  assert.ok(partsAtEnd < MANY / 100, `${partsAtEnd} parts were read`);
});
