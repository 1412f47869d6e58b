import type { NewAccount, StampedUserChange, UserChange } from '../../../domain/accounts/ports.ts';
import { resetLinkNotFound } from '../../../domain/accounts/password-reset.ts';
import {
  USER_STATUS_CLOSED,
  keptUsernameKey,
  usernameKey,
  usernameKeys,
  type UserProfile,
} from '../../../domain/accounts/user.ts';
import { accountSubject, done, keysRevoked, type AuditAction, type Stamp } from '../../../domain/audit.ts';
import { accountActionOf } from '../../../domain/events/change-event.ts';
import { taken, type FieldProblem } from '../../../domain/failure.ts';
import { detailsOfNew, requireReplacedHash, type CurrentAccount } from '../../rows/accounts.ts';
import { find, findAll, get, requireNoAdmin, requireOtherAdmin } from './account-lookup.ts';
import { writeAccountChange } from '../service/change-feed.ts';
import { statement, type Parameter } from '../engine/statements.ts';
import { Ids, type KnownRun } from '../engine/ids.ts';
import { eachInTurn, type StoreWrites, type Transaction } from '../engine/transactions.ts';
import { requireCredential } from '../service/credential-check.ts';
import { searchKeysOf } from './user-store.ts';

type Change<K extends StampedUserChange['kind']> = Extract<StampedUserChange, { kind: K }>;

const USED_IDS = {
  list: statement('select id from used_account_id where id >= $1 and id < $2'),
  count: statement('select count(*) from used_account_id where id >= $1 and id < $2'),
};
const insertUsedIds = statement(
  'insert into used_account_id (id) select * from unnest($1::int8[]) on conflict (id) do nothing',
);
const insert = statement(
  `insert into account (id, public_id, role, password_hash, username, username_key, first_name, last_name, email, phone, user_status, search_keys)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12::text[])`,
);
const update = statement(
  `update account set public_id = $2, username = $3, username_key = $4, first_name = $5, last_name = $6, email = $7, phone = $8,
     user_status = $9, search_keys = $10::text[] where id = $1`,
);
const updateRole = statement('update account set role = $1 where id = $2');
const updateStatus = statement('update account set user_status = $1 where id = $2');
const updateHash = statement('update account set password_hash = $1 where id = $2');
const rehash = statement('update account set password_hash = $3 where id = $1 and password_hash = $2');
const endSessions = statement('delete from session where account_id = $1 and digest is distinct from $2::text');
const deleteKeys = statement('delete from api_key where account_id = $1 returning id, name');
const deleteAccount = statement('delete from account where id = $1');
const addReset = statement(
  `insert into password_reset (account_id, digest, expires_at_ms) values ($1, $2, $3)
   on conflict (account_id) do update set digest = excluded.digest, expires_at_ms = excluded.expires_at_ms`,
);
const findReset = statement(
  'select username_key from password_reset join account on account.id = account_id where digest = $1 and ' +
    'expires_at_ms > $2',
);
const forgetResets = statement('delete from password_reset where account_id = $1');

/** The changes of accounts, each with its entry in the audit log and its event. */
export const userWrites: StoreWrites<UserChange, readonly bigint[]> = eachInTurn(async (change, transaction) => {
  if (change.kind === 'rehash') {
    await transaction.ask(rehash, change.userId, change.from, change.to);
    return [change.userId];
  }
  await requireCredential(change.stamp, transaction);
  return applyStamped(change, transaction);
});

async function applyStamped(change: StampedUserChange, transaction: Transaction): Promise<readonly bigint[]> {
  switch (change.kind) {
    case 'create':
      return create(change, transaction);
    case 'replace':
      return [await replace(change, transaction)];
    case 'delete':
      return [await deleteAccountOf(change, transaction)];
    case 'set-role':
      return [await setRole(change, transaction)];
    case 'set-status':
      return [await setStatus(change, transaction)];
    case 'set-password':
      return [await setPassword(change, transaction)];
    case 'issue-reset':
      return [await issueReset(change, transaction)];
    case 'use-reset':
      break;
  }
  return [await useReset(change, transaction)];
}

/** Writes an entry into the audit log, and the event if the action has one. */
function report(
  transaction: Transaction,
  stamp: Stamp,
  action: AuditAction,
  { id, username }: Pick<CurrentAccount, 'id' | 'username'>,
  details: Readonly<Record<string, string>> | null = null,
): void {
  transaction.audit(done(stamp, action, accountSubject(id, username), details));
  const event = accountActionOf(action);
  if (event === undefined) return;
  const { actorId, atMs } = stamp;
  writeAccountChange(transaction, { accountId: id, username, action: event, details, actorId, atMs });
}

async function create(
  { accounts, isList, isFirstAdmin, stamp }: Change<'create'>,
  transaction: Transaction,
): Promise<readonly bigint[]> {
  const { ask } = transaction;
  if (isFirstAdmin === true) await requireNoAdmin(transaction);
  await refuseTaken(accounts, isList, transaction);
  const counters = await transaction.counters;
  const { nextAccountId } = counters;
  const ids = new Ids(ask, USED_IDS, nextAccountId, await runOf(accounts.length, nextAccountId, transaction));
  for (const { publicId } of accounts) if (publicId !== undefined) ids.notice(publicId);
  // All ids before the first row: if none is left to assign, nothing was written.
  const assigned: bigint[] = [];
  while (assigned.length < accounts.length) assigned.push(await ids.take());
  const publicIds = accounts.map(({ publicId }, index) => publicId ?? (assigned[index] as bigint));
  counters.nextAccountId = ids.next();
  await Promise.all([
    ask(insertUsedIds, [...assigned, ...publicIds]),
    ...accounts.map(({ role, passwordHash, profile }, index) =>
      ask(
        insert,
        assigned[index] ?? null,
        publicIds[index] ?? null,
        role,
        passwordHash ?? null,
        ...profileColumns(profile, usernameKey(profile.username)),
      ),
    ),
  ]);
  for (const [index, account] of accounts.entries()) {
    const { profile, invitation } = account;
    const id = assigned[index] as bigint;
    if (invitation !== undefined) await ask(addReset, id, invitation.digest, invitation.expiresAtMs);
    report(transaction, stamp, 'account.created', { id, username: profile.username }, detailsOfNew(account));
  }
  return publicIds;
}

async function runOf(length: number, next: bigint, { ask }: Transaction): Promise<KnownRun> {
  const used = await ask<[id: bigint]>(USED_IDS.list, next, next + BigInt(length));
  return { used: used.map(([id]) => id), length };
}

async function refuseTaken(accounts: readonly NewAccount[], isList: boolean, transaction: Transaction): Promise<void> {
  const problems: FieldProblem[] = [];
  const owners = await findAll(
    accounts.map(({ profile }) => profile.username),
    transaction,
  );
  const seen = new Set(owners.keys());
  accounts.forEach(({ profile }, index) => {
    const path = isList ? `/${index}` : '';
    const keys = usernameKeys(profile.username);
    if (keys.some((key) => seen.has(key))) {
      problems.push({ path: `${path}/username`, message: `the user name ${profile.username} is taken` });
    }
    for (const key of keys) seen.add(key);
  });
  if (problems.length > 0) throw taken(problems);
}

async function replace(change: Change<'replace'>, transaction: Transaction): Promise<bigint> {
  const { username, seen, profile, passwordHash, keepSession, stamp } = change;
  const current = await get(username, transaction, seen);
  const { id } = current;
  const owner = await find(profile.username, transaction);
  if (owner !== undefined && owner.id !== id) {
    throw taken([{ path: '/username', message: `the user name ${profile.username} is taken` }]);
  }
  // A field that the new profile omits is deleted, but omitting the status does not reopen a closed account.
  const userStatus = profile.userStatus ?? (current.isClosed ? USER_STATUS_CLOSED : undefined);
  const closes = userStatus === USER_STATUS_CLOSED;
  if (closes) await requireOtherAdmin(current, transaction);
  const key = keptUsernameKey(profile.username, current.key);
  const { publicId = current.publicId } = change;
  if (publicId !== current.publicId) await transaction.ask(insertUsedIds, [publicId]);
  await transaction.ask(update, id, publicId, ...profileColumns({ ...profile, userStatus }, key));
  const account = { id, username: profile.username };
  const isRenamed = profile.username !== current.username;
  report(transaction, stamp, 'account.updated', account, isRenamed ? { renamedFrom: current.username } : null);
  if (passwordHash !== undefined) {
    await replacePassword(id, passwordHash, keepSession, transaction);
    report(transaction, stamp, 'account.password-changed', account);
    await revokeKeys(account, stamp, transaction);
  }
  await closeOrReopen(stamp, current, account, closes, transaction);
  return publicId;
}

async function closeOrReopen(
  stamp: Stamp,
  before: CurrentAccount,
  account: Pick<CurrentAccount, 'id' | 'username'>,
  closes: boolean,
  transaction: Transaction,
): Promise<void> {
  if (closes) {
    await transaction.ask(endSessions, account.id, null);
    await transaction.ask(forgetResets, account.id);
  }
  if (closes !== before.isClosed) report(transaction, stamp, closes ? 'account.closed' : 'account.reopened', account);
}

async function replacePassword(
  id: bigint,
  passwordHash: string,
  keepSession: string | undefined,
  { ask }: Transaction,
): Promise<void> {
  await ask(updateHash, passwordHash, id);
  await ask(endSessions, id, keepSession ?? null);
  await ask(forgetResets, id);
}

async function revokeKeys(
  { id, username }: Pick<CurrentAccount, 'id' | 'username'>,
  stamp: Stamp,
  { ask, audit }: Transaction,
): Promise<void> {
  const rows = await ask<[id: string, name: string]>(deleteKeys, id);
  const keys = rows.map(([keyId, name]) => ({ id: keyId, name }));
  for (const entry of keysRevoked(stamp, keys, username)) audit(entry);
}

async function deleteAccountOf({ username, seen, stamp }: Change<'delete'>, transaction: Transaction): Promise<bigint> {
  const current = await get(username, transaction, seen);
  await requireOtherAdmin(current, transaction);
  await transaction.ask(deleteAccount, current.id);
  report(transaction, stamp, 'account.deleted', current);
  return current.id;
}

async function setRole({ username, role, stamp }: Change<'set-role'>, transaction: Transaction): Promise<bigint> {
  const current = await get(username, transaction);
  if (role === current.role) return current.id;
  if (role !== 'admin') await requireOtherAdmin(current, transaction);
  await transaction.ask(updateRole, role, current.id);
  report(transaction, stamp, 'account.role-set', current, { from: current.role, to: role });
  return current.id;
}

async function setStatus(
  { username, userStatus, stamp }: Change<'set-status'>,
  transaction: Transaction,
): Promise<bigint> {
  const current = await get(username, transaction);
  const closes = userStatus === USER_STATUS_CLOSED;
  if (closes === current.isClosed) return current.id;
  if (closes) await requireOtherAdmin(current, transaction);
  await transaction.ask(updateStatus, userStatus, current.id);
  await closeOrReopen(stamp, current, current, closes, transaction);
  return current.id;
}

async function setPassword(change: Change<'set-password'>, transaction: Transaction): Promise<bigint> {
  const { username, passwordHash, replacedHash, keepSession, keepKeys, stamp } = change;
  const current = await get(username, transaction);
  requireReplacedHash(current, replacedHash);
  await replacePassword(current.id, passwordHash, keepSession, transaction);
  report(transaction, stamp, 'account.password-changed', current);
  if (!keepKeys) await revokeKeys(current, stamp, transaction);
  return current.id;
}

async function issueReset(change: Change<'issue-reset'>, transaction: Transaction): Promise<bigint> {
  const { username, digest, expiresAtMs, stamp } = change;
  const current = await get(username, transaction);
  await transaction.ask(addReset, current.id, digest, expiresAtMs);
  report(transaction, stamp, 'account.reset-link-issued', current, { expires: new Date(expiresAtMs).toISOString() });
  return current.id;
}

async function useReset(
  { digest, passwordHash, stamp }: Change<'use-reset'>,
  transaction: Transaction,
): Promise<bigint> {
  const [found] = await transaction.ask<[usernameKey: string]>(findReset, digest, stamp.atMs);
  const current = found === undefined ? undefined : await find(found[0], transaction);
  if (current === undefined || current.isClosed) throw resetLinkNotFound();
  await replacePassword(current.id, passwordHash, undefined, transaction);
  report(transaction, stamp, 'account.password-reset', current);
  await revokeKeys(current, stamp, transaction);
  return current.id;
}

function profileColumns(profile: UserProfile, key: string): Parameter[] {
  const { username, firstName, lastName, email, phone, userStatus } = profile;
  const optional = [firstName ?? null, lastName ?? null, email ?? null, phone ?? null, userStatus ?? null];
  return [username, key, ...optional, searchKeysOf(profile)];
}
