import { FACTOR_LIMITS, OWN_SECOND_FACTORS, type FactorChange } from '../../../domain/accounts/factors.ts';
import { USER_STATUS_CLOSED } from '../../../domain/accounts/user.ts';
import { accountSubject, done, type AuditAction, type Stamp } from '../../../domain/audit.ts';
import { Failure } from '../../../domain/failure.ts';
import type { AccountAlert } from '../../../domain/mail/mail.ts';
import { requireCredential } from '../credential-check.ts';
import { queueAlert } from '../mail/mail-rows.ts';
import { forgetOldest, statement } from '../statements.ts';
import { ask, send, type CommonTransaction, type Steps } from '../steps.ts';
import { forgetStepsOf, readSecondFactors, recordUses, requireUsable } from './factor-uses.ts';
import { requireAdminWithoutPasskeys, requireOtherWayIn } from './ways-in.ts';

type Change<K extends FactorChange['kind']> = Extract<FactorChange, { kind: K }>;

const insertStep = statement(
  'insert into sign_in_step (digest, kind, account_id, details, expires_at_ms) values ($1, $2, $3, $4, $5)',
);
const isStill = statement(
  `select 1 from account where id = $1 and password_hash is not distinct from $2::text and user_status is distinct from ${USER_STATUS_CLOSED}`,
);
const forgetSteps = forgetOldest('sign_in_step', 'digest', 'expires_at_ms');
const usernameOf = statement('select username from account where id = $1');
const insertTotp = statement('insert into totp (account_id, secret, last_step, created_at_ms) values ($1, $2, $3, $4)');
const hasTotp = statement('select 1 from totp where account_id = $1');
const deleteTotp = statement('delete from totp where account_id = $1');
const insertCode = statement('insert into recovery_code (account_id, digest) values ($1, $2)');
const deleteCodes = statement('delete from recovery_code where account_id = $1 returning digest');
const handlesOf = statement('select user_handle from passkey where account_id = $1');
const hasCredential = statement('select 1 from passkey where credential = $1');
const insertPasskey = statement(
  `insert into passkey (id, account_id, credential, user_handle, public_key, counter, transports, is_synced, name,
     created_at_ms)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
);
const passkeyBy = statement('select name from passkey where account_id = $1 and id = $2');
const renamePasskey = statement('update passkey set name = $2 where id = $1');
const deletePasskey = statement('delete from passkey where id = $1');
const deletePasskeys = statement('delete from passkey where account_id = $1 returning id');
const endOtherSessions = statement('delete from session where account_id = $1 and digest is distinct from $2::text');
/** Deletes the names of the second factors of an account from the lists of its sessions, which spaces separate. */
const forgetProofs = statement(
  `update session set factors = trim(${OWN_SECOND_FACTORS.reduce((sql, factor) => `replace(${sql}, ' ${factor} ', ' ')`, "' ' || factors || ' '")})
   where account_id = $1`,
);
const prove = statement('update session set factors = $2, proved_at_ms = $3 where digest = $1');

/** The changes of factors, each with its entry in the audit log and its message to the owner. */
export function* applyFactorChange(change: FactorChange, transaction: CommonTransaction): Steps<number> {
  if (change.kind === 'forget-steps') return (yield* ask(forgetSteps, change.nowMs, change.limit)).length;
  yield* requireCredential(change.stamp);
  switch (change.kind) {
    case 'begin-step': {
      const { digest, kind, accountId = null, details, expiresAtMs } = change.step;
      if (change.seen !== undefined && (yield* ask(isStill, accountId, change.seen.passwordHash ?? null)).length === 0)
        throw new Failure('conflict', 'The account was changed by a concurrent request.');
      yield* send(insertStep, digest, kind, accountId, JSON.stringify(details), expiresAtMs);
      return 0;
    }
    case 'add-totp':
      return yield* addTotp(change, transaction);
    case 'add-passkey':
      return yield* addPasskey(change, transaction);
    case 'remove-totp':
      return yield* removeTotp(change, transaction);
    case 'rename-passkey':
      return yield* rename(change, transaction);
    case 'remove-passkey':
      return yield* removePasskey(change, transaction);
    case 'replace-recovery-codes':
      return yield* replaceCodes(change, transaction);
    case 'reset':
      break;
  }
  return yield* reset(change, transaction);
}

function* addTotp(change: Change<'add-totp'>, transaction: CommonTransaction): Steps<number> {
  const { accountId, uses, totp, stamp } = change;
  const account = yield* getAccount(accountId);
  yield* requireUsable(uses, stamp);
  if ((yield* ask(hasTotp, accountId)).length > 0)
    throw new Failure('conflict', 'One-time codes are set up already. Remove them first.');
  const before = yield* readSecondFactors(accountId);
  yield* send(insertTotp, accountId, totp.secret, totp.lastStep, totp.createdAtMs);
  yield* report(transaction, stamp, account, { action: 'account.totp-added', alert: 'totp-added' });
  return yield* completeAddition(change, before.length === 0);
}

function* addPasskey(change: Change<'add-passkey'>, transaction: CommonTransaction): Steps<number> {
  const { accountId, uses, passkey, stamp } = change;
  const account = yield* getAccount(accountId);
  yield* requireUsable(uses, stamp);
  const { id, credential, userHandle, publicKey, counter, transports, isSynced, name, createdAtMs } = passkey;
  const handles = yield* ask<[userHandle: string]>(handlesOf, accountId);
  if (handles.length >= FACTOR_LIMITS.passkeys)
    throw new Failure('conflict', `The account already has ${FACTOR_LIMITS.passkeys} passkeys. Remove one first.`);
  const isTaken = (yield* ask(hasCredential, credential)).length > 0;
  if (isTaken || handles.some(([handle]) => handle !== userHandle))
    throw new Failure('conflict', 'This passkey cannot be added. Start again.');
  const before = yield* readSecondFactors(accountId);
  const stored = [transports.join(' '), isSynced ? 1 : 0, name, createdAtMs];
  yield* send(insertPasskey, id, accountId, credential, userHandle, publicKey, counter, ...stored);
  const details = { passkey: name };
  yield* report(transaction, stamp, account, { action: 'account.passkey-added', alert: 'passkey-added', details });
  return yield* completeAddition(change, before.length === 0);
}

function* completeAddition(
  { accountId, uses, session, recoveryCodes, stamp }: Change<'add-totp' | 'add-passkey'>,
  isFirst: boolean,
): Steps<number> {
  yield* recordUses(uses, stamp);
  yield* send(prove, session.digest, session.factors.join(' '), stamp.atMs);
  if (isFirst) {
    yield* send(endOtherSessions, accountId, session.digest);
    yield* forgetStepsOf(accountId);
  }
  if ((yield* readSecondFactors(accountId)).includes('recovery-code')) return 0;
  yield* storeCodes(accountId, recoveryCodes);
  return 1;
}

function* removeTotp({ accountId, stamp }: Change<'remove-totp'>, transaction: CommonTransaction): Steps<number> {
  const account = yield* getAccount(accountId);
  if ((yield* ask(hasTotp, accountId)).length === 0) throw new Failure('not-found', 'One-time codes are not set up');
  yield* send(deleteTotp, accountId);
  yield* report(transaction, stamp, account, { action: 'account.totp-removed', alert: 'totp-removed' });
  yield* completeRemoval(accountId);
  return 0;
}

function* rename(change: Change<'rename-passkey'>, transaction: CommonTransaction): Steps<number> {
  const { accountId, id, name, stamp } = change;
  const account = yield* getAccount(accountId);
  const from = yield* getPasskeyName(accountId, id);
  yield* send(renamePasskey, id, name);
  yield* report(transaction, stamp, account, { action: 'account.passkey-renamed', details: { from, to: name } });
  return 0;
}

function* removePasskey(change: Change<'remove-passkey'>, transaction: CommonTransaction): Steps<number> {
  const { accountId, id, waysIn, stamp } = change;
  const account = yield* getAccount(accountId);
  const details = { passkey: yield* getPasskeyName(accountId, id) };
  yield* requireOtherWayIn(accountId, 'passkey', waysIn);
  yield* send(deletePasskey, id);
  yield* report(transaction, stamp, account, { action: 'account.passkey-removed', alert: 'passkey-removed', details });
  yield* completeRemoval(accountId);
  return 0;
}

/**
 * Recovery codes replace a second factor that was lost, so they are nothing without one. Sessions no longer count as
 * proved with one: if the role requires it, they only set up another.
 */
function* completeRemoval(accountId: bigint): Steps<void> {
  yield* forgetStepsOf(accountId);
  if ((yield* readSecondFactors(accountId)).length > 0) return;
  yield* send(deleteCodes, accountId);
  yield* send(forgetProofs, accountId);
}

function* replaceCodes(change: Change<'replace-recovery-codes'>, transaction: CommonTransaction): Steps<number> {
  const { accountId, digests, stamp } = change;
  const account = yield* getAccount(accountId);
  if ((yield* readSecondFactors(accountId)).length === 0)
    throw new Failure('conflict', 'Recovery codes are for accounts with a second factor. Set up one first.');
  yield* storeCodes(accountId, digests);
  const action = 'account.recovery-codes-replaced';
  yield* report(transaction, stamp, account, { action, alert: 'recovery-codes-replaced' });
  return 0;
}

function* storeCodes(accountId: bigint, digests: readonly string[]): Steps<void> {
  yield* send(deleteCodes, accountId);
  for (const digest of digests) yield* send(insertCode, accountId, digest);
}

function* reset({ accountId, stamp }: Change<'reset'>, transaction: CommonTransaction): Steps<number> {
  const account = yield* getAccount(accountId);
  // The command line can also set a password.
  if (stamp.via !== 'command-line') yield* requireAdminWithoutPasskeys(account);
  const totps = (yield* ask(hasTotp, accountId)).length;
  yield* send(deleteTotp, accountId);
  const passkeys = (yield* ask(deletePasskeys, accountId)).length;
  yield* send(deleteCodes, accountId);
  yield* forgetStepsOf(accountId);
  if (totps + passkeys === 0) return 0;
  yield* send(endOtherSessions, accountId, null);
  const details = { totp: String(totps), passkeys: String(passkeys) };
  yield* report(transaction, stamp, account, { action: 'account.factors-reset', alert: 'factors-reset', details });
  return totps + passkeys;
}

interface NamedAccount {
  id: bigint;
  username: string;
}

interface Report {
  action: AuditAction;
  alert?: AccountAlert;
  details?: Readonly<Record<string, string>>;
}

function* report(
  { audit }: CommonTransaction,
  stamp: Stamp,
  { id, username }: NamedAccount,
  { action, alert, details }: Report,
): Steps<void> {
  audit(done(stamp, action, accountSubject(id, username), details ?? null));
  if (alert !== undefined) yield* queueAlert(id, alert, stamp, details);
}

/** @throws Failure `conflict` */
function* getAccount(id: bigint): Steps<NamedAccount> {
  const [row] = yield* ask<[username: string]>(usernameOf, id);
  if (row === undefined) throw new Failure('conflict', 'The account was deleted.');
  return { id, username: row[0] };
}

/** @throws Failure `not-found` */
function* getPasskeyName(accountId: bigint, id: string): Steps<string> {
  const [row] = yield* ask<[name: string]>(passkeyBy, accountId, id);
  if (row === undefined) throw new Failure('not-found', 'Passkey not found');
  return row[0];
}
