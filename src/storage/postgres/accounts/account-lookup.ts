import type { SeenAccount } from '../../../domain/accounts/ports.ts';
import { usernameKeys } from '../../../domain/accounts/user.ts';
import {
  accountOfName,
  administratorExists,
  onlyAdministrator,
  requireAccount,
  requireAsSeen,
  toCurrentAccount,
  type CurrentAccount,
  type CurrentAccountRow,
} from '../../rows/accounts.ts';
import { statement } from '../engine/statements.ts';
import type { Transaction } from '../engine/transactions.ts';
import { IS_LIVING_ADMIN, isStorable } from './user-store.ts';

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
  const rows = await ask<CurrentAccountRow>(currentByKeys, usernames.flatMap(usernameKeys).filter(isStorable));
  return new Map(rows.map((row) => [row[3], toCurrentAccount(row)]));
}

export async function find(username: string, transaction: Transaction): Promise<CurrentAccount | undefined> {
  return accountOfName(username, await findAll([username], transaction));
}

/** @throws Failure `not-found`, or `conflict` if it is not the account that the permission check saw */
export async function get(username: string, transaction: Transaction, seen?: SeenAccount): Promise<CurrentAccount> {
  return requireAsSeen(requireAccount(await find(username, transaction)), seen);
}

/** @throws Failure `conflict` for the only administrator who can log in: without one, no account could get a role */
export async function requireOtherAdmin(current: CurrentAccount, { ask }: Transaction): Promise<void> {
  if (current.isLivingAdmin && (await ask(otherAdmin, current.id)).length === 0) throw onlyAdministrator(current);
}

/** IDs are positive. @throws Failure `conflict` if an administrator can log in */
export async function requireNoAdmin({ ask }: Transaction): Promise<void> {
  if ((await ask(otherAdmin, 0n)).length > 0) throw administratorExists();
}
