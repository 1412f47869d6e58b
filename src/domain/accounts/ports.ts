import type { Role } from '../access.ts';
import type { Outcome } from '../failure.ts';
import type { Session, SessionChange } from './session.ts';
import type { User, UserProfile } from './user.ts';

/* What accounts need of the world. `domain/ports.ts` says what every store promises. */

/** An account as a store holds it. */
export interface Account {
  user: User;
  role: Role;
  /** As `PasswordHasher` writes it; undefined for an account that nobody can log in to. */
  passwordHash: string | undefined;
}

export interface NewAccount {
  id: bigint | undefined;
  profile: UserProfile;
  role: Role;
  passwordHash: string | undefined;
}

export type UserChange =
  /** All of them or none. The outcome is their ids. `conflict` names each entry whose name or id is taken, or is there twice; by its place if it is a list. */
  | { kind: 'create'; accounts: readonly NewAccount[]; isList: boolean }
  /**
   * Puts a new profile in the place of the old one. A `passwordHash` replaces the password, and ends the account's sessions but `keepSession`.
   * The outcome is the id. `not-found`, or `conflict` where the new name is taken.
   */
  | {
      kind: 'replace';
      username: string;
      profile: UserProfile;
      passwordHash: string | undefined;
      keepSession: string | undefined;
    }
  /** Its sessions end with it. The outcome is its id. `not-found` */
  | { kind: 'remove'; username: string };

/** Accounts, found by user name without regard to case. Ids are assigned as those of pets. */
export interface UserStore {
  findMany(usernames: readonly string[]): Promise<readonly (Account | undefined)[]>;
  /** True until the first account ever is stored. */
  isUnused(): Promise<boolean>;
  applyAll(changes: readonly UserChange[]): Promise<readonly Outcome<readonly bigint[]>[]>;
}

export interface Users extends Pick<UserStore, 'isUnused'> {
  find(username: string): Promise<Account | undefined>;
  apply(change: UserChange): Promise<readonly bigint[]>;
}

/** Sessions by the digest of their token. Expired ones may still be found: it is for the caller to look at the time. */
export interface SessionStore {
  findMany(digests: readonly string[]): Promise<readonly (Session | undefined)[]>;
  applyAll(changes: readonly SessionChange[]): Promise<readonly Outcome<null>[]>;
}

export interface Sessions {
  find(digest: string): Promise<Session | undefined>;
  apply(change: SessionChange): Promise<null>;
}

/** Slow hashing of passwords, a bounded number at a time. @throws Failure `too-many-requests` when too many wait */
export interface PasswordHasher {
  hash(password: string): Promise<string>;
  /** Takes as long where there is no hash as where there is one. */
  verify(password: string, hash: string | undefined): Promise<boolean>;
}

export interface Tokens {
  /** 256 random bits, as 43 characters of base64url. */
  create(): string;
  /** The SHA-256 of a token, as 43 characters of base64url: what a store may keep. */
  digest(token: string): string;
}
