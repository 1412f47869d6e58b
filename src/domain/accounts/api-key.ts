import type { Role, Scope } from '../access.ts';
import type { Stamp } from '../audit.ts';

/** The prefix of every API key, by which users and secret scanners recognize it. */
export const KEY_PREFIX = 'mgk_';

export const KEY_LIMITS = { nameLength: 100, keysOfAccount: 100, maxLifetimeDays: 3650 } as const;

export const DEFAULT_KEY_LIFETIME_DAYS = 90;

/** An API key as its owner sees it. The key itself is shown once at its creation, and never stored. */
export interface ApiKey {
  id: string;
  /** Chosen by the owner. */
  name: string;
  scopes: readonly Scope[];
  createdAtMs: number;
  expiresAtMs: number;
  lastUsedAtMs: number | undefined;
}

export interface OwnedKey extends ApiKey {
  digest: string;
  userId: bigint;
  username: string;
  role: Role;
  userStatus: number | undefined;
  isAccessToken: boolean;
  /** See `Session`. */
  lastWritten?: bigint | undefined;
}

/** Returns 0, except for `forget-expired`. */
export type KeyChange =
  /** @throws Failure `conflict` if the account has `maxOfAccount` keys, or was deleted */
  | {
      kind: 'create';
      digest: string;
      userId: bigint;
      key: Omit<ApiKey, 'lastUsedAtMs'>;
      maxOfAccount: number;
      stamp: Stamp;
    }
  /** Revokes a key of this account, or of any account if `userId` is undefined. @throws Failure `not-found` */
  | { kind: 'revoke'; id: string; userId: bigint | undefined; stamp: Stamp }
  | { kind: 'touch'; digest: string; usedAtMs: number }
  /** Deletes at most `limit` keys that expired before `beforeMs`. Returns the number of deleted keys. */
  | { kind: 'forget-expired'; beforeMs: number; limit: number };
