import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { HeldResponses, OrderedResponses } from '../../src/http/pets/ordered-responses.ts';

/* The responses to the lines of a request, of a client that does not read them. */

const MANY = 800;
const BYTES = 256 * 1024;
/** The limit is 64 MiB; the responses of one iteration of the event loop may come on top. */
const MAX_HELD = 64 * 4 + 200;

/** A response of 256 KiB, which begins with its number. */
async function respond({ number }: { number: number }): Promise<string> {
  return `${number} `.padEnd(BYTES, '.');
}

function openResponses() {
  const held = new HeldResponses();
  const read = { count: 0 };
  async function* arriving() {
    while (read.count < MANY) yield { byteLength: 10, number: read.count++ };
  }
  return { held, read, chunks: new OrderedResponses({ arriving: arriving(), respond, held }).chunks() };
}

/** All is in memory, so what can happen does so within some iterations of the event loop. */
async function untilNothingHappens(): Promise<void> {
  for (let iteration = 0; iteration < 1000; iteration++) await nextIteration();
}

void test('unread responses: held up to a limit, then no more items are read; in the end, all get responses in order', async () => {
  const { held, read, chunks } = openResponses();
  const numbers: number[] = [];
  const take = (bytes: Buffer) =>
    numbers.push(...[...bytes.toString('latin1').matchAll(/\d+/g)].map(([text]) => Number(text)));
  const first = await chunks.next();
  await untilNothingHappens();
  assert.ok(read.count >= 64 * 4 && read.count < MAX_HELD, `${read.count} items were read`);
  take(first.value ?? assert.fail());
  for await (const chunk of chunks) take(chunk);
  assert.deepEqual(
    numbers,
    Array.from({ length: MANY }, (_, index) => index),
  );
  assert.equal(held.bytes, 0);
});

void test('unread responses: not held for a client that is gone', async () => {
  const { held, read, chunks } = openResponses();
  await chunks.next();
  await untilNothingHappens();
  await chunks.return();
  await untilNothingHappens();
  assert.equal(held.bytes, 0);
  assert.ok(read.count < MAX_HELD, `${read.count} items were read`);
});

void test('items that take long: one is started in each iteration of the event loop', async () => {
  const startedIn: number[] = [];
  const counted = { iterations: 0, isOver: false };
  const counting = (async () => {
    for (; !counted.isOver; counted.iterations++) await nextIteration();
  })();
  const slow = async ({ number }: { number: number }) => {
    startedIn.push(counted.iterations);
    for (const endMs = performance.now() + 10; performance.now() < endMs;);
    return `${number}\n`;
  };
  const chunks = new OrderedResponses({ arriving: fiveItems(), respond: slow, held: new HeldResponses() }).chunks();
  assert.equal(Buffer.concat(await Array.fromAsync(chunks)).toString(), '0\n1\n2\n3\n4\n');
  counted.isOver = true;
  await counting;
  assert.equal(new Set(startedIn).size, 5, startedIn.join());
});

async function* fiveItems() {
  for (let number = 0; number < 5; number++) yield { byteLength: 10, number };
}
