import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gather } from '../../src/storage/batching/gather.ts';

void test('a batch that fails: the next one is asked for all the same', { timeout: 30_000 }, async () => {
  let isBroken = true;
  const find = gather((keys: readonly number[]) => {
    if (isBroken) return Promise.reject(new Error('database disk image is malformed'));
    return Promise.resolve(keys.map((key) => key * 2));
  }, 1);
  await assert.rejects(find(1), /malformed/);
  isBroken = false;
  assert.equal(await find(2), 4);
});
