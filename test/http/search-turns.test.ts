import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { after, describe, it, type TestContext } from 'node:test';
import { putPet } from '../support/changes.ts';
import { startComposed } from '../support/composed-service.ts';
import { openConnection } from '../support/connection.ts';
import { inTime } from '../support/deadline.ts';
import { overriding } from '../support/overriding.ts';
import { openSocket } from '../support/raw-http.ts';
import { until } from '../support/until.ts';

/* Whatever needs the search thread takes turns by network. A few searches run, some wait, and more are refused. */

const MAX_CONCURRENT = 4;
const MAX_WAITING = 64;

/** The other network of this machine. */
const NEIGHBOR = '127.0.0.2';

const asked: string[] = [];
let gate: Promise<void> | undefined;
const { origin, base, stores } = await startComposed(
  { after },
  {
    change: ({ search }) => ({
      search: overriding(search, {
        search: async (criteria, ...page) => {
          asked.push(criteria.words.join(' '));
          await gate;
          return search.search(criteria, ...page);
        },
        facets: async (...parameters) => note('facets', search.facets(...parameters)),
        complete: async (...parameters) => note('complete', search.complete(...parameters)),
        labels: async (...parameters) => note('labels', search.labels(...parameters)),
        counts: async (...parameters) => note('counts', search.counts(...parameters)),
      }),
    }),
  },
);
await stores.pets.apply(putPet({ name: 'Rex' }));

function note<T>(name: string, result: T): T {
  asked.push(name);
  return result;
}

/** Closes the gate of searches until `release` is called. */
function closeGate(t: TestContext) {
  const opened = Promise.withResolvers<void>();
  asked.length = 0;
  gate = opened.promise;
  const release = () => {
    gate = undefined;
    opened.resolve();
  };
  t.after(release);
  return release;
}

function connect(t: TestContext, connections: number, localAddress?: string) {
  const connection = openConnection(base, { connections, ...(localAddress !== undefined && { localAddress }) });
  t.after(() => connection.close());
  return connection.call;
}

const OTHERS: readonly (readonly [operation: string, path: string])[] = [
  ['findPets', 'pet?text=rex'],
  ['countFacets', 'facets?text=rex'],
  ['listSuggestions', 'suggestions?text=re'],
  ['listTags', 'tags'],
  ['listCategories', 'categories'],
  ['getStatistics', 'statistics'],
];

void describe('searches', () => {
  for (const [operation, path] of OTHERS)
    void it(`${operation}: waits for its turn, and other requests do not`, async (t) => {
      const release = closeGate(t);
      const call = connect(t, MAX_CONCURRENT);
      const running = Array.from({ length: MAX_CONCURRENT }, () => call('GET', 'pet?text=first'));
      await until('all turns are taken', async () => asked.length === MAX_CONCURRENT);
      const waiting = connect(t, 1)('GET', path);
      const reading = connect(t, 1);
      for (let count = 0; count < 20; count++) assert.equal((await reading('GET', 'pet/1')).status, 200);
      assert.deepEqual(new Set(asked), new Set(['first']));
      release();
      assert.equal((await waiting).status, 200);
      for (const each of running) assert.equal((await each).status, 200);
    });

  void it('ten tabs of a browser at once: none is refused', async (t) => {
    const release = closeGate(t);
    const call = connect(t, MAX_CONCURRENT + MAX_WAITING);
    const searches = Array.from({ length: MAX_CONCURRENT + MAX_WAITING }, () => call('GET', 'pet?text=rex'));
    await until('some have begun', async () => asked.length === MAX_CONCURRENT);
    release();
    for (const each of searches) assert.equal((await each).status, 200);
  });

  void it('hundred of one network: some are refused, and another network waits only for those that run', async (t) => {
    const release = closeGate(t);
    const call = connect(t, 100);
    const searches = Array.from({ length: 100 }, () => call('GET', 'pet?text=many'));
    const refused = await inTime('the refusals', firstOf(searches, 100 - MAX_CONCURRENT - MAX_WAITING));
    for (const { status, headers, text } of refused) {
      assert.equal(status, 429);
      assert.match(headers.get('retry-after') ?? '', /^\d+$/);
      assert.match(text, /Too many searches from your address/);
    }
    const [neighbor, reading] = [connect(t, 1, NEIGHBOR), connect(t, 1, NEIGHBOR)];
    const honest = neighbor('GET', 'pet?text=honest');
    for (let count = 0; count < 20; count++) assert.equal((await reading('GET', 'pet/1')).status, 200);
    assert.equal(asked.length, MAX_CONCURRENT);
    release();
    assert.equal((await honest).status, 200);
    assert.ok(asked.indexOf('honest') <= 2 * MAX_CONCURRENT, asked.join());
    const statuses = await Promise.all(searches.map(async (each) => (await each).status));
    assert.equal(statuses.filter((status) => status === 200).length, MAX_CONCURRENT + MAX_WAITING);
  });

  void it('pipelined ones of a closed connection: only those that had begun are run', async (t) => {
    const release = closeGate(t);
    let accepted: Socket | undefined;
    const onStart = (message: unknown) => {
      accepted ??= (message as { request: IncomingMessage }).request.socket;
    };
    subscribe('http.server.request.start', onStart);
    t.after(() => unsubscribe('http.server.request.start', onStart));
    const socket = await openSocket(origin);
    socket.write('GET /v2/pet?text=piped HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(60));
    await until('all turns are taken', async () => asked.length === MAX_CONCURRENT);
    const closed = once(accepted ?? assert.fail(), 'close');
    socket.destroy();
    await inTime('the service notices it', closed);
    const honest = connect(t, 1)('GET', 'pet?text=honest');
    release();
    assert.equal((await honest).status, 200);
    assert.deepEqual(asked, [...Array.from({ length: MAX_CONCURRENT }, () => 'piped'), 'honest']);
  });
});

/** The first of these promises that are fulfilled. */
async function firstOf<T>(promises: readonly Promise<T>[], count: number): Promise<readonly T[]> {
  const first: T[] = [];
  const enough = Promise.withResolvers<void>();
  for (const each of promises)
    void each.then((value) => {
      first.push(value);
      if (first.length === count) enough.resolve();
    });
  await enough.promise;
  return first.slice(0, count);
}
