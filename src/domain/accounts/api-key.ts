import type { Role, Scope } from '../access.ts';
import type { Stamp } from '../audit.ts';

/** What every API key begins with, so that people and scanners for leaked secrets know it for what it is. */
export const KEY_PREFIX = 'mgk_';

export const KEY_LIMITS = { nameLength: 100, keysOfAccount: 100, maxLifetimeDays: 3650 } as const;

export const DEFAULT_KEY_LIFETIME_DAYS = 90;

/** An API key as its owner sees it. The key itself is shown once, when it is created, and nowhere kept. Times are milliseconds since 1970. */
export interface ApiKey {
  /** Its public name. */
  id: string;
  /** What its owner calls it. */
  name: string;
  scopes: readonly Scope[];
  createdAtMs: number;
  expiresAtMs: number;
  lastUsedAtMs: number | undefined;
}

/** A key with what is needed of its account, as one look-up gives it. */
export interface OwnedKey extends ApiKey {
  digest: string;
  userId: bigint;
  username: string;
  role: Role;
  userStatus: number | undefined;
  /** As of a session. */
  lastWritten?: bigint | undefined;
}

/** The outcome is 0, but for those that are forgotten. */
export type KeyChange =
  /** `conflict` where the account has as many as it may, or is gone. */
  | {
      kind: 'create';
      digest: string;
      userId: bigint;
      key: Omit<ApiKey, 'lastUsedAtMs'>;
      maxOfAccount: number;
      stamp: Stamp;
    }
  /** Of this account, or of any. `not-found` */
  | { kind: 'revoke'; id: string; userId: bigint | undefined; stamp: Stamp }
  | { kind: 'touch'; digest: string; usedAtMs: number }
  /** `limit` at most. The outcome is how many there were. */
  | { kind: 'forget-expired'; beforeMs: number; limit: number };
