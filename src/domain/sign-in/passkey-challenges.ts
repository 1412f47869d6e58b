import type { AccountWrites } from '../accounts/account-writes.ts';
import { FACTOR_LIMITS, type FactorStore, type FactorUse } from '../accounts/factors.ts';
import type { Tokens } from '../accounts/ports.ts';
import type { Stamp } from '../audit.ts';
import type { Clock } from '../ports.ts';
import type { StartedStep } from './sign-in-steps.ts';

interface PasskeyChallengesDeps {
  factors: Pick<FactorStore, 'findStep'>;
  writes: Pick<AccountWrites, 'changeFactors'>;
  tokens: Tokens;
  clock: Clock;
}

interface NewChallenge extends StartedStep {
  challenge: string;
}

interface FoundChallenge {
  challenge: string;
  use: FactorUse;
}

interface Secret {
  id: string;
  text: string;
}

const KIND = 'passkey-secret';

/** The ID of the secret, the end of the step, and random characters. */
const TOKEN = /^([\da-f]{24})\.(\d{1,16})\.[\da-f]{24}$/;

/**
 * Challenges of logins that begin with a passkey. Each view of the login page needs one, so it is not stored, but
 * derived from the token of the client and a secret, which all challenges of a process share for ten minutes. The
 * secret is a stored step, so that every node can complete the login; only a completed one is stored.
 */
export class PasskeyChallenges {
  readonly #deps: PasskeyChallengesDeps;
  #last: { atMs: number; secret: Promise<Secret> } | undefined;

  constructor(deps: PasskeyChallengesDeps) {
    this.#deps = deps;
  }

  async begin(stamp: Stamp): Promise<NewChallenge> {
    const { tokens, clock } = this.#deps;
    const secret = await this.#currentSecret(stamp);
    const expiresAtMs = clock() + FACTOR_LIMITS.stepMs;
    const token = `${secret.id}.${expiresAtMs}.${tokens.createId()}`;
    return { token, expiresAtMs, challenge: this.#challengeOf(token, secret.text) };
  }

  /** Undefined for anything else than the token of such a login, or after its end. */
  async find(token: string): Promise<FoundChallenge | undefined> {
    const { factors, tokens, clock } = this.#deps;
    const [, id, end] = TOKEN.exec(token) ?? [];
    const expiresAtMs = Number(end);
    if (id === undefined || expiresAtMs <= clock()) return undefined;
    const step = await factors.findStep(tokens.digest(id));
    const secret = step?.kind === KIND ? step.details['secret'] : undefined;
    if (secret === undefined) return undefined;
    const use = { kind: 'challenge', digest: tokens.digest(token), expiresAtMs } as const;
    return { challenge: this.#challengeOf(token, secret), use };
  }

  #currentSecret(stamp: Stamp): Promise<Secret> {
    const nowMs = this.#deps.clock();
    const last = this.#last;
    const ageMs = nowMs - (last?.atMs ?? -Infinity);
    // Negative after the clock was corrected.
    if (last !== undefined && ageMs >= 0 && ageMs < FACTOR_LIMITS.stepMs) return last.secret;
    const next = { atMs: nowMs, secret: this.#createSecret(stamp, nowMs) };
    this.#last = next;
    next.secret.catch(() => {
      if (this.#last === next) this.#last = undefined;
    });
    return next.secret;
  }

  async #createSecret(stamp: Stamp, nowMs: number): Promise<Secret> {
    const { writes, tokens } = this.#deps;
    const secret = { id: tokens.createId(), text: tokens.create() };
    const step = {
      digest: tokens.digest(secret.id),
      kind: KIND,
      accountId: undefined,
      details: { secret: secret.text },
      // Until the end of the last challenge.
      expiresAtMs: nowMs + 2 * FACTOR_LIMITS.stepMs,
    };
    await writes.changeFactors({ kind: 'begin-step', step, stamp });
    return secret;
  }

  /** A client cannot choose a challenge, or extend the time of one: it depends on the whole token. */
  #challengeOf(token: string, secret: string): string {
    const { tokens } = this.#deps;
    return tokens.digest(`${secret}.${tokens.digest(token)}`);
  }
}
