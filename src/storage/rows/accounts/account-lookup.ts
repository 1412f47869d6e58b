import type { Role } from '../../../domain/access.ts';
import type { SeenAccount } from '../../../domain/accounts/ports.ts';
import { userNotFound } from '../../../domain/accounts/user-accounts.ts';
import { USER_STATUS_CLOSED, usernameKeys } from '../../../domain/accounts/user.ts';
import { Failure } from '../../../domain/failure.ts';
import { rowOf } from '../row.ts';
import { statement } from '../statements.ts';
import { ask, type Steps } from '../steps.ts';
import { hasOtherAdmin, IS_LIVING_ADMIN, requireAdminBeside } from '../sign-in/ways-in.ts';

/** An account as read in the transaction that changes it. */
export interface CurrentAccount {
  id: bigint;
  /** The id of the user, which the client may have chosen. */
  publicId: bigint;
  username: string;
  key: string;
  email: string | undefined;
  role: Role;
  isClosed: boolean;
  passwordHash: string | null;
  /** The role is admin, and the account can log in. */
  isLivingAdmin: boolean;
}

const CURRENT_ACCOUNT = rowOf<CurrentAccount>({
  id: 'bigint',
  publicId: 'bigint',
  username: 'text',
  key: ['text', 'username_key'],
  email: 'text?',
  role: 'text',
  isClosed: ['flag', `user_status is not distinct from ${USER_STATUS_CLOSED}`],
  passwordHash: 'text',
  isLivingAdmin: ['flag', `(${IS_LIVING_ADMIN})`],
});

const byKeys = statement(
  ({ isOneOf }) => `select ${CURRENT_ACCOUNT.columns} from account where ${isOneOf('username_key', '$1', 'text')}`,
);

/** The accounts with these names, by the key of the name. */
export function* findAll(usernames: readonly string[]): Steps<ReadonlyMap<string, CurrentAccount>> {
  const accounts = (yield* ask(byKeys, usernames.flatMap(usernameKeys))).map(CURRENT_ACCOUNT.read);
  return new Map(accounts.map((account) => [account.key, account]));
}

export function* find(username: string): Steps<CurrentAccount | undefined> {
  const byKey = yield* findAll([username]);
  return usernameKeys(username)
    .map((key) => byKey.get(key))
    .find((account) => account !== undefined);
}

/** @throws Failure `not-found`, or `conflict` if it is not the account that the permission check saw */
export function* get(username: string, seen?: SeenAccount): Steps<CurrentAccount> {
  const current = yield* find(username);
  if (current === undefined) throw userNotFound();
  if (seen === undefined || (seen.id === current.id && seen.role === current.role)) return current;
  throw new Failure('conflict', 'The account was changed by a concurrent request. Nothing was stored.');
}

/** @throws Failure `conflict` for the only administrator who can log in */
export function* requireOtherAdmin(current: CurrentAccount): Steps<void> {
  if (current.isLivingAdmin) yield* requireAdminBeside(current);
}

/** @throws Failure `conflict` if an administrator can log in */
export function* requireNoAdmin(): Steps<void> {
  if (yield* hasOtherAdmin(0n)) throw new Failure('conflict', 'There is an administrator already.');
}

/** @throws Failure `conflict` if the account no longer has the password that the change replaces */
export function requireReplacedHash(current: CurrentAccount, replacedHash: string | null | undefined): void {
  if (replacedHash === undefined || replacedHash === current.passwordHash) return;
  throw new Failure('conflict', 'The password was changed by a concurrent request. Nothing was stored.');
}
