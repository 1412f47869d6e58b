import OAuth2Server from '@node-oauth/oauth2-server';
import { Failure } from '../../domain/failure.ts';
import type { OAuthAccount, OAuthClient } from '../../domain/oauth/client.ts';
import {
  GRANT_TYPES,
  type AskedScopes,
  type AuthorizationOutcome,
  type AuthorizationRules,
  type ClientCredentials,
  type OAuthParameters,
  type OAuthProtocol,
  type OAuthResponse,
  type TokenRequest,
  type TokenRules,
} from '../../domain/oauth/protocol.ts';
import { isRegisteredUri } from '../../domain/oauth/redirect-uri.ts';
import { CODE_LIFETIME_MS, TOKEN_LIFETIME_MS, type StoredCode } from '../../domain/oauth/tokens.ts';

const { Request, Response, OAuthError, InvalidGrantError, InvalidRequestError, UnsupportedGrantTypeError } =
  OAuth2Server;

const LIFETIMES = {
  authorizationCodeLifetime: CODE_LIFETIME_MS / 1000,
  accessTokenLifetime: TOKEN_LIFETIME_MS / 1000,
} as const;

/** The rules of the service demand the secret of every client that has one. The library would demand one of all. */
const TOKEN_OPTIONS = {
  ...LIFETIMES,
  requireClientAuthentication: Object.fromEntries(GRANT_TYPES.map((grantType) => [grantType, false])),
};

/** The base64url of a SHA-256 (RFC 7636, section 4.2). */
const CHALLENGE = /^[\w-]{43}$/;

/** Visible ASCII and spaces, as RFC 6749 allows in `state` (appendix A.5). */
const STATE = /^[\u0020-\u007E]+$/;

/** The messages and checks of OAuth 2.0 by `@node-oauth/oauth2-server`, with the rules of this service. */
export class OAuthLibrary implements OAuthProtocol {
  async authorize(
    parameters: OAuthParameters,
    issuer: string,
    rules: AuthorizationRules,
  ): Promise<AuthorizationOutcome> {
    const { redirect_uri: redirectUri } = parameters;
    if (redirectUri === undefined) throw new Failure('invalid-input', 'Missing parameter: `redirect_uri`');
    const response = new Response();
    try {
      const query = { ...parameters, ...(rules.isDenied ? { allowed: 'false' } : { allowed: 'true' }) };
      const server = new OAuth2Server({ model: authorizationModel(rules) });
      await server.authorize(new Request({ method: 'GET', headers: {}, query }), response, {
        ...LIFETIMES,
        // PKCE prevents what `state` is for (RFC 9700, section 2.1), so a client may leave it out.
        allowEmptyState: true,
        authenticateHandler: { handle: () => ({}) },
      });
      return { redirectTo: withIssuer(new URL(locationOf(response)), issuer), isError: false };
    } catch (error) {
      const refusal = oauthErrorIn(error);
      // Without a redirect, the client or its redirect URI is not valid (RFC 6749, section 4.1.2.1).
      if (response.headers?.['location'] === undefined) throw new Failure('invalid-input', `${refusal.message}.`);
      return { redirectTo: withIssuer(errorUrl(redirectUri, refusal, parameters['state']), issuer), isError: true };
    }
  }

  async requestToken({ authorization, form }: TokenRequest, rules: TokenRules): Promise<OAuthResponse> {
    const problem = problemOfGrantType(form['grant_type']);
    if (problem !== undefined) return errorResponse(problem);
    const response = new Response();
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      // The library checks that there is a body by its length.
      'content-length': '1',
      ...decodedBasic(authorization),
    };
    try {
      const server = new OAuth2Server({ model: tokenModel(rules) });
      await server.token(new Request({ method: 'POST', headers, query: {}, body: form }), response, TOKEN_OPTIONS);
    } catch (error) {
      oauthErrorIn(error);
    }
    const { status = 500 } = response;
    return {
      status,
      headers: status === 401 ? { 'www-authenticate': 'Basic realm="Menagerie"' } : {},
      body: (response.body ?? {}) as OAuthResponse['body'],
    };
  }

  async credentialsIn({ authorization, form }: TokenRequest): Promise<ClientCredentials | undefined> {
    const basic = basicCredentials(authorization);
    if (basic !== undefined) return basic;
    const { client_id: id, client_secret: secret } = form;
    return id === undefined ? undefined : { id, secret };
  }
}

/** The library keeps clients and users as objects that it does not read, except for these fields. */
interface LibraryClient extends OAuth2Server.Client {
  client: OAuthClient;
}

function asLibraryClient(client: OAuthClient): LibraryClient {
  const { id, redirectUris, isPublic } = client;
  const grants = [
    ...(redirectUris.length > 0 ? ['authorization_code'] : []),
    ...(isPublic ? [] : ['client_credentials']),
  ];
  return { id, redirectUris: [...redirectUris], grants, client };
}

function clientOf(client: OAuth2Server.Client): OAuthClient {
  return (client as LibraryClient).client;
}

/** The library calls it only to identify a request by its access token, which the service does itself. */
async function getAccessToken(): Promise<undefined> {
  return undefined;
}

function authorizationModel(rules: AuthorizationRules): OAuth2Server.AuthorizationCodeModel {
  return {
    ...NO_TOKENS,
    getClient: async (id) => {
      const client = await rules.findClient(id);
      return client && asLibraryClient(client);
    },
    validateRedirectUri: async (uri, client) => isRegisteredUri(uri, clientOf(client).redirectUris),
    validateScope: async (_user, client, asked) => nonEmpty(rules.scopesFor(clientOf(client), asked as AskedScopes)),
    saveAuthorizationCode: async (code, client, user) => {
      const { codeChallenge: challenge, redirectUri, scope } = code;
      // The library lets a client leave it out.
      if (challenge === undefined || !CHALLENGE.test(challenge))
        throw new InvalidRequestError('Missing or invalid parameter: `code_challenge` (PKCE with S256 is required)');
      const scopes = scope as ReturnType<AuthorizationRules['scopesFor']>;
      const text = await rules.saveCode({ client: clientOf(client), redirectUri, scopes, challenge });
      return { ...code, authorizationCode: text, client, user };
    },
  };
}

/** The functions of the model that authorization requests do not need. */
const NO_TOKENS = {
  getAccessToken,
  getAuthorizationCode: getAccessToken,
  revokeAuthorizationCode: async () => false,
  saveToken: getAccessToken,
};

function tokenModel(rules: TokenRules): OAuth2Server.AuthorizationCodeModel & OAuth2Server.ClientCredentialsModel {
  let used: StoredCode | undefined;
  return {
    getAccessToken,
    saveAuthorizationCode: getAccessToken,
    // Tokens are issued when they are saved, and never renewed.
    generateAccessToken: async () => 'none',
    generateRefreshToken: async () => '',
    getClient: async (id, secret: string | undefined) => {
      const client = await rules.authenticate(id, givenSecret(secret));
      return client && asLibraryClient(client);
    },
    getAuthorizationCode: async (text) => {
      used = await rules.findCode(text);
      return used && asLibraryCode(text, used);
    },
    revokeAuthorizationCode: async () => used !== undefined && rules.useCode(used),
    getUserFromClient: async (client) => rules.ownerOf(clientOf(client)),
    validateScope: async (user, client, asked) =>
      nonEmpty(rules.scopesFor(clientOf(client), user as OAuthAccount, asked as AskedScopes)),
    saveToken: async (token, client, user) => {
      const scopes = token.scope as ReturnType<TokenRules['scopesFor']>;
      const grant = { client: clientOf(client), user: user as OAuthAccount, scopes, code: used };
      const accessToken = await rules.issue(grant);
      if (accessToken === undefined) throw new InvalidGrantError('Invalid grant: the access has ended');
      return { ...token, accessToken, client, user };
    },
  };
}

function asLibraryCode(text: string, { clientId, redirectUri, scopes, challenge, user }: StoredCode) {
  return {
    authorizationCode: text,
    // The rules have compared the end with the clock of the service.
    expiresAt: new Date(Date.now() + CODE_LIFETIME_MS),
    redirectUri,
    scope: [...scopes],
    client: { id: clientId, grants: [] },
    user,
    codeChallenge: challenge,
    codeChallengeMethod: 'S256',
  };
}

/** The library takes an empty list for a success. */
function nonEmpty<T>(scopes: readonly T[]): T[] | undefined {
  return scopes.length === 0 ? undefined : [...scopes];
}

/** The error of the protocol. @throws the error itself if it is a failure of the service or a bug */
function oauthErrorIn(error: unknown): OAuth2Server.OAuthError {
  if (!(error instanceof OAuthError)) throw error;
  const { inner } = error as { inner?: unknown };
  // The library wraps whatever its model throws.
  if (inner !== undefined && !(inner instanceof OAuthError)) throw inner;
  if (error.name === 'server_error') throw error;
  return error;
}

function locationOf({ headers }: OAuth2Server.Response): string {
  return headers?.['location'] ?? '';
}

/** Written here, because the library loses the error if the redirect URI has a query. */
function errorUrl(redirectUri: string, { name, message }: OAuth2Server.OAuthError, state: string | undefined): URL {
  const url = new URL(redirectUri);
  url.searchParams.set('error', name);
  url.searchParams.set('error_description', message);
  if (state !== undefined && STATE.test(state)) url.searchParams.set('state', state);
  return url;
}

/** RFC 9207: a client of several servers recognizes the one that responds. */
function withIssuer(url: URL, issuer: string): string {
  url.searchParams.set('iss', issuer);
  return url.href;
}

/** Before the client is identified: no client can use another one. */
function problemOfGrantType(grantType: string | undefined): OAuth2Server.OAuthError | undefined {
  if (grantType === undefined) return new InvalidRequestError('Missing parameter: `grant_type`');
  if (GRANT_TYPES.some((known) => known === grantType)) return undefined;
  return new UnsupportedGrantTypeError(`Unsupported grant type: use one of ${GRANT_TYPES.join(', ')}`);
}

function errorResponse({ name, message, code }: OAuth2Server.OAuthError): OAuthResponse {
  return { status: code, headers: {}, body: { error: name, error_description: message } };
}

/** RFC 6749, section 2.3.1: both parts are encoded as in a form, which the library does not decode. */
function decodedBasic(authorization: string | undefined): { authorization?: string } {
  const credentials = basicCredentials(authorization);
  if (credentials === undefined) return {};
  const { id, secret = '' } = credentials;
  return { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` };
}

/** Programs without a secret send an empty one, and some an empty header besides the `client_id` of the form. */
function basicCredentials(authorization = ''): ClientCredentials | undefined {
  const encoded = /^basic +([\w+/=-]+)$/i.exec(authorization)?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString();
  const at = text.indexOf(':');
  const [id, secret] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)].map(formDecoded);
  if (id === undefined || id === '' || secret === undefined) return undefined;
  return { id, secret: givenSecret(secret) };
}

function givenSecret(secret: string | undefined): string | undefined {
  return secret === '' ? undefined : secret;
}

function formDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
