import assert from 'node:assert/strict';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { test } from 'node:test';
import { gather } from '../../src/storage/rows/gather.ts';
import { Writer, type WriteJob, type WriteResponse } from '../../src/storage/sqlite/engine/writer.ts';

void test('gather: calls of one iteration share a batch of up to 512', async () => {
  const sizes: number[] = [];
  const double = gather((keys: readonly number[]) => {
    sizes.push(keys.length);
    return Promise.resolve(keys.map((key) => key * 2));
  });
  const numbers = Array.from({ length: 1300 }, (_, index) => index);
  const doubled = await Promise.all(numbers.map((number) => double(number)));
  assert.deepEqual(
    doubled,
    numbers.map((number) => number * 2),
  );
  assert.deepEqual(sizes, [512, 512, 276]);
});

void test('gather: a failed batch rejects only its callers', { timeout: 30_000 }, async () => {
  let isBroken = true;
  const find = gather((keys: readonly number[]) => {
    if (isBroken) return Promise.reject(new Error('database disk image is malformed'));
    return Promise.resolve(keys.map((key) => key * 2));
  });
  const failing = [find(1), find(3)];
  await Promise.all(failing.map((pending) => assert.rejects(pending, /malformed/)));
  isBroken = false;
  assert.equal(await find(2), 4);
});

void test('SQLite writer: changes during a pending message share the next one, by kind', async () => {
  const sent: (readonly WriteJob[])[] = [];
  let response: ((responses: readonly WriteResponse[]) => void) | undefined;
  const writer = new Writer({
    link: {
      send: (jobs) => sent.push(jobs),
      onResponses: (take) => (response = take),
      onEnd: () => {},
      close: () => {},
    },
  });
  const respondLast = () =>
    response?.((sent.at(-1) ?? []).map(({ changes }) => changes.map((change) => ({ result: change }))));
  const forget = (limit: number) => writer.apply('changeFeed', { kind: 'forget', beforeMs: 0, limit });
  const first = [forget(1), writer.apply('probe', { kind: 'rewrite' }), forget(2)];
  await nextIteration();
  assert.deepEqual(
    sent.map((jobs) => jobs.map(({ kind, changes }) => [kind, changes.length])),
    [
      [
        ['changeFeed', 2],
        ['probe', 1],
      ],
    ],
  );
  const second = [forget(3), forget(4)];
  await nextIteration();
  assert.equal(sent.length, 1, 'a second message was sent before the response to the first');
  respondLast();
  assert.equal((await Promise.all(first)).length, 3);
  while (sent.length < 2) await nextIteration();
  assert.deepEqual(
    sent[1]?.map(({ kind, changes }) => [kind, changes.length]),
    [['changeFeed', 2]],
  );
  respondLast();
  assert.deepEqual(await Promise.all(second), [
    { kind: 'forget', beforeMs: 0, limit: 3 },
    { kind: 'forget', beforeMs: 0, limit: 4 },
  ]);
});
