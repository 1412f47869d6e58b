import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { after, before, describe, it, test } from 'node:test';
import { putPet } from '../support/changes.ts';
import { startComposed } from '../support/composed-service.ts';
import { openConnection } from '../support/connection.ts';
import { inTime } from '../support/deadline.ts';
import { openSocket } from '../support/raw-http.ts';
import { overriding } from '../support/overriding.ts';
import { until } from '../support/until.ts';

/*
 * Lists of a large catalogue: they do not delay other requests, stop for clients that disconnected, and use memory
 * independent of the length of pets.
 */

const MANY = 8000;
const STATUS = 'pet/findByStatus?status=sold';

const asked = { parts: 0, limits: [] as number[] };
/** Called before each batch is read. */
let gate: (() => Promise<void>) | undefined;
const { origin, base, call, stores } = await startComposed(
  { after },
  {
    change: ({ pets }) => ({
      pets: overriding(pets, {
        listByStatus: async (statuses, part) => {
          asked.parts++;
          asked.limits.push(part.limit);
          await gate?.();
          return pets.listByStatus(statuses, part);
        },
      }),
    }),
  },
);
await Promise.all(
  Array.from({ length: MANY }, () => stores.pets.apply(putPet({ status: 'sold', photoUrls: ['x'.repeat(500)] }))),
);

/**
 * The median of the batches that were read between two responses. A single one may be late for reasons outside of the
 * service.
 */
function usualWait(partsAtResponses: readonly number[]): number {
  const waits = partsAtResponses.slice(1).map((count, index) => count - (partsAtResponses[index] ?? 0));
  return waits.toSorted((one, other) => one - other)[waits.length >> 1] ?? assert.fail();
}

void test('reads by id: possible during several complete lists', async (t) => {
  const listing = openConnection(base, { connections: 4 });
  const reading = openConnection(base);
  const enough = Promise.withResolvers<void>();
  t.after(() => {
    gate = undefined;
    enough.resolve();
    listing.close();
    reading.close();
  });
  asked.parts = 0;
  // The lists have some 320 batches. They do not end before the reads.
  gate = async () => void (asked.parts > 300 && (await enough.promise));
  const lists = Array.from({ length: 4 }, async () => (await listing.call('GET', STATUS)).text);
  const partsAtResponses: number[] = [];
  for (let count = 0; count < 10; count++) {
    assert.equal((await reading.call('GET', 'pet/1')).status, 200);
    partsAtResponses.push(asked.parts);
  }
  enough.resolve();
  for (const text of await Promise.all(lists)) assert.equal((JSON.parse(text) as unknown[]).length, MANY);
  // Counted, not timed: a read may wait for a few batches, not for a list.
  assert.ok(usualWait(partsAtResponses) <= 40, `batches before each response: ${partsAtResponses.join(' ')}`);
});

void test('list of a disconnected client: read no further', async (t) => {
  const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let closed: Promise<unknown> | undefined;
  const onStart = (message: unknown) => {
    closed ??= once((message as { response: ServerResponse }).response, 'close');
  };
  subscribe('http.server.request.start', onStart);
  t.after(() => {
    unsubscribe('http.server.request.start', onStart);
    gate = undefined;
    released.resolve();
  });
  asked.parts = 0;
  gate = async () => {
    if (asked.parts !== 2) return;
    reached.resolve();
    await released.promise;
  };
  const socket = await openSocket(origin);
  socket.write(`GET /v2/${STATUS} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  await inTime('the second batch', reached.promise);
  socket.destroy();
  await inTime('the service notices it', closed ?? assert.fail());
  released.resolve();
  // A list that continued would read a batch in nearly every iteration.
  for (let iteration = 0; iteration < 1000; iteration++) await nextIteration();
  assert.equal(asked.parts, 2);
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
  const partsAtResponses: number[] = [];
  asked.parts = 0;
  await until('all have begun', async () => asked.parts >= 80);
  for (let count = 0; count < 20; count++) {
    assert.equal((await reading.call('GET', 'pet/1')).status, 200);
    partsAtResponses.push(asked.parts);
  }
  listing.close();
  await lists;
  assert.ok(usualWait(partsAtResponses) <= 40, `batches before each response: ${partsAtResponses.join(' ')}`);
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
