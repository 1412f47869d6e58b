import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ListTurns } from '../../src/http/list-turns.ts';

/* Complete lists take turns: the amount produced in one turn does not depend on their number. */

const CHUNK = 'x'.repeat(64 * 1024);

/** Produces `count` chunks for one address, and records each of them in `produced`. */
function produceMany(turns: ListTurns, produced: string[], place: string, count: number): Promise<unknown> {
  return Promise.all(
    Array.from({ length: count }, () =>
      turns.produce(
        () => place,
        async () => {
          produced.push(place);
          return { text: CHUNK };
        },
      ),
    ),
  );
}

void test('list turns: a bounded amount in each turn of the event loop, and all in the end', async () => {
  const produced: string[] = [];
  const all = produceMany(new ListTurns(), produced, 'a', 200);
  const inTurns: number[] = [];
  while (produced.length < 200) {
    const before = produced.length;
    await nextTurn();
    inTurns.push(produced.length - before);
  }
  await all;
  assert.ok(Math.max(...inTurns) <= 16, `${Math.max(...inTurns)} chunks in one turn`);
});

void test('list turns: many lists for one address do not delay the list of another', async () => {
  const produced: string[] = [];
  const turns = new ListTurns();
  const many = produceMany(turns, produced, 'a', 200);
  await produceMany(turns, produced, 'b', 1);
  assert.ok(produced.indexOf('b') <= 10, `${produced.indexOf('b')} chunks came before`);
  await many;
});

void test('list turns: a chunk that fails leaves its place to others', async () => {
  const produced: string[] = [];
  const turns = new ListTurns();
  const failing = Array.from({ length: 20 }, () =>
    turns.produce(
      () => 'a',
      async (): Promise<{ text: string }> => {
        throw new Error('out of reach');
      },
    ),
  );
  for (const each of failing) await assert.rejects(each, /out of reach/);
  await produceMany(turns, produced, 'a', 20);
  assert.equal(produced.length, 20);
});
