import {
  countOneMore,
  longestUsedUp,
  longestWaitMs,
  quotaUsedUp,
  quotaWaitMs,
  type CountedFailures,
  type Counter,
  type LimitChange,
  type LimitStore,
  type Quota,
  type UsedUp,
} from '../../../domain/accounts/throttle.ts';
import { forgetOldest, statement } from '../statements.ts';
import { ask, send, type CommonTransaction, type StoreDeps, type Steps } from '../steps.ts';

type CountRow = [key: string, count: bigint, firstAtMs: bigint, lastAtMs: bigint];

const find = statement(
  (sql) => `select key, count, first_at_ms, last_at_ms from counted_failures where ${sql.isKey('key')}`,
);
const findCurrent = statement('select key, count, first_at_ms, last_at_ms from counted_failures where key = $1');
const set = statement(
  `insert into counted_failures (key, count, first_at_ms, last_at_ms, forget_at_ms) values ($1, $2, $3, $4, $5)
   on conflict (key) do update set count = excluded.count, first_at_ms = excluded.first_at_ms,
     last_at_ms = excluded.last_at_ms, forget_at_ms = excluded.forget_at_ms`,
);
const takeBack = statement('update counted_failures set count = count - 1 where key = $1 and count > 0');
const clear = statement('delete from counted_failures where key = $1');
const forgetCounts = forgetOldest('counted_failures', 'key', 'forget_at_ms');
const spentOf = statement('select spent from request_lease where key = $1 and hour = $2');
const lease = statement(
  `insert into request_lease (key, hour, spent) values ($1, $2, $3)
   on conflict (key, hour) do update set spent = excluded.spent`,
);
const forgetLeases = statement((sql) => {
  const oldest = 'select key from request_lease where hour < $1 order by hour limit $2';
  return `delete from request_lease where hour < $1 and ${sql.isAmong('key', oldest)} returning key`;
});

export class SqlLimitStore implements LimitStore {
  readonly find: LimitStore['find'];
  readonly #apply;

  constructor({ reads, apply }: StoreDeps<LimitChange, number>) {
    this.find = reads.finder(find, toCountedFailures);
    this.#apply = apply;
  }

  apply(change: LimitChange): Promise<number> {
    return this.#apply(change);
  }
}

export function* applyLimitChange(change: LimitChange, transaction: CommonTransaction): Steps<number> {
  switch (change.kind) {
    case 'count':
      for (const counter of change.counters) yield* countFailure(counter, change.nowMs);
      if (change.entry !== undefined) transaction.audit(change.entry);
      break;
    case 'attempt':
      return yield* countAttempt(change);
    case 'take-back':
      for (const key of change.keys) yield* send(takeBack, key);
      break;
    case 'clear':
      for (const key of change.keys) yield* send(clear, key);
      break;
    case 'spend':
      yield* spendAll(change.quotas, change.nowMs);
      return (yield* takeRoom(change.hidden, change.nowMs)) ? 1 : 0;
    case 'lease':
      return yield* takeLease(change);
    case 'forget': {
      const counts = (yield* ask(forgetCounts, change.nowMs, change.limit)).length;
      return counts + (yield* ask(forgetLeases, change.hour, change.limit - counts)).length;
    }
  }
  return 0;
}

/** The state of a counter in the current transaction. */
export function* readCount(key: string): Steps<CountedFailures | undefined> {
  const [row] = yield* ask<CountRow>(findCurrent, key);
  return row && toCountedFailures(row);
}

export function* countFailure({ key, limit }: Counter, nowMs: number): Steps<void> {
  const next = countOneMore(yield* readCount(key), limit, nowMs);
  yield* send(set, key, next.count, next.firstAtMs, next.lastAtMs, next.lastAtMs + limit.forgetAfterMs);
}

function* countAttempt({ counters, nowMs }: Extract<LimitChange, { kind: 'attempt' }>): Steps<number> {
  const counted: (CountedFailures | undefined)[] = [];
  for (const { key } of counters) counted.push(yield* readCount(key));
  const waitMs = longestWaitMs(counters, counted, nowMs);
  if (waitMs === 0) for (const counter of counters) yield* countFailure(counter, nowMs);
  return waitMs;
}

/** @throws Failure `too-many-requests` or `unavailable` if one is used up; then none is counted */
export function* spendAll(quotas: readonly Quota[], nowMs: number): Steps<void> {
  const checked: UsedUp[] = [];
  for (const quota of quotas) checked.push({ quota, waitMs: yield* waitOf(quota, nowMs) });
  const usedUp = longestUsedUp(checked);
  if (usedUp !== undefined) throw quotaUsedUp(usedUp.quota, usedUp.waitMs);
  for (const quota of quotas) yield* countFailure(quota, nowMs);
}

/** @returns false if one is used up; then none is counted */
export function* takeRoom(quotas: readonly Quota[], nowMs: number): Steps<boolean> {
  for (const quota of quotas) if ((yield* waitOf(quota, nowMs)) > 0) return false;
  for (const quota of quotas) yield* countFailure(quota, nowMs);
  return true;
}

function* waitOf(quota: Quota, nowMs: number): Steps<number> {
  const whole = quota.shareOf && (yield* readCount(quota.shareOf.key));
  return quotaWaitMs(quota, { counted: yield* readCount(quota.key), whole }, nowMs);
}

function* takeLease({ key, hour, amount, most }: Extract<LimitChange, { kind: 'lease' }>): Steps<number> {
  const [row] = yield* ask<[spent: bigint]>(spentOf, key, hour);
  const spent = Number(row?.[0] ?? 0);
  const granted = Math.max(0, Math.min(amount, most - spent));
  if (granted > 0) yield* send(lease, key, hour, spent + granted);
  return granted;
}

function toCountedFailures([, count, firstAtMs, lastAtMs]: CountRow): CountedFailures {
  return { count: Number(count), firstAtMs: Number(firstAtMs), lastAtMs: Number(lastAtMs) };
}
