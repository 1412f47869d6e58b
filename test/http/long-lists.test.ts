import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { after, before, describe, it, test } from 'node:test';
import { pino } from 'pino';
import { compose } from '../../src/server/composition.ts';
import { startServer } from '../../src/server/server.ts';
import { openStores } from '../../src/server/open-stores.ts';
import { putPet } from '../support/changes.ts';
import { clientOf } from '../support/client.ts';
import { openConnection } from '../support/connection.ts';
import { openSocket } from '../support/raw-http.ts';
import { testConfigOn } from '../support/service.ts';
import { overriding } from '../support/overriding.ts';

/*
 * Lists of a large catalogue: others do not wait for their end, nobody reads on for a client that has gone, and what is held does not depend on how long
 * the pets are.
 */

const MANY = 8000;
const STATUS = 'pet/findByStatus?status=sold';

const dataDir = await mkdtemp(join(tmpdir(), 'menagerie-test-'));
const config = await testConfigOn(dataDir, ['--empty', '--stop-timeout-seconds', '1']);
const stores = await openStores(config);
const asked = { parts: 0, limits: [] as number[] };
const pets = overriding(stores.pets, {
  listByStatus: (statuses, part) => {
    asked.parts++;
    asked.limits.push(part.limit);
    return stores.pets.listByStatus(statuses, part);
  },
});
const counting = { ...stores, pets };
const log = pino({ level: 'silent' });
const composition = compose(counting, config, log, Date.now);
const server = await startServer({ stores: counting, composition, config, log });
server.markFilled();
const base = `${server.origin}/v2`;
const call = clientOf(base);
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
  // The server learns of it a moment later. A list that goes on is read to its end.
  for (let before = -1; asked.parts > before; await delay(200)) before = asked.parts;
  assert.ok(asked.parts < MANY / 100, `${asked.parts} parts were read`);
});

void test('usual pets are read by the hundred at once, and long ones are not', async () => {
  asked.limits = [];
  const { text } = await call('GET', STATUS);
  assert.equal((JSON.parse(text) as unknown[]).length, MANY);
  const [first = 0, ...others] = asked.limits;
  assert.ok(first >= 25, `the first part was of ${first}`);
  assert.deepEqual(new Set(others), new Set([100]));
});

void test('reads by id: however many complete lists go out, one waits for a few of their parts', async (t) => {
  const listing = openConnection(base, { connections: 40 });
  const reading = openConnection(base);
  t.after(() => reading.close());
  const lists = Promise.allSettled(Array.from({ length: 40 }, () => listing.call('GET', STATUS)));
  const partsBefore: number[] = [];
  asked.parts = 0;
  // All of them have begun.
  while (asked.parts < 80) await delay(1);
  while (partsBefore.length < 20) {
    assert.equal((await reading.call('GET', 'pet/1')).status, 200);
    partsBefore.push(asked.parts);
  }
  listing.close();
  await lists;
  const waitedFor = partsBefore.map((count, index) => count - (partsBefore[index - 1] ?? count));
  assert.ok(Math.max(...waitedFor) <= 40, `a read waited for ${Math.max(...waitedFor)} parts`);
});

void describe('long pets between short ones', () => {
  const LENGTH = 500_000;
  // Short ones, then long ones, short ones again; one that is longer than a part by itself; and the list ends with long ones.
  const lengths = [
    ...ofLength(150, 10),
    ...ofLength(24, LENGTH),
    ...ofLength(40, 10),
    3 * LENGTH,
    ...ofLength(3, LENGTH),
  ];
  const ids: string[] = [];
  before(async () => {
    for (const length of lengths)
      ids.push(String((await stores.pets.apply(putPet({ status: 'pending', photoUrls: ['x'.repeat(length)] }))).id));
  });

  for (const [accept, read] of [
    ['application/json', idsIn],
    ['application/xml', idsInXml],
  ] as const) {
    void it(`are all in the complete list, once, as ${accept}`, async () => {
      asked.limits = [];
      const { text } = await call('GET', 'pet/findByStatus?status=pending', { headers: { accept } });
      assert.deepEqual(read(text), ids);
      const most = Math.max(...asked.limits.slice(-5));
      assert.ok(most <= 32, `${most} pets were read at once where they are long`);
    });

    void it(`make pages of some megabytes that lead on to all, as ${accept}`, async () => {
      const met: (string | undefined)[] = [];
      const pages: number[] = [];
      for (let path: string | undefined = 'pet/findByStatus?status=pending&limit=1000'; path !== undefined;) {
        const { text, headers } = await call('GET', path, { headers: { accept } });
        met.push(...read(text));
        pages.push(text.length);
        path = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
      }
      assert.deepEqual(met, ids);
      assert.ok(pages.length >= 4, `${pages.length} pages`);
      assert.ok(Math.max(...pages) < 5 * 1024 * 1024, `the longest page has ${Math.max(...pages)} characters`);
    });
  }

  void it('make a page shorter than asked for, and the link asks for as many as before', async () => {
    const { text, headers } = await call('GET', 'pet/findByStatus?status=pending&limit=200');
    assert.ok(idsIn(text).length < 200);
    assert.match(headers.get('link') ?? '', /limit=200&/);
  });
});

function ofLength(count: number, length: number): number[] {
  return Array.from({ length: count }, () => length);
}

function idsIn(json: string): (string | undefined)[] {
  return [...json.matchAll(/"id":(\d+),"name"/g)].map(([, id]) => id);
}

function idsInXml(xml: string): (string | undefined)[] {
  return [...xml.matchAll(/<id>(\d+)<\/id>/g)].map(([, id]) => id);
}
