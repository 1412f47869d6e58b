import type { Role } from '../../../domain/access.ts';
import type { SeenAccount } from '../../../domain/accounts/ports.ts';
import { userNotFound } from '../../../domain/accounts/user-accounts.ts';
import { USER_STATUS_CLOSED, usernameKeys } from '../../../domain/accounts/user.ts';
import { Failure } from '../../../domain/failure.ts';
import { statement } from '../engine/statements.ts';
import type { Transaction } from '../engine/transactions.ts';
import { IS_LIVING_ADMIN, isStorable } from './user-store.ts';

type CurrentRow = [
  id: bigint,
  publicId: bigint,
  username: string,
  usernameKey: string,
  role: Role,
  userStatus: bigint | null,
  passwordHash: string | null,
  isLivingAdmin: boolean,
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

const currentByKeys = statement(
  `select id, public_id, username, username_key, role, user_status, password_hash, (${IS_LIVING_ADMIN}) from account
   where username_key = any($1::text[])`,
);
const otherAdmin = statement(`select 1 from account where ${IS_LIVING_ADMIN} and id <> $1 limit 1`);

/** The accounts with these names, by the key of the name. */
export async function findAll(
  usernames: readonly string[],
  { ask }: Transaction,
): Promise<ReadonlyMap<string, CurrentAccount>> {
  const rows = await ask<CurrentRow>(currentByKeys, usernames.flatMap(usernameKeys).filter(isStorable));
  return new Map(
    rows.map(([id, publicId, username, key, role, userStatus, passwordHash, isLivingAdmin]) => {
      const isClosed = userStatus === BigInt(USER_STATUS_CLOSED);
      return [key, { id, publicId, username, key, role, isClosed, passwordHash, isLivingAdmin }];
    }),
  );
}

export async function find(username: string, transaction: Transaction): Promise<CurrentAccount | undefined> {
  const found = await findAll([username], transaction);
  return usernameKeys(username)
    .map((key) => found.get(key))
    .find((current) => current !== undefined);
}

export async function get(username: string, transaction: Transaction): Promise<CurrentAccount> {
  const current = await find(username, transaction);
  if (current === undefined) throw userNotFound();
  return current;
}

/** The account that the permission check saw. @throws Failure `conflict` if the name belongs to another account now, or the role has changed */
export async function getAsSeen(
  username: string,
  seen: SeenAccount | undefined,
  transaction: Transaction,
): Promise<CurrentAccount> {
  const current = await get(username, transaction);
  if (seen === undefined || (seen.id === current.id && seen.role === current.role)) return current;
  throw new Failure('conflict', 'The account was changed in this very moment. Nothing was stored.');
}

/** Without an administrator, no account could get a role. */
export async function requireOtherAdmin(current: CurrentAccount, { ask }: Transaction): Promise<void> {
  if (!current.isLivingAdmin || (await ask(otherAdmin, current.id)).length > 0) return;
  throw new Failure(
    'conflict',
    `${current.username} is the only administrator who can log in. Make another one first.`,
  );
}
