import { needsSecondFactor, type Access, type Actor, type LoggedIn, type SecondFactorPolicy } from '../access.ts';
import type { AccountWrites } from '../accounts/account-writes.ts';
import type { CodeAttempts } from '../accounts/code-attempts.ts';
import type { AccountFactors, FactorStore } from '../accounts/factors.ts';
import type { FreshProof } from '../accounts/fresh-proof.ts';
import { requireOwner } from '../accounts/own-account.ts';
import type { Tokens } from '../accounts/ports.ts';
import { stampOf } from '../audit.ts';
import type { Clock } from '../ports.ts';
import { newRecoveryCodes, provedWith } from './new-factor.ts';
import type { NewTotp, OneTimeCodes } from './ports.ts';
import { wrongCode } from './sign-in.ts';
import type { SignInSteps, StartedStep } from './sign-in-steps.ts';

interface OwnFactorsDeps {
  access: Access;
  factors: Pick<FactorStore, 'listOf'>;
  writes: AccountWrites;
  codeAttempts: CodeAttempts;
  oneTimeCodes: OneTimeCodes;
  steps: SignInSteps;
  freshProof: FreshProof;
  tokens: Tokens;
  clock: Clock;
  secondFactor: SecondFactorPolicy;
}

/** The factors of an account as its owner and administrators see them. */
export interface FactorsView extends AccountFactors {
  /** Whether the role of the account requires a second factor. */
  isRequired: boolean;
}

export interface OwnFactorsView extends FactorsView {
  /** Whether this session must set up or prove a second factor first. */
  isNeeded: boolean;
}

/** A secret that is not in use before it was confirmed with a code. */
export type TotpStep = NewTotp & StartedStep;

/** Shown once, if the account had no unused ones. */
export interface AddedFactor {
  recoveryCodes: readonly string[] | undefined;
}

const TOTP_SETUP = 'totp-setup';

/**
 * The second factors of the own account. Changes require a recent proof that the session is used by the owner of the
 * account: Failure `forbidden` otherwise, and `unauthenticated` without a session.
 */
export class OwnFactors {
  readonly #deps: OwnFactorsDeps;

  constructor(deps: OwnFactorsDeps) {
    this.#deps = deps;
  }

  async get(actor: Actor): Promise<OwnFactorsView> {
    const { access, factors, secondFactor } = this.#deps;
    const owner = requireOwner(access, actor, 'set up factors');
    return {
      ...(await factors.listOf(owner.userId)),
      isRequired: secondFactor.roles.includes(owner.role),
      isNeeded: needsSecondFactor(owner, secondFactor),
    };
  }

  /** @param site the name of the service in the app */
  async startTotp(actor: Actor, site: string): Promise<TotpStep> {
    const { oneTimeCodes, steps } = this.#deps;
    const owner = await this.#requireFreshOwner(actor, 'set up factors');
    const created = await oneTimeCodes.create(site, owner.username);
    const step = { kind: TOTP_SETUP, accountId: owner.userId, details: { secret: created.secret } };
    return { ...created, ...(await steps.begin(step, stampOf(owner, this.#deps.clock()))) };
  }

  /** @throws Failure `invalid-input` for a wrong code, after which the step is still valid; `conflict` */
  async confirmTotp(actor: Actor, token: string, code: string): Promise<AddedFactor> {
    const { access, writes, codeAttempts, oneTimeCodes, steps, tokens, clock } = this.#deps;
    const owner = requireOwner(access, actor, 'set up factors');
    const { digest, details } = await steps.get(token, [TOTP_SETUP], owner.userId);
    const secret = details['secret'] ?? '';
    const lastStep = await oneTimeCodes.stepOf(secret, code, clock());
    if (lastStep === undefined) throw wrongCode();
    const codes = newRecoveryCodes(tokens);
    const stamp = stampOf(owner, clock());
    const stored = await writes.changeFactors({
      kind: 'add-totp',
      accountId: owner.userId,
      totp: { secret, lastStep, createdAtMs: stamp.atMs },
      uses: [{ kind: 'step', digest }],
      session: provedWith(owner, 'totp'),
      recoveryCodes: codes.digests,
      stamp,
    });
    await codeAttempts.rememberOwner(owner.userId, owner.address);
    return { recoveryCodes: stored === 0 ? undefined : codes.codes };
  }

  /** @throws Failure `not-found` */
  async removeTotp(actor: Actor): Promise<void> {
    const { writes, clock } = this.#deps;
    const owner = await this.#requireFreshOwner(actor, 'use own account');
    await writes.changeFactors({ kind: 'remove-totp', accountId: owner.userId, stamp: stampOf(owner, clock()) });
  }

  /** Returns the new codes, which are shown once. @throws Failure `conflict` without a second factor */
  async replaceRecoveryCodes(actor: Actor): Promise<readonly string[]> {
    const { writes, tokens, clock } = this.#deps;
    const owner = await this.#requireFreshOwner(actor, 'use own account');
    const { codes, digests } = newRecoveryCodes(tokens);
    const accountId = owner.userId;
    await writes.changeFactors({ kind: 'replace-recovery-codes', accountId, digests, stamp: stampOf(owner, clock()) });
    return codes;
  }

  async #requireFreshOwner(actor: Actor, action: 'use own account' | 'set up factors'): Promise<LoggedIn> {
    const { access, freshProof } = this.#deps;
    const owner = requireOwner(access, actor, action);
    await freshProof.require(owner);
    return owner;
  }
}
