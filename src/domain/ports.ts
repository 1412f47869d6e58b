import type { AuditEntry, AuditFilter, NewAuditEntry } from './audit.ts';
import type { Outcome } from './failure.ts';
import type { ClaimOutcome, NewClaim } from './request-claim.ts';
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

/** The outcome is 0, but for those that are forgotten. What has another token now is left alone. */
export type RequestChange =
  | { kind: 'renew'; digest: string; token: string; claimedUntilMs: number }
  /** Null: it was carried out, and what was answered is not kept. */
  | { kind: 'record'; digest: string; token: string; answer: string | null }
  /** As if it had never been; where it has changed something, anybody may take it over. */
  | { kind: 'release'; digest: string; token: string }
  /** `limit` at most. The outcome is how many there were. */
  | { kind: 'forget'; nowMs: number; limit: number };

/**
 * Requests with an idempotency key. A change whose stamp carries a claim is made only while the request is in the hands of that claim, and marks it with
 * the same transaction: `conflict` where it is in other hands. Of a request that was resumed, the change is not made again: its outcome is that of then.
 */
export interface IdempotencyStore {
  claimAll(claims: readonly NewClaim[]): Promise<readonly Outcome<ClaimOutcome>[]>;
  applyAll(changes: readonly RequestChange[]): Promise<readonly Outcome<number>[]>;
}

export interface RememberedRequests {
  claim(claim: NewClaim): Promise<ClaimOutcome>;
  apply(change: RequestChange): Promise<number>;
}

/** The id of the installation: of its database, also after it was moved or restored, and of its photo store. */
export interface InstallationStore {
  find(): Promise<string | undefined>;
  /** Stores the id, unless the database has one. @returns the id of the database, the same for all that claim one at the same time */
  claim(id: string): Promise<string>;
}

/** What is made of an idempotency key, and of whom it counts for. Only whoever has the key can make it again. */
export interface KeySecret {
  /** What a store may know it by. */
  digest: string;
  /** What a request is compared by. Without the key it tells nothing of the request, in which there may be a password. */
  fingerprintOf(content: string): string;
  seal(text: string): string;
  open(sealed: string): string;
}

export interface KeySecrets {
  of(scope: string, key: string): KeySecret;
}
