import type { Actor } from '../access.ts';
import type { AccountWriteLimits } from '../accounts/account-writes.ts';
import type { Tokens } from '../accounts/ports.ts';
import { stampOf } from '../audit.ts';
import { Failure } from '../failure.ts';
import type { Clock } from '../ports.ts';
import type { KeySecret, KeySecrets, IdempotencyStore } from './request-claim.ts';
import type { LimitStore } from '../accounts/throttle.ts';
import { inBatches } from '../batches.ts';
import type { RequestClaim } from './request-claim.ts';

export interface IdempotencyNeeds {
  requests: IdempotencyStore;
  limits: LimitStore;
  writeLimits: AccountWriteLimits;
  secrets: KeySecrets;
  tokens: Tokens;
  clock: Clock;
}

/** A request with an idempotency key. */
export interface KeyedRequest {
  key: string;
  /** A digest of all that makes it this request and no other. */
  content: string;
  /** As in `RequestClaim`. */
  isOneChange: boolean;
  /** It may carry a password, or its answer may be a secret. */
  hasSecret: boolean;
}

/** What was answered, as text that only whoever knows the key can read. */
export type AnswerText = string;

/** A request that is to be carried out now. */
export interface BegunRequest {
  kind: 'begun';
  claim: RequestClaim;
  /** An earlier try made the change, and was not answered. */
  isResumed: boolean;
  /** Says that it is still at work. */
  renew(): Promise<void>;
  /** Keeps the answer. Undefined: none that can be kept, but the request was carried out. */
  record(answer: AnswerText | undefined): Promise<void>;
  /** Keeps the answer of a request that was refused. Beyond a number in an hour, gives the key back instead: refusals must not fill the database. */
  recordRefusal(answer: AnswerText | undefined): Promise<void>;
  /** Gives the key back where nothing was changed; else it stays marked as used. */
  release(): Promise<void>;
}

export interface AnsweredRequest {
  kind: 'answered';
  answer: AnswerText;
}

export type Idempotency = ReturnType<typeof createIdempotency>;

/** Keys are remembered for so long, counted from the beginning of the request. */
const KEPT_MS = 24 * 3_600_000;

/** A request that says nothing for so long has died with its node. */
const CLAIM_MS = 30_000;

/** So often a request says that it is still at work. */
export const RENEWAL_MS = CLAIM_MS / 3;

/** A UUID without its hyphens has 32, 128 random bits in base64 have 22: what is sealed with fewer can be opened by trying. */
const MIN_SECRET_KEY_LENGTH = 22;

/** Whoever comes by the key of somebody else's login is not to find out the password by it: each try is compared with what was sent first. */
const SECRET_TRIES_AN_HOUR = 20;
const HOUR_MS = 3_600_000;

/**
 * Requests that are carried out once, however often they are sent (draft-ietf-httpapi-idempotency-key-header). What was answered is kept, sealed with the
 * key; what was changed is marked with the change itself, so that a crash between the two loses nothing.
 */
export function createIdempotency(needs: IdempotencyNeeds) {
  const { requests, limits, writeLimits, secrets, tokens, clock } = needs;

  /** @throws Failure `too-many-requests` */
  async function countTry(digest: string): Promise<void> {
    const nowMs = clock();
    const hour = Math.floor(nowMs / HOUR_MS);
    const key = `tries with idempotency key ${digest}`;
    const left = await limits.apply({ kind: 'lease', key, hour, amount: 1, most: SECRET_TRIES_AN_HOUR });
    if (left === 0) throw tooManyTries((hour + 1) * HOUR_MS - nowMs);
  }

  async function mayKeepRefusal(actor: Actor): Promise<boolean> {
    try {
      await writeLimits.spend('refusals kept', stampOf(actor, clock()));
      return true;
    } catch (error) {
      if (error instanceof Failure && error.code === 'too-many-requests') return false;
      throw error;
    }
  }

  function begun(actor: Actor, claim: RequestClaim, secret: KeySecret, isResumed: boolean): BegunRequest {
    const { digest, token } = claim;

    async function record(answer: AnswerText | undefined): Promise<void> {
      const sealed = answer === undefined ? null : secret.seal(answer);
      await requests.apply({ kind: 'record', digest, token, answer: sealed });
    }

    async function release(): Promise<void> {
      await requests.apply({ kind: 'release', digest, token });
    }

    return {
      kind: 'begun',
      claim,
      isResumed,
      async renew() {
        await requests.apply({ kind: 'renew', digest, token, claimedUntilMs: clock() + CLAIM_MS });
      },
      record,
      release,
      async recordRefusal(answer) {
        await ((await mayKeepRefusal(actor)) ? record(answer) : release());
      },
    };
  }

  return {
    /**
     * @throws Failure `conflict` while the first one is under way, and where its answer is lost; `key-reused` for another request; `invalid-input` for a
     * key that is too easy to guess for what it seals, `too-many-requests` where such a one is tried too often
     */
    async begin(
      actor: Actor,
      { key, content, isOneChange, hasSecret }: KeyedRequest,
    ): Promise<BegunRequest | AnsweredRequest> {
      if (hasSecret && key.length < MIN_SECRET_KEY_LENGTH) throw tooShort();
      // Only keys of requests with secrets are limited: any other request stores more itself than its key does.
      if (hasSecret) await writeLimits.spend('requests with an idempotency key', stampOf(actor, clock()));
      const secret = secrets.of(scopeOf(actor), key);
      const claim = { digest: secret.digest, token: tokens.createId(), isOneChange };
      const nowMs = clock();
      const outcome = await requests.claim({
        digest: claim.digest,
        token: claim.token,
        fingerprint: secret.fingerprintOf(content),
        nowMs,
        claimedUntilMs: nowMs + CLAIM_MS,
        expiresAtMs: nowMs + KEPT_MS,
      });
      // Not while the first one is under way: whoever waits for it asks again and again.
      if (hasSecret && ['reused', 'answered', 'done'].includes(outcome.kind)) await countTry(secret.digest);
      switch (outcome.kind) {
        case 'begun':
        case 'resumed':
          return begun(actor, claim, secret, outcome.kind === 'resumed');
        case 'answered':
          return { kind: 'answered', answer: secret.open(outcome.answer) };
        case 'in-flight':
          throw inFlight(outcome.untilMs - nowMs);
        case 'reused':
          throw reused();
        case 'done':
          break;
      }
      throw isOneChange ? doneBefore() : begunBefore();
    },

    /** Clears away keys that have had their time. @param isStopping asked between the steps */
    forgetOld(isStopping: () => boolean = () => false): Promise<void> {
      const nowMs = clock();
      return inBatches((limit) => requests.apply({ kind: 'forget', nowMs, limit }), isStopping);
    },
  };
}

/** Nobody is told what was answered to another account. Those of whom nobody knows who they are share their keys. */
function scopeOf(actor: Actor): string {
  return 'userId' in actor ? `account ${actor.userId}` : 'anonymous';
}

function tooShort(): Failure {
  return new Failure(
    'invalid-input',
    `For what has to do with accounts and secrets, an Idempotency-Key must have at least ${MIN_SECRET_KEY_LENGTH} characters that nobody can guess. Take a random UUID.`,
  );
}

function tooManyTries(leftMs: number): Failure {
  return new Failure('too-many-requests', 'This Idempotency-Key was sent too often. Try again later.', {
    retryAfterSeconds: Math.max(1, Math.ceil(leftMs / 1000)),
  });
}

function inFlight(leftMs: number): Failure {
  return new Failure('conflict', 'The first request with this Idempotency-Key is still under way. Try again later.', {
    retryAfterSeconds: leftMs > RENEWAL_MS ? 1 : Math.max(1, Math.ceil(leftMs / 1000)),
  });
}

function reused(): Failure {
  return new Failure(
    'key-reused',
    'This Idempotency-Key was used for another request. Take a new key for each request, and the same one only to repeat it.',
  );
}

/** The change is there, and what was answered to it cannot be told again. */
export function doneBefore(): Failure {
  return new Failure(
    'conflict',
    'The first request with this Idempotency-Key was carried out, at least in part, but its answer cannot be told again. Look at what is there, and do not repeat it.',
  );
}

/** It makes many changes, each for itself: the mark says that there is one at least. */
function begunBefore(): Failure {
  return new Failure(
    'conflict',
    'The first request with this Idempotency-Key was carried out, perhaps only in part, and its answer cannot be told again. What is there, and the history of each pet, tell what was done. Send what is missing with a new key.',
  );
}
