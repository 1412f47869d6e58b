import type { DatabaseSync } from 'node:sqlite';
import type { Role } from '../../../domain/access.ts';
import type { SeenAccount } from '../../../domain/accounts/ports.ts';
import { userNotFound } from '../../../domain/accounts/user-accounts.ts';
import { USER_STATUS_CLOSED, usernameKeys } from '../../../domain/accounts/user.ts';
import { Failure } from '../../../domain/failure.ts';
import { prepareRows } from '../engine/database.ts';
import { IS_LIVING_ADMIN } from './user-store.ts';

type CurrentRow = [
  id: bigint,
  publicId: bigint,
  username: string,
  usernameKey: string,
  role: Role,
  userStatus: bigint | null,
  passwordHash: string | null,
  isLivingAdmin: bigint,
];

/** An account as the transaction finds it. */
export interface CurrentAccount {
  id: bigint;
  /** The id of the user, which is the client's. */
  publicId: bigint;
  username: string;
  key: string;
  role: Role;
  isClosed: boolean;
  passwordHash: string | null;
  isLivingAdmin: boolean;
}

/** Reads the accounts that a transaction changes. */
export function createAccountLookup(db: DatabaseSync) {
  const currentByKey = prepareRows<CurrentRow>(
    db,
    `select id, public_id, username, username_key, role, user_status, password_hash, (${IS_LIVING_ADMIN}) from account where username_key = ?`,
  );
  const otherAdmin = prepareRows(db, `select 1 from account where ${IS_LIVING_ADMIN} and id <> ? limit 1`);

  function find(username: string): CurrentAccount | undefined {
    const [row] = usernameKeys(username).flatMap((key) => currentByKey(key));
    if (row === undefined) return undefined;
    const [id, publicId, name, key, role, userStatus, passwordHash, isLivingAdmin] = row;
    const isClosed = userStatus === BigInt(USER_STATUS_CLOSED);
    return { id, publicId, username: name, key, role, isClosed, passwordHash, isLivingAdmin: isLivingAdmin !== 0n };
  }

  function get(username: string): CurrentAccount {
    const current = find(username);
    if (current === undefined) throw userNotFound();
    return current;
  }

  /** The account that the permission check saw. @throws Failure `conflict` if the name belongs to another account now, or the role has changed */
  function getAsSeen(username: string, seen: SeenAccount | undefined): CurrentAccount {
    const current = get(username);
    if (seen === undefined || (seen.id === current.id && seen.role === current.role)) return current;
    throw new Failure('conflict', 'The account was changed in this very moment. Nothing was stored.');
  }

  /** Without an administrator, no account could get a role. */
  function requireOtherAdmin(current: CurrentAccount): void {
    if (!current.isLivingAdmin || otherAdmin(current.id).length > 0) return;
    throw new Failure(
      'conflict',
      `${current.username} is the only administrator who can log in. Make another one first.`,
    );
  }

  return { find, get, getAsSeen, requireOtherAdmin };
}
