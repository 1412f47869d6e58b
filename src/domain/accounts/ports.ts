import type { Role } from '../access.ts';
import type { Stamp } from '../audit.ts';
import type { Awaitable, ListPage } from '../ports.ts';
import type { ApiKey, KeyChange, OwnedKey } from './api-key.ts';
import type { Session, SessionChange, SessionRecord } from './session.ts';
import type { User, UserProfile } from './user.ts';

/* The interfaces for accounts. `domain/ports.ts` has the rules for every store, and the errors of every call. */

export interface Account {
  /** Assigned by the store, and never changed. Sessions, API keys, the audit log and administration refer to it. */
  id: bigint;
  user: User;
  role: Role;
  /** In the format of `PasswordHasher`; undefined for an account without a password, which cannot log in. */
  passwordHash: string | undefined;
  /** Whether its owner can log in at a provider of OpenID Connect. */
  isLinked: boolean;
  /** Whether its owner can log in with a passkey. */
  hasPasskey: boolean;
}

export interface NewAccount {
  /** The user id that the client chose; undefined to assign one. */
  publicId: bigint | undefined;
  profile: UserProfile;
  role: Role;
  passwordHash: string | undefined;
  /** A reset link with which the user chooses the first password. */
  invitation?: { digest: string; expiresAtMs: number };
  /** Sends a link to the address in the profile, in the language of the request. */
  invitationMail?: { language: string };
}

/**
 * Throws `conflict` for a change after which the last administrator could no longer log in. Closing an account ends its
 * sessions. A new password ends them, invalidates reset links, and revokes the API keys of the account. Returns the ids
 * of the users.
 */
export type UserChange = StampedUserChange | Rehash;

/**
 * Replaces the hash of a password with one that has the current parameters, unless the password was changed meanwhile.
 * Not audited.
 */
interface Rehash {
  kind: 'rehash';
  userId: bigint;
  from: string;
  to: string;
}

/**
 * The account at the time of the permission check. A change throws `conflict` if the name now belongs to another
 * account, or the role has changed.
 */
export interface SeenAccount {
  id: bigint;
  role: Role;
}

export type StampedUserChange = { stamp: Stamp } & (
  | /**
     * Creates all accounts or none.
     *
     * @throws Failure `conflict`, with a problem for each name that is taken or repeated. If `isList`, the paths have
     *   the index of the entry. With `isFirstAdmin` also if there is an administrator who can log in.
     */
    { kind: 'create'; accounts: readonly NewAccount[]; isList: boolean; isFirstAdmin?: boolean }
    /**
     * Replaces the profile. A `passwordHash` also replaces the password, ends the sessions except `keepSession`, and
     * revokes the keys. The confirmed address is told of a changed address; without an address, it is deleted.
     *
     * @throws Failure `not-found`, `conflict` if the new name is taken
     */
  | {
      kind: 'replace';
      username: string;
      seen?: SeenAccount;
      /** The new id of the user; undefined keeps the old one. */
      publicId?: bigint | undefined;
      profile: UserProfile;
      passwordHash: string | undefined;
      keepSession: string | undefined;
      /** Sends a link to the new address, in the language of the request. */
      confirmation?: { language: string } | undefined;
    }
  /** Deletes the account with its sessions and keys. @throws Failure `not-found` */
  | { kind: 'delete'; username: string; seen?: SeenAccount }
  /** @throws Failure `not-found` */
  | { kind: 'set-role'; username: string; role: Role }
  /** Closes or reopens the account. @throws Failure `not-found` */
  | { kind: 'set-status'; username: string; userStatus: number }
  /** @throws Failure `not-found`; `conflict` if `replacedHash` is given and no longer the current hash */
  | {
      kind: 'set-password';
      username: string;
      passwordHash: string;
      /** Null if the account must not have a password. */
      replacedHash: string | null | undefined;
      keepSession: string | undefined;
      keepKeys: boolean;
    }
  /** Replaces an earlier reset link of the account. @throws Failure `not-found` */
  | { kind: 'issue-reset'; username: string; isInvitation: boolean; digest: string; expiresAtMs: number }
  /**
   * Sets the password and invalidates the link. If it is that of an invitation by e-mail, the address is confirmed.
   *
   * @param language of the request
   * @throws Failure `not-found` for an unknown, used or expired link, or a closed account
   */
  | { kind: 'use-reset'; digest: string; passwordHash: string; language: string }
);

/** A filter of accounts. Absent fields match every account. */
export interface UserFilter {
  /** Contained in the user name, the first or last name, or the e-mail address, case-insensitively. */
  text?: string | undefined;
  role?: Role | undefined;
  userStatus?: number | undefined;
}

/**
 * Accounts, found by user name as compared by `usernameKeys`. Ids are assigned as for pets, and never equal a user id
 * that a client has chosen before. A user without a chosen id has the id of the account.
 */
export interface UserStore {
  find(username: string): Awaitable<Account | undefined>;
  /** A page of matching accounts, by ascending id. */
  search(filter: UserFilter, page: ListPage): Promise<readonly Account[]>;
  /** True if no account has ever been stored. */
  isUnused(): Promise<boolean>;
  /** Whether there is an administrator who can log in. */
  hasAdministrator(): Promise<boolean>;
  /** The user names of editors and administrators. */
  staffNames(): Promise<readonly string[]>;
  /** The user name of the account of a reset link; undefined if the link is invalid or has expired. */
  findReset(digest: string, nowMs: number): Promise<string | undefined>;
  apply(change: UserChange): Promise<readonly bigint[]>;
}

/** Sessions by the digest of their token. May return expired sessions: the caller checks the time. */
export interface SessionStore {
  find(digest: string): Awaitable<Session | undefined>;
  /** The sessions of an account, newest first. */
  listOf(userId: bigint): Promise<readonly SessionRecord[]>;
  apply(change: SessionChange): Promise<number>;
}

/** API keys by the digest of the key. May return expired keys: the caller checks the time. */
export interface KeyStore {
  find(digest: string): Awaitable<OwnedKey | undefined>;
  /** The keys of an account, newest first. */
  listOf(userId: bigint): Promise<readonly ApiKey[]>;
  apply(change: KeyChange): Promise<number>;
}

/**
 * The queue in which a password waits to be hashed. Logins from familiar addresses have a separate lane, so that a
 * flood of logins from other addresses does not delay them. So do those of staff, because anyone can sign up and then
 * has a familiar address.
 */
export type HashingLane = 'general' | 'familiar' | 'staff';

/**
 * Slow password hashing with bounded concurrency. `hash` and `verify` throw Failure `too-many-requests` if the queue of
 * the lane is full.
 */
export interface PasswordHasher {
  /** @param lane by default `general` */
  hash(password: string, lane?: HashingLane): Promise<string>;
  /** Takes the same time with and without a hash, to hide whether an account exists. */
  verify(password: string, hash: string | undefined, lane?: HashingLane): Promise<boolean>;
  /** Whether the hash has other parameters than the current ones. */
  isOutdated(hash: string): boolean;
}

export interface Tokens {
  /** 256 random bits, as 43 characters of base64url. */
  create(): string;
  /** 96 random bits, as 24 hexadecimal characters: an unguessable public id. */
  createId(): string;
  /** The SHA-256 of a token, as 43 characters of base64url: the form in which it is stored. */
  digest(token: string): string;
  /** 120 random bits, as four groups of six characters that are not mistaken for each other. */
  createCode(): string;
}
