import type { Stamp } from '../audit.ts';
import type { OAuthAccount, OAuthScope } from './client.ts';

/** Access tokens are API keys with a short life, which belong to a client. */
export const TOKEN_LIFETIME_MS = 3_600_000;

/** A client that asks for more tokens of one account loses its oldest ones. */
export const TOKENS_OF_CLIENT_AND_ACCOUNT = 100;

/** RFC 6749, section 4.1.2, recommends at most 10 minutes. */
export const CODE_LIFETIME_MS = 60_000;

/** What a user has allowed a client, until the client exchanges the authorization code for an access token. */
export interface GrantedCode {
  clientId: string;
  redirectUri: string;
  scopes: readonly OAuthScope[];
  /** The S256 challenge of PKCE (RFC 7636). */
  challenge: string;
  /** The session of the user. After its end, the code is worthless. */
  sessionId: string;
  /** The public ID of the token, chosen before the token exists: a second use of the code revokes it. */
  tokenId: string;
}

/** A code with the account of the user. */
export interface StoredCode extends GrantedCode {
  digest: string;
  user: OAuthAccount;
  expiresAtMs: number;
}

/** An access token, as the owner of the account sees it. */
export interface AccessToken {
  /** The public ID, which gives no access. */
  id: string;
  clientId: string;
  /** The name of the client when it got the token. */
  clientName: string;
  scopes: readonly OAuthScope[];
  createdAtMs: number;
  expiresAtMs: number;
  lastUsedAtMs: number | undefined;
}

export interface NewAccessToken extends Omit<AccessToken, 'lastUsedAtMs'> {
  digest: string;
  accountId: bigint;
}

export type TokenChange =
  /** Stores a code, and writes an audit entry that names the client. Returns 0. */
  | { kind: 'save-code'; digest: string; code: GrantedCode; clientName: string; expiresAtMs: number; stamp: Stamp }
  /**
   * Marks a code as used, once on all nodes. Returns 1 if it was not used before. Otherwise it revokes the token, since
   * someone else has the code as well (RFC 6749, section 4.1.2), and returns 0.
   */
  | { kind: 'use-code'; digest: string; stamp: Stamp; keptUntilMs: number }
  /**
   * Stores a token, and deletes those of this client and account that have expired or are too many. Returns 1; 0 if the
   * code was used again meanwhile, or the client was deleted.
   *
   * @throws Failure `unauthenticated` if the session of the stamp has ended, or the account has another role
   */
  | { kind: 'issue'; token: NewAccessToken; codeDigest: string | undefined; isOfService: boolean; stamp: Stamp }
  /** Revokes the token of this client. Returns the number of revoked tokens. */
  | { kind: 'revoke'; digest: string; clientId: string; stamp: Stamp };

/** Codes and access tokens. Errors as in `domain/ports.ts`. */
export interface OAuthTokenStore {
  /** Also a code that was used or has expired: the caller checks the time, and `use-code` the use. */
  findCode(digest: string): Promise<StoredCode | undefined>;
  /** The valid tokens of an account, newest first. */
  listOf(userId: bigint, nowMs: number): Promise<readonly AccessToken[]>;
  apply(change: TokenChange): Promise<number>;
}
