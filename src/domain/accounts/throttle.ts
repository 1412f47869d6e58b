import type { NewAuditEntry } from '../audit.ts';
import { Failure } from '../failure.ts';
import type { Awaitable, Clock } from '../ports.ts';
import type { Tokens } from './ports.ts';

export interface Limit {
  /** Fewer failures than this require no wait. */
  free: number;
  /** The wait after `free` failures; it doubles with each further one. */
  firstWaitMs: number;
  maxWaitMs: number;
  /** The count restarts after this time since the first failure, so that an office with one typo a day never waits. */
  forgetAfterMs: number;
}

/** Identifies failures that are counted together, such as those of one address. */
export interface Counter {
  /** A digest, because a user may have typed the password as the user name. */
  key: string;
  limit: Limit;
}

/** @param parts as JSON, because a user name may contain any separator */
export function counterOf({ digest }: Pick<Tokens, 'digest'>, limit: Limit, ...parts: readonly string[]): Counter {
  return { key: digest(JSON.stringify(parts)), limit };
}

/** A number of requests in a time. */
export interface Quota extends Counter {
  /** The name in header fields of refusals; undefined if the limit is not one of the client alone. */
  name: string | undefined;
  /** The sentence of a refusal. */
  message: string;
  /** The counter of all clients: this one gets a share of the rest, so that few clients cannot use all of it. */
  shareOf?: Counter;
}

/** The limit of a quota: at most this number in this time, which begins with the first one. */
export function limitOf(most: number, forgetAfterMs: number): Limit {
  return { free: most, firstWaitMs: forgetAfterMs, maxWaitMs: forgetAfterMs, forgetAfterMs };
}

/** The stored state of a counter. */
export interface CountedFailures {
  count: number;
  firstAtMs: number;
  lastAtMs: number;
}

export type LimitChange =
  /** Counts one more failure in each counter. Returns 0, as `clear`. */
  | { kind: 'count'; counters: readonly Counter[]; nowMs: number; entry: NewAuditEntry | undefined }
  /** Counts one more attempt in each counter, unless one requires a wait. Returns its milliseconds, 0 if it counted. */
  | { kind: 'attempt'; counters: readonly Counter[]; nowMs: number }
  /** Counts one less. Returns 0, as `clear`. */
  | { kind: 'take-back'; keys: readonly string[] }
  | { kind: 'clear'; keys: readonly string[] }
  /**
   * Counts one in each of `quotas`, and in each of `hidden` unless one of these is used up. Returns 0 if one is.
   * @throws Failure `too-many-requests` if one of `quotas` is used up; `unavailable` if it is that of all clients
   */
  | { kind: 'spend'; quotas: readonly Quota[]; hidden: readonly Quota[]; nowMs: number }
  /**
   * Leases up to `amount` of the limit `most` of this key in this hour (hours since 1970). Returns the leased number.
   */
  | { kind: 'lease'; key: string; hour: number; amount: number; most: number }
  /** Deletes at most `limit` expired counters and leases of earlier hours. Returns the number of deleted rows. */
  | { kind: 'forget'; nowMs: number; hour: number; limit: number };

/** Persistent counters and leases, shared by all nodes. Errors as in `domain/ports.ts`. */
export interface LimitStore {
  find(key: string): Awaitable<CountedFailures | undefined>;
  apply(change: LimitChange): Promise<number>;
}

/** Tolerated difference between the clocks of nodes. A failure further in the future was counted with a wrong clock. */
const MAX_CLOCK_DIFFERENCE_MS = 5 * 60_000;

/** The pending work of one key. */
interface Lane {
  running: number;
  /** First in, first out. Each function starts its work. */
  waiting: (() => void)[];
}

interface ThrottleDeps {
  limits: LimitStore;
  clock: Clock;
}

/**
 * Makes clients that fail repeatedly wait. Counts survive restarts and are shared by all nodes. Attempts during the
 * wait are not counted, so that an attacker cannot extend the wait of another user.
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
    const remainingMs = longestWaitMs(counters, counted, this.#clock());
    if (remainingMs > 0) throw tooManyAttempts(remainingMs, counters[0]);
  }

  /**
   * Counts an attempt before it is made. All nodes together permit no more attempts than one, because the store checks
   * the wait in the transaction that counts.
   *
   * @throws Failure `too-many-requests` as `requireNoWait`
   */
  async countAttempt(counters: readonly Counter[]): Promise<void> {
    const remainingMs = await this.#limits.apply({ kind: 'attempt', counters, nowMs: this.#clock() });
    if (remainingMs > 0) throw tooManyAttempts(remainingMs, counters[0]);
  }

  /** For a counted attempt that has not failed. */
  async takeBack(counters: readonly Counter[]): Promise<void> {
    await this.#limits.apply({ kind: 'take-back', keys: counters.map(({ key }) => key) });
  }

  /** Writes the audit entry of a failure that was counted before. */
  recordFailure(entry: NewAuditEntry): Promise<void> {
    return this.countFailure([], entry);
  }

  /** Counts a failure, and writes its audit entry in the same transaction. Durable when it resolves. */
  async countFailure(counters: readonly Counter[], entry?: NewAuditEntry): Promise<void> {
    await this.#limits.apply({ kind: 'count', counters, nowMs: this.#clock(), entry });
  }

  /** The number of failures since the count last restarted. */
  async countOf({ key, limit }: Counter): Promise<number> {
    const counted = await this.#limits.find(key);
    return counted === undefined || isForgotten(counted, limit, this.#clock()) ? 0 : counted.count;
  }

  /** Milliseconds since the last count; undefined if it is older than `forgetAfterMs`. */
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
   * Runs the work as soon as fewer than `width` are running for this key, first come, first served. Without lanes, a
   * hundred concurrent guesses would all run before the first failure is counted.
   */
  async inLane<T>(key: string, width: number, work: () => Promise<T>): Promise<T> {
    const lane = this.#lanes.get(key) ?? { running: 0, waiting: [] };
    this.#lanes.set(key, lane);
    if (lane.running >= width) await new Promise<void>((resolve) => lane.waiting.push(resolve));
    else lane.running++;
    try {
      return await work();
    } finally {
      // The next work takes over the slot, which is freed only if none is waiting.
      const next = lane.waiting.shift();
      if (next !== undefined) next();
      else if (--lane.running === 0) this.#lanes.delete(key);
    }
  }
}

/**
 * The remaining wait in milliseconds, at most that of the limit. Failures counted with a clock that was ahead and has
 * been corrected require no wait, because it would last until the time of that clock. They still count, so the next
 * failure requires a wait.
 */
export function remainingWaitMs(counted: CountedFailures | undefined, limit: Limit, nowMs: number): number {
  if (counted === undefined || isForgotten(counted, limit, nowMs) || counted.count < limit.free) return 0;
  if (isOfWrongClock(counted, nowMs)) return 0;
  const waitMs = Math.min(limit.maxWaitMs, limit.firstWaitMs * 2 ** (counted.count - limit.free));
  return Math.min(waitMs, Math.max(0, counted.lastAtMs + waitMs - nowMs));
}

export function longestWaitMs(
  counters: readonly Counter[],
  counted: readonly (CountedFailures | undefined)[],
  nowMs: number,
): number {
  return Math.max(0, ...counters.map(({ limit }, index) => remainingWaitMs(counted[index], limit, nowMs)));
}

/** Milliseconds until the count restarts, if it has reached the limit; otherwise 0. */
export function fullForMs(counted: CountedFailures | undefined, limit: Limit, nowMs: number): number {
  if (counted === undefined || isForgotten(counted, limit, nowMs) || counted.count < limit.free) return 0;
  return Math.min(limit.forgetAfterMs, counted.firstAtMs + limit.forgetAfterMs - nowMs);
}

/** With a hundred clients at their limits, a sixth is left for others. */
const SHARES = 20;

/** The limit of a quota, if the counter of which it is a share has this state. */
export function sharedLimit(limit: Limit, whole: Counter, counted: CountedFailures | undefined, nowMs: number): Limit {
  const used = counted === undefined || isForgotten(counted, whole.limit, nowMs) ? 0 : counted.count;
  return { ...limit, free: Math.max(1, Math.floor((whole.limit.free - used) / SHARES)) };
}

export interface UsedUp {
  quota: Quota;
  waitMs: number;
}

/** The quota that is used up for longest: a client that is told the wait of another one is refused again after it. */
export function longestUsedUp(checked: readonly UsedUp[]): UsedUp | undefined {
  const longestMs = Math.max(...checked.map(({ waitMs }) => waitMs));
  return longestMs > 0 ? checked.find(({ waitMs }) => waitMs === longestMs) : undefined;
}

/** Like `longestUsedUp`. Counts nothing, so the store must check it again when it does. */
export async function findUsedUp(
  limits: Pick<LimitStore, 'find'>,
  quotas: readonly Quota[],
  nowMs: number,
): Promise<UsedUp | undefined> {
  const checked = await Promise.all(
    quotas.map(async (quota) => {
      const { key, shareOf } = quota;
      const [counted, whole] = await Promise.all([limits.find(key), shareOf && limits.find(shareOf.key)]);
      return { quota, waitMs: quotaWaitMs(quota, { counted, whole }, nowMs) };
    }),
  );
  return longestUsedUp(checked);
}

/** Milliseconds until the count restarts, if it has reached the limit; otherwise 0. */
export function quotaWaitMs(
  { limit, shareOf }: Quota,
  { counted, whole }: Record<'counted' | 'whole', CountedFailures | undefined>,
  nowMs: number,
): number {
  const current = shareOf === undefined ? limit : sharedLimit(limit, shareOf, whole, nowMs);
  return fullForMs(counted, current, nowMs);
}

/**
 * The limit of all clients is `unavailable`: a client cannot stay below it.
 *
 * @param waitMs until the count restarts
 */
export function quotaUsedUp({ name, limit, message }: Quota, waitMs: number): Failure {
  const retryAfterSeconds = Math.ceil(waitMs / 1000);
  if (name === undefined) return new Failure('unavailable', message, { retryAfterSeconds });
  const { free: quota, forgetAfterMs } = limit;
  const exceeded = { name, quota, windowSeconds: forgetAfterMs / 1000 };
  return new Failure('too-many-requests', message, { retryAfterSeconds, limit: exceeded });
}

/** The counter to store after one more failure. */
export function countOneMore(counted: CountedFailures | undefined, limit: Limit, nowMs: number): CountedFailures {
  const isContinued = counted !== undefined && !isForgotten(counted, limit, nowMs);
  return isContinued
    ? // A first failure in the future would never expire.
      { count: counted.count + 1, firstAtMs: Math.min(counted.firstAtMs, nowMs), lastAtMs: nowMs }
    : { count: 1, firstAtMs: nowMs, lastAtMs: nowMs };
}

function isForgotten({ firstAtMs }: CountedFailures, { forgetAfterMs }: Limit, nowMs: number): boolean {
  return nowMs - firstAtMs >= forgetAfterMs;
}

function isOfWrongClock({ lastAtMs }: CountedFailures, nowMs: number): boolean {
  return lastAtMs - nowMs > MAX_CLOCK_DIFFERENCE_MS;
}

/**
 * @param first always the same for a kind of attempt, so that the limit does not show which counter requires the wait:
 *   that of an account counts guesses of other clients
 */
function tooManyAttempts(remainingMs: number, first: Counter | undefined): Failure {
  const retryAfterSeconds = Math.ceil(remainingMs / 1000);
  const wait = retryAfterSeconds === 1 ? 'a second' : `${retryAfterSeconds} seconds`;
  const message = `Too many attempts. Try again in ${wait}.`;
  if (first === undefined) return new Failure('too-many-requests', message, { retryAfterSeconds });
  const { free, forgetAfterMs } = first.limit;
  const limit = { name: 'attempts', quota: free, windowSeconds: forgetAfterMs / 1000 };
  return new Failure('too-many-requests', message, { retryAfterSeconds, limit });
}
