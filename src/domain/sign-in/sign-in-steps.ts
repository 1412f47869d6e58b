import { FACTOR_LIMITS, type FactorStore, type SignInStep } from '../accounts/factors.ts';
import type { AccountWrites } from '../accounts/account-writes.ts';
import type { Account, Tokens } from '../accounts/ports.ts';
import type { Stamp } from '../audit.ts';
import { inBatches } from '../batches.ts';
import { Failure } from '../failure.ts';
import type { Clock } from '../ports.ts';

interface SignInStepsDeps {
  factors: Pick<FactorStore, 'findStep'>;
  writes: Pick<AccountWrites, 'changeFactors'>;
  tokens: Tokens;
  clock: Clock;
}

/** What a client gets when it begins something that it must complete. */
export interface StartedStep {
  token: string;
  expiresAtMs: number;
}

type NewStep = Pick<SignInStep, 'kind' | 'accountId' | 'details'>;

/**
 * Steps between two requests, stored so that any node completes them, once. The client has the token, the database its
 * digest.
 */
export class SignInSteps {
  readonly #deps: SignInStepsDeps;

  constructor(deps: SignInStepsDeps) {
    this.#deps = deps;
  }

  /** @param seen the account whose password was checked @throws Failure `conflict` if it was changed since */
  async begin(step: NewStep, stamp: Stamp, seen?: Pick<Account, 'passwordHash'>): Promise<StartedStep> {
    const { writes, tokens, clock } = this.#deps;
    const token = tokens.create();
    const expiresAtMs = clock() + FACTOR_LIMITS.stepMs;
    const stored = { ...step, digest: tokens.digest(token), expiresAtMs };
    const { passwordHash } = seen ?? {};
    await writes.changeFactors({ kind: 'begin-step', step: stored, ...(seen && { seen: { passwordHash } }), stamp });
    return { token, expiresAtMs };
  }

  /** Deletes expired steps. @param isStopping called before each batch; true ends the deletion */
  deleteExpired(isStopping: () => boolean = () => false): Promise<void> {
    const { writes, clock } = this.#deps;
    const nowMs = clock();
    return inBatches((limit) => writes.changeFactors({ kind: 'forget-steps', nowMs, limit }), isStopping);
  }

  /** Returns the step, which its completion must use. @throws Failure `invalid-input` if there is no such step */
  async get(token: string, kinds: readonly string[], accountId?: bigint): Promise<SignInStep> {
    const { factors, tokens, clock } = this.#deps;
    const step = await factors.findStep(tokens.digest(token));
    const isOfAccount = accountId === undefined || step?.accountId === accountId;
    const isPending = step !== undefined && kinds.includes(step.kind) && step.expiresAtMs > clock();
    if (!isPending || !isOfAccount) throw stepEnded();
    return step;
  }
}

export function stepEnded(): Failure {
  return new Failure('invalid-input', 'The step is complete, or has expired. Start again.', {
    problems: [{ path: '/step', message: 'is complete or has expired' }],
  });
}
