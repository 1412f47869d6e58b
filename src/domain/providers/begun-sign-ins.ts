import type { Tokens } from '../accounts/ports.ts';
import type { Stamp } from '../audit.ts';
import type { Clock } from '../ports.ts';
import type { NewSignInStep, ProviderStore } from './ports.ts';
import type { Provider } from './provider.ts';
import { SignInFailure } from './sign-in-failure.ts';

interface BegunSignInsDeps {
  providerLogins: ProviderStore;
  tokens: Tokens;
  clock: Clock;
}

/** A login that waits for the response of the provider. */
export interface Step {
  provider: string;
  nonce: string;
  codeVerifier: string;
  /** The digest of the token of the browser. */
  browser: string;
  returnTo: string;
  /** The public id of the session. */
  linkSession?: string;
}

/** Time to log in at the provider. */
export const SIGN_IN_MS = 10 * 60_000;

/** Logins that were begun, by the digest of their `state`, so that any node completes them. */
export class BegunSignIns {
  readonly #deps: BegunSignInsDeps;

  constructor(deps: BegunSignInsDeps) {
    this.#deps = deps;
  }

  /** Returns the token that the browser must present. */
  async add(state: string, step: Omit<Step, 'browser'>, stamp: Stamp): Promise<string> {
    const { providerLogins, tokens } = this.#deps;
    const browserToken = tokens.create();
    const details: Step = { ...step, browser: tokens.digest(browserToken) };
    await providerLogins.apply({ kind: 'begin', step: this.#stored(state, details), stamp });
    return browserToken;
  }

  /** Once. Undefined for an unknown or expired login. @throws SignInFailure `expired`, `invalid` */
  async take(state: string, provider: Provider, browserToken: string | undefined): Promise<Step | undefined> {
    const { providerLogins, tokens, clock } = this.#deps;
    const details = await providerLogins.apply({ kind: 'take', digest: tokens.digest(state), nowMs: clock() });
    if (details === '') return undefined;
    const step = JSON.parse(details) as Step;
    if (browserToken === undefined || tokens.digest(browserToken) !== step.browser) throw new SignInFailure('expired');
    // A provider must not complete the login that was begun at another one (RFC 9700, section 4.4).
    if (step.provider !== provider.name) throw new SignInFailure('invalid', 'the login was begun at another provider');
    return step;
  }

  /** What is stored of a completed login, so that its address can be loaded again. */
  completed(state: string, { returnTo }: Step): NewSignInStep {
    return this.#stored(state, { returnTo });
  }

  /** The page of a login that is complete. @throws SignInFailure `expired` if it did not log in to this account */
  async pageOf(state: string, userId: bigint): Promise<string> {
    const { providerLogins, tokens, clock } = this.#deps;
    const details = await providerLogins.completedBy(userId, tokens.digest(state), clock());
    if (details === '') throw new SignInFailure('expired');
    return (JSON.parse(details) as Pick<Step, 'returnTo'>).returnTo;
  }

  #stored(state: string, details: Partial<Step>): NewSignInStep {
    const { tokens, clock } = this.#deps;
    return { digest: tokens.digest(state), details: JSON.stringify(details), expiresAtMs: clock() + SIGN_IN_MS };
  }
}
