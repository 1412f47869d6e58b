import type { Role } from '../access.ts';
import type { Stamp } from '../audit.ts';
import type { Awaitable, ListPart } from '../ports.ts';
import type { ApiKey, KeyChange, OwnedKey } from './api-key.ts';
import type { Session, SessionChange, SessionRecord } from './session.ts';
import type { User, UserProfile } from './user.ts';

/* The stores of accounts, and what else they depend on. `domain/ports.ts` has the rules for every store. */

/** An account as it is stored. */
export interface Account {
  /** Assigned, never chosen by a client, and never changed. Sessions, keys, the audit trail and administration refer to it. */
  id: bigint;
  user: User;
  role: Role;
  /** In the format of `PasswordHasher`; undefined for an account without a password, which cannot log in. */
  passwordHash: string | undefined;
}

export interface NewAccount {
  /** The id that the client chose for the user; undefined to assign one. */
  publicId: bigint | undefined;
  profile: UserProfile;
  role: Role;
  passwordHash: string | undefined;
}

/**
 * A change that would leave no administrator who can log in, where there is one, is a `conflict`. Whatever closes an account ends its sessions;
 * a new password ends them, invalidates reset links, and revokes the API keys of the account.
 */
export type UserChange = StampedUserChange | Rehash;

/** Replaces the hash of the same password by one with the current parameters, unless the password was changed meanwhile. It has no entry in the audit trail. */
export interface Rehash {
  kind: 'rehash';
  userId: bigint;
  from: string;
  to: string;
}

/** The account as the permission check saw it. A change is a `conflict` if the name belongs to another account now, or the role has changed. */
export interface SeenAccount {
  id: bigint;
  role: Role;
}

export type StampedUserChange = { stamp: Stamp } & (
  | /** All of them or none. The outcome is the ids of the users. `conflict` names each entry whose name is taken or repeated; by its place if it is a list. */
    { kind: 'create'; accounts: readonly NewAccount[]; isList: boolean }
    /**
     * Puts a new profile in the place of the old one. A `passwordHash` replaces the password, ends the account's sessions but `keepSession`, and
     * revokes its keys.
     * The outcome is the id of the user. `not-found`, or `conflict` where the new name is taken.
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
    }
  /** Its sessions and keys end with it. The outcome is its id. `not-found` */
  | { kind: 'remove'; username: string; seen?: SeenAccount }
  /** The outcome is its id. `not-found` */
  | { kind: 'set-role'; username: string; role: Role }
  /** Closes or reopens. The outcome is its id. `not-found` */
  | { kind: 'set-status'; username: string; userStatus: number }
  /**
   * The outcome is its id. `not-found`; `conflict` where `replacedHash` is given, and is not the account's any more.
   */
  | {
      kind: 'set-password';
      username: string;
      passwordHash: string;
      replacedHash: string | undefined;
      keepSession: string | undefined;
      /** Whether the API keys of the account stay valid. */
      keepKeys: boolean;
    }
  /** Takes the place of an earlier link of the account. The outcome is its id. `not-found` */
  | { kind: 'issue-reset'; username: string; digest: string; expiresAtMs: number }
  /** Uses the link up. The outcome is the account's id. `not-found` where there is no such link, not any more, or its account is closed. */
  | { kind: 'use-reset'; digest: string; passwordHash: string }
);

/** A filter of accounts. Absent fields match every account. */
export interface UserFilter {
  /** Contained in the user name, the first or last name, or the e-mail address, case-insensitively. */
  text?: string | undefined;
  role?: Role | undefined;
  userStatus?: number | undefined;
}

/**
 * Accounts, found by user name as `usernameKeys` compares it. Ids are assigned as for pets, and are never an id that a client has chosen for a user before.
 * A user without a chosen id has the id of the account.
 */
export interface UserStore {
  find(username: string): Awaitable<Account | undefined>;
  /** By ascending id. */
  search(filter: UserFilter, part: ListPart): Promise<readonly Account[]>;
  /** True until the first account ever is stored. */
  isUnused(): Promise<boolean>;
  /** Whether there is an administrator who can log in. */
  hasAdministrator(): Promise<boolean>;
  /** The user names of staff. */
  staffNames(): Promise<readonly string[]>;
  /** The user name of the account of a reset link; undefined if the link is not valid at this time. */
  findReset(digest: string, nowMs: number): Promise<string | undefined>;
  apply(change: UserChange): Promise<readonly bigint[]>;
}

/** Sessions by the digest of their token. Expired ones may still be returned: the caller checks the time. */
export interface SessionStore {
  find(digest: string): Awaitable<Session | undefined>;
  /** The sessions of an account, newest first. */
  listOf(userId: bigint): Promise<readonly SessionRecord[]>;
  apply(change: SessionChange): Promise<number>;
}

/** API keys by the digest of the key. Expired ones may still be returned: the caller checks the time. */
export interface KeyStore {
  find(digest: string): Awaitable<OwnedKey | undefined>;
  /** The keys of an account, newest first. */
  listOf(userId: bigint): Promise<readonly ApiKey[]>;
  apply(change: KeyChange): Promise<number>;
}

/**
 * The queue in which a password waits to be hashed. Logins from familiar addresses have separate lanes, which a flood of logins from other addresses does not
 * fill; so have those of staff, because anyone can sign up and then has a familiar address.
 */
export type HashingLane = 'general' | 'familiar' | 'staff';

/** Slow hashing of passwords, with bounded concurrency. The default lane is `general`. @throws Failure `too-many-requests` if too many wait */
export interface PasswordHasher {
  hash(password: string, lane?: HashingLane): Promise<string>;
  /** Takes the same time with and without a hash. */
  verify(password: string, hash: string | undefined, lane?: HashingLane): Promise<boolean>;
  /** Whether it was made with other parameters than the current ones. */
  isOutdated(hash: string): boolean;
}

export interface Tokens {
  /** 256 random bits, as 43 characters of base64url. */
  create(): string;
  /** 96 random bits, as 24 hexadecimal characters: a public id that cannot be guessed. */
  createId(): string;
  /** The SHA-256 of a token, as 43 characters of base64url: the form in which it is stored. */
  digest(token: string): string;
}
