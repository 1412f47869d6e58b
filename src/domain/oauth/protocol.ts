import type { OAuthAccount, OAuthClient, OAuthScope } from './client.ts';
import type { StoredCode } from './tokens.ts';

/* The interface to the library that implements the messages and checks of OAuth 2.0 (RFC 6749, RFC 7636). */

export type OAuthParameters = Readonly<Record<string, string>>;

/** How programs get tokens (RFC 6749, section 1.3). There are no refresh tokens. */
export const GRANT_TYPES = ['authorization_code', 'client_credentials'] as const;

/** The parameters of an authorization request (RFC 6749, section 4.1.1, and RFC 7636, section 4.3). */
export const AUTHORIZATION_PARAMETERS = [
  'response_type',
  'client_id',
  'redirect_uri',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
] as const;

/** The scopes that a request asks for; undefined asks for all that the client may have. */
export type AskedScopes = readonly string[] | undefined;

/** A code before it is stored. */
export interface AskedGrant {
  client: OAuthClient;
  redirectUri: string;
  scopes: readonly OAuthScope[];
  challenge: string;
}

/** What the protocol asks while it handles an authorization request. */
export interface AuthorizationRules {
  isDenied: boolean;
  /** The client, if this user may allow it anything. */
  findClient(id: string): Promise<OAuthClient | undefined>;
  /** The asked scopes that the client may have and the role of the user allows. Without any, the request fails. */
  scopesFor(client: OAuthClient, asked: AskedScopes): readonly OAuthScope[];
  /** @returns the code */
  saveCode(grant: AskedGrant): Promise<string>;
}

/** Where the browser has to go: the redirect URI with a code or an error. */
export interface AuthorizationOutcome {
  redirectTo: string;
  isError: boolean;
}

export interface TokenRequest {
  authorization: string | undefined;
  form: OAuthParameters;
}

export interface TokenGrant {
  client: OAuthClient;
  user: OAuthAccount;
  scopes: readonly OAuthScope[];
  /** Undefined for client credentials. */
  code: StoredCode | undefined;
}

/** What the protocol asks while it handles a token request. */
export interface TokenRules {
  /** The client, if the secret is right; a public client has none. */
  authenticate(id: string, secret: string | undefined): Promise<OAuthClient | undefined>;
  findCode(code: string): Promise<StoredCode | undefined>;
  /** False if the code was used before. */
  useCode(code: StoredCode): Promise<boolean>;
  /** The account that the client acts for without a user. */
  ownerOf(client: OAuthClient): OAuthAccount | undefined;
  scopesFor(client: OAuthClient, user: OAuthAccount, asked: AskedScopes): readonly OAuthScope[];
  /** @returns the token; undefined if the grant ended meanwhile */
  issue(grant: TokenGrant): Promise<string | undefined>;
}

/** A response in the format of RFC 6749, section 5. */
export interface OAuthResponse {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: Readonly<Record<string, unknown>>;
}

export interface ClientCredentials {
  id: string;
  secret: string | undefined;
}

export interface OAuthProtocol {
  /**
   * @param issuer the URL of the service, which the response names (RFC 9207)
   * @throws Failure `invalid-input` for an unknown client or another redirect URI: the browser must not be sent there
   */
  authorize(parameters: OAuthParameters, issuer: string, rules: AuthorizationRules): Promise<AuthorizationOutcome>;
  requestToken(request: TokenRequest, rules: TokenRules): Promise<OAuthResponse>;
  /** Returns the credentials of the client, or undefined for a request without them. */
  credentialsIn(request: TokenRequest): Promise<ClientCredentials | undefined>;
}
