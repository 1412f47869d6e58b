import { DEFAULT_ROLE, type Actor, type Factor, type LoggedIn } from '../access.ts';
import type { AccountWriteLimits } from '../accounts/account-writes.ts';
import type { Account, NewAccount, Tokens, UserStore } from '../accounts/ports.ts';
import type { Client } from '../accounts/session.ts';
import { USER_STATUS_CLOSED } from '../accounts/user.ts';
import { stampOf, type AuditStore, type Stamp } from '../audit.ts';
import { Failure } from '../failure.ts';
import type { Clock } from '../ports.ts';
import type { KnownIdentity, OpenIdClient, ProviderStore } from './ports.ts';
import {
  confirmedEmailOf,
  isTwoFactors,
  issuerKey,
  mappedRole,
  nameOf,
  profileOf,
  usernamesFor,
  type Provider,
  type ProviderIdentity,
} from './provider.ts';
import type { Browser, SignIn, SignInOutcome } from '../sign-in/sign-in.ts';
import { SignInFailure } from './sign-in-failure.ts';

export interface ProviderSignInDeps {
  providers: readonly Provider[];
  /** The public URL of the service, without a slash at the end. Providers know only addresses below it. */
  publicUrl: string | undefined;
  openId: OpenIdClient;
  providerLogins: ProviderStore;
  users: Pick<UserStore, 'find' | 'staffNames'>;
  audit: Pick<AuditStore, 'apply'>;
  signIn: Pick<SignIn, 'withProvider'>;
  writeLimits: AccountWriteLimits;
  findLookalike: (names: readonly string[], others: readonly string[]) => string | undefined;
  tokens: Tokens;
  clock: Clock;
}

/** A login that was begun, and waits for the response of the provider. */
export interface BegunSignIn {
  /** The page of the provider. */
  url: string;
  /** Kept in a cookie, so that only this browser can complete the login. */
  browserToken: string;
}

interface Target {
  /** The path of the web application to open afterwards. */
  returnTo: string;
  /** The session to whose account the person is linked. Without one, the person logs in. */
  link?: LoggedIn;
}

/** The response of the provider, as a browser brought it. */
interface ProviderResponse {
  /** The query of the request. */
  query: string;
  browserToken: string | undefined;
  /** The actor of the request. */
  actor: Actor;
  browser: Browser;
}

export interface FinishedSignIn {
  returnTo: string;
  /** Undefined if the person was linked to the account of the session. */
  outcome: SignInOutcome | undefined;
}

interface Step {
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

/** Logs people in at OpenID Connect providers. Accounts are found by issuer and subject, and by nothing else. */
export class ProviderSignIn {
  readonly #deps: ProviderSignInDeps;

  constructor(deps: ProviderSignInDeps) {
    this.#deps = deps;
  }

  get providers(): readonly Provider[] {
    return this.#deps.providers;
  }

  /** The address at which a login begins. */
  urlOf({ name }: Provider): string {
    return `${this.#deps.publicUrl}/sign-in/${name}`;
  }

  /** The provider of this issuer. */
  providerOf(issuer: string): Provider | undefined {
    return this.#deps.providers.find((provider) => issuerKey(provider.issuer) === issuerKey(issuer));
  }

  /** @throws SignInFailure `unknown`, `unavailable`; Failure `too-many-requests` */
  async begin(name: string, { returnTo, link }: Target, actor: Actor): Promise<BegunSignIn> {
    const { openId, providerLogins, writeLimits, tokens, clock } = this.#deps;
    const provider = this.#get(name);
    const stamp = stampOf(actor, clock());
    await writeLimits.spend('logins', stamp);
    const [state, browserToken] = [tokens.create(), tokens.create()];
    const secrets = { nonce: tokens.create(), codeVerifier: tokens.create() };
    const url = await openId.authorizationUrl(provider, this.#requestOf(provider, state, secrets));
    const step: Step = {
      provider: name,
      ...secrets,
      browser: tokens.digest(browserToken),
      returnTo,
      ...(link !== undefined && { linkSession: link.session.id }),
    };
    const stored = { digest: tokens.digest(state), details: JSON.stringify(step), expiresAtMs: clock() + SIGN_IN_MS };
    await providerLogins.apply({ kind: 'begin', step: stored, stamp });
    return { url, browserToken };
  }

  /**
   * Completes a login, once. Nothing of the response counts before the step is found, and the step is gone before
   * anything is sent to the provider.
   *
   * @throws SignInFailure
   */
  async finish(name: string, response: ProviderResponse): Promise<FinishedSignIn> {
    const provider = this.#get(name);
    const { state, step } = await this.#takeStep(provider, response);
    try {
      const request = this.#requestOf(provider, state, step);
      const identity = await this.#deps.openId.identify(
        provider,
        new URL(`?${response.query}`, request.redirectUri),
        request,
      );
      // Another issuer's subject could be one that is linked.
      if (this.providerOf(identity.issuer) !== provider) throw new SignInFailure('invalid', 'another issuer');
      const { returnTo } = step;
      if (step.linkSession !== undefined) await this.#link(provider, identity, step.linkSession, response.actor);
      else return { returnTo, outcome: await this.#logIn(provider, identity, response.browser) };
      return { returnTo, outcome: undefined };
    } catch (error) {
      if (!(error instanceof SignInFailure)) throw error;
      await this.#noteFailure(provider, error, response.browser.client);
      error.isLinking = step.linkSession !== undefined;
      throw error;
    }
  }

  /** The page that ends the session at the provider, for a session that began there. */
  async logoutUrl(issuer: string): Promise<string | undefined> {
    const provider = this.providerOf(issuer);
    return provider && this.#deps.openId.logoutUrl(provider, `${this.#deps.publicUrl}/`);
  }

  async #takeStep(
    provider: Provider,
    { query, browserToken }: ProviderResponse,
  ): Promise<{ state: string; step: Step }> {
    const { providerLogins, tokens, clock } = this.#deps;
    const [state = '', ...more] = new URLSearchParams(query).getAll('state');
    if (state === '' || more.length > 0) throw new SignInFailure('expired');
    const details = await providerLogins.apply({ kind: 'take', digest: tokens.digest(state), nowMs: clock() });
    if (details === '') throw new SignInFailure('expired');
    const step = JSON.parse(details) as Step;
    if (browserToken === undefined || tokens.digest(browserToken) !== step.browser) throw new SignInFailure('expired');
    // A provider must not complete the login that was begun at another one (RFC 9700, section 4.4).
    if (step.provider !== provider.name) throw new SignInFailure('invalid', 'the login was begun at another provider');
    return { state, step };
  }

  async #logIn(provider: Provider, identity: ProviderIdentity, browser: Browser): Promise<SignInOutcome> {
    const { users, signIn, clock } = this.#deps;
    const { client } = browser;
    const stamp: Stamp = {
      ...stampOf({ kind: 'anonymous', address: client.address }, clock()),
      via: 'provider',
      actorName: provider.name,
    };
    const username = await this.#findOrCreate(provider, identity, stamp);
    const account = await users.find(username);
    if (account === undefined || isClosed(account)) throw new SignInFailure('closed');
    const factors: readonly Factor[] = isTwoFactors(provider, identity)
      ? ['provider', 'provider-second-factor']
      : ['provider'];
    const proof = { factors, issuer: identity.issuer };
    return signIn.withProvider(account, proof, browser).catch((error: unknown) => {
      throw isConflict(error) ? new SignInFailure('closed', error) : error;
    });
  }

  /** Returns the user name of the person's account. */
  async #findOrCreate(provider: Provider, identity: ProviderIdentity, stamp: Stamp): Promise<string> {
    const { providerLogins, tokens } = this.#deps;
    const role = mappedRole(provider, identity);
    const change = {
      kind: 'log-in',
      identity: knownIdentity(identity),
      role,
      confirmedEmail: confirmedEmailOf(identity),
      stamp,
    } as const;
    const known = await providerLogins.apply({ ...change, newAccount: undefined });
    if (known !== '') return known;
    if (!provider.signUp) throw new SignInFailure('no-account');
    for (const username of usernamesFor(identity, () => tokens.createId())) {
      if (await this.#looksLikeStaff(username)) continue;
      const profile = { ...profileOf(identity), username };
      const newAccount: NewAccount = {
        publicId: undefined,
        profile,
        role: role ?? DEFAULT_ROLE,
        passwordHash: undefined,
      };
      const created = await providerLogins.apply({ ...change, newAccount }).catch((error: unknown) => {
        if (isConflict(error)) return undefined;
        throw error;
      });
      if (created !== undefined) return created;
    }
    throw new Error('No user name is free for a new account.');
  }

  async #looksLikeStaff(username: string): Promise<boolean> {
    const { users, findLookalike } = this.#deps;
    return findLookalike([username], await users.staffNames()) !== undefined;
  }

  /** The session may have ended while its owner was at the provider. */
  async #link(provider: Provider, identity: ProviderIdentity, session: string, actor: Actor): Promise<void> {
    const { providerLogins, clock } = this.#deps;
    if (actor.kind !== 'signed-in' || actor.session.id !== session) throw new SignInFailure('other-session');
    const { userId } = actor;
    const result = await providerLogins.apply({
      kind: 'link',
      userId,
      identity: knownIdentity(identity),
      label: provider.label,
      stamp: stampOf(actor, clock()),
    });
    if (result === 'taken') throw new SignInFailure('taken');
  }

  /** Each failure takes a step, whose number is limited. */
  async #noteFailure({ name }: Provider, { problem }: SignInFailure, client: Client): Promise<void> {
    const { audit, clock } = this.#deps;
    const stamp = stampOf({ kind: 'anonymous', address: client.address }, clock());
    const details = { provider: name, problem };
    const entry = { stamp, action: 'session.begun', subject: null, outcome: 'failed', details } as const;
    await audit.apply({ kind: 'note', entry });
  }

  #requestOf({ name }: Provider, state: string, { nonce, codeVerifier }: Pick<Step, 'nonce' | 'codeVerifier'>) {
    return { redirectUri: `${this.#deps.publicUrl}/sign-in/${name}/callback`, state, nonce, codeVerifier };
  }

  #get(name: string): Provider {
    const provider = this.#deps.providers.find((candidate) => candidate.name === name);
    if (provider === undefined) throw new SignInFailure('unknown');
    return provider;
  }
}

function knownIdentity(identity: ProviderIdentity): KnownIdentity {
  const { issuer, subject } = identity;
  return { issuer, subject, name: nameOf(identity) };
}

function isClosed({ user }: Account): boolean {
  return user.userStatus === USER_STATUS_CLOSED;
}

function isConflict(error: unknown): boolean {
  return error instanceof Failure && error.code === 'conflict';
}
