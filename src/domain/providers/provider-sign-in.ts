import { DEFAULT_ROLE, type Actor, type Factor, type LoggedIn } from '../access.ts';
import type { AccountWriteLimits } from '../accounts/account-writes.ts';
import type { Account, NewAccount, Tokens, UserStore } from '../accounts/ports.ts';
import type { Client } from '../accounts/session.ts';
import { USER_STATUS_CLOSED } from '../accounts/user.ts';
import { stampOf, type AuditStore, type Stamp } from '../audit.ts';
import { Failure } from '../failure.ts';
import type { Clock } from '../ports.ts';
import { BegunSignIns, type Step } from './begun-sign-ins.ts';
import type { KnownIdentity, NewSignInStep, OpenIdClient, ProviderChange, ProviderStore } from './ports.ts';
import {
  confirmedEmailOf,
  isNamed,
  isTwoFactors,
  issuerKey,
  nameOf,
  profileOf,
  usernamesFor,
  type Provider,
  type ProviderIdentity,
} from './provider.ts';
import { roleOf } from './role-claim.ts';
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
  /** Identifies the login; the provider returns it. */
  state: string;
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
  query: string;
  browserToken: string | undefined;
  actor: Actor;
  browser: Browser;
}

export interface FinishedSignIn {
  returnTo: string;
  /** Undefined if the person was linked to the account of the session, or if the login was complete already. */
  outcome: SignInOutcome | undefined;
  username: string;
  /** For the log: claims that are missing, or not as expected. */
  warnings: readonly string[];
}

type LogInChange = Extract<ProviderChange, { kind: 'log-in' }>;

/** Logs people in at OpenID Connect providers. Accounts are found by issuer and subject, and by nothing else. */
export class ProviderSignIn {
  readonly #deps: ProviderSignInDeps;
  readonly #begun: BegunSignIns;

  constructor(deps: ProviderSignInDeps) {
    this.#deps = deps;
    this.#begun = new BegunSignIns(deps);
  }

  get providers(): readonly Provider[] {
    return this.#deps.providers;
  }

  /** The address at which a login begins. */
  urlOf({ name }: Provider): string {
    return `${this.#deps.publicUrl}/sign-in/${name}`;
  }

  providerOf(issuer: string): Provider | undefined {
    return this.#deps.providers.find((provider) => issuerKey(provider.issuer) === issuerKey(issuer));
  }

  /** @throws SignInFailure `unknown`, `unavailable`; Failure `too-many-requests` */
  async begin(name: string, { returnTo, link }: Target, actor: Actor): Promise<BegunSignIn> {
    const { openId, writeLimits, tokens, clock } = this.#deps;
    const provider = this.#get(name);
    const stamp = stampOf(actor, clock());
    await writeLimits.spend('logins', stamp);
    const state = tokens.create();
    const secrets = { nonce: tokens.create(), codeVerifier: tokens.create() };
    const url = await openId.authorizationUrl(provider, this.#requestOf(provider, state, secrets));
    const linked = link && { linkSession: link.session.id };
    const browserToken = await this.#begun.add(state, { provider: name, ...secrets, returnTo, ...linked }, stamp);
    return { url, state, browserToken };
  }

  /**
   * Completes a login, once. Nothing of the response counts before the step is found, and the step is gone before
   * anything is sent to the provider.
   *
   * @throws SignInFailure
   */
  async finish(name: string, response: ProviderResponse): Promise<FinishedSignIn> {
    const provider = this.#get(name);
    const state = stateIn(response.query);
    const step = await this.#begun.take(state, provider, response.browserToken);
    if (step === undefined) return this.#findFinished(state, response.actor);
    try {
      const request = this.#requestOf(provider, state, step);
      const identity = await this.#deps.openId.identify(
        provider,
        new URL(`?${response.query}`, request.redirectUri),
        request,
      );
      // Another issuer's subject could be one that is linked.
      if (this.providerOf(identity.issuer) !== provider) throw new SignInFailure('invalid', 'another issuer');
      const { returnTo, linkSession } = step;
      const completed = this.#begun.completed(state, step);
      const finished =
        linkSession === undefined
          ? await this.#logIn(provider, identity, completed, response.browser)
          : await this.#link(provider, identity, completed, linkSession, response.actor);
      return { returnTo, ...finished };
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

  /** A user who loads the address of a completed login again continues to its page. */
  async #findFinished(state: string, actor: Actor): Promise<FinishedSignIn> {
    if (actor.kind !== 'signed-in') throw new SignInFailure('expired');
    const { userId, username } = actor;
    return { returnTo: await this.#begun.pageOf(state, userId), outcome: undefined, username, warnings: [] };
  }

  async #logIn(
    provider: Provider,
    identity: ProviderIdentity,
    completed: NewSignInStep,
    browser: Browser,
  ): Promise<Omit<FinishedSignIn, 'returnTo'>> {
    const { users, signIn, clock } = this.#deps;
    const { client } = browser;
    const stamp: Stamp = {
      ...stampOf({ kind: 'anonymous', address: client.address }, clock()),
      via: 'provider',
      actorName: provider.name,
    };
    const { role, warning } = roleOf(provider, identity);
    const username = await this.#findOrCreate(provider, identity, { role, completed, stamp });
    const account = await users.find(username);
    if (account === undefined || isClosed(account)) throw new SignInFailure('closed');
    const factors: readonly Factor[] = isTwoFactors(provider, identity)
      ? ['provider', 'provider-second-factor']
      : ['provider'];
    const proof = { factors, issuer: identity.issuer };
    const outcome = await signIn.withProvider(account, proof, browser).catch((error: unknown) => {
      throw isConflict(error) ? new SignInFailure('closed', error) : error;
    });
    return { outcome, username, warnings: warningsOf(identity, warning) };
  }

  /** Returns the user name of the person's account. */
  async #findOrCreate(
    provider: Provider,
    identity: ProviderIdentity,
    login: Pick<LogInChange, 'role' | 'completed' | 'stamp'>,
  ): Promise<string> {
    const { providerLogins, tokens } = this.#deps;
    const change = {
      kind: 'log-in',
      identity: knownIdentity(identity),
      confirmedEmail: confirmedEmailOf(identity),
      ...login,
    } as const;
    const known = await providerLogins.apply({ ...change, newAccount: undefined });
    if (known !== '') return known;
    if (!provider.signUp) throw new SignInFailure('no-account');
    // The account would keep a name that says nothing.
    if (identity.userInfoFailure !== undefined && !isNamed(identity)) throw identity.userInfoFailure;
    for (const username of usernamesFor(identity, () => tokens.createId())) {
      if (await this.#looksLikeStaff(username)) continue;
      const profile = { ...profileOf(identity), username };
      const newAccount: NewAccount = {
        publicId: undefined,
        profile,
        role: login.role ?? DEFAULT_ROLE,
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
  async #link(
    provider: Provider,
    identity: ProviderIdentity,
    completed: NewSignInStep,
    session: string,
    actor: Actor,
  ): Promise<Omit<FinishedSignIn, 'returnTo'>> {
    const { providerLogins, clock } = this.#deps;
    if (actor.kind !== 'signed-in' || actor.session.id !== session) throw new SignInFailure('other-session');
    const { userId, username } = actor;
    const result = await providerLogins.apply({
      kind: 'link',
      userId,
      identity: knownIdentity(identity),
      label: provider.label,
      completed,
      stamp: stampOf(actor, clock()),
    });
    if (result === 'taken') throw new SignInFailure('taken');
    return { outcome: undefined, username, warnings: warningsOf(identity, undefined) };
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

/** The state of a response, which must have one. */
function stateIn(query: string): string {
  const [state = '', ...more] = new URLSearchParams(query).getAll('state');
  if (state === '' || more.length > 0) throw new SignInFailure('expired');
  return state;
}

function warningsOf({ userInfoFailure }: ProviderIdentity, other: string | undefined): readonly string[] {
  const ofUserInfo = userInfoFailure && `only the ID token has claims, without UserInfo: ${userInfoFailure.reason}`;
  return [ofUserInfo, other].filter((warning) => warning !== undefined);
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
