import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { limitOf, type Quota } from '../../src/domain/accounts/throttle.ts';
import type { DatabaseStores } from '../../src/storage/rows/stores/stores.ts';
import { testsOn, type OpenStores } from './open-stores.ts';

const DAY_MS = 86_400_000;
const IN_TOTAL = 1000;
const TOTAL = { ...quota('total', IN_TOTAL), name: undefined };

function quota(key: string, most: number): Quota {
  return { key, name: key, message: `Too many: ${key}`, limit: limitOf(most, DAY_MS) };
}

function spend({ limits }: DatabaseStores, quotas: readonly Quota[], hidden: readonly Quota[] = [], nowMs = 1000) {
  return limits.apply({ kind: 'spend', quotas, hidden, nowMs });
}

/** One message of a network, which gets a share of the total. */
function spendShare(stores: DatabaseStores, network: string): Promise<number> {
  return spend(stores, [{ ...quota(network, IN_TOTAL), shareOf: TOTAL }, TOTAL]);
}

/** As many as the network gets. */
async function spendAll(stores: DatabaseStores, network: string): Promise<number> {
  for (let count = 0; ; count++) {
    const code = await spendShare(stores, network).then(
      () => undefined,
      (error: { code?: string }) => error.code,
    );
    if (code !== undefined) return code === 'too-many-requests' ? count : assert.fail(code);
  }
}

export function describeQuotas(openStores: OpenStores): void {
  const test = testsOn(openStores);
  void describe('quotas', () => {
    test('are counted together or not at all, and end after their time', async (stores) => {
      const [small, large] = [quota('small', 1), quota('large', 2)];
      assert.equal(await spend(stores, [large, small]), 1);
      await assert.rejects(spend(stores, [large, small]), { code: 'too-many-requests', message: 'Too many: small' });
      assert.equal(await spend(stores, [large]), 1, 'the refused one was not counted');
      const limit = { name: 'large', quota: 2, windowSeconds: 86_400 };
      const details = { retryAfterSeconds: 86_400 - 9, limit };
      await assert.rejects(spend(stores, [large], [], 10_000), { code: 'too-many-requests', details });
      assert.equal(await spend(stores, [large, small], [], 1000 + DAY_MS), 1);
    });

    test('that of all clients is a failure of the service, and hidden ones only a result', async (stores) => {
      const total = { ...quota('all', 2), name: undefined };
      const hidden = [quota('mailbox', 1)];
      assert.deepEqual([await spend(stores, [total], hidden), await spend(stores, [total], hidden)], [1, 0]);
      await assert.rejects(spend(stores, [total], hidden), { code: 'unavailable' });
    });

    test('of many requests at the same time, as many are counted as are allowed', async (stores) => {
      const results = await Promise.allSettled(Array.from({ length: 30 }, () => spend(stores, [quota('few', 7)])));
      assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 7);
    });

    test('few networks do not use up the total, and another one still gets a part of it', async (stores) => {
      const first = await spendAll(stores, 'first');
      assert.ok(first > 40 && first <= IN_TOTAL / 20, String(first));
      let used = first;
      for (let index = 0; index < 40; index++) used += await spendAll(stores, `network ${index}`);
      assert.ok(used < IN_TOTAL * 0.9, String(used));
      assert.ok((await spendAll(stores, 'another')) >= 5);
    });
  });
}
