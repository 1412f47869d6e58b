import { Failure } from '../failure.ts';
import type { Role, Scope } from '../access.ts';
import type { Stamp } from '../audit.ts';
import { problemOfRedirectUri } from './redirect-uri.ts';

/** The scopes that programs can get with OAuth 2.0: those of `petstore_auth`. */
export const OAUTH_SCOPES = ['read:pets', 'write:pets'] as const satisfies readonly Scope[];

export type OAuthScope = (typeof OAUTH_SCOPES)[number];

export const OAUTH_CLIENT_LIMITS = {
  nameLength: 100,
  redirectUris: 10,
  uriLength: 1000,
  ofAccount: 50,
  /** The number of clients of all accounts that administrators see. */
  listed: 1000,
} as const;

/** The prefix of the secret of a client, by which users and secret scanners recognize it. */
export const CLIENT_SECRET_PREFIX = 'mgs_';

/** The account that registered a client, or that a token acts for. */
export interface OAuthAccount {
  accountId: bigint;
  username: string;
  role: Role;
  userStatus: number | undefined;
}

/** A program that gets access with OAuth 2.0. */
export interface OAuthClient {
  id: string;
  name: string;
  redirectUris: readonly string[];
  /** The program never gets more. */
  scopes: readonly OAuthScope[];
  /** Without a secret (RFC 6749, section 2.1), such as an application in a browser or on a phone. */
  isPublic: boolean;
  createdAtMs: number;
  /** When it last got or used a token. Only read for lists. */
  lastUsedAtMs?: number | undefined;
  /** Undefined for the page of the API documents, which is part of the service. */
  owner: OAuthAccount | undefined;
}

export interface StoredOAuthClient extends OAuthClient {
  secretDigest: string | undefined;
}

/** What the owner decides about a new client. */
export interface NewOAuthClient {
  name: string;
  redirectUris: readonly string[];
  scopes: readonly OAuthScope[];
  isPublic: boolean;
}

export interface ClientRecord extends NewOAuthClient {
  id: string;
  accountId: bigint;
  secretDigest: string | undefined;
  createdAtMs: number;
}

/** Returns 0. */
export type OAuthClientChange =
  /** @throws Failure `conflict` if the account has `maxOfAccount` clients, or was deleted */
  | { kind: 'create'; client: ClientRecord; maxOfAccount: number; stamp: Stamp }
  /**
   * Deletes a client of this account, or of any account if `userId` is undefined, with its access tokens.
   * @throws Failure `not-found`
   */
  | { kind: 'delete'; id: string; userId: bigint | undefined; stamp: Stamp };

/** Errors as in `domain/ports.ts`. */
export interface OAuthClientStore {
  find(id: string): Promise<StoredOAuthClient | undefined>;
  /** The clients of an account, or at most `listed` of all accounts, by name. */
  list(userId: bigint | undefined): Promise<readonly OAuthClient[]>;
  apply(change: OAuthClientChange): Promise<number>;
}

/** The client ID of the page of the API documents. */
export const DOCS_CLIENT_ID = 'menagerie-docs';

/** The client that every service has: the page of its own API documents. @param issuer the URL of the service */
export function docsClient(id: string, issuer: string): StoredOAuthClient | undefined {
  if (id !== DOCS_CLIENT_ID) return undefined;
  return {
    id,
    name: 'API documentation',
    redirectUris: [`${issuer}/docs`],
    scopes: OAUTH_SCOPES,
    isPublic: true,
    createdAtMs: 0,
    owner: undefined,
    secretDigest: undefined,
  };
}

/** @throws Failure `invalid-input` */
export function checkNewClient({ redirectUris, isPublic }: NewOAuthClient): void {
  if (isPublic && redirectUris.length === 0)
    throw invalidUri('/redirectUris', 'must have at least one URI if the client is public');
  for (const [index, uri] of redirectUris.entries()) {
    const problem = problemOfRedirectUri(uri);
    if (problem !== undefined) throw invalidUri(`/redirectUris/${index}`, problem);
  }
}

function invalidUri(path: string, message: string): Failure {
  return new Failure('invalid-input', 'The redirect URIs are not valid.', { problems: [{ path, message }] });
}
