import type { NewAuditEntry } from '../audit.ts';
import { Failure } from '../failure.ts';
import type { Awaitable, Clock } from '../ports.ts';

/** How many failures are free, and the wait after more of them. */
export interface Limit {
  /** Fewer failures than this require no wait. */
  free: number;
  /** The wait after `free` failures; it doubles with each further one. */
  firstWaitMs: number;
  maxWaitMs: number;
  /** The count restarts this long after the first failure: an office with one typing error a day never waits. */
  forgetAfterMs: number;
}

/** Failures of one kind, say those of one address. `key` is a digest: a password may have been typed as the user name. */
export interface Counter {
  key: string;
  limit: Limit;
}

/** A counter as it is stored. */
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
export interface LimitStore {
  find(key: string): Awaitable<CountedFailures | undefined>;
  apply(change: LimitChange): Promise<number>;
}

/** The clocks of nodes may differ by this much. A failure counted further ahead was counted by a wrong clock. */
const MAX_CLOCK_DIFFERENCE_MS = 5 * 60_000;

/** Pending work of one key. */
interface Lane {
  running: number;
  /** First in, first out; each is called when it may start. */
  waiting: (() => void)[];
}

export interface ThrottleDeps {
  limits: LimitStore;
  clock: Clock;
}

/**
 * Makes clients that fail repeatedly wait. Counts survive a restart and are shared by all nodes. An attempt during the wait is not counted, so
 * that nobody can extend the wait of another.
 */
export class Throttle {
  readonly #limits: LimitStore;
  readonly #clock: Clock;
  readonly #lanes = new Map<string, Lane>();

  constructor({ limits, clock }: ThrottleDeps) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** @throws Failure `too-many-requests` with the seconds to wait, if one of the counters requires a wait */
  async requireNoWait(counters: readonly Counter[]): Promise<void> {
    const counted = await Promise.all(counters.map(async ({ key }) => this.#limits.find(key)));
    const nowMs = this.#clock();
    const waits = counters.map(({ limit }, index) => remainingWaitMs(counted[index], limit, nowMs));
    const remainingMs = Math.max(0, ...waits);
    if (remainingMs > 0) throw tooManyAttempts(remainingMs);
  }

  /** Counts a failure, with an audit entry in the same transaction. Durable when it resolves. */
  async countFailure(counters: readonly Counter[], entry?: NewAuditEntry): Promise<void> {
    await this.#limits.apply({ kind: 'count', counters, nowMs: this.#clock(), entry });
  }

  /** The number of failures that are not forgotten yet. */
  async countOf({ key, limit }: Counter): Promise<number> {
    const counted = await this.#limits.find(key);
    return counted === undefined || isForgotten(counted, limit, this.#clock()) ? 0 : counted.count;
  }

  /** Milliseconds since it was last counted; undefined if that is longer than the limit remembers. */
  async sinceLastMs({ key, limit }: Counter): Promise<number | undefined> {
    const counted = await this.#limits.find(key);
    const nowMs = this.#clock();
    const isKnown = counted !== undefined && !isOfWrongClock(counted, nowMs);
    const sinceMs = isKnown ? nowMs - counted.lastAtMs : Infinity;
    return sinceMs < limit.forgetAfterMs ? sinceMs : undefined;
  }

  async clear(counters: readonly Counter[]): Promise<void> {
    const keys = counters.map(({ key }) => key);
    const counted = await Promise.all(keys.map(async (key) => this.#limits.find(key)));
    if (counted.some((state) => state !== undefined)) await this.#limits.apply({ kind: 'clear', keys });
  }

  /**
   * Runs the work when fewer than `width` are running for this key, first come, first served. Otherwise a hundred concurrent guesses would all be
   * made before the first failure is counted.
   */
  async inLane<T>(key: string, width: number, work: () => Promise<T>): Promise<T> {
    const lane = this.#lanes.get(key) ?? { running: 0, waiting: [] };
    this.#lanes.set(key, lane);
    if (lane.running >= width) await new Promise<void>((resolve) => lane.waiting.push(resolve));
    else lane.running++;
    try {
      return await work();
    } finally {
      // The next in line takes the slot over; it is freed only if there is none.
      const next = lane.waiting.shift();
      if (next !== undefined) next();
      else if (--lane.running === 0) this.#lanes.delete(key);
    }
  }
}

/**
 * Milliseconds left to wait, at most the longest wait of the limit. Failures counted by a clock that was ahead and has been corrected require no wait: it
 * would last until the time of that clock. They still count, so the next failure requires one.
 */
export function remainingWaitMs(counted: CountedFailures | undefined, limit: Limit, nowMs: number): number {
  if (counted === undefined || isForgotten(counted, limit, nowMs) || counted.count < limit.free) return 0;
  if (isOfWrongClock(counted, nowMs)) return 0;
  const waitMs = Math.min(limit.maxWaitMs, limit.firstWaitMs * 2 ** (counted.count - limit.free));
  return Math.min(waitMs, Math.max(0, counted.lastAtMs + waitMs - nowMs));
}

/** The counter to store after one more failure. */
export function countOneMore(counted: CountedFailures | undefined, limit: Limit, nowMs: number): CountedFailures {
  const isContinued = counted !== undefined && !isForgotten(counted, limit, nowMs);
  return isContinued
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
