import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { Failure } from '../../src/domain/failure.ts';
import { NetworkTurns, type TurnClient } from '../../src/http/pipeline/network-turns.ts';

/*
 * Work takes turns: the amount in one iteration of the event loop does not depend on the number of clients, and the
 * queues are limited.
 */

const CHUNK = 'x'.repeat(64 * 1024);

function clientAt(network: string, isGone = () => false): TurnClient {
  return { network: () => network, isGone };
}

/** Produces `count` chunks for one address, and records each of them in `produced`. */
function produceMany(turns: NetworkTurns, produced: string[], place: string, count: number): Promise<unknown> {
  return Promise.all(
    Array.from({ length: count }, () =>
      turns.take(
        clientAt(place),
        async () => {
          produced.push(place);
          return CHUNK;
        },
        (text) => text.length,
      ),
    ),
  );
}

void test('turns: a bounded amount in each iteration of the event loop, and all in the end', async () => {
  const produced: string[] = [];
  const all = produceMany(new NetworkTurns(), produced, 'a', 200);
  const inIterations: number[] = [];
  while (produced.length < 200) {
    const before = produced.length;
    await nextIteration();
    inIterations.push(produced.length - before);
  }
  await all;
  assert.ok(Math.max(...inIterations) <= 8, `${Math.max(...inIterations)} chunks in one iteration`);
});

void test('turns: many lists for one address do not delay the list of another', async () => {
  const produced: string[] = [];
  const turns = new NetworkTurns();
  const many = produceMany(turns, produced, 'a', 200);
  await produceMany(turns, produced, 'b', 1);
  assert.ok(produced.indexOf('b') <= 10, `${produced.indexOf('b')} chunks came before`);
  await many;
});

void test('turns: a chunk that fails leaves its place to others', async () => {
  const produced: string[] = [];
  const turns = new NetworkTurns();
  const failing = Array.from({ length: 20 }, () =>
    turns.take(clientAt('a'), async (): Promise<void> => {
      throw new Error('out of reach');
    }),
  );
  for (const each of failing) await assert.rejects(each, /out of reach/);
  await produceMany(turns, produced, 'a', 20);
  assert.equal(produced.length, 20);
});

/** Turns of which one is taken until `release` is called, and the work that ran since then. */
function takenTurns() {
  const limits = { noun: 'searches', perNetwork: 3, total: 5, maxMs: 1000 };
  const turns = new NetworkTurns({ maxConcurrent: 1, waiting: limits });
  const ran: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = turns.take(clientAt('a'), () => gate.promise);
  const add = (name: string, client = clientAt(name.slice(0, 1))) =>
    turns.take(client, async () => void ran.push(name));
  const release = async () => {
    gate.resolve();
    await first;
  };
  return { turns, ran, add, release };
}

const isRefused = (code: string, message: RegExp) => (error: unknown) =>
  error instanceof Failure &&
  error.code === code &&
  message.test(error.message) &&
  error.details.retryAfterSeconds === 2;

void test('turns: refuse what exceeds the limit of a network, then that of all', async () => {
  const { turns, ran, add, release } = takenTurns();
  const waiting = ['a1', 'a2', 'a3', 'b1', 'b2'].map((name) => add(name));
  await assert.rejects(add('a4'), isRefused('too-many-requests', /^Too many searches from your address\./));
  await assert.rejects(add('c1'), isRefused('unavailable', /^Too many searches\./));
  assert.equal(turns.waiting, 5);
  await release();
  await Promise.all(waiting);
  assert.deepEqual(ran, ['a1', 'b1', 'a2', 'b2', 'a3']);
  assert.equal(turns.waiting, 0);
});

void test('turns: drop the work of clients that have disconnected, before it runs', async () => {
  const { ran, add, release } = takenTurns();
  let isGone = false;
  const dropped = ['a1', 'a2'].map((name) =>
    add(
      name,
      clientAt('a', () => isGone),
    ),
  );
  const left = add('a3');
  isGone = true;
  await release();
  for (const each of dropped) await assert.rejects(each, isFailure('timed-out'));
  await left;
  assert.deepEqual(ran, ['a3']);
});

void test('turns: clients that have disconnected take no place of the limit', async () => {
  const { turns, ran, add, release } = takenTurns();
  const gone = ['a1', 'a2', 'a3'].map((name) =>
    add(
      name,
      clientAt('a', () => true),
    ),
  );
  const left = add('a4');
  for (const each of gone) await assert.rejects(each, isFailure('timed-out'));
  assert.equal(turns.waiting, 1);
  await release();
  await left;
  assert.deepEqual(ran, ['a4']);
});

void test('turns: refuse what has waited for too long', async (t) => {
  let nowMs = 0;
  t.mock.method(performance, 'now', () => nowMs);
  const { ran, add, release } = takenTurns();
  const late = add('a1');
  nowMs = 900;
  const inTime = add('a2');
  nowMs = 1001;
  await release();
  await assert.rejects(late, isRefused('unavailable', /^Too many searches\./));
  await inTime;
  assert.deepEqual(ran, ['a2']);
});

function isFailure(code: string) {
  return (error: unknown) => error instanceof Failure && error.code === code;
}
