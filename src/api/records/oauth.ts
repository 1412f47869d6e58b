import type { ConsentAnswer } from '../../domain/oauth/authorization-server.ts';
import {
  OAUTH_CLIENT_LIMITS,
  OAUTH_SCOPES,
  type OAuthClient as DomainClient,
  type OAuthScope,
} from '../../domain/oauth/client.ts';
import type { RegisteredClient } from '../../domain/oauth/oauth-clients.ts';
import type { AccessToken as DomainToken } from '../../domain/oauth/tokens.ts';
import { AUTHORIZATION_PARAMETERS } from '../../domain/oauth/protocol.ts';
import { exactly, nonEmptyText, optionalTime, text, time, timeText } from './fields.ts';
import { jsonText, recordText, type Written } from './record-text.ts';
import * as Type from './type.ts';

/*
 * Programs that get access with OAuth 2.0, as their owners see them, and the messages of the protocol. A secret is only
 * in `CreatedOAuthClient`.
 */

const scopes = Type.Unsafe<readonly OAuthScope[]>({
  type: 'array',
  items: { type: 'string', enum: [...OAUTH_SCOPES] },
});

const CLIENT_FIELDS = {
  id: Type.String({ description: 'The `client_id`.' }),
  name: Type.String(),
  redirectUris: Type.Array(Type.String()),
  scopes,
  isPublic: Type.Boolean({ description: 'Whether it has no secret.' }),
  createdAt: time('The time of registration.'),
  lastUsedAt: Type.Optional(time('The time when it last got or used a token. Only in lists.')),
  owner: Type.Optional(
    Type.String({ description: 'The user who registered it; absent for the page of the documents.' }),
  ),
};

export const OAuthClient = Type.Object(CLIENT_FIELDS, exactly('OAuthClient'));
export type OAuthClient = Type.Static<typeof OAuthClient>;

export const CreatedOAuthClient = Type.Object(
  {
    ...CLIENT_FIELDS,
    secret: Type.Optional(Type.String({ description: 'The `client_secret`. It is shown only once.' })),
  },
  exactly('CreatedOAuthClient'),
);
export type CreatedOAuthClient = Type.Static<typeof CreatedOAuthClient>;

export const AccessToken = Type.Object(
  {
    id: Type.String({ description: 'The public ID. It gives no access, and revokes the token as that of a key.' }),
    clientId: Type.String(),
    clientName: Type.String(),
    scopes,
    createdAt: time('The time of creation.'),
    expiresAt: time('The time of expiry.'),
    lastUsedAt: Type.Optional(time('The time of the last use, accurate to a few minutes.')),
  },
  exactly('AccessToken'),
);
export type AccessToken = Type.Static<typeof AccessToken>;

const question = Type.Object(
  { client: OAuthClient, redirectUri: Type.String(), scopes },
  { title: 'ConsentQuestion', additionalProperties: false },
);

export const Consent = Type.Object(
  {
    question: Type.Optional(question),
    redirectTo: Type.Optional(
      Type.String({ description: 'The URL to open, with a code or an error. Absent if the user has to decide.' }),
    ),
  },
  exactly('Consent'),
);
export type Consent = Type.Static<typeof Consent>;

export const TokenResponse = Type.Object(
  {
    access_token: Type.String({ description: 'An API key with a short life.' }),
    token_type: Type.Literal('Bearer'),
    expires_in: Type.Integer({ description: 'Seconds.' }),
    scope: Type.String({ description: 'The scopes, which may be fewer than requested, separated by spaces.' }),
  },
  exactly('TokenResponse'),
);

export function clientText(client: DomainClient): string {
  return recordText<OAuthClient>(clientFields(client));
}

/** Contains the secret, which is shown only once. */
export function createdClientText({ secret, ...client }: RegisteredClient): string {
  return recordText<CreatedOAuthClient>({ ...clientFields(client), secret });
}

function clientFields({ id, name, redirectUris, scopes, isPublic, createdAtMs, lastUsedAtMs, owner }: DomainClient) {
  const createdAt = timeText(createdAtMs);
  const fields: Written<OAuthClient> = {
    id,
    name,
    redirectUris,
    scopes,
    isPublic,
    createdAt,
    lastUsedAt: optionalTime(lastUsedAtMs),
    owner: owner?.username,
  };
  return fields;
}

export function tokenText(token: DomainToken): string {
  const { id, clientId, clientName, scopes, createdAtMs, expiresAtMs, lastUsedAtMs } = token;
  return recordText<AccessToken>({
    id,
    clientId,
    clientName,
    scopes,
    createdAt: timeText(createdAtMs),
    expiresAt: timeText(expiresAtMs),
    lastUsedAt: optionalTime(lastUsedAtMs),
  });
}

export function consentText(answer: ConsentAnswer): string {
  if ('redirectTo' in answer) return jsonText(answer);
  const { client, redirectUri, scopes } = answer.question;
  const question: Consent['question'] = { client: JSON.parse(clientText(client)), redirectUri, scopes };
  return jsonText({ question });
}

/** A line, which an administrator or a user reads in a list. */
const name = nonEmptyText(OAUTH_CLIENT_LIMITS.nameLength);

export const SentOAuthClient = Type.Object(
  {
    name,
    redirectUris: Type.Unsafe<readonly string[]>({
      type: 'array',
      maxItems: OAUTH_CLIENT_LIMITS.redirectUris,
      uniqueItems: true,
      items: text(OAUTH_CLIENT_LIMITS.uriLength),
      message: `must be a list of at most ${OAUTH_CLIENT_LIMITS.redirectUris} URIs, without duplicates`,
    }),
    scopes: Type.Unsafe<readonly OAuthScope[]>({
      type: 'array',
      minItems: 1,
      uniqueItems: true,
      items: { enum: OAUTH_SCOPES, message: `must be one of ${OAUTH_SCOPES.join(', ')}` },
      message: `must be a list of one or more of ${OAUTH_SCOPES.join(', ')}, without duplicates`,
    }),
    isPublic: Type.Unsafe<boolean>({ type: 'boolean', message: 'must be true or false' }),
  },
  { title: 'SentOAuthClient', message: 'must be a JSON object' },
);
export type SentOAuthClient = Type.Static<typeof SentOAuthClient>;

const parameterText = text(4000);

export const SentConsent = Type.Object(
  {
    isAllowed: Type.Unsafe<boolean>({ type: 'boolean', message: 'must be true or false' }),
    parameters: Type.Unsafe<Readonly<Record<string, string>>>({
      type: 'object',
      properties: Object.fromEntries(AUTHORIZATION_PARAMETERS.map((parameter) => [parameter, parameterText])),
      title: 'AuthorizationParameters',
      message: 'must be an object of strings',
    }),
  },
  { title: 'SentConsent', message: 'must be a JSON object' },
);
export type SentConsent = Type.Static<typeof SentConsent>;
