import { Failure } from '../failure.ts';

/*
 * What a store decides of requests with an idempotency key, inside its transactions: the rules are one for every engine.
 */

/** The hold that a request has on its idempotency key. Every change that it makes carries it, in its stamp. */
export interface RequestClaim {
  /** Of the key and of who sends it: what the store knows the request by. */
  digest: string;
  /** Another one for every try: a try that others have taken over from changes nothing any more. */
  token: string;
  /** It makes one change: what that came to is kept with it, so that the answer can be made again. */
  isOneChange: boolean;
}

/** A try to be the one that carries a request out. */
export interface NewClaim {
  digest: string;
  fingerprint: string;
  token: string;
  nowMs: number;
  claimedUntilMs: number;
  expiresAtMs: number;
}

/** A request as a store holds it. */
export interface HeldRequest {
  fingerprint: string;
  /** The token of the try that has it in hand, or had it last. */
  claim: string;
  claimedUntilMs: number;
  /** The token of the try that made the change; the mark was written with the change itself. */
  doneBy: string | null;
  /** What the change came to, where that is kept. */
  result: string | null;
  /** Sealed. */
  answer: string | null;
  expiresAtMs: number;
}

/** What becomes of a try. */
export type ClaimOutcome =
  /** It is the first one, or the one before has ended without a change. */
  | { kind: 'begun' }
  /** The change is there, its answer is not: the change is not made again, and comes to what it came to then. */
  | { kind: 'resumed' }
  | { kind: 'in-flight'; untilMs: number }
  /** The key belongs to another request. */
  | { kind: 'reused' }
  | { kind: 'answered'; answer: string }
  /** The change is there, and its answer cannot be made again. */
  | { kind: 'done' };

/** The clocks of nodes may be so far apart; a claim that ends further ahead was made by a clock that is wrong. */
const MAX_AHEAD_MS = 6 * 60_000;

export function decideClaim(held: HeldRequest | undefined, { fingerprint, nowMs }: NewClaim): ClaimOutcome {
  if (held === undefined || held.expiresAtMs <= nowMs) return { kind: 'begun' };
  if (held.fingerprint !== fingerprint) return { kind: 'reused' };
  if (held.answer !== null) return { kind: 'answered', answer: held.answer };
  const { claimedUntilMs } = held;
  if (claimedUntilMs > nowMs && claimedUntilMs <= nowMs + MAX_AHEAD_MS)
    return { kind: 'in-flight', untilMs: claimedUntilMs };
  if (held.doneBy === null) return { kind: 'begun' };
  return { kind: held.result === null ? 'done' : 'resumed' };
}

/** What a change carries: nothing, for nearly all. */
export function claimOf(change: unknown): RequestClaim | undefined {
  return (change as { stamp?: { claim?: RequestClaim } }).stamp?.claim;
}

type Mark = Pick<HeldRequest, 'claim' | 'doneBy' | 'result'>;

/**
 * What the change came to when an earlier try made it; undefined where it is to be made now.
 *
 * @throws Failure `conflict` where the request is in other hands
 */
export function earlierResult(held: Mark | undefined, { token }: RequestClaim): string | undefined {
  if (held === undefined || held.claim !== token) throw takenOver();
  if (held.doneBy === null || held.doneBy === token) return undefined;
  if (held.result === null) throw takenOver();
  return held.result;
}

/** What is kept of what a change came to. Of several changes of one request, nothing. */
export function resultToKeep(held: Mark, { isOneChange }: RequestClaim, result: string | null): string | null {
  return isOneChange && held.doneBy === null ? result : null;
}

/** Accounts by their ids, where nothing else of a change is told. */
export function accountResult({ kind }: { kind: string }, ids: readonly bigint[]): string | null {
  return kind === 'create' || kind === 'set-status' ? ids.join() : null;
}

export function accountsOfResult(result: string): readonly bigint[] {
  return result.split(',').map(BigInt);
}

/** A pet by its id and its version. */
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
    'This request took so long that another one with its Idempotency-Key took over. It changed nothing.',
    { retryAfterSeconds: 1 },
  );
}

/** A change of a claimed request. It has no effect if another try has taken the request over. The outcome is 0, except for `forget`. */
export type RequestChange =
  | { kind: 'renew'; digest: string; token: string; claimedUntilMs: number }
  /** Null if the request was executed and its response is not stored. */
  | { kind: 'record'; digest: string; token: string; answer: string | null }
  /** Forgets the request; if it has changed something, another try may take it over instead. */
  | { kind: 'release'; digest: string; token: string }
  /** Deletes expired requests, `limit` at most. The outcome is their number. */
  | { kind: 'forget'; nowMs: number; limit: number };

/**
 * Requests with an idempotency key. A change whose stamp has a claim is made only while the claim holds the request, and is recorded with the request in the
 * same transaction; otherwise it is a `conflict`. A resumed request does not repeat its change: the outcome is the recorded one.
 */
export interface IdempotencyStore {
  claim(claim: NewClaim): Promise<ClaimOutcome>;
  apply(change: RequestChange): Promise<number>;
}

/** Derived from an idempotency key and its scope. It cannot be derived without the key. */
export interface KeySecret {
  /** Identifies the key in the store. */
  digest: string;
  /** Compares requests. Keyed, because a request may contain a password. */
  fingerprintOf(content: string): string;
  seal(text: string): string;
  open(sealed: string): string;
}

export interface KeySecrets {
  of(scope: string, key: string): KeySecret;
}
