import { Failure } from './failure.ts';

/*
 * The rules for requests with an idempotency key, which stores apply inside their transactions: the same on every
 * engine.
 */

/** The claim of a request on its idempotency key. Every change of the request carries it in its stamp. */
export interface RequestClaim {
  /** The digest of the key and its scope, which identifies the request in the store. */
  digest: string;
  /** Unique for each attempt. After another attempt has taken over the request, changes with this token are refused. */
  token: string;
  /**
   * Whether the request makes exactly one change. Its result is stored, so that a retry can produce the response again.
   */
  isOneChange: boolean;
}

/** An attempt to execute a request. */
export interface NewClaim {
  digest: string;
  fingerprint: string;
  token: string;
  nowMs: number;
  claimMs: number;
  expiresAtMs: number;
}

/** The stored state of a request. */
export interface RequestRecord {
  fingerprint: string;
  /** The token of the current or last attempt. */
  claim: string;
  /**
   * The remaining time of the claim, by the clock of the store: that of the database, because the clocks of nodes may
   * differ.
   */
  claimLeftMs: number;
  /** The token of the attempt that made the change, written in the same transaction. */
  doneBy: string | null;
  /** The result of the change, if it is stored. */
  result: string | null;
  /** The encrypted response. */
  response: string | null;
  expiresAtMs: number;
}

export type ClaimOutcome =
  /** This is the first attempt, or the previous one ended without a change. */
  | { kind: 'begun' }
  /**
   * The change was made, but its response was not stored. Executing the request again does not repeat the change, but
   * returns the stored result.
   */
  | { kind: 'resumed' }
  | { kind: 'in-flight'; leftMs: number }
  /** The key belongs to a different request. */
  | { kind: 'reused' }
  | { kind: 'recorded'; response: string }
  /** The change was made, and its response cannot be produced again. */
  | { kind: 'done' };

/** A claim that lasts longer was made before the clock was set back. Nodes of earlier versions claim for 30 seconds. */
const MAX_CLAIM_MS = 60_000;

export function decideClaim(stored: RequestRecord | undefined, { fingerprint, nowMs }: NewClaim): ClaimOutcome {
  if (stored === undefined || stored.expiresAtMs <= nowMs) return { kind: 'begun' };
  if (stored.fingerprint !== fingerprint) return { kind: 'reused' };
  if (stored.response !== null) return { kind: 'recorded', response: stored.response };
  const { claimLeftMs } = stored;
  if (claimLeftMs > 0 && claimLeftMs <= MAX_CLAIM_MS) return { kind: 'in-flight', leftMs: claimLeftMs };
  if (stored.doneBy === null) return { kind: 'begun' };
  return { kind: stored.result === null ? 'done' : 'resumed' };
}

/** The claim that a change carries; undefined for requests without an idempotency key. */
export function claimOf(change: unknown): RequestClaim | undefined {
  return (change as { stamp?: { claim?: RequestClaim } }).stamp?.claim;
}

type Mark = Pick<RequestRecord, 'claim' | 'doneBy' | 'result'>;

/**
 * The result of the change if an earlier attempt made it; undefined if it has to be made now.
 *
 * @throws Failure `conflict` if another attempt has taken over the request
 */
export function earlierResult(stored: Mark | undefined, { token }: RequestClaim): string | undefined {
  if (stored === undefined || stored.claim !== token) throw takenOver();
  if (stored.doneBy === null || stored.doneBy === token) return undefined;
  if (stored.result === null) throw takenOver();
  return stored.result;
}

/** The result to store for a change; null for requests with several changes. */
export function resultToStore(stored: Mark, { isOneChange }: RequestClaim, result: string | null): string | null {
  return isOneChange && stored.doneBy === null ? result : null;
}

/** The stored result of a change of accounts: their ids. Null for changes whose response needs no result. */
export function accountResult({ kind }: { kind: string }, ids: readonly bigint[]): string | null {
  return kind === 'create' || kind === 'set-status' ? ids.join() : null;
}

export function accountsOfResult(result: string): readonly bigint[] {
  return result.split(',').map(BigInt);
}

/** The stored result of a change of a pet: its id and version. */
export function petResult(id: bigint, version: bigint): string {
  return `${id} ${version}`;
}

export function petOfResult(result: string): [id: bigint, version: bigint] {
  const [id = '', version = ''] = result.split(' ');
  return [BigInt(id), BigInt(version)];
}

function takenOver(): Failure {
  return new Failure(
    'conflict',
    'The request took too long, and another one with the same Idempotency-Key took over. Nothing was stored.',
    { retryAfterSeconds: 1 },
  );
}

/**
 * A change of a claimed request. It has no effect if another attempt has taken over the request. Returns 0, except for
 * `forget`.
 */
export type RequestChange =
  | { kind: 'renew'; digest: string; token: string; nowMs: number; claimMs: number }
  /** Records the response; null if the request was executed, but its response cannot be stored. */
  | { kind: 'record'; digest: string; token: string; response: string | null }
  /** Deletes the request. If it has changed something, it stays, and another attempt may take it over. */
  | { kind: 'release'; digest: string; token: string }
  /** Deletes at most `limit` expired requests. Returns the number of deleted requests. */
  | { kind: 'forget'; nowMs: number; limit: number };

/**
 * Requests with an idempotency key. Every store makes a change whose stamp has a claim only while the claim is valid,
 * and records it with the request in the same transaction; otherwise it throws Failure `conflict`. A resumed request
 * does not repeat its change, but returns the recorded result.
 */
export interface IdempotencyStore {
  claim(claim: NewClaim): Promise<ClaimOutcome>;
  apply(change: RequestChange): Promise<number>;
}

/** Cryptographic keys derived from an idempotency key and its scope. */
export interface KeySecret {
  /** Identifies the request in the store. */
  digest: string;
  /** A keyed digest for comparing requests. It is keyed because a request may contain a password. */
  fingerprintOf(content: string): string;
  seal(text: string): string;
  open(sealed: string): string;
}

export interface KeySecrets {
  of(scope: string, key: string): KeySecret;
}
