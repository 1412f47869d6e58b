import type { Actor } from '../access.ts';
import type { AccountWriteLimits } from '../accounts/account-writes.ts';
import type { Tokens } from '../accounts/ports.ts';
import type { LimitStore } from '../accounts/throttle.ts';
import { stampOf } from '../audit.ts';
import { inBatches } from '../batches.ts';
import { Failure } from '../failure.ts';
import type { Clock } from '../ports.ts';
import type { ClaimOutcome, IdempotencyStore, KeySecret, KeySecrets, RequestClaim } from '../request-claim.ts';

interface IdempotencyDeps {
  requests: IdempotencyStore;
  limits: LimitStore;
  writeLimits: AccountWriteLimits;
  secrets: KeySecrets;
  tokens: Tokens;
  clock: Clock;
}

interface KeyedRequest {
  key: string;
  /** A digest of the request, to detect different requests with the same key. */
  content: string;
  /** See `RequestClaim`. */
  isOneChange: boolean;
  /** Whether the request may contain a password, or its response a secret. */
  hasSecret: boolean;
}

/** A serialized response. It is stored encrypted with the key. */
export type ResponseText = string;

/** A request that the caller must execute. */
export interface BegunRequest {
  kind: 'begun';
  claim: RequestClaim;
  /** An earlier attempt made the change, but did not record its response. */
  isResumed: boolean;
  /** Extends the claim. */
  renew(): Promise<void>;
  /** Records the response; undefined if the request was executed, but its response cannot be stored. */
  record(response: ResponseText | undefined): Promise<void>;
  /**
   * Records a refusal. Beyond an hourly limit, it releases the key instead, so that refusals cannot fill the database.
   */
  recordRefusal(response: ResponseText | undefined): Promise<void>;
  /** Releases the key if nothing was changed. Otherwise the key stays marked as used. */
  release(): Promise<void>;
}

interface RecordedRequest {
  kind: 'recorded';
  response: ResponseText;
}

/** How long a key is stored after the first request. */
const KEPT_MS = 24 * 3_600_000;

/**
 * Lifetime of a claim. One that is not renewed belongs to a dead node: after this time, another one may execute the
 * request.
 */
const CLAIM_MS = 6000;

/** Interval at which a pending request renews its claim. Most requests end before. */
export const RENEWAL_MS = CLAIM_MS / 3;

/**
 * 128 random bits have 22 characters in base64, and 32 as a UUID without hyphens. A response encrypted with a shorter
 * key could be decrypted by guessing the key.
 */
const MIN_SECRET_KEY_LENGTH = 22;

/**
 * An attacker who knows the key of another user's login could guess the password, because each request is compared with
 * the first one.
 */
const SECRET_TRIES_PER_HOUR = 20;
const HOUR_MS = 3_600_000;

/**
 * Executes a request once, even if it is sent several times (draft-ietf-httpapi-idempotency-key-header). The response
 * is stored encrypted with the key. A change is recorded in its own transaction, so that a crash before the response is
 * stored does not repeat it.
 */
export class Idempotency {
  readonly #deps: IdempotencyDeps;

  constructor(deps: IdempotencyDeps) {
    this.#deps = deps;
  }

  /**
   * @throws Failure `conflict` while the first request is pending, or if its response is lost; `key-reused` for a
   *   different request; `invalid-input` for a key that is too short for a request with secrets, `too-many-requests` if
   *   such a key is tried too often
   */
  async begin(
    actor: Actor,
    { key, content, isOneChange, hasSecret }: KeyedRequest,
  ): Promise<BegunRequest | RecordedRequest> {
    const { requests, writeLimits, secrets, tokens, clock } = this.#deps;
    if (hasSecret && key.length < MIN_SECRET_KEY_LENGTH) throw tooShort();
    // Other requests store more than their key does, so only the keys of requests with secrets are limited.
    if (hasSecret) await writeLimits.spend('requests with an idempotency key', stampOf(actor, clock()));
    const secret = secrets.of(scopeOf(actor), key);
    const claim = { digest: secret.digest, token: tokens.createId(), isOneChange };
    const nowMs = clock();
    const outcome = await requests.claim({
      digest: claim.digest,
      token: claim.token,
      fingerprint: secret.fingerprintOf(content),
      nowMs,
      claimMs: CLAIM_MS,
      expiresAtMs: nowMs + KEPT_MS,
    });
    // Retries while the first request is pending do not count.
    if (hasSecret && ['reused', 'recorded', 'done'].includes(outcome.kind)) await this.#countTry(secret.digest);
    if (outcome.kind === 'recorded') return { kind: 'recorded', response: secret.open(outcome.response) };
    if (outcome.kind !== 'begun' && outcome.kind !== 'resumed') throw refusalOf(outcome, isOneChange);
    return this.#begun(actor, claim, secret, outcome.kind === 'resumed');
  }

  /** Deletes expired keys. @param isStopping called before each batch; true ends the deletion */
  deleteExpired(isStopping: () => boolean = () => false): Promise<void> {
    const { requests, clock } = this.#deps;
    const nowMs = clock();
    return inBatches((limit) => requests.apply({ kind: 'forget', nowMs, limit }), isStopping);
  }

  #begun(actor: Actor, claim: RequestClaim, secret: KeySecret, isResumed: boolean): BegunRequest {
    const { requests, clock } = this.#deps;
    const { digest, token } = claim;
    const record = async (response: ResponseText | undefined) => {
      const sealed = response === undefined ? null : secret.seal(response);
      await requests.apply({ kind: 'record', digest, token, response: sealed });
    };
    const release = async () => {
      await requests.apply({ kind: 'release', digest, token });
    };
    return {
      kind: 'begun',
      claim,
      isResumed,
      renew: async () => {
        await requests.apply({ kind: 'renew', digest, token, nowMs: clock(), claimMs: CLAIM_MS });
      },
      record,
      release,
      recordRefusal: async (response) => {
        await ((await this.#mayKeepRefusal(actor)) ? record(response) : release());
      },
    };
  }

  /** @throws Failure `too-many-requests` */
  async #countTry(digest: string): Promise<void> {
    const { limits, clock } = this.#deps;
    const nowMs = clock();
    const hour = Math.floor(nowMs / HOUR_MS);
    const key = `tries with idempotency key ${digest}`;
    const left = await limits.apply({ kind: 'lease', key, hour, amount: 1, most: SECRET_TRIES_PER_HOUR });
    if (left === 0) throw tooManyTries((hour + 1) * HOUR_MS - nowMs);
  }

  async #mayKeepRefusal(actor: Actor): Promise<boolean> {
    const { writeLimits, clock } = this.#deps;
    try {
      await writeLimits.spend('refusals kept', stampOf(actor, clock()));
      return true;
    } catch (error) {
      if (error instanceof Failure && error.code === 'too-many-requests') return false;
      throw error;
    }
  }
}

type RefusedClaim = Extract<ClaimOutcome, { kind: 'in-flight' | 'reused' | 'done' }>;

function refusalOf(outcome: RefusedClaim, isOneChange: boolean): Failure {
  if (outcome.kind === 'in-flight') return inFlight(outcome.leftMs);
  if (outcome.kind === 'reused') return reused();
  return isOneChange ? doneBefore() : begunBefore();
}

/** Each account has its own keys. All anonymous clients share one scope. */
function scopeOf(actor: Actor): string {
  return 'userId' in actor ? `account ${actor.userId}` : 'anonymous';
}

function tooShort(): Failure {
  return new Failure(
    'invalid-input',
    `For operations on users, API keys and sessions, and of the administration, an Idempotency-Key must have at least ${MIN_SECRET_KEY_LENGTH} random characters. Use a random UUID.`,
  );
}

function tooManyTries(leftMs: number): Failure {
  return new Failure('too-many-requests', 'Too many requests with this Idempotency-Key. Try again later.', {
    retryAfterSeconds: Math.max(1, Math.ceil(leftMs / 1000)),
    limit: { name: 'idempotency-key', quota: SECRET_TRIES_PER_HOUR, windowSeconds: HOUR_MS / 1000 },
  });
}

function inFlight(leftMs: number): Failure {
  return new Failure('conflict', 'The first request with this Idempotency-Key is still in progress. Try again later.', {
    // Sooner, the retry could not take over the request of a dead node.
    retryAfterSeconds: Math.ceil(leftMs / 1000),
  });
}

function reused(): Failure {
  return new Failure(
    'key-reused',
    'This Idempotency-Key was used for another request. Use a new key for each request, and the same key only ' +
      'for a retry.',
  );
}

/** For a request whose change was made, but whose response is lost. */
export function doneBefore(): Failure {
  return new Failure(
    'conflict',
    'The first request with this Idempotency-Key was executed, at least partly, but its response is no longer ' +
      'available. Check the data, and do not retry.',
  );
}

/** For a request of many independent changes, of which at least one was made. */
function begunBefore(): Failure {
  return new Failure(
    'conflict',
    'The first request with this Idempotency-Key was executed, perhaps only partly, and its response is no ' +
      'longer available. Check the pets and their history, and send the missing changes with a new key.',
  );
}
