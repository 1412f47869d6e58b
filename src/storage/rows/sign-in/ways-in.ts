import type { WaysIn } from '../../../domain/accounts/factors.ts';
import { USER_STATUS_CLOSED } from '../../../domain/accounts/user.ts';
import { Failure } from '../../../domain/failure.ts';
import { issuerKey } from '../../../domain/providers/provider.ts';
import { statement } from '../statements.ts';
import { ask, type Steps } from '../steps.ts';

/* The ways in to an account are its password, its logins at providers, and its passkeys. */

/** The conditions for an account that can log in without a password. */
export const IS_LINKED = 'exists (select 1 from provider_login where provider_login.account_id = account.id)';
export const HAS_PASSKEY = 'exists (select 1 from passkey where passkey.account_id = account.id)';

/** The condition for an administrator who can log in. */
export const IS_LIVING_ADMIN = `role = 'admin' and (password_hash is not null or ${IS_LINKED} or ${HAS_PASSKEY}) and user_status is distinct from ${USER_STATUS_CLOSED}`;

const counted = statement(
  `select case when password_hash is null then 0 else 1 end, (select count(*) from passkey where account_id = account.id)
   from account where id = $1`,
);
const loginsOf = statement('select issuer, subject from provider_login where account_id = $1');
const otherAdmin = statement(`select 1 from account where ${IS_LIVING_ADMIN} and id <> $1 limit 1`);

const isAdminByPasskey = statement(
  `select 1 from account where id = $1 and ${IS_LIVING_ADMIN} and password_hash is null
     and not exists (select 1 from provider_login where account_id = account.id)`,
);

type DeletedWayIn = 'passkey' | { issuer: string; subject: string };

/**
 * Call before a way in is deleted. A login counts if the service still has its provider.
 * @throws Failure `conflict` for the last one
 */
export function* requireOtherWayIn(
  accountId: bigint,
  deleted: DeletedWayIn,
  { isPasswordAccepted, issuers }: WaysIn,
): Steps<void> {
  const [[passwords, passkeys] = [0n, 0n]] = yield* ask<[passwords: bigint, passkeys: bigint]>(counted, accountId);
  const logins = (yield* ask<[issuer: string, subject: string]>(loginsOf, accountId)).filter(
    ([issuer, subject]) =>
      issuers.includes(issuerKey(issuer)) &&
      (deleted === 'passkey' || deleted.issuer !== issuer || deleted.subject !== subject),
  );
  const left =
    (isPasswordAccepted ? Number(passwords) : 0) + Number(passkeys) - (deleted === 'passkey' ? 1 : 0) + logins.length;
  if (left === 0) {
    throw new Failure(
      'conflict',
      'This is the only way to log in to the account. Set a password, add a passkey or link a provider first.',
    );
  }
}

/** Whether an administrator other than this account can log in. IDs are positive: 0 is no account. */
export function* hasOtherAdmin(accountId: bigint): Steps<boolean> {
  return (yield* ask(otherAdmin, accountId)).length > 0;
}

/** @throws Failure `conflict` if no other administrator can log in: without one, no account could get a role */
export function* requireAdminBeside({ id, username }: { id: bigint; username: string }): Steps<void> {
  if (yield* hasOtherAdmin(id)) return;
  throw new Failure('conflict', `${username} is the only administrator who can log in. Create another one first.`);
}

/** Call before the passkeys of an account are deleted. @throws Failure `conflict` for the last administrator */
export function* requireAdminWithoutPasskeys(account: { id: bigint; username: string }): Steps<void> {
  if ((yield* ask(isAdminByPasskey, account.id)).length > 0) yield* requireAdminBeside(account);
}
