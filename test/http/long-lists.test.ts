import assert from 'node:assert/strict';
import { mkdtemp } from 'node:fs/promises';
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
import { removeFolder, testConfigOn } from '../support/service.ts';
import { overriding } from '../support/overriding.ts';

/*
 * Lists of a large catalogue: they do not delay other requests, stop for clients that disconnected, and use memory
 * independent of the length of pets.
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
  await removeFolder(dataDir);
});
await Promise.all(
  Array.from({ length: MANY }, () => stores.pets.apply(putPet({ status: 'sold', photoUrls: ['x'.repeat(500)] }))),
);

void test('reads by id: answered during several complete lists', async (t) => {
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
  // The list has some 320 batches. Counted, not timed: a read may wait for a few batches, not for a list.
  const waitedFor = partsBefore.map((count, index) => count - (partsBefore[index - 1] ?? 0));
  assert.ok(partsBefore.length >= 10, `${partsBefore.length} reads were answered`);
  assert.ok(Math.max(...waitedFor) <= 40, `a read waited for ${Math.max(...waitedFor)} batches`);
});

void test('list of a disconnected client: read no further', async () => {
  asked.parts = 0;
  const socket = await openSocket(server.origin);
  // The client does not read, so the list stops when the buffers are full; then the client disconnects.
  socket.pause();
  socket.write(`GET /v2/${STATUS} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  while (asked.parts < 2) await delay(5);
  socket.destroy();
  // The server notices it later. A list that continued would be read to its end.
  for (let before = -1; asked.parts > before; await delay(200)) before = asked.parts;
  assert.ok(asked.parts < MANY / 100, `${asked.parts} batches were read`);
});

void test('batch size: hundreds of short pets, few long ones', async () => {
  asked.limits = [];
  const { text } = await call('GET', STATUS);
  assert.equal((JSON.parse(text) as unknown[]).length, MANY);
  const [first = 0, ...others] = asked.limits;
  assert.ok(first >= 25, `the first batch had ${first}`);
  assert.deepEqual(new Set(others), new Set([100]));
});

void test('reads by id: wait for a few batches, however many complete lists are in progress', async (t) => {
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
  assert.ok(Math.max(...waitedFor) <= 40, `a read waited for ${Math.max(...waitedFor)} batches`);
});

void describe('long pets between short ones', () => {
  const LENGTH = 500_000;
  // Short pets, then long ones, and short ones again; one longer than a batch; and long ones at the end.
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
    void it(`complete list as ${accept}: has each once`, async () => {
      asked.limits = [];
      const { text } = await call('GET', 'pet/findByStatus?status=pending', { headers: { accept } });
      assert.deepEqual(read(text), ids);
      const most = Math.max(...asked.limits.slice(-5));
      assert.ok(most <= 32, `${most} long pets were read in one batch`);
    });

    void it(`pages as ${accept}: have a few megabytes, and lead to all`, async () => {
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

  void it('short page: its link keeps the requested limit', async () => {
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
