import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { LimitChange, LimitStore } from '../../src/domain/accounts/throttle.ts';
import type { Limit } from '../../src/domain/accounts/throttle.ts';
import { applyEach, applyOne, findAll } from '../support/changes.ts';
import { testsOn, type OpenStores } from './open-stores.ts';

const LIMIT: Limit = { free: 3, firstWaitMs: 100, maxWaitMs: 1000, forgetAfterMs: 5000 };

function count(nowMs: number, ...keys: string[]): LimitChange {
  return { kind: 'count', counters: keys.map((key) => ({ key, limit: LIMIT })), nowMs, entry: undefined };
}

function attempt(nowMs: number, ...keys: string[]): LimitChange {
  return { kind: 'attempt', counters: keys.map((key) => ({ key, limit: LIMIT })), nowMs };
}

function lease(amount: number, { key = 'k', hour = 100, most = 10 } = {}): LimitChange {
  return { kind: 'lease', key, hour, amount, most };
}

/** The count of each key and its last time, as `3@1000`. */
async function countsOf(limits: LimitStore, ...keys: string[]): Promise<readonly string[]> {
  const found = await findAll(limits, keys);
  assert.equal(found.length, keys.length);
  return found.map((state) => (state === undefined ? 'none' : `${state.count}@${state.lastAtMs}`));
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

export function describeLimitStore(openStores: OpenStores): void {
  const test = testsOn(openStores);
  void describe('failure counts', () => {
    test('grow separately for each key, and are found in the order of the keys', async ({ limits }) => {
      assert.equal(await applyOne(limits, count(1000, 'a', 'b')), 0);
      await applyOne(limits, count(2000, 'a'));
      assert.deepEqual(await countsOf(limits, 'b', 'none', 'a', 'b'), ['1@1000', 'none', '2@2000', '1@1000']);
      assert.deepEqual(await countsOf(limits), []);
    });

    test('include every failure, also within a batch and concurrently', async ({ limits }) => {
      const batches = Array.from({ length: 5 }, () => applyEach(limits, [count(1000, 'a'), count(1000, 'a', 'b')]));
      await Promise.all(batches);
      assert.deepEqual(await countsOf(limits, 'a', 'b'), ['10@1000', '5@1000']);
    });

    test('start over after the retention time since the first failure', async ({ limits }) => {
      await applyEach(limits, [count(1000, 'a'), count(5999, 'a')]);
      assert.deepEqual(await countsOf(limits, 'a'), ['2@5999']);
      await applyOne(limits, count(6000, 'a'));
      assert.deepEqual(await countsOf(limits, 'a'), ['1@6000']);
    });

    test('start over in time, also after the correction of a clock that was ahead', async ({ limits }) => {
      await applyEach(limits, [count(9_000_000, 'a'), count(1000, 'a'), count(5999, 'a')]);
      assert.deepEqual(await countsOf(limits, 'a'), ['3@5999']);
      await applyOne(limits, count(6000, 'a'));
      assert.deepEqual(await countsOf(limits, 'a'), ['1@6000']);
    });

    test('are cleared by key', async ({ limits }) => {
      await applyEach(limits, [count(1000, 'a', 'b', 'c'), { kind: 'clear', keys: ['a', 'none', 'c'] }]);
      assert.deepEqual(await countsOf(limits, 'a', 'b', 'c'), ['none', '1@1000', 'none']);
      await applyEach(limits, [count(2000, 'a'), { kind: 'clear', keys: [] }]);
      assert.deepEqual(await countsOf(limits, 'a'), ['1@2000']);
    });

    test('are deleted after the retention time since the last failure, not earlier', async ({ limits }) => {
      await applyEach(limits, [count(1000, 'old'), count(1000, 'kept alive'), count(1999, 'just old')]);
      await applyEach(limits, [
        count(2000, 'kept alive', 'young'),
        { kind: 'forget', nowMs: 6999, hour: 0, limit: 10 },
      ]);
      assert.deepEqual(await countsOf(limits, 'old', 'just old', 'kept alive', 'young'), [
        'none',
        'none',
        '2@2000',
        '1@2000',
      ]);
    });

    test('and leases are deleted in batches of the given size', async ({ limits }) => {
      const keys = ['a', 'b', 'c'];
      await applyEach(limits, [count(1000, ...keys), count(9000, 'young')]);
      const leases = ['d', 'e'].flatMap((key) => [lease(10, { key, hour: 99 }), lease(10, { key, hour: 100 })]);
      await applyEach(limits, leases);
      const forget = { kind: 'forget', nowMs: 6000, hour: 100, limit: 2 } as const;
      const forgotten: number[] = [];
      for (let round = 0; round < 4; round++) forgotten.push(await applyOne(limits, forget));
      assert.deepEqual(forgotten, [2, 2, 1, 0]);
      assert.deepEqual(await countsOf(limits, ...keys, 'young'), ['none', 'none', 'none', '1@9000']);
      assert.equal(await applyOne(limits, lease(1, { key: 'd' })), 0, 'the lease of this hour still exists');
      assert.equal(await applyOne(limits, lease(1, { key: 'd', hour: 99 })), 1);
    });

    test('of attempts grow until one of the counters requires a wait, however many are concurrent', async ({
      limits,
    }) => {
      const waits = (
        await Promise.all([1, 2, 3].map(() => applyEach(limits, [attempt(1000, 'a'), attempt(1000, 'a')])))
      ).flat();
      assert.deepEqual(
        waits.toSorted((one, other) => one - other),
        [0, 0, 0, 100, 100, 100],
      );
      assert.equal(await applyOne(limits, attempt(1040, 'b', 'a')), 60);
      assert.deepEqual(await countsOf(limits, 'a', 'b'), ['3@1000', 'none']);
      await applyEach(limits, [attempt(1100, 'a', 'b'), { kind: 'take-back', keys: ['b', 'none'] }]);
      assert.deepEqual(await countsOf(limits, 'a', 'b', 'none'), ['4@1100', '0@1100', 'none']);
      await applyEach(limits, [{ kind: 'take-back', keys: ['a', 'b'] }]);
      assert.deepEqual(await countsOf(limits, 'a', 'b'), ['3@1100', '0@1100']);
    });

    test('are independent of leases of the same key', async ({ limits }) => {
      await applyEach(limits, [lease(10), count(1000, 'k'), { kind: 'clear', keys: ['k'] }]);
      assert.deepEqual(await countsOf(limits, 'k'), ['none']);
      assert.equal(await applyOne(limits, lease(1)), 0);
    });
  });

  void describe('leases', () => {
    test('are granted up to the limit, the last one partially', async ({ limits }) => {
      const granted: number[] = [];
      for (let round = 0; round < 5; round++) granted.push(await applyOne(limits, lease(4)));
      assert.deepEqual(granted, [4, 4, 2, 0, 0]);
    });

    test('never exceed the limit in total, within a batch and concurrently', async ({ limits }) => {
      const most = 100;
      const batches = [7, 1, 30, 13].map((amount) =>
        applyEach(
          limits,
          Array.from({ length: 4 }, () => lease(amount, { most })),
        ),
      );
      assert.equal(sum((await Promise.all(batches)).flat()), most);
      assert.equal(await applyOne(limits, lease(1, { most })), 0);
    });

    test('start over every hour', async ({ limits }) => {
      assert.deepEqual(
        await applyEach(limits, [lease(10), lease(1), lease(6, { hour: 101 }), lease(6, { hour: 101 })]),
        [10, 0, 6, 4],
      );
    });

    // The clock of one server is behind the other's, or was set back.
    test('never exceed the limit of an hour, even if another server leases for the hour before', async ({ limits }) => {
      const first = await applyOne(limits, lease(10, { hour: 101 }));
      await applyOne(limits, lease(1, { hour: 100 }));
      const second = await applyOne(limits, lease(10, { hour: 101 }));
      assert.ok(first + second <= 10, `${first} and ${second} of 10 were granted within one hour`);
    });

    test('respect a lowered limit', async ({ limits }) => {
      assert.deepEqual(
        await applyEach(limits, [lease(8), lease(8, { most: 5 }), lease(8, { most: 20 }), lease(8, { most: 20 })]),
        [8, 0, 8, 4],
      );
    });
  });
}
