import { resetLinkNotFound } from '../../../domain/accounts/password-reset.ts';
import type { NewAccount, StampedUserChange, UserChange } from '../../../domain/accounts/ports.ts';
import {
  INVITATION,
  USER_STATUS_CLOSED,
  keptUsernameKey,
  usernameKey,
  usernameKeys,
} from '../../../domain/accounts/user.ts';
import { accountSubject, done, keysRevoked, type AuditAction, type Stamp } from '../../../domain/audit.ts';
import { accountActionOf } from '../../../domain/events/change-event.ts';
import { taken, type FieldProblem } from '../../../domain/failure.ts';
import { Ids } from '../ids.ts';
import { forgetStepsOf } from '../sign-in/factor-uses.ts';
import { writeAccountChange } from '../events/change-feed.ts';
import { deleteMailTo, queueAlert, queueMail } from '../mail/mail-rows.ts';
import { requireCredential } from '../credential-check.ts';
import { statement } from '../statements.ts';
import { ask, send, type CommonTransaction, type Steps } from '../steps.ts';
import {
  find,
  findAll,
  get,
  requireNoAdmin,
  requireOtherAdmin,
  requireReplacedHash,
  type CurrentAccount,
} from './account-lookup.ts';
import { changeAddress, confirmAddress } from './address-store.ts';
import { addReset, forgetResets, WRITTEN_COLUMNS, writtenColumns } from './account-rows.ts';
import { deleteClientsWithSecret, deleteTokensOfClients } from '../oauth/oauth-client-store.ts';

type Change<K extends StampedUserChange['kind']> = Extract<StampedUserChange, { kind: K }>;

type NamedAccount = Pick<CurrentAccount, 'id' | 'username'>;

const USED_IDS = {
  list: statement('select id from used_account_id where id >= $1 and id < $2'),
  count: statement('select count(*) from used_account_id where id >= $1 and id < $2'),
};
// SQLite wants a condition between the table and `on conflict`.
const insertUsedIds = statement(
  ({ each }) =>
    `insert into used_account_id (id) select value from ${each('$1', 'int8')} where true on conflict (id) do nothing`,
);
const insert = statement(({ either }) => {
  const columns = ['id', 'role', 'password_hash', ...WRITTEN_COLUMNS];
  const values = columns.map((_, index) => `$${index + 1}`).join(', ');
  const [column, value] = [either(', search_keys', ''), either(`, $${columns.length + 1}::text[]`, '')];
  return `insert into account (${columns.join(', ')}${column}) values (${values}${value})`;
});
const update = statement(({ either }) => {
  const values = WRITTEN_COLUMNS.map((column, index) => `${column} = $${index + 2}`).join(', ');
  const searched = either(`, search_keys = $${WRITTEN_COLUMNS.length + 2}::text[]`, '');
  return `update account set ${values}${searched} where id = $1`;
});
const updateRole = statement('update account set role = $1 where id = $2');
const updateStatus = statement('update account set user_status = $1 where id = $2');
const updateHash = statement('update account set password_hash = $1 where id = $2');
const rehash = statement('update account set password_hash = $3 where id = $1 and password_hash = $2');
const endSessions = statement('delete from session where account_id = $1 and digest is distinct from $2::text');
const deleteKeys = statement('delete from api_key where account_id = $1 returning id, name');
const deleteAccount = statement('delete from account where id = $1');
const deleteMail = statement('delete from mail where account_id = $1');
const confirmedOf = statement('select email from confirmed_email where account_id = $1');
const findReset = statement(
  `select username_key from password_reset join account on account.id = account_id
   where digest = $1 and expires_at_ms > $2`,
);

/** The changes of accounts, each with its entry in the audit log and its event. */
export function* applyUserChange(change: UserChange, transaction: CommonTransaction): Steps<readonly bigint[]> {
  if (change.kind === 'rehash') {
    yield* send(rehash, change.userId, change.from, change.to);
    return [change.userId];
  }
  yield* requireCredential(change.stamp);
  switch (change.kind) {
    case 'create':
      return yield* create(change, transaction);
    case 'replace':
      return [yield* replace(change, transaction)];
    case 'delete':
      return [yield* deleteAccountOf(change, transaction)];
    case 'set-role':
      return [yield* setRole(change, transaction)];
    case 'set-status':
      return [yield* setStatus(change, transaction)];
    case 'set-password':
      return [yield* setPassword(change, transaction)];
    case 'issue-reset':
      return [yield* issueReset(change, transaction)];
    case 'use-reset':
      break;
  }
  return [yield* useReset(change, transaction)];
}

/** Writes an entry into the audit log, and the event if the action has one. */
function* report(
  transaction: CommonTransaction,
  stamp: Stamp,
  action: AuditAction,
  { id, username }: NamedAccount,
  details: Readonly<Record<string, string>> | null = null,
): Steps<void> {
  transaction.audit(done(stamp, action, accountSubject(id, username), details));
  const event = accountActionOf(action);
  if (event === undefined) return;
  const { actorId, atMs } = stamp;
  yield* writeAccountChange({ accountId: id, username, action: event, details, actorId, atMs }, transaction);
}

function* create(change: Change<'create'>, transaction: CommonTransaction): Steps<readonly bigint[]> {
  const { accounts, isList, isFirstAdmin, stamp } = change;
  if (isFirstAdmin === true) yield* requireNoAdmin();
  yield* refuseTaken(accounts, isList);
  const ids = new Ids({ used: USED_IDS, next: transaction.nextAccountId(), batch: accounts.length });
  for (const { publicId } of accounts) if (publicId !== undefined) ids.notice(publicId);
  // All ids before the first row: if none is left to assign, nothing was written.
  const assigned: bigint[] = [];
  while (assigned.length < accounts.length) assigned.push(yield* ids.take());
  transaction.continueAccountIds(ids.next());
  const publicIds = accounts.map(({ publicId }, index) => publicId ?? (assigned[index] as bigint));
  yield* send(insertUsedIds, [...assigned, ...publicIds]);
  for (const [index, account] of accounts.entries()) {
    const { role, passwordHash, profile, invitation } = account;
    const id = assigned[index] as bigint;
    const columns = writtenColumns(publicIds[index] as bigint, usernameKey(profile.username), profile);
    yield* send(insert, id, role, passwordHash ?? null, ...columns);
    if (invitation !== undefined) yield* send(addReset, id, invitation.digest, invitation.expiresAtMs);
    if (account.invitationMail !== undefined && profile.email !== undefined) {
      const mail = {
        kind: 'invitation',
        accountId: id,
        recipient: profile.email,
        details: account.invitationMail,
      } as const;
      yield* queueMail(mail, stamp.atMs);
    }
    yield* report(transaction, stamp, 'account.created', { id, username: profile.username }, detailsOfNew(account));
  }
  return publicIds;
}

function detailsOfNew({ role, invitation }: NewAccount): Readonly<Record<string, string>> {
  return invitation === undefined
    ? { role }
    : { role, invitationExpires: new Date(invitation.expiresAtMs).toISOString() };
}

function* refuseTaken(accounts: readonly NewAccount[], isList: boolean): Steps<void> {
  const problems: FieldProblem[] = [];
  const owners = yield* findAll(accounts.map(({ profile }) => profile.username));
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

function* replace(change: Change<'replace'>, transaction: CommonTransaction): Steps<bigint> {
  const { username, seen, profile, passwordHash, keepSession, confirmation, stamp } = change;
  const current = yield* get(username, seen);
  const { id } = current;
  const owner = yield* find(profile.username);
  if (owner !== undefined && owner.id !== id) {
    throw taken([{ path: '/username', message: `the user name ${profile.username} is taken` }]);
  }
  // A field that the new profile omits is deleted, but omitting the status does not reopen a closed account.
  const userStatus = profile.userStatus ?? (current.isClosed ? USER_STATUS_CLOSED : undefined);
  const closes = userStatus === USER_STATUS_CLOSED;
  if (closes) yield* requireOtherAdmin(current);
  const key = keptUsernameKey(profile.username, current.key);
  const { publicId = current.publicId } = change;
  if (publicId !== current.publicId) yield* send(insertUsedIds, [publicId]);
  yield* send(update, id, ...writtenColumns(publicId, key, { ...profile, userStatus }));
  const account = { id, username: profile.username };
  const isRenamed = profile.username !== current.username;
  yield* report(transaction, stamp, 'account.updated', account, isRenamed ? { renamedFrom: current.username } : null);
  yield* changeAddress(current, profile.email, confirmation, stamp);
  if (passwordHash !== undefined) {
    yield* replacePassword(id, passwordHash, keepSession);
    yield* report(transaction, stamp, 'account.password-changed', account);
    yield* queueAlert(id, 'password-changed', stamp);
    yield* revokeKeys(account, stamp, transaction);
  }
  yield* closeOrReopen(stamp, current, account, closes, transaction);
  return publicId;
}

function* closeOrReopen(
  stamp: Stamp,
  before: CurrentAccount,
  account: NamedAccount,
  closes: boolean,
  transaction: CommonTransaction,
): Steps<void> {
  if (closes) {
    yield* send(endSessions, account.id, null);
    yield* send(forgetResets, account.id);
    yield* forgetStepsOf(account.id);
  }
  if (closes !== before.isClosed)
    yield* report(transaction, stamp, closes ? 'account.closed' : 'account.reopened', account);
}

function* replacePassword(id: bigint, passwordHash: string, keepSession: string | undefined): Steps<void> {
  yield* send(updateHash, passwordHash, id);
  yield* send(endSessions, id, keepSession ?? null);
  yield* send(forgetResets, id);
  yield* forgetStepsOf(id);
}

function* revokeKeys({ id, username }: NamedAccount, stamp: Stamp, { audit }: CommonTransaction): Steps<void> {
  const rows = yield* ask<[id: string, name: string]>(deleteKeys, id);
  const keys = rows.map(([keyId, name]) => ({ id: keyId, name }));
  for (const entry of keysRevoked(stamp, keys, username)) audit(entry);
  yield* deleteClientsWithSecret(id, username, stamp, { audit });
}

function* deleteAccountOf({ username, seen, stamp }: Change<'delete'>, transaction: CommonTransaction): Steps<bigint> {
  const current = yield* get(username, seen);
  yield* requireOtherAdmin(current);
  yield* deleteTokensOfClients(current.id);
  yield* deleteMailOf(current.id);
  yield* send(deleteAccount, current.id);
  yield* report(transaction, stamp, 'account.deleted', current);
  return current.id;
}

/** Also its requests for a new password, which name the address only. */
function* deleteMailOf(id: bigint): Steps<void> {
  yield* send(deleteMail, id);
  for (const [email] of yield* ask<[email: string]>(confirmedOf, id)) yield* deleteMailTo(email, ['password-reset']);
}

function* setRole({ username, role, stamp }: Change<'set-role'>, transaction: CommonTransaction): Steps<bigint> {
  const current = yield* get(username);
  if (role === current.role) return current.id;
  if (role !== 'admin') yield* requireOtherAdmin(current);
  yield* send(updateRole, role, current.id);
  yield* report(transaction, stamp, 'account.role-set', current, { from: current.role, to: role });
  return current.id;
}

function* setStatus(
  { username, userStatus, stamp }: Change<'set-status'>,
  transaction: CommonTransaction,
): Steps<bigint> {
  const current = yield* get(username);
  const closes = userStatus === USER_STATUS_CLOSED;
  if (closes === current.isClosed) return current.id;
  if (closes) yield* requireOtherAdmin(current);
  yield* send(updateStatus, userStatus, current.id);
  yield* closeOrReopen(stamp, current, current, closes, transaction);
  return current.id;
}

function* setPassword(change: Change<'set-password'>, transaction: CommonTransaction): Steps<bigint> {
  const { username, passwordHash, replacedHash, keepSession, keepKeys, stamp } = change;
  const current = yield* get(username);
  requireReplacedHash(current, replacedHash);
  yield* replacePassword(current.id, passwordHash, keepSession);
  yield* report(transaction, stamp, 'account.password-changed', current);
  yield* queueAlert(current.id, 'password-changed', stamp);
  if (!keepKeys) yield* revokeKeys(current, stamp, transaction);
  return current.id;
}

function* issueReset(change: Change<'issue-reset'>, transaction: CommonTransaction): Steps<bigint> {
  const { username, isInvitation, digest, expiresAtMs, stamp } = change;
  const current = yield* get(username);
  yield* send(addReset, current.id, digest, expiresAtMs);
  yield* report(transaction, stamp, 'account.reset-link-issued', current, {
    expires: new Date(expiresAtMs).toISOString(),
    ...(isInvitation && INVITATION),
  });
  return current.id;
}

function* useReset(
  { digest, passwordHash, language, stamp }: Change<'use-reset'>,
  transaction: CommonTransaction,
): Steps<bigint> {
  const [found] = yield* ask<[usernameKey: string]>(findReset, digest, stamp.atMs);
  const current = found === undefined ? undefined : yield* find(found[0]);
  if (current === undefined || current.isClosed) throw resetLinkNotFound();
  yield* replacePassword(current.id, passwordHash, undefined);
  // The owner had no password to be told about, and has just read the message.
  if (!(yield* confirmAddress(digest, language, stamp, transaction)))
    yield* queueAlert(current.id, 'password-changed', stamp);
  yield* report(transaction, stamp, 'account.password-reset', current);
  yield* revokeKeys(current, stamp, transaction);
  return current.id;
}
