import assert from 'node:assert/strict';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { test } from 'node:test';
import { Replaceable } from '../../src/testing/replaceable.ts';

function partsOf(name: string, slow: Promise<void> = Promise.resolve()) {
  return {
    name: () => name,
    deep: { slow: () => slow.then(() => name), fail: () => Promise.reject(new Error(name)) },
    throws: () => {
      throw new Error(name);
    },
    limit: 3,
  };
}

class Counter {
  readonly #step: number;
  count = 0;

  constructor(step: number) {
    this.#step = step;
  }

  add(): number {
    return (this.count += this.#step);
  }
}

void test('replaceable: calls go to the newest object, also from destructured parts', () => {
  const replaceable = new Replaceable(partsOf('first'), () => Promise.resolve());
  const { name, deep, throws, limit } = { ...replaceable.parts };
  replaceable.replace(partsOf('second'));
  assert.equal(name(), 'second');
  assert.throws(throws, /second/);
  assert.equal(limit, 3);
  return assert.rejects(deep.fail(), /second/);
});

void test('replaceable: methods are called on the newest instance', () => {
  const replaceable = new Replaceable({ counter: new Counter(1) }, () => Promise.resolve());
  const { counter } = replaceable.parts;
  assert.equal(counter.add(), 1);
  const next = new Counter(10);
  replaceable.replace({ counter: next });
  assert.deepEqual([counter.add(), counter.count, next.count], [10, 10, 10]);
});

void test('replaceable: a replaced object is released after its last pending call', async () => {
  const slow = Promise.withResolvers<void>();
  const released: string[] = [];
  const replaceable = new Replaceable(partsOf('first', slow.promise), async ({ name }) => {
    released.push(name());
  });
  const response = replaceable.parts.deep.slow();
  replaceable.replace(partsOf('second'));
  replaceable.replace(partsOf('third'));
  await nextIteration();
  assert.deepEqual(released, ['second']);
  slow.resolve();
  assert.equal(await response, 'first');
  await nextIteration();
  assert.deepEqual(released, ['second', 'first']);
  await replaceable.close();
  assert.deepEqual(released, ['second', 'first', 'third']);
});

void test('replaceable: close waits for pending calls, and rejects if a release fails', async () => {
  const slow = Promise.withResolvers<void>();
  const replaceable = new Replaceable(partsOf('first', slow.promise), () => Promise.reject(new Error('stuck')));
  const response = replaceable.parts.deep.slow();
  const closed = replaceable.close();
  slow.resolve();
  assert.equal(await response, 'first');
  await assert.rejects(closed, /stuck/);
});
