import type { AuditEntry, AuditFilter, NewAuditEntry } from './audit.ts';
import type { Outcome } from './failure.ts';
import type { CountedFailures, Counter } from './throttle.ts';

/*
 * What the domain needs of the world. Stores speak in batches; `batching/` makes single calls of them (`Pets`, `Users`, ...), which is what
 * the use cases are given. Every change of a batch succeeds or fails alone, and is durable before its answer comes. Any call may also fail
 * with Failure `unavailable`, when the engine behind it is out of reach; then nothing was changed, or it is not known whether it was.
 *
 * Every change carries a stamp. `unauthenticated` where the session or the key of the stamp has ended, or its account was closed or has another role
 * by the time of the transaction. The store writes an entry into the audit trail with the same transaction: both are there, or neither is.
 */

/** Milliseconds since 1970. */
export type Clock = () => number;

/**
 * Begins work together with all else that arrived at the same moment, on one state of the data: what the work reads at once (`peek`) is exact, and
 * costs less. The work must not throw.
 */
export type Turns = (begin: () => void) => void;

/**
 * How new that has to be what is read: a copy will do that has the change of a pet with this version. Left out, only what stands at this very moment
 * will do.
 */
export type NoOlderThan = bigint | undefined;

/** A part of a list that is sorted by id: from the first id after `afterId`, `limit` at most. */
export interface ListPart {
  afterId: bigint;
  limit: number;
  /** Of pets only. */
  noOlderThan?: NoOlderThan;
}

export type LimitChange =
  /** One more failure for each counter. The outcome is 0. */
  | { kind: 'count'; counters: readonly Counter[]; nowMs: number; entry: NewAuditEntry | undefined }
  | { kind: 'clear'; keys: readonly string[] }
  /** Takes so many of the `most` that may be spent under this key within this hour (hours since 1970). The outcome is how many were left to take. */
  | { kind: 'lease'; key: string; hour: number; amount: number; most: number }
  /** Forgets counters that were last counted longer ago than their limit remembers, and leases of earlier hours, `limit` at most. The outcome is how many. */
  | { kind: 'forget'; nowMs: number; hour: number; limit: number };

/** Counts that hold across restarts and nodes. */
export interface LimitStore {
  findMany(keys: readonly string[]): Promise<readonly (CountedFailures | undefined)[]>;
  applyAll(changes: readonly LimitChange[]): Promise<readonly Outcome<number>[]>;
}

export interface Limits {
  find(key: string): Promise<CountedFailures | undefined>;
  apply(change: LimitChange): Promise<number>;
}

export type AuditChange =
  /** What changes nothing else. */
  | { kind: 'note'; entry: NewAuditEntry }
  /** Forgets entries older than `beforeMs`, so many at most. The outcome is how many there were. */
  | { kind: 'forget'; beforeMs: number; limit: number };

/** A part of the audit trail, newest first: from the last entry before `beforeId`; all, where that is absent. */
export interface AuditPart {
  beforeId: bigint | undefined;
  limit: number;
}

/** The audit trail. Entries are never changed, and removed by age only. */
export interface AuditStore {
  list(filter: AuditFilter, part: AuditPart): Promise<readonly AuditEntry[]>;
  applyAll(changes: readonly AuditChange[]): Promise<readonly Outcome<number>[]>;
}

export interface Audit extends Pick<AuditStore, 'list'> {
  apply(change: AuditChange): Promise<number>;
}
