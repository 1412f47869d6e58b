import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { test } from 'node:test';
import { Replaceable } from '../../src/server/ephemeral/replaceable.ts';

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

void test('calls go to the newest, whoever took the parts apart before', () => {
  const replaceable = new Replaceable(partsOf('first'), () => Promise.resolve());
  const { name, deep, throws, limit } = { ...replaceable.parts };
  replaceable.replace(partsOf('second'));
  assert.equal(name(), 'second');
  assert.throws(throws, /second/);
  assert.equal(limit, 3);
  return assert.rejects(deep.fail(), /second/);
});

void test('methods of an instance are called on the instance of the newest', () => {
  const replaceable = new Replaceable({ counter: new Counter(1) }, () => Promise.resolve());
  const { counter } = replaceable.parts;
  assert.equal(counter.add(), 1);
  const next = new Counter(10);
  replaceable.replace({ counter: next });
  assert.deepEqual([counter.add(), counter.count, next.count], [10, 10, 10]);
});

void test('what was replaced is let go of when the last call on it is over, and not before', async () => {
  const slow = Promise.withResolvers<void>();
  const gone: string[] = [];
  const replaceable = new Replaceable(partsOf('first', slow.promise), async ({ name }) => {
    gone.push(name());
  });
  const answer = replaceable.parts.deep.slow();
  replaceable.replace(partsOf('second'));
  replaceable.replace(partsOf('third'));
  await nextTurn();
  assert.deepEqual(gone, ['second']);
  slow.resolve();
  assert.equal(await answer, 'first');
  await nextTurn();
  assert.deepEqual(gone, ['second', 'first']);
  await replaceable.close();
  assert.deepEqual(gone, ['second', 'first', 'third']);
});

void test('the end waits for what is still under way, and tells of what could not be let go of', async () => {
  const slow = Promise.withResolvers<void>();
  const replaceable = new Replaceable(partsOf('first', slow.promise), () => Promise.reject(new Error('stuck')));
  const answer = replaceable.parts.deep.slow();
  const closed = replaceable.close();
  slow.resolve();
  assert.equal(await answer, 'first');
  await assert.rejects(closed, /stuck/);
});
