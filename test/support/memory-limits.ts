import { setImmediate as nextIteration } from 'node:timers/promises';
import type { NewAuditEntry } from '../../src/domain/audit.ts';
import type { LimitChange, LimitStore } from '../../src/domain/accounts/throttle.ts';
import { countOneMore, longestWaitMs, type CountedFailures } from '../../src/domain/accounts/throttle.ts';

/**
 * Counters as a store keeps them, for one test. Every call takes an iteration of the event loop. Nothing is ever
 * deleted.
 */
export class MemoryLimits implements LimitStore {
  readonly counted = new Map<string, CountedFailures>();
  /** The audit entries that came with the counts. */
  readonly entries: NewAuditEntry[] = [];
  /** The kinds of the changes so far. */
  readonly asked: LimitChange['kind'][] = [];
  readonly #spent = new Map<string, number>();

  async find(key: string): Promise<CountedFailures | undefined> {
    await nextIteration();
    return this.counted.get(key);
  }

  async apply(change: LimitChange): Promise<number> {
    this.asked.push(change.kind);
    await nextIteration();
    if (change.kind === 'lease') return this.#lease(`${change.hour} ${change.key}`, change.amount, change.most);
    if (change.kind === 'count') this.#count(change);
    if (change.kind === 'attempt') return this.#countAttempt(change);
    if (change.kind === 'take-back') for (const key of change.keys) this.#takeBack(key);
    if (change.kind === 'clear') for (const key of change.keys) this.counted.delete(key);
    return 0;
  }

  #count({ counters, nowMs, entry }: Extract<LimitChange, { kind: 'count' }>): void {
    for (const { key, limit } of counters) this.counted.set(key, countOneMore(this.counted.get(key), limit, nowMs));
    if (entry !== undefined) this.entries.push(entry);
  }

  #countAttempt({ counters, nowMs }: Extract<LimitChange, { kind: 'attempt' }>): number {
    const counted = counters.map(({ key }) => this.counted.get(key));
    const waitMs = longestWaitMs(counters, counted, nowMs);
    if (waitMs === 0) this.#count({ kind: 'count', counters, nowMs, entry: undefined });
    return waitMs;
  }

  #takeBack(key: string): void {
    const counted = this.counted.get(key);
    if (counted !== undefined) this.counted.set(key, { ...counted, count: Math.max(0, counted.count - 1) });
  }

  #lease(slot: string, amount: number, most: number): number {
    const spent = this.#spent.get(slot) ?? 0;
    const granted = Math.max(0, Math.min(amount, most - spent));
    this.#spent.set(slot, spent + granted);
    return granted;
  }
}

/** A clock that the test sets. */
export class TestClock {
  nowMs: number;

  constructor(startMs = 1_795_189_369_000) {
    this.nowMs = startMs;
  }

  readonly read = (): number => this.nowMs;

  pass(ms: number): void {
    this.nowMs += ms;
  }
}
