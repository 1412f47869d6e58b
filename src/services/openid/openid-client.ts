import { setTimeout as delay } from 'node:timers/promises';
import * as openId from 'openid-client';
import type { AuthorizationRequest, OpenIdClient } from '../../domain/providers/ports.ts';
import type { Provider, ProviderIdentity } from '../../domain/providers/provider.ts';
import { SignInFailure, type SignInProblem } from '../../domain/providers/sign-in-failure.ts';
import type { Clock } from '../../domain/ports.ts';
import { findTokenFault } from './id-token.ts';
import { limitedFetch } from './limited-fetch.ts';

interface OpenIdDeps {
  clock: Clock;
  /** Timeout of a request to a provider. */
  timeoutMs?: number;
}

interface Discovered {
  configuration: Promise<openId.Configuration>;
  atMs: number;
}

const TIMEOUT_MS = 10_000;

/** A logout waits no longer than this for a provider. */
const LOGOUT_MS = 2000;

/** Endpoints and algorithms of a provider are read again after this time. Its keys are, when they change. */
const DISCOVERY_MS = 3_600_000;
/** If that fails, the known ones are used for this time. */
const RETRY_MS = 60_000;

/** Errors that say that the provider does not work, rather than that its response is wrong. */
const TROUBLES: ReadonlySet<string> = new Set(['OAUTH_TIMEOUT', 'OAUTH_ABORT', 'OAUTH_RESPONSE_IS_NOT_CONFORM']);

/** OpenID Connect with `openid-client`. */
export class StandardOpenId implements OpenIdClient {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #discovered = new Map<Provider, Discovered>();

  constructor({ clock, timeoutMs = TIMEOUT_MS }: OpenIdDeps) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
  }

  async authorizationUrl(provider: Provider, request: AuthorizationRequest): Promise<string> {
    const configuration = await this.#configurationOf(provider);
    return asUnavailable(async () =>
      openId.buildAuthorizationUrl(configuration, {
        redirect_uri: request.redirectUri,
        scope: provider.scopes,
        state: request.state,
        nonce: request.nonce,
        code_challenge: await openId.calculatePKCECodeChallenge(request.codeVerifier),
        code_challenge_method: 'S256',
      }),
    ).then(({ href }) => href);
  }

  async identify(provider: Provider, response: URL, request: AuthorizationRequest): Promise<ProviderIdentity> {
    const configuration = await this.#configurationOf(provider);
    try {
      const tokens = await openId.authorizationCodeGrant(configuration, response, {
        expectedState: request.state,
        expectedNonce: request.nonce,
        pkceCodeVerifier: request.codeVerifier,
        idTokenExpected: true,
      });
      const idToken = tokens.claims();
      if (idToken === undefined) throw new SignInFailure('invalid', 'there is no ID token');
      // Of this machine, as the library checks `exp` and `nbf`.
      const fault = findTokenFault(idToken, Date.now());
      if (fault !== undefined) throw new SignInFailure('invalid', fault);
      const { iss: issuer, sub: subject } = idToken;
      const user = await this.#userInfo(configuration, tokens.access_token, subject);
      return { issuer, subject, idToken, claims: { ...user, ...idToken } };
    } catch (error) {
      throw toFailure(error);
    }
  }

  async logoutUrl(provider: Provider, returnTo: string): Promise<string | undefined> {
    try {
      const late = delay(LOGOUT_MS, undefined, { ref: false });
      const configuration = await Promise.race([this.#configurationOf(provider), late]);
      if (configuration?.serverMetadata().end_session_endpoint === undefined) return undefined;
      return openId.buildEndSessionUrl(configuration, { post_logout_redirect_uri: returnTo }).href;
    } catch {
      // A provider that does not respond must not prevent the logout here.
      return undefined;
    }
  }

  /** Many providers put groups and addresses only into this response. */
  async #userInfo(configuration: openId.Configuration, accessToken: string, subject: string): Promise<object> {
    if (configuration.serverMetadata().userinfo_endpoint === undefined) return {};
    return openId.fetchUserInfo(configuration, accessToken, subject);
  }

  /** @throws SignInFailure `unavailable` */
  async #configurationOf(provider: Provider): Promise<openId.Configuration> {
    const known = this.#discovered.get(provider);
    if (known !== undefined && this.#clock() - known.atMs < DISCOVERY_MS) return known.configuration;
    const discovered = { configuration: this.#discover(provider), atMs: this.#clock() };
    this.#discovered.set(provider, discovered);
    try {
      return await discovered.configuration;
    } catch (error) {
      if (known === undefined) {
        // The next login tries again.
        if (this.#discovered.get(provider) === discovered) this.#discovered.delete(provider);
        throw error;
      }
      this.#discovered.set(provider, { ...known, atMs: this.#clock() - DISCOVERY_MS + RETRY_MS });
      return known.configuration;
    }
  }

  #discover({ issuer, clientId, clientSecret }: Provider): Promise<openId.Configuration> {
    const isPlain = issuer.startsWith('http:');
    return asUnavailable(() =>
      openId.discovery(new URL(issuer), clientId, undefined, authenticationOf(clientSecret), {
        timeout: this.#timeoutMs / 1000,
        [openId.customFetch]: limitedFetch,
        // Signatures are checked even though ID tokens come directly from the provider.
        execute: [openId.enableNonRepudiationChecks, ...(isPlain ? [openId.allowInsecureRequests] : [])],
      }),
    );
  }
}

/** By the method that the provider prefers, which is the header unless it says otherwise (Discovery 1.0, section 3). */
function authenticationOf(secret: string | undefined): openId.ClientAuth {
  if (secret === undefined) return openId.None();
  const [header, body] = [openId.ClientSecretBasic(secret), openId.ClientSecretPost(secret)];
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const isBody = !methods.includes('client_secret_basic') && methods.includes('client_secret_post');
    return (isBody ? body : header)(server, ...rest);
  };
}

async function asUnavailable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new SignInFailure('unavailable', reasonOf(error));
  }
}

function toFailure(error: unknown): SignInFailure {
  return error instanceof SignInFailure ? error : new SignInFailure(problemOf(error), reasonOf(error));
}

function problemOf(error: unknown): SignInProblem {
  if (error instanceof openId.AuthorizationResponseError) return 'refused';
  if (isNetworkError(error)) return 'unavailable';
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return TROUBLES.has(code) ? 'unavailable' : 'invalid';
}

/** Of `fetch`: https://fetch.spec.whatwg.org/#fetch-method. */
function isNetworkError(error: unknown): boolean {
  return error instanceof TypeError && /fetch failed|terminated/.test(error.message);
}

/** For the log. The messages of the library contain neither tokens nor secrets; the details of its errors do. */
function reasonOf(error: unknown): string {
  if (error instanceof openId.AuthorizationResponseError || error instanceof openId.ResponseBodyError)
    return `the provider responded with ${printable(error.error)}`;
  if (!(error instanceof Error)) return 'unknown';
  const { cause } = error;
  return cause instanceof Error ? `${error.message}: ${cause.message}` : error.message;
}

/** An error code has these characters only (RFC 6749, section 5.2). */
function printable(text: string): string {
  return text.replaceAll(/[^\x20-\x7E]/g, '?').slice(0, 100);
}
