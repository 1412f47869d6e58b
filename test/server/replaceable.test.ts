import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { test } from 'node:test';
import { createReplaceable } from '../../src/server/ephemeral/replaceable.ts';

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

void test('calls go to the newest, whoever took the parts apart before', () => {
  const { parts, replace } = createReplaceable(partsOf('first'), () => Promise.resolve());
  const { name, deep, throws, limit } = { ...parts };
  replace(partsOf('second'));
  assert.equal(name(), 'second');
  assert.throws(throws, /second/);
  assert.equal(limit, 3);
  return assert.rejects(deep.fail(), /second/);
});

void test('what was replaced is let go of when the last call on it is over, and not before', async () => {
  const slow = Promise.withResolvers<void>();
  const gone: string[] = [];
  const { parts, replace, close } = createReplaceable(partsOf('first', slow.promise), async ({ name }) => {
    gone.push(name());
  });
  const answer = parts.deep.slow();
  replace(partsOf('second'));
  replace(partsOf('third'));
  await nextTurn();
  assert.deepEqual(gone, ['second']);
  slow.resolve();
  assert.equal(await answer, 'first');
  await nextTurn();
  assert.deepEqual(gone, ['second', 'first']);
  await close();
  assert.deepEqual(gone, ['second', 'first', 'third']);
});

void test('the end waits for what is still under way, and tells of what could not be let go of', async () => {
  const slow = Promise.withResolvers<void>();
  const { parts, close } = createReplaceable(partsOf('first', slow.promise), () => Promise.reject(new Error('stuck')));
  const answer = parts.deep.slow();
  const closed = close();
  slow.resolve();
  assert.equal(await answer, 'first');
  await assert.rejects(closed, /stuck/);
});
