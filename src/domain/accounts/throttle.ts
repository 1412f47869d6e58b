import type { NewAuditEntry } from '../audit.ts';
import { Failure, type Outcome } from '../failure.ts';
import type { Clock } from '../ports.ts';

/** How often something may fail before one has to wait, and for how long. */
export interface Limit {
  /** Fewer failures than this cost no time. */
  free: number;
  /** The wait after so many; it doubles with every further one. */
  firstWaitMs: number;
  maxWaitMs: number;
  /** So long after the first failure, it begins anew: an office with a typing error a day never gets to wait. */
  forgetAfterMs: number;
}

/** Failures of one kind, say those of one address. `key` is a digest: what somebody typed as a user name may be a password. */
export interface Counter {
  key: string;
  limit: Limit;
}

/** What a store keeps of a counter. */
export interface CountedFailures {
  count: number;
  firstAtMs: number;
  lastAtMs: number;
}

export type LimitChange =
  /** One more failure for each counter. The outcome is 0. */
  | { kind: 'count'; counters: readonly Counter[]; nowMs: number; entry: NewAuditEntry | undefined }
  | { kind: 'clear'; keys: readonly string[] }
  /** Takes up to `amount` of the `most` that this key may spend in this hour (hours since 1970). The outcome is the number taken. */
  | { kind: 'lease'; key: string; hour: number; amount: number; most: number }
  /** Deletes expired counters and the leases of earlier hours, `limit` at most. The outcome is their number. */
  | { kind: 'forget'; nowMs: number; hour: number; limit: number };

/** Counters shared by all nodes, and kept across restarts. */
export interface BatchedLimitStore {
  findMany(keys: readonly string[]): Promise<readonly (CountedFailures | undefined)[]>;
  applyAll(changes: readonly LimitChange[]): Promise<readonly Outcome<number>[]>;
}

export interface LimitStore {
  find(key: string): Promise<CountedFailures | undefined>;
  apply(change: LimitChange): Promise<number>;
}

/** The clocks of nodes may differ by this much. A failure counted further ahead was counted by a wrong clock. */
const MAX_CLOCK_DIFFERENCE_MS = 5 * 60_000;

/** Things of one kind that are under way. */
interface Lane {
  running: number;
  /** Those in line, first come first; each is called when it may begin. */
  waiting: (() => void)[];
}

export interface ThrottleNeeds {
  limits: LimitStore;
  clock: Clock;
}

export type Throttle = ReturnType<typeof createThrottle>;

/**
 * Slows down those who fail again and again. What is counted survives a restart and goes for all nodes. An attempt made while one has to
 * wait is not counted: nobody can make anybody's wait longer by knocking.
 */
export function createThrottle({ limits, clock }: ThrottleNeeds) {
  const lanes = new Map<string, Lane>();

  async function waitMs(counters: readonly Counter[]): Promise<number> {
    const counted = await Promise.all(counters.map(({ key }) => limits.find(key)));
    const nowMs = clock();
    return Math.max(0, ...counters.map(({ limit }, index) => remainingWaitMs(counted[index], limit, nowMs)));
  }

  return {
    /** @throws Failure `too-many-requests` with the seconds to wait, if one of the counters says so */
    async demandNoWait(counters: readonly Counter[]): Promise<void> {
      const remainingMs = await waitMs(counters);
      if (remainingMs > 0) throw tooManyAttempts(remainingMs);
    },

    /** Counts a failure, and writes it into the audit trail with the same transaction. It is durable before the answer comes. */
    async countFailure(counters: readonly Counter[], entry?: NewAuditEntry): Promise<void> {
      await limits.apply({ kind: 'count', counters, nowMs: clock(), entry });
    },

    /** How many failures count at this moment. */
    async countOf({ key, limit }: Counter): Promise<number> {
      const counted = await limits.find(key);
      return counted === undefined || isForgotten(counted, limit, clock()) ? 0 : counted.count;
    },

    /** How long ago it was last counted; undefined where that is longer than the limit remembers. */
    async sinceLastMs({ key, limit }: Counter): Promise<number | undefined> {
      const counted = await limits.find(key);
      const nowMs = clock();
      const isKnown = counted !== undefined && !isOfWrongClock(counted, nowMs);
      const sinceMs = isKnown ? nowMs - counted.lastAtMs : Infinity;
      return sinceMs < limit.forgetAfterMs ? sinceMs : undefined;
    },

    async clear(counters: readonly Counter[]): Promise<void> {
      const keys = counters.map(({ key }) => key);
      const counted = await Promise.all(keys.map((key) => limits.find(key)));
      if (counted.some((state) => state !== undefined)) await limits.apply({ kind: 'clear', keys });
    },

    /**
     * Does at most `width` things at a time for one key; others wait in line. Without it, a hundred guesses at once would all be made before the
     * first of them is counted.
     */
    async inLane<T>(key: string, width: number, work: () => Promise<T>): Promise<T> {
      const lane = lanes.get(key) ?? { running: 0, waiting: [] };
      lanes.set(key, lane);
      if (lane.running >= width) await new Promise<void>((resolve) => lane.waiting.push(resolve));
      else lane.running++;
      try {
        return await work();
      } finally {
        // The place goes to the next in line, and is free only where there is none.
        const next = lane.waiting.shift();
        if (next !== undefined) next();
        else if (--lane.running === 0) lanes.delete(key);
      }
    },
  };
}

/**
 * How long one still has to wait: never longer than the longest wait of the limit. There is no wait for failures that were counted by a clock that was
 * ahead and has been corrected: their wait would end when the time of that clock has come. They still count, and the next one brings the wait back.
 */
export function remainingWaitMs(counted: CountedFailures | undefined, limit: Limit, nowMs: number): number {
  if (counted === undefined || isForgotten(counted, limit, nowMs) || counted.count < limit.free) return 0;
  if (isOfWrongClock(counted, nowMs)) return 0;
  const waitMs = Math.min(limit.maxWaitMs, limit.firstWaitMs * 2 ** (counted.count - limit.free));
  return Math.min(waitMs, Math.max(0, counted.lastAtMs + waitMs - nowMs));
}

/** What a store is to keep after one more failure. */
export function countOneMore(counted: CountedFailures | undefined, limit: Limit, nowMs: number): CountedFailures {
  const goesOn = counted !== undefined && !isForgotten(counted, limit, nowMs);
  return goesOn
    ? // A first failure ahead of the clock would never be forgotten.
      { count: counted.count + 1, firstAtMs: Math.min(counted.firstAtMs, nowMs), lastAtMs: nowMs }
    : { count: 1, firstAtMs: nowMs, lastAtMs: nowMs };
}

function isForgotten({ firstAtMs }: CountedFailures, { forgetAfterMs }: Limit, nowMs: number): boolean {
  return nowMs - firstAtMs >= forgetAfterMs;
}

function isOfWrongClock({ lastAtMs }: CountedFailures, nowMs: number): boolean {
  return lastAtMs - nowMs > MAX_CLOCK_DIFFERENCE_MS;
}

function tooManyAttempts(remainingMs: number): Failure {
  const retryAfterSeconds = Math.ceil(remainingMs / 1000);
  const wait = retryAfterSeconds === 1 ? 'a second' : `${retryAfterSeconds} seconds`;
  return new Failure('too-many-requests', `Too many attempts. Try again in ${wait}.`, { retryAfterSeconds });
}
