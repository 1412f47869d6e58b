import {
  AccessToken,
  Consent,
  CreatedOAuthClient,
  OAuthClient,
  SentConsent,
  SentOAuthClient,
  TokenResponse,
} from '../../records/oauth.ts';
import { OAUTH_CLIENT_LIMITS } from '../../../domain/oauth/client.ts';
import { AUTHORIZATION_PARAMETERS, GRANT_TYPES } from '../../../domain/oauth/protocol.ts';
import { ApiResponse } from '../../records/api-response.ts';
import * as Type from '../../records/type.ts';
import { json, jsonBody, type OperationDescription } from '../parts/format.ts';

const CLIENT_ID = { clientId: Type.String({ minLength: 1, description: 'The `client_id`.' }) };
const DELETED = json(ApiResponse, 'The client is deleted. The message is its ID.');
const NO_CLIENT = 'Program not found';
const INVALID_CLIENT = 'Unknown client or wrong secret: `invalid_client`';
const UNUSABLE = 'The client is unknown or not for this user, or the redirect URI is not registered';

const optional = () => Type.Optional(Type.String());

const CREDENTIALS = { client_id: optional(), client_secret: optional() };

const TokenRequest = Type.Object(
  {
    grant_type: Type.String({ enum: [...GRANT_TYPES] }),
    code: optional(),
    redirect_uri: optional(),
    code_verifier: optional(),
    scope: optional(),
    ...CREDENTIALS,
  },
  { title: 'TokenRequest' },
);

const RevocationRequest = Type.Object(
  { token: Type.String(), token_type_hint: optional(), ...CREDENTIALS },
  { title: 'RevocationRequest' },
);

function form<T extends Type.TSchema>(schema: T) {
  return { content: { 'application/x-www-form-urlencoded': schema } } as const;
}

export const OAUTH_OPERATIONS = {
  requestToken: {
    group: 'oauth',
    summary: 'Get an access token',
    description:
      'The token endpoint (RFC 6749) for an authorization code with PKCE, and for client credentials, which act as ' +
      'the owner of the client. A client with a secret sends it here or with HTTP Basic. A field without a value counts ' +
      'as omitted. Errors have `error` and `error_description`.',
    body: form(TokenRequest),
    responses: { 200: json(TokenResponse, 'The token, which is valid for an hour.') },
    failures: {
      400: 'The request, the code or the verifier is not valid',
      401: INVALID_CLIENT,
      429: 'Too many attempts',
    },
  },
  revokeToken: {
    group: 'oauth',
    summary: 'Revoke an access token as its client',
    description: 'RFC 7009. An unknown token is a success.',
    body: form(RevocationRequest),
    responses: { 200: json(Type.Object({}, exactlyEmpty()), 'The token is not valid, or no longer.') },
    failures: { 401: INVALID_CLIENT, 429: 'Too many attempts' },
  },
  getConsent: {
    group: 'oauth',
    summary: 'Check an authorization request',
    description: 'For the page `/oauth/authorize`, where programs send users. Takes the parameters of RFC 6749.',
    query: Object.fromEntries(AUTHORIZATION_PARAMETERS.map((name) => [name, optional()])),
    responses: { 200: json(Consent, 'The request that the user allows or denies, or where to redirect the browser.') },
    failures: { 400: UNUSABLE },
  },
  giveConsent: {
    group: 'oauth',
    summary: 'Allow or deny an authorization request',
    description: 'A code is valid for a minute, once. A second use revokes its token.',
    body: jsonBody(SentConsent),
    responses: { 200: json(Consent, 'The redirect.') },
    failures: { 400: UNUSABLE },
  },
  listOAuthClients: {
    group: 'oauth',
    summary: 'List your OAuth clients',
    description: 'Those of other users are not listed.',
    responses: { 200: json(Type.Array(OAuthClient), 'The clients that you registered, without their secrets.') },
  },
  createOAuthClient: {
    group: 'oauth',
    summary: 'Register an OAuth client',
    description:
      'Only you can allow it access; the clients of administrators are for all users. A new password deletes those ' +
      'with a secret, as it revokes API keys. In secured access, it requires a login within 15 minutes.',
    body: jsonBody(SentOAuthClient),
    responses: { 200: json(CreatedOAuthClient, 'The client. Its secret is shown only once.') },
    failures: {
      403: 'The login is more than 15 minutes old, or the request comes from a page of another site or is for another host',
      409: 'The account has the maximum number of clients, or was deleted',
    },
  },
  deleteOAuthClient: {
    group: 'oauth',
    summary: 'Delete one of your OAuth clients',
    description: 'Its access tokens stop working immediately.',
    path: CLIENT_ID,
    responses: { 200: DELETED },
    failures: { 404: NO_CLIENT },
  },
  listAccessTokens: {
    group: 'oauth',
    summary: 'List the access tokens of your account',
    description: 'Returns the programs that have access at present. Revoke a token as an API key, by its ID.',
    responses: { 200: json(Type.Array(AccessToken), 'The tokens, without the tokens themselves.') },
  },
  listAllOAuthClients: {
    group: 'oauth',
    summary: 'List the OAuth clients of all users',
    description: `At most ${OAUTH_CLIENT_LIMITS.listed}.`,
    responses: { 200: json(Type.Array(OAuthClient), 'The clients, without their secrets.') },
  },
  deleteAnyOAuthClient: {
    group: 'oauth',
    summary: 'Delete an OAuth client of any user',
    description: 'Its access tokens stop working immediately.',
    path: CLIENT_ID,
    responses: { 200: DELETED },
    failures: { 404: NO_CLIENT },
  },
} as const satisfies Record<string, OperationDescription>;

function exactlyEmpty() {
  return { title: 'Empty', additionalProperties: false } as const;
}
