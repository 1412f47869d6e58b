import type { Role } from '../access.ts';
import type { WaysIn } from '../accounts/factors.ts';
import type { NewAccount } from '../accounts/ports.ts';
import type { Stamp } from '../audit.ts';
import type { Provider, ProviderIdentity, ProviderLogin } from './provider.ts';

/** What one login sends to the provider, and expects back. */
export interface AuthorizationRequest {
  redirectUri: string;
  state: string;
  nonce: string;
  /** PKCE (RFC 7636). */
  codeVerifier: string;
}

/** Speaks OpenID Connect with providers. Every method throws `SignInFailure` `unavailable` if one does not respond. */
export interface OpenIdClient {
  /** The page of the provider on which the person logs in. */
  authorizationUrl(provider: Provider, request: AuthorizationRequest): Promise<string>;
  /**
   * Exchanges the code of the response for the identity, and verifies everything about both.
   *
   * @param response the redirect URI with the parameters of the response
   * @throws SignInFailure `refused`, `invalid`
   */
  identify(provider: Provider, response: URL, request: AuthorizationRequest): Promise<ProviderIdentity>;
  /** The page of the provider that ends the session there; undefined if it has none, or does not respond. */
  logoutUrl(provider: Provider, returnTo: string): Promise<string | undefined>;
}

/** A login that was begun. `details` is JSON. */
export interface NewSignInStep {
  /** The digest of the token with which it is completed. */
  digest: string;
  details: string;
  expiresAtMs: number;
}

/** A person at a provider who logs in or links an account. */
export type KnownIdentity = Pick<ProviderLogin, 'issuer' | 'subject' | 'name'>;

/** Returns a text, which is empty where nothing else is said. */
export type ProviderChange =
  | { kind: 'begin'; step: NewSignInStep; stamp: Stamp }
  /** Returns the details of the step, and deletes it. Empty for an unknown or expired step. */
  | { kind: 'take'; digest: string; nowMs: number }
  /**
   * Records the login of a person, sets the role of the account, and creates an account for one who has none. The role
   * of the last administrator stays. Stores that the step is complete. Returns the user name; empty for a person
   * without an account.
   *
   * @throws Failure `conflict` if the user name of the new account is taken
   */
  | {
      kind: 'log-in';
      identity: KnownIdentity;
      role: Role | undefined;
      newAccount: NewAccount | undefined;
      /** An address of the new account that the provider has confirmed. */
      confirmedEmail: string | undefined;
      completed: NewSignInStep;
      stamp: Stamp;
    }
  /**
   * Stores that the step is complete. Returns `taken` if the person can log in to another account, and then changes
   * nothing.
   */
  | { kind: 'link'; userId: bigint; identity: KnownIdentity; label: string; completed: NewSignInStep; stamp: Stamp }
  /** @throws Failure `not-found`; `conflict` for the last way in */
  | {
      kind: 'unlink';
      userId: bigint;
      issuer: string;
      subject: string;
      label: string;
      waysIn: WaysIn;
      stamp: Stamp;
    }
  /** By an administrator: it may be the last way in. Ends the sessions of the account. @throws Failure `not-found` */
  | { kind: 'unlink-for-owner'; userId: bigint; issuer: string; subject: string; label: string; stamp: Stamp };

/** People at providers by their account. `domain/ports.ts` has the rules for every store. */
export interface ProviderStore {
  /** Oldest first. */
  listOf(userId: bigint): Promise<readonly ProviderLogin[]>;
  /** The details of a step that a login to this account has completed; empty for an unknown or expired one. */
  completedBy(userId: bigint, digest: string, nowMs: number): Promise<string>;
  apply(change: ProviderChange): Promise<string>;
}
