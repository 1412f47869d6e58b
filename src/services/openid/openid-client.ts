import { setTimeout as delay } from 'node:timers/promises';
import * as openId from 'openid-client';
import type { AuthorizationRequest, OpenIdClient } from '../../domain/providers/ports.ts';
import { issuerKey, type Provider, type ProviderIdentity } from '../../domain/providers/provider.ts';
import { SignInFailure } from '../../domain/providers/sign-in-failure.ts';
import type { Clock } from '../../domain/ports.ts';
import { findTokenFault } from './id-token.ts';
import { limitedFetch } from './limited-fetch.ts';
import { issuersDiffer, toSignInFailure } from './openid-failures.ts';

interface OpenIdDeps {
  clock: Clock;
  /** Timeout of a request to a provider. */
  timeoutMs?: number;
}

interface Discovered {
  metadata: Promise<openId.ServerMetadata>;
  atMs: number;
}

const TIMEOUT_MS = 10_000;

/** A logout waits no longer than this for a provider. */
const LOGOUT_MS = 2000;

/** The endpoints of a provider are read again after this time, or after a login that failed. */
const DISCOVERY_MS = 3_600_000;
/** If that fails, the known ones are used for this time. */
const RETRY_MS = 60_000;

/** For signatures with a key that only the provider has. Its document may be older than a key of another algorithm. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

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
    const challenge = await openId.calculatePKCECodeChallenge(request.codeVerifier);
    try {
      return openId.buildAuthorizationUrl(configuration, {
        redirect_uri: request.redirectUri,
        scope: provider.scopes,
        state: request.state,
        nonce: request.nonce,
        code_challenge: challenge,
        code_challenge_method: 'S256',
      }).href;
    } catch (error) {
      throw await toSignInFailure(error, 'misconfigured');
    }
  }

  async identify(provider: Provider, response: URL, request: AuthorizationRequest): Promise<ProviderIdentity> {
    const configuration = await this.#configurationOf(provider);
    const code = response.searchParams.get('code') ?? undefined;
    const secrets = [provider.clientSecret, code, request.codeVerifier, request.state, request.nonce];
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
      const { claims, userInfoFailure } = await userInfoOf(configuration, tokens.access_token, subject);
      return { issuer, subject, idToken, claims: { ...claims, ...idToken }, userInfoFailure };
    } catch (error) {
      const failure = await toSignInFailure(error, 'invalid', secrets);
      if (failure.problem !== 'refused') this.#readAgain(provider);
      throw failure;
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

  /**
   * A new one for each login: the library caches keys with it, and a provider may replace its keys at any time.
   *
   * @throws SignInFailure `unavailable`, `misconfigured`
   */
  async #configurationOf(provider: Provider): Promise<openId.Configuration> {
    const { clientId, clientSecret, issuer } = provider;
    const algorithms = {
      id_token_signing_alg_values_supported: ALGORITHMS,
      userinfo_signing_alg_values_supported: ALGORITHMS,
    };
    const metadata = { ...(await this.#metadataOf(provider)), ...algorithms };
    const authentication = authenticationOf(clientSecret);
    const configuration = new openId.Configuration(metadata, clientId, undefined, authentication);
    configuration.timeout = this.#timeoutMs / 1000;
    configuration[openId.customFetch] = limitedFetch;
    // Signatures are checked even though ID tokens come directly from the provider.
    openId.enableNonRepudiationChecks(configuration);
    if (isPlain(issuer)) openId.allowInsecureRequests(configuration);
    return configuration;
  }

  async #metadataOf(provider: Provider): Promise<openId.ServerMetadata> {
    const known = this.#discovered.get(provider);
    if (known !== undefined && this.#clock() - known.atMs < DISCOVERY_MS) return known.metadata;
    const discovered = { metadata: this.#discover(provider), atMs: this.#clock() };
    this.#discovered.set(provider, discovered);
    try {
      return await discovered.metadata;
    } catch (error) {
      if (known === undefined) {
        // The next login tries again.
        if (this.#discovered.get(provider) === discovered) this.#discovered.delete(provider);
        throw error;
      }
      this.#discovered.set(provider, { ...known, atMs: this.#clock() - DISCOVERY_MS + RETRY_MS });
      return known.metadata;
    }
  }

  /** The endpoints may have changed. */
  #readAgain(provider: Provider): void {
    const known = this.#discovered.get(provider);
    if (known !== undefined) this.#discovered.set(provider, { ...known, atMs: -Infinity });
  }

  async #discover({ issuer, clientId }: Provider): Promise<openId.ServerMetadata> {
    try {
      const discovered = await openId.discovery(documentOf(issuer), clientId, undefined, undefined, {
        timeout: this.#timeoutMs / 1000,
        [openId.customFetch]: limitedFetch,
        execute: isPlain(issuer) ? [openId.allowInsecureRequests] : [],
      });
      const metadata = discovered.serverMetadata();
      // With the URL of a document, the library does not compare.
      if (!URL.canParse(metadata.issuer) || issuerKey(metadata.issuer) !== issuerKey(issuer))
        throw new SignInFailure('misconfigured', issuersDiffer('of the provider', metadata.issuer, issuer));
      return metadata;
    } catch (error) {
      throw await toSignInFailure(error, 'misconfigured');
    }
  }
}

/** The discovery document (OpenID Connect Discovery 1.0, section 4.1). */
function documentOf(issuer: string): URL {
  const url = new URL(issuer);
  url.pathname = `${url.pathname.replace(/\/$/, '')}/.well-known/openid-configuration`;
  return url;
}

function isPlain(issuer: string): boolean {
  return issuer.startsWith('http:');
}

type UserInfo = Pick<ProviderIdentity, 'claims' | 'userInfoFailure'>;

/**
 * Many providers put groups and addresses only into this response. A login does not depend on it.
 *
 * @throws SignInFailure `invalid` if it is about another person
 */
async function userInfoOf(
  configuration: openId.Configuration,
  accessToken: string,
  subject: string,
): Promise<UserInfo> {
  if (configuration.serverMetadata().userinfo_endpoint === undefined) return { claims: {}, userInfoFailure: undefined };
  let claims: openId.UserInfoResponse;
  try {
    claims = await openId.fetchUserInfo(configuration, accessToken, openId.skipSubjectCheck);
  } catch (error) {
    return { claims: {}, userInfoFailure: await toSignInFailure(error, 'invalid', [accessToken]) };
  }
  // OpenID Connect Core 1.0, section 5.3.2.
  if (claims.sub !== subject) throw new SignInFailure('invalid', 'the UserInfo response is about another person');
  return { claims, userInfoFailure: undefined };
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
