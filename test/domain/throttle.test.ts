import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextIteration } from 'node:timers/promises';
import * as fc from 'fast-check';
import type { NewAuditEntry } from '../../src/domain/audit.ts';
import { Failure } from '../../src/domain/failure.ts';
import {
  countOneMore,
  Throttle,
  remainingWaitMs,
  type CountedFailures,
  type Counter,
  type Limit,
} from '../../src/domain/accounts/throttle.ts';
import { STAMP } from '../support/changes.ts';
import { MemoryLimits, TestClock } from '../support/memory-limits.ts';

const HOUR_MS = 3_600_000;

const LIMIT: Limit = { free: 3, firstWaitMs: 1000, maxWaitMs: 10_000, forgetAfterMs: HOUR_MS };
const COUNTER: Counter = { key: 'counter', limit: LIMIT };

function setUp() {
  const limits = new MemoryLimits();
  const clock = new TestClock();
  const throttle = new Throttle({ limits, clock: clock.read });
  return { limits, clock, throttle };
}

/** The required wait in seconds, or 0. */
async function secondsToWait(
  { throttle }: Pick<ReturnType<typeof setUp>, 'throttle'>,
  ...counters: Counter[]
): Promise<number> {
  try {
    await throttle.requireNoWait(counters);
    return 0;
  } catch (error) {
    assert.ok(error instanceof Failure && error.code === 'too-many-requests');
    assert.ok(error.details.retryAfterSeconds !== undefined);
    return error.details.retryAfterSeconds;
  }
}

/** The wait after the first failure, the second and so on, each made when the wait before is over. */
function waitsOf(limit: Limit, failures: number): readonly number[] {
  const waits: number[] = [];
  let nowMs = 1_000_000;
  let counted: CountedFailures | undefined;
  for (let failure = 0; failure < failures; failure++) {
    counted = countOneMore(counted, limit, nowMs);
    const waitMs = remainingWaitMs(counted, limit, nowMs);
    waits.push(waitMs);
    nowMs += waitMs;
  }
  return waits;
}

const limit: fc.Arbitrary<Limit> = fc.record({
  free: fc.integer({ min: 1, max: 20 }),
  firstWaitMs: fc.integer({ min: 1, max: 5000 }),
  maxWaitMs: fc.integer({ min: 5000, max: HOUR_MS }),
  forgetAfterMs: fc.integer({ min: HOUR_MS + 1, max: 24 * HOUR_MS }),
});

void describe('throttle: wait after failures', () => {
  void it('starts after the free failures', () => {
    fc.assert(
      fc.property(limit, (anyLimit) => {
        const waits = waitsOf(anyLimit, anyLimit.free);
        assert.deepEqual(waits, [...Array<number>(anyLimit.free - 1).fill(0), anyLimit.firstWaitMs]);
      }),
    );
  });

  void it('doubles with each further failure, up to the maximum', () => {
    const waits = waitsOf(LIMIT, 12).filter((waitMs) => waitMs > 0);
    assert.deepEqual(waits.slice(0, 8), [1000, 2000, 4000, 8000, 10_000, 10_000, 10_000, 10_000]);
  });

  void it('never exceeds the maximum', () => {
    for (const count of [100, 2000, Number.MAX_SAFE_INTEGER]) {
      assert.equal(remainingWaitMs({ count, firstAtMs: 5000, lastAtMs: 5000 }, LIMIT, 5000), 10_000);
    }
  });

  void it('gets shorter over time, and is never negative', () => {
    const counted = { count: 1000, firstAtMs: 5000, lastAtMs: 5000 };
    const waits = [5000, 5001, 14_999, 15_000, 15_001, 900_000].map((nowMs) => remainingWaitMs(counted, LIMIT, nowMs));
    assert.deepEqual(waits, [10_000, 9999, 1, 0, 0, 0]);
  });

  void it('is zero without failures, and after they are forgotten', () => {
    assert.equal(remainingWaitMs(undefined, LIMIT, 5000), 0);
    const long = { ...LIMIT, maxWaitMs: 9 * HOUR_MS };
    const counted = { count: 1000, firstAtMs: 5000, lastAtMs: 9000 };
    assert.ok(remainingWaitMs(counted, long, 5000 + HOUR_MS - 1) > 0);
    assert.equal(remainingWaitMs(counted, long, 5000 + HOUR_MS), 0);
  });
});

void describe('throttle: a clock that was ahead and is corrected', () => {
  const YEAR_MS = 365 * 24 * HOUR_MS;

  void it('limits the wait to the maximum, and ends it if the correction exceeds five minutes', () => {
    const counted = { count: 1000, firstAtMs: YEAR_MS, lastAtMs: YEAR_MS };
    const waits = [0, 1, 299_999, 300_000, 300_001, YEAR_MS / 2, YEAR_MS].map((aheadMs) =>
      remainingWaitMs(counted, LIMIT, YEAR_MS - aheadMs),
    );
    assert.deepEqual(waits, [10_000, 10_000, 10_000, 10_000, 0, 0, 0]);
  });

  void it('keeps the failures: the next one restores the wait, and they are forgotten in time', () => {
    const counted = countOneMore({ count: 9, firstAtMs: YEAR_MS, lastAtMs: YEAR_MS }, LIMIT, 5000);
    assert.deepEqual(counted, { count: 10, firstAtMs: 5000, lastAtMs: 5000 });
    assert.equal(remainingWaitMs(counted, LIMIT, 5000), 10_000);
    assert.deepEqual(countOneMore(counted, LIMIT, 5000 + HOUR_MS).count, 1);
  });

  void it('keeps the age of the last count', async () => {
    const all = setUp();
    await fail(all, 1, COUNTER);
    all.clock.pass(-300_000);
    assert.equal(await all.throttle.sinceLastMs(COUNTER), -300_000);
    all.clock.pass(-1);
    assert.equal(await all.throttle.sinceLastMs(COUNTER), undefined);
    await fail(all, 1, COUNTER);
    assert.equal(await all.throttle.sinceLastMs(COUNTER), 0);
  });
});

void describe('throttle: counting a failure', () => {
  void it('adds to the count, and starts over after the first is forgotten', () => {
    assert.deepEqual(countOneMore(undefined, LIMIT, 7000), { count: 1, firstAtMs: 7000, lastAtMs: 7000 });
    const before = { count: 5, firstAtMs: 7000, lastAtMs: 7500 };
    assert.deepEqual(countOneMore(before, LIMIT, 8000), { count: 6, firstAtMs: 7000, lastAtMs: 8000 });
    const end = 7000 + HOUR_MS;
    assert.deepEqual(countOneMore(before, LIMIT, end - 1), { count: 6, firstAtMs: 7000, lastAtMs: end - 1 });
    assert.deepEqual(countOneMore(before, LIMIT, end), { count: 1, firstAtMs: end, lastAtMs: end });
  });
});

async function fail({ throttle }: ReturnType<typeof setUp>, times: number, ...counters: Counter[]): Promise<void> {
  for (let time = 0; time < times; time++) await throttle.countFailure(counters);
}

void describe('throttle', () => {
  void it('passes requests without failures', async () => {
    assert.equal(await secondsToWait(setUp(), COUNTER), 0);
    assert.equal(await secondsToWait(setUp()), 0);
  });

  void it('reports a wait after which a request passes, and not a second earlier', async () => {
    const all = setUp();
    await fail(all, 6, COUNTER);
    all.clock.pass(1);
    const seconds = await secondsToWait(all, COUNTER);
    assert.ok(seconds >= 2);
    all.clock.pass((seconds - 1) * 1000);
    assert.equal(await secondsToWait(all, COUNTER), 1);
    all.clock.pass(1000);
    assert.equal(await secondsToWait(all, COUNTER), 0);
  });

  void it('does not count attempts during a wait', async () => {
    const all = setUp();
    await fail(all, 5, COUNTER);
    const before = new Map(all.limits.counted);
    const seconds = await secondsToWait(all, COUNTER);
    for (let attempt = 0; attempt < 50; attempt++) assert.ok((await secondsToWait(all, COUNTER)) <= seconds);
    assert.deepEqual(all.limits.counted, before);
    all.clock.pass(seconds * 1000);
    assert.equal(await secondsToWait(all, COUNTER), 0);
  });

  void it('applies the longest wait of all counters', async () => {
    const all = setUp();
    const lax: Counter = { key: 'lax', limit: { ...LIMIT, free: 1000 } };
    const strict: Counter = { key: 'strict', limit: { ...LIMIT, free: 0, firstWaitMs: 60_000, maxWaitMs: 60_000 } };
    await fail(all, 5, COUNTER, lax, strict);
    assert.equal(await secondsToWait(all, lax), 0);
    const seconds = await secondsToWait(all, COUNTER);
    assert.ok(seconds > 0 && seconds <= 10);
    assert.equal(await secondsToWait(all, COUNTER, strict, lax), 60);
    assert.equal(await secondsToWait(all, { ...COUNTER, key: 'another' }), 0);
  });

  void it('forgets failures after the retention time', async () => {
    const all = setUp();
    await fail(all, 50, COUNTER);
    all.clock.pass(HOUR_MS);
    await fail(all, 1, COUNTER);
    assert.equal(await secondsToWait(all, COUNTER), 0);
    assert.equal(all.limits.counted.get('counter')?.count, 1);
  });

  void it('starts over when it is cleared; clearing an empty counter writes nothing', async () => {
    const all = setUp();
    await all.throttle.clear([COUNTER]);
    assert.deepEqual(all.limits.asked, []);
    await fail(all, 9, COUNTER);
    await all.throttle.clear([{ ...COUNTER, key: 'another' }, COUNTER]);
    assert.equal(await secondsToWait(all, COUNTER), 0);
    assert.equal(all.limits.counted.size, 0);
  });

  void it('is shared by all users of a store', async () => {
    const all = setUp();
    const other = { ...all, throttle: new Throttle({ limits: all.limits, clock: all.clock.read }) };
    await fail(all, 9, COUNTER);
    assert.equal(await secondsToWait(other, COUNTER), await secondsToWait(all, COUNTER));
    assert.ok((await secondsToWait(other, COUNTER)) > 0);
  });

  void it('hands audit entries to the store together with the count', async () => {
    const { throttle, limits } = setUp();
    const entry: NewAuditEntry = {
      stamp: STAMP,
      action: 'session.begun',
      subject: null,
      outcome: 'failed',
      details: null,
    };
    await throttle.countFailure([COUNTER], entry);
    await throttle.countFailure([COUNTER]);
    assert.deepEqual(limits.entries, [entry]);
  });

  void it('reports the time since the last count, until it is forgotten', async () => {
    const all = setUp();
    assert.equal(await all.throttle.sinceLastMs(COUNTER), undefined);
    await fail(all, 2, COUNTER);
    assert.equal(await all.throttle.sinceLastMs(COUNTER), 0);
    all.clock.pass(HOUR_MS - 1);
    assert.equal(await all.throttle.sinceLastMs(COUNTER), HOUR_MS - 1);
    all.clock.pass(1);
    assert.equal(await all.throttle.sinceLastMs(COUNTER), undefined);
  });
});

/** Tasks that end when the test says so. */
function createJobs(width: number, throttle = setUp().throttle) {
  const started: string[] = [];
  const ends = new Map<string, { resolve: (value: string) => void; reject: (error: Error) => void }>();
  return {
    started,
    begin: (name: string, key = 'lane') =>
      throttle.inLane(key, width, () => {
        started.push(name);
        const { promise, resolve, reject } = Promise.withResolvers<string>();
        ends.set(name, { resolve, reject });
        return promise;
      }),
    end: async (name: string) => {
      ends.get(name)?.resolve(`${name} is done`);
      await nextIteration();
    },
    fail: async (name: string) => {
      ends.get(name)?.reject(new Error(`${name} failed`));
      await nextIteration();
    },
  };
}

function failAtOnce(): never {
  throw new Error('at once');
}

void describe('lane', () => {
  void it('runs up to its width, then the others in order', async () => {
    const { started, begin, end } = createJobs(2);
    const all = Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => begin(name)));
    await nextIteration();
    assert.deepEqual(started, ['a', 'b']);
    await end('a');
    assert.deepEqual(started, ['a', 'b', 'c']);
    await end('b');
    assert.deepEqual(started, ['a', 'b', 'c', 'd']);
    await end('c');
    await end('d');
    await end('e');
    assert.deepEqual(await all, ['a is done', 'b is done', 'c is done', 'd is done', 'e is done']);
  });

  void it('starts the next task as soon as any task ends', async () => {
    const { started, begin, end } = createJobs(2);
    const all = Promise.all(['slow', 'b', 'c', 'd'].map((name) => begin(name)));
    await nextIteration();
    await end('b');
    assert.deepEqual(started, ['slow', 'b', 'c'], 'the third task must not wait for a free place');
    await end('c');
    assert.deepEqual(started, ['slow', 'b', 'c', 'd']);
    await end('d');
    await end('slow');
    await all;
  });

  void it('continues after failures, which reach the caller', async () => {
    const { started, begin, end, fail } = createJobs(1);
    const outcomes = Promise.allSettled(['a', 'b', 'c'].map((name) => begin(name)));
    await nextIteration();
    await fail('a');
    assert.deepEqual(started, ['a', 'b']);
    await fail('b');
    await end('c');
    assert.deepEqual(
      (await outcomes).map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : String(outcome.reason))),
      ['Error: a failed', 'Error: b failed', 'c is done'],
    );
    const later = begin('later');
    await nextIteration();
    await end('later');
    assert.equal(await later, 'later is done');
  });

  void it('continues after a task that throws synchronously', async () => {
    const { throttle } = setUp();
    await assert.rejects(throttle.inLane('lane', 1, failAtOnce), /at once/);
    assert.equal(await throttle.inLane('lane', 1, () => Promise.resolve(1)), 1);
  });

  void it('does not wait for another lane', async () => {
    const { started, begin, end } = createJobs(1);
    const both = Promise.all([begin('a', 'one'), begin('b', 'other')]);
    await nextIteration();
    assert.deepEqual(started, ['a', 'b']);
    await end('a');
    await end('b');
    await both;
  });

  void it('never exceeds its width and runs every task once, for any durations', async () => {
    const jobs = fc.array(fc.record({ afterIterations: fc.nat(3), iterations: fc.nat(6), fails: fc.boolean() }), {
      maxLength: 25,
    });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), jobs, async (width, all) => {
        const { throttle } = setUp();
        let running = 0;
        let done = 0;
        const outcomes: Promise<unknown>[] = [];
        for (const { afterIterations, iterations, fails } of all) {
          for (let iteration = 0; iteration < afterIterations; iteration++) await nextIteration();
          const work = async () => {
            running += 1;
            assert.ok(running <= width, `${running} at a time`);
            for (let iteration = 0; iteration < iterations; iteration++) await nextIteration();
            running -= 1;
            done += 1;
            if (fails) throw new Failure('conflict', 'as expected');
          };
          outcomes.push(
            throttle.inLane('lane', width, work).catch((error: unknown) => assert.ok(error instanceof Failure)),
          );
        }
        await Promise.all(outcomes);
        assert.deepEqual([running, done], [0, all.length]);
      }),
      { numRuns: 60 },
    );
  });
});
