import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { Failure } from '../../src/domain/failure.ts';
import { RateLimit } from '../../src/domain/accounts/rate-limit.ts';
import type { LimitStore } from '../../src/domain/accounts/throttle.ts';
import { MemoryLimits, TestClock } from '../support/memory-limits.ts';

const HOUR_MS = 3_600_000;

/**
 * Spends one request.
 * @returns the refusal, if any
 */
async function refusal(rateLimit: RateLimit, key = 'a'): Promise<Failure | undefined> {
  try {
    await rateLimit.spend(key);
    return undefined;
  } catch (error) {
    assert.ok(error instanceof Failure && error.code === 'too-many-requests', String(error));
    return error;
  }
}

/** How many of this many consecutive requests pass. */
async function passed(rateLimit: RateLimit, requests: number, key = 'a'): Promise<number> {
  let count = 0;
  for (let request = 0; request < requests; request++) if ((await refusal(rateLimit, key)) === undefined) count += 1;
  return count;
}

void describe('rate limit', () => {
  void it('passes exactly the limit, separately for each key and hour', async () => {
    const arrivals = fc.array(fc.record({ key: fc.constantFrom('a', 'b'), afterMs: fc.nat(HOUR_MS / 3) }), {
      maxLength: 60,
    });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 5 }), fc.nat(HOUR_MS), arrivals, async (limit, startMs, requests) => {
        const clock = new TestClock(startMs);
        const rateLimit = new RateLimit({ perHour: limit, limits: new MemoryLimits(), clock: clock.read });
        const spent = new Map<string, number>();
        for (const { key, afterMs } of requests) {
          clock.pass(afterMs);
          const slot = `${key} ${Math.floor(clock.nowMs / HOUR_MS)}`;
          const count = (spent.get(slot) ?? 0) + 1;
          spent.set(slot, count);
          assert.equal((await refusal(rateLimit, key)) === undefined, count <= limit);
        }
      }),
    );
  });

  for (const limit of [1, 999, 1000, 1001, 2500]) {
    void it(`of ${limit}: passes exactly ${limit}, and as many in the next hour`, async () => {
      const clock = new TestClock();
      const rateLimit = new RateLimit({ perHour: limit, limits: new MemoryLimits(), clock: clock.read });
      assert.equal(await passed(rateLimit, limit + 20), limit);
      clock.pass(HOUR_MS);
      assert.equal(await passed(rateLimit, limit + 20), limit);
    });
  }

  void it('reports a wait after which a request passes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(5 * HOUR_MS), async (startMs) => {
        const clock = new TestClock(startMs);
        const rateLimit = new RateLimit({ perHour: 1, limits: new MemoryLimits(), clock: clock.read });
        await rateLimit.spend('a');
        const seconds = (await refusal(rateLimit))?.details.retryAfterSeconds ?? 0;
        assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 3600);
        clock.pass(seconds * 1000);
        assert.equal(await refusal(rateLimit), undefined);
      }),
    );
  });

  void it('passes exactly the limit of concurrent requests', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 300 }), fc.nat(50), async (limit, more) => {
        const rateLimit = new RateLimit({ perHour: limit, limits: new MemoryLimits(), clock: new TestClock().read });
        const refusals = await Promise.all(Array.from({ length: limit + more }, () => refusal(rateLimit)));
        assert.equal(refusals.filter((failure) => failure === undefined).length, limit);
      }),
      { numRuns: 20 },
    );
  });

  void it('is shared by two servers with one store, in any order of requests', async () => {
    const requests = fc.array(fc.record({ server: fc.nat(1), atOnce: fc.integer({ min: 1, max: 9 }) }), {
      minLength: 1,
      maxLength: 40,
    });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 30 }), requests, async (limit, all) => {
        const limits = new MemoryLimits();
        const clock = new TestClock();
        const servers = [0, 1].map(() => new RateLimit({ perHour: limit, limits, clock: clock.read }));
        let through = 0;
        let asked = 0;
        for (const { server, atOnce } of all) {
          const rateLimit = servers[server] as RateLimit;
          const refusals = await Promise.all(Array.from({ length: atOnce }, () => refusal(rateLimit)));
          through += refusals.filter((failure) => failure === undefined).length;
          asked += atOnce;
        }
        assert.equal(through, Math.min(limit, asked));
      }),
    );
  });

  void it('is neither exceeded nor wasted by two servers that lease several requests at a time', async () => {
    const limits = new MemoryLimits();
    const clock = new TestClock();
    const [one, other] = [
      new RateLimit({ perHour: 10_000, limits, clock: clock.read }),
      new RateLimit({ perHour: 10_000, limits, clock: clock.read }),
    ];
    const counts = await Promise.all([passed(one, 10_100), passed(other, 10_100)]);
    assert.equal(counts[0] + counts[1], 10_000);
  });

  void it('survives a restart, except for the requests that the server had leased', async () => {
    const limits = new MemoryLimits();
    const clock = new TestClock();
    const before = await passed(new RateLimit({ perHour: 5000, limits, clock: clock.read }), 1234);
    const after = await passed(new RateLimit({ perHour: 5000, limits, clock: clock.read }), 5000);
    assert.ok(before + after <= 5000 && before + after > 4990, `${before} and ${after}`);
  });

  void it('is not exceeded by a server that restarts after every request', async () => {
    const limits = new MemoryLimits();
    const clock = new TestClock();
    let count = 0;
    for (let start = 0; start < 30; start++)
      count += await passed(new RateLimit({ perHour: 20, limits, clock: clock.read }), 1);
    assert.equal(count, 20);
  });

  void it('outcomes synchronously from its lease, and rarely asks the store', async () => {
    const limits = new MemoryLimits();
    const rateLimit = new RateLimit({ perHour: 5000, limits, clock: new TestClock().read });
    assert.equal(rateLimit.trySpend('a'), false);
    await rateLimit.spend('a');
    for (let request = 2; request <= 5; request++) assert.equal(rateLimit.trySpend('a'), true);
    assert.equal(rateLimit.trySpend('a'), false);
    assert.equal(rateLimit.trySpend('b'), false, 'another key has its own limit');
    assert.deepEqual(limits.asked, ['lease']);
    assert.equal(await passed(rateLimit, 994), 994);
    assert.ok(limits.asked.length <= 201, `${limits.asked.length} questions`);
  });

  void it('does not spend a lease of the hour before', async () => {
    const clock = new TestClock();
    const rateLimit = new RateLimit({ perHour: 5000, limits: new MemoryLimits(), clock: clock.read });
    await rateLimit.spend('a');
    clock.pass(HOUR_MS);
    assert.equal(rateLimit.trySpend('a'), false);
  });

  void it('counts synchronous and other requests together', async () => {
    const rateLimit = new RateLimit({ perHour: 2500, limits: new MemoryLimits(), clock: new TestClock().read });
    let count = 0;
    for (let request = 0; request < 3000; request++) {
      if (rateLimit.trySpend('a') || (await refusal(rateLimit)) === undefined) count += 1;
    }
    assert.equal(count, 2500);
    assert.equal(rateLimit.trySpend('a'), false);
  });

  void it('asks the store once for concurrent requests', async () => {
    const limits = new MemoryLimits();
    const rateLimit = new RateLimit({ perHour: 100_000, limits, clock: new TestClock().read });
    await Promise.all(Array.from({ length: 100 }, () => refusal(rateLimit)));
    assert.equal(limits.asked.length, 1);
  });

  void it('does not ask the store again in an hour when it is used up', async () => {
    const limits = new MemoryLimits();
    const rateLimit = new RateLimit({ perHour: 3, limits, clock: new TestClock().read });
    assert.equal(await passed(rateLimit, 5), 3);
    const asked = limits.asked.length;
    assert.equal(await passed(rateLimit, 50), 0);
    assert.equal(limits.asked.length, asked);
  });

  void it('passes on that the store is out of reach, and works again when it is back', async () => {
    const memory = new MemoryLimits();
    let down = true;
    const limits: LimitStore = {
      find: (key) => memory.find(key),
      apply: async (change) => {
        if (down) throw new Failure('unavailable', 'The engine is out of reach.', { retryAfterSeconds: 1 });
        return memory.apply(change);
      },
    };
    const rateLimit = new RateLimit({ perHour: 2, limits, clock: new TestClock().read });
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => rateLimit.spend('a')));
    assert.ok(outcomes.every(({ status }) => status === 'rejected'));
    down = false;
    assert.equal(await passed(rateLimit, 5), 2);
  });

  void it('counts a request in the hour in which it passes', async () => {
    const clock = new TestClock(HOUR_MS - 1);
    const memory = new MemoryLimits();
    const limits: LimitStore = {
      find: (key) => memory.find(key),
      apply: async (change) => {
        const granted = await memory.apply(change);
        // The hour ends during the first call of the store.
        if (clock.nowMs < HOUR_MS) clock.pass(1);
        return granted;
      },
    };
    const rateLimit = new RateLimit({ perHour: 2, limits, clock: clock.read });
    assert.equal(await passed(rateLimit, 5), 2);
  });
});
