import type { Factor, SessionProof } from '../access.ts';
import { accountSubject, stampOf, type NewAuditEntry, type Stamp } from '../audit.ts';
import type { AttemptThrottle } from '../accounts/attempt-throttle.ts';
import type { CodeAttempts } from '../accounts/code-attempts.ts';
import { asWrongCredentials, type Authentication, type Credentials } from '../accounts/authentication.ts';
import type { FactorStore, FactorUse, SignInStep } from '../accounts/factors.ts';
import type { Account, UserStore } from '../accounts/ports.ts';
import type { Client } from '../accounts/session.ts';
import type { SessionStart, StartedSession } from '../accounts/session-start.ts';
import { Failure } from '../failure.ts';
import type { Clock } from '../ports.ts';
import type { CodeCheck, CodeFactor } from './code-check.ts';
import type { PasskeyChallenges } from './passkey-challenges.ts';
import { requireSite, type PasskeyCheck } from './passkey-check.ts';
import type { PasskeySite, SentCredential } from './ports.ts';
import { stepEnded, type SignInSteps, type StartedStep } from './sign-in-steps.ts';

interface SignInDeps {
  authentication: Authentication;
  users: Pick<UserStore, 'search'>;
  factors: Pick<FactorStore, 'listOf'>;
  sessionStart: SessionStart;
  attempts: AttemptThrottle;
  codeAttempts: CodeAttempts;
  steps: SignInSteps;
  codes: CodeCheck;
  passkeys: PasskeyCheck;
  challenges: PasskeyChallenges;
  clock: Clock;
}

export interface Browser {
  client: Client;
  /** The token of its current session, which ends. */
  replaced: string | undefined;
  /** Undefined where passkeys are not possible. */
  site: PasskeySite | undefined;
}

/** A login that needs a second factor, and with what it can be completed. */
export interface SecondFactorStep extends StartedStep {
  factors: readonly Factor[];
  /** For `navigator.credentials.get()`, if the account has passkeys for this site. */
  passkeyOptions: object | undefined;
}

export type SignInOutcome = { session: StartedSession } | { step: SecondFactorStep };

/** A login that begins with a passkey. */
export interface PasskeyStep extends StartedStep {
  options: object;
}

interface BegunLogin {
  /** Undefined if no passkey was asked for. */
  challenge: string | undefined;
  use: FactorUse;
  /** Undefined before it is known who logs in. */
  accountId: bigint | undefined;
  /** The proof of the session that begins when the login is complete. */
  proof: SessionProof;
}

const SECOND_FACTOR = 'second-factor';

const PASSKEY_ALONE: SessionProof = { factors: ['passkey'] };

/** Logins in several steps: with the password and a second factor, or with a passkey alone. */
export class SignIn {
  readonly #deps: SignInDeps;

  constructor(deps: SignInDeps) {
    this.#deps = deps;
  }

  /** @throws Failure `invalid-input`, `too-many-requests` */
  async withPassword(credentials: Credentials, browser: Browser): Promise<SignInOutcome> {
    const { authentication } = this.#deps;
    const checked = await authentication.checkPassword(credentials, browser.client);
    return this.#orSecondFactor(checked.account, undefined, browser, () =>
      authentication.beginWithPassword(checked, browser.client, browser.replaced),
    ).catch(asWrongCredentials);
  }

  /**
   * Logs in a person whom a provider has identified.
   * @throws Failure `conflict` if the account was deleted or closed
   */
  withProvider(account: Account, proof: SessionProof, browser: Browser): Promise<SignInOutcome> {
    return this.#orSecondFactor(account, proof.issuer, browser, () =>
      this.#deps.sessionStart.begin(account, browser.client, proof, browser.replaced),
    );
  }

  /** @param issuer of the provider, if that has identified the person */
  async #orSecondFactor(
    account: Account,
    issuer: string | undefined,
    browser: Browser,
    begin: () => Promise<StartedSession>,
  ): Promise<SignInOutcome> {
    try {
      return { session: await begin() };
    } catch (error) {
      const factors = error instanceof Failure ? error.details.secondFactor : undefined;
      if (factors === undefined) throw error;
      return { step: await this.#beginSecondFactor(account, factors as readonly Factor[], issuer, browser) };
    }
  }

  /** @throws Failure `conflict` if the account was changed since the first factor was checked */
  async #beginSecondFactor(
    account: Account,
    factors: readonly Factor[],
    issuer: string | undefined,
    { client, site }: Browser,
  ): Promise<SecondFactorStep> {
    const { passkeys, steps } = this.#deps;
    const { id } = account;
    const ceremony = factors.includes('passkey') && site !== undefined ? await passkeys.start(site, id) : undefined;
    const details = {
      ...(ceremony !== undefined && { challenge: ceremony.challenge }),
      ...(issuer !== undefined && { issuer }),
    };
    const step = { kind: SECOND_FACTOR, accountId: id, details };
    const started = await steps.begin(step, this.#stampOf(client), account);
    const usable = factors.filter((factor) => factor !== 'passkey' || ceremony !== undefined);
    return { ...started, factors: usable, passkeyOptions: ceremony?.options };
  }

  /** Completes a login with a code. @throws Failure `invalid-input`, `too-many-requests` */
  async withCode(step: string, factor: CodeFactor, code: string, browser: Browser): Promise<StartedSession> {
    const { steps, codes, codeAttempts } = this.#deps;
    const found = await steps.get(step, [SECOND_FACTOR]);
    const { digest, accountId } = found;
    const account = await this.#getAccount(accountId);
    return codeAttempts.try(
      { accountId: account.id, factor, address: browser.client.address },
      async (fail) => {
        const use = await codes.findUse(account.id, factor, code);
        const refuse = () => fail(this.#failedWith(factor, account, browser.client));
        if (use === undefined) return refuse();
        const uses = [{ kind: 'step', digest }, use] as const;
        return this.#begin(account, proofWith(found, factor), uses, browser).catch(unlessConflict(refuse));
      },
      wrongCode,
    );
  }

  /** Begins a login with a passkey alone. @throws Failure `invalid-input` where passkeys are not possible */
  async startPasskey({ client, site }: Browser): Promise<PasskeyStep> {
    const { passkeys, challenges } = this.#deps;
    requireSite(site);
    const { challenge, ...started } = await challenges.begin(this.#stampOf(withoutClaim(client)));
    return { ...started, options: await passkeys.startAny(site, challenge) };
  }

  /** Completes a login with a passkey, after the password or alone. @throws Failure `invalid-input` */
  async withPasskey(step: string, sent: SentCredential, browser: Browser): Promise<StartedSession> {
    const { attempts, passkeys } = this.#deps;
    const begun = await this.#getBegun(step);
    return attempts.tryPasskey(
      browser.client.address,
      async (fail) => {
        const checked = await passkeys.findUse(browser.site, begun.challenge, sent, begun.accountId);
        const account = checked && (await this.#getAccount(checked.accountId));
        const refuse = () => fail(this.#failedWith('passkey', account, browser.client));
        if (checked === undefined || account === undefined) return refuse();
        return this.#begin(account, begun.proof, [begun.use, checked.use], browser).catch(unlessConflict(refuse));
      },
      wrongPasskey,
    );
  }

  /** A login that a passkey completes. @throws Failure `invalid-input` if it was not begun, or has expired */
  async #getBegun(token: string): Promise<BegunLogin> {
    const { challenges, steps } = this.#deps;
    const alone = await challenges.find(token);
    if (alone !== undefined) return { ...alone, accountId: undefined, proof: PASSKEY_ALONE };
    const found = await steps.get(token, [SECOND_FACTOR]);
    return {
      challenge: found.details['challenge'],
      use: { kind: 'step', digest: found.digest },
      accountId: found.accountId,
      proof: proofWith(found, 'passkey'),
    };
  }

  #begin(
    account: Account,
    proof: SessionProof,
    uses: readonly FactorUse[],
    { client, replaced }: Browser,
  ): Promise<StartedSession> {
    return this.#deps.sessionStart.begin(account, client, proof, replaced, uses);
  }

  /** @throws Failure `invalid-input` if the account was deleted */
  async #getAccount(id: bigint | undefined): Promise<Account> {
    if (id === undefined) throw stepEnded();
    const [account] = await this.#deps.users.search({}, { afterId: id - 1n, limit: 1 });
    if (account?.id !== id) throw stepEnded();
    return account;
  }

  #stampOf({ address, claim }: Client): Stamp {
    return stampOf({ kind: 'anonymous', address, ...(claim !== undefined && { claim }) }, this.#deps.clock());
  }

  #failedWith(factor: Factor, account: Account | undefined, { address }: Client): NewAuditEntry {
    return {
      stamp: stampOf({ kind: 'anonymous', address }, this.#deps.clock()),
      action: 'session.begun',
      subject: account === undefined ? null : accountSubject(account.id, account.user.username),
      outcome: 'failed',
      details: { factor },
    };
  }
}

/** For a change that other requests share. */
function withoutClaim({ address, userAgent }: Client): Client {
  return { address, userAgent };
}

/** What a person has proved who began with a password or at a provider, and has shown this factor. */
function proofWith({ details }: SignInStep, factor: Factor): SessionProof {
  const { issuer } = details;
  return issuer === undefined ? { factors: ['password', factor] } : { factors: ['provider', factor], issuer };
}

/** A code or a challenge that was used while this request checked it, or an account that was closed, is a failure. */
export function unlessConflict(refuse: () => Promise<never>): (error: unknown) => Promise<never> {
  return (error) => {
    const isUsed =
      error instanceof Failure && error.code === 'conflict' && error.details.retryAfterSeconds === undefined;
    if (isUsed) return refuse();
    throw error;
  };
}

export function wrongCode(): Failure {
  return new Failure('invalid-input', 'The code is wrong, or was used before.', {
    problems: [{ path: '/code', message: 'is wrong or was used before' }],
  });
}

export function wrongPasskey(): Failure {
  return new Failure('invalid-input', 'This passkey was not accepted.');
}
