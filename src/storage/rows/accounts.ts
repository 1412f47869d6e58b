import { DEFAULT_ROLE, STAFF_ROLES, type Role } from '../../domain/access.ts';
import type { Account, NewAccount, SeenAccount } from '../../domain/accounts/ports.ts';
import { lowerCaseOf, USER_STATUS_CLOSED, usernameKeys } from '../../domain/accounts/user.ts';
import { userNotFound } from '../../domain/accounts/user-accounts.ts';
import { Failure } from '../../domain/failure.ts';

/* Accounts as rows of both engines. */

export type AccountRow = [
  id: bigint,
  publicId: bigint,
  username: string,
  usernameKey: string,
  firstName: string | null,
  lastName: string | null,
  email: string | null,
  phone: string | null,
  userStatus: bigint | null,
  role: Role,
  passwordHash: string | null,
];

export const ACCOUNT_COLUMNS =
  'id, public_id, username, username_key, first_name, last_name, email, phone, user_status, role, password_hash';

/** The first condition is that of the index `account_staff` of SQLite, which the second one searches. */
export const IS_STAFF = `role <> '${DEFAULT_ROLE}' and role in (${STAFF_ROLES.map((role) => `'${role}'`).join(', ')})`;

export function toAccount(row: AccountRow): Account {
  const [id, publicId, username, , firstName, lastName, email, phone, userStatus, role, passwordHash] = row;
  return {
    id,
    user: {
      id: publicId,
      username,
      firstName: firstName ?? undefined,
      lastName: lastName ?? undefined,
      email: email ?? undefined,
      phone: phone ?? undefined,
      userStatus: userStatus === null ? undefined : Number(userStatus),
    },
    role,
    passwordHash: passwordHash ?? undefined,
  };
}

/** The details of the audit entry of a new account. */
export function detailsOfNew({ role, invitation }: NewAccount): Readonly<Record<string, string>> {
  return invitation === undefined
    ? { role }
    : { role, invitationExpires: new Date(invitation.expiresAtMs).toISOString() };
}

/**
 * The text by which accounts are searched: independent of case, and of the form of a Greek sigma, which depends on its
 * position in the word.
 */
export function searchKey(text: string): string {
  return lowerCaseOf(text).replaceAll('ς', 'σ');
}

/** The account with this user name among the rows that have one of its keys. */
export function accountOfName<A>(username: string, byKey: ReadonlyMap<string, A>): A | undefined {
  return usernameKeys(username)
    .map((key) => byKey.get(key))
    .find((account) => account !== undefined);
}

/** An account as read in the transaction. */
export interface CurrentAccount {
  id: bigint;
  /** The id of the user, which the client may have chosen. */
  publicId: bigint;
  username: string;
  key: string;
  role: Role;
  isClosed: boolean;
  passwordHash: string | null;
  /** The role is admin, and the account can log in. */
  isLivingAdmin: boolean;
}

export type CurrentAccountRow = [
  id: bigint,
  publicId: bigint,
  username: string,
  usernameKey: string,
  role: Role,
  userStatus: bigint | null,
  passwordHash: string | null,
  /** A number on SQLite. */
  isLivingAdmin: boolean | bigint,
];

export function toCurrentAccount(row: CurrentAccountRow): CurrentAccount {
  const [id, publicId, username, key, role, userStatus, passwordHash, isLivingAdmin] = row;
  const isClosed = userStatus === BigInt(USER_STATUS_CLOSED);
  return { id, publicId, username, key, role, isClosed, passwordHash, isLivingAdmin: Boolean(isLivingAdmin) };
}

/** @throws Failure `not-found` */
export function requireAccount(current: CurrentAccount | undefined): CurrentAccount {
  if (current === undefined) throw userNotFound();
  return current;
}

/**
 * @throws Failure `conflict` if the name belongs to another account than the permission check saw, or the role has
 *   changed since
 */
export function requireAsSeen(current: CurrentAccount, seen: SeenAccount | undefined): CurrentAccount {
  if (seen === undefined || (seen.id === current.id && seen.role === current.role)) return current;
  throw new Failure('conflict', 'The account was changed by a concurrent request. Nothing was stored.');
}

export function onlyAdministrator({ username }: CurrentAccount): Failure {
  return new Failure('conflict', `${username} is the only administrator who can log in. Create another one first.`);
}

export function administratorExists(): Failure {
  return new Failure('conflict', 'There is an administrator already.');
}

/** @throws Failure `conflict` if the account no longer has the password that the change replaces */
export function requireReplacedHash(current: CurrentAccount, replacedHash: string | undefined): void {
  if (replacedHash === undefined || replacedHash === current.passwordHash) return;
  throw new Failure('conflict', 'The password was changed by a concurrent request. Nothing was stored.');
}
