import { accountSubject, done } from '../../../domain/audit.ts';
import { Failure } from '../../../domain/failure.ts';
import { personKey } from '../../../domain/mail/mail-address.ts';
import { loginNotFound } from '../../../domain/providers/linked-logins.ts';
import type { KnownIdentity, NewSignInStep, ProviderChange, ProviderStore } from '../../../domain/providers/ports.ts';
import type { ProviderLogin } from '../../../domain/providers/provider.ts';
import { requireCredential } from '../credential-check.ts';
import { queueAlert } from '../mail/mail-rows.ts';
import { forgetStepsOf } from '../sign-in/factor-uses.ts';
import { requireOtherWayIn } from '../sign-in/ways-in.ts';
import { rowOf } from '../row.ts';
import { statement } from '../statements.ts';
import { ask, send, type CommonTransaction, type Reads, type StoreDeps, type Steps } from '../steps.ts';
import { find } from '../accounts/account-lookup.ts';
import { applyUserChange } from '../accounts/user-writes.ts';

type Change<K extends ProviderChange['kind']> = Extract<ProviderChange, { kind: K }>;

const LOGIN = rowOf<ProviderLogin>({
  issuer: 'text',
  subject: 'text',
  name: 'text',
  createdAtMs: 'number',
  lastUsedAtMs: 'number?',
});

/** The kind of sign-in steps for a login at a provider. */
const KIND = 'provider';
/** A step stays known after the login, with its account. */
const COMPLETED = 'provider-completed';

const ofAccount = statement(`select ${LOGIN.columns} from provider_login where account_id = $1`);
const insertStep = statement(
  `insert into sign_in_step (digest, kind, details, expires_at_ms) values ($1, '${KIND}', $2, $3)`,
);
const takeStep = statement(
  `delete from sign_in_step where digest = $1 and kind = '${KIND}' returning details, expires_at_ms`,
);
const insertCompleted = statement(
  `insert into sign_in_step (digest, kind, account_id, details, expires_at_ms)
   values ($1, '${COMPLETED}', $2, $3, $4)`,
);
const completedBy = statement(
  `select details from sign_in_step
   where digest = $1 and kind = '${COMPLETED}' and account_id = $2 and expires_at_ms > $3`,
);
const ownerOf = statement(
  `select account.id, username from provider_login join account on account.id = account_id
   where issuer = $1 and subject = $2`,
);
const insertLogin = statement(
  `insert into provider_login (issuer, subject, account_id, name, created_at_ms, last_used_at_ms)
   values ($1, $2, $3, $4, $5, $6)`,
);
const useLogin = statement(
  'update provider_login set name = $3, last_used_at_ms = $4 where issuer = $1 and subject = $2',
);
const deleteLogin = statement('delete from provider_login where account_id = $1 and issuer = $2 and subject = $3');
const endSessions = statement('delete from session where account_id = $1');
const usernameOf = statement('select username from account where id = $1');
const confirmEmail = statement(
  'insert into confirmed_email (account_id, email, email_key, confirmed_at_ms) values ($1, $2, $3, $4)',
);

export class SqlProviderStore implements ProviderStore {
  readonly #reads: Reads;
  readonly #apply;

  constructor({ reads, apply }: StoreDeps<ProviderChange, string>) {
    this.#reads = reads;
    this.#apply = apply;
  }

  async listOf(userId: bigint): Promise<readonly ProviderLogin[]> {
    const logins = (await this.#reads.ask(ofAccount, userId)).map(LOGIN.read);
    return logins.toSorted((a, b) => a.createdAtMs - b.createdAtMs || (a.subject < b.subject ? -1 : 1));
  }

  async completedBy(userId: bigint, digest: string, nowMs: number): Promise<string> {
    const [step] = await this.#reads.ask<[details: string]>(completedBy, digest, userId, nowMs);
    return step?.[0] ?? '';
  }

  apply(change: ProviderChange): Promise<string> {
    return this.#apply(change);
  }
}

export function* applyProviderChange(change: ProviderChange, transaction: CommonTransaction): Steps<string> {
  switch (change.kind) {
    case 'begin': {
      const { digest, details, expiresAtMs } = change.step;
      yield* send(insertStep, digest, details, expiresAtMs);
      return '';
    }
    case 'take': {
      const [step] = yield* ask<[details: string, expiresAtMs: bigint]>(takeStep, change.digest);
      return step !== undefined && change.nowMs < Number(step[1]) ? step[0] : '';
    }
    case 'log-in':
      return yield* logIn(change, transaction);
    case 'link':
      yield* requireCredential(change.stamp);
      return yield* link(change, transaction);
    case 'unlink':
    case 'unlink-for-owner':
      break;
  }
  yield* requireCredential(change.stamp);
  yield* unlink(change, transaction);
  return '';
}

function* logIn(change: Change<'log-in'>, transaction: CommonTransaction): Steps<string> {
  const { identity, role, stamp } = change;
  const { issuer, subject, name } = identity;
  const [owner] = yield* ask<[id: bigint, username: string]>(ownerOf, issuer, subject);
  if (owner === undefined) return yield* signUp(change, transaction);
  const [id, username] = owner;
  const current = yield* find(username);
  if (current === undefined || current.isClosed) return username;
  yield* complete(id, change.completed);
  yield* send(useLogin, issuer, subject, name, stamp.atMs);
  if (role !== undefined && role !== current.role) {
    try {
      yield* applyUserChange({ kind: 'set-role', username, role, stamp }, transaction);
    } catch (error) {
      // The only administrator who can log in stays one, whatever the provider says.
      if (!(error instanceof Failure) || error.code !== 'conflict') throw error;
    }
  }
  return username;
}

function* signUp(change: Change<'log-in'>, transaction: CommonTransaction): Steps<string> {
  const { identity, newAccount, confirmedEmail, stamp } = change;
  if (newAccount === undefined) return '';
  yield* applyUserChange({ kind: 'create', accounts: [newAccount], isList: false, stamp }, transaction);
  const account = yield* find(newAccount.profile.username);
  if (account === undefined) throw new Error('The new account is not in the database.');
  const { id, username } = account;
  yield* insertLoginOf(id, identity, stamp.atMs, stamp.atMs);
  yield* complete(id, change.completed);
  if (confirmedEmail !== undefined)
    yield* send(confirmEmail, id, confirmedEmail, personKey(confirmedEmail), stamp.atMs);
  const { issuer } = identity;
  transaction.audit(done(stamp, 'account.provider-linked', accountSubject(id, username), { issuer }));
  return username;
}

function* complete(userId: bigint, { digest, details, expiresAtMs }: NewSignInStep): Steps<void> {
  yield* send(insertCompleted, digest, userId, details, expiresAtMs);
}

function* insertLoginOf(
  userId: bigint,
  { issuer, subject, name }: KnownIdentity,
  createdAtMs: number,
  lastUsedAtMs: number | null,
): Steps<void> {
  yield* send(insertLogin, issuer, subject, userId, name, createdAtMs, lastUsedAtMs);
}

function* link(change: Change<'link'>, { audit }: CommonTransaction): Steps<string> {
  const { userId, identity, label, stamp } = change;
  const { issuer, subject } = identity;
  const [owner] = yield* ask<[id: bigint]>(ownerOf, issuer, subject);
  if (owner !== undefined && owner[0] !== userId) return 'taken';
  yield* complete(userId, change.completed);
  if (owner !== undefined) return '';
  const [account] = yield* ask<[username: string]>(usernameOf, userId);
  yield* insertLoginOf(userId, identity, stamp.atMs, null);
  audit(done(stamp, 'account.provider-linked', accountSubject(userId, account?.[0] ?? ''), { issuer }));
  yield* queueAlert(userId, 'provider-linked', stamp, { provider: label });
  return '';
}

function* unlink(change: Change<'unlink' | 'unlink-for-owner'>, { audit }: CommonTransaction): Steps<void> {
  const { userId, issuer, subject, label, stamp } = change;
  const [owner] = yield* ask<[id: bigint, username: string]>(ownerOf, issuer, subject);
  if (owner?.[0] !== userId) throw loginNotFound();
  const [, username] = owner;
  if (change.kind === 'unlink') yield* requireOtherWayIn(userId, { issuer, subject }, change.waysIn);
  yield* send(deleteLogin, userId, issuer, subject);
  yield* forgetStepsOf(userId);
  if (change.kind === 'unlink-for-owner') yield* send(endSessions, userId);
  audit(done(stamp, 'account.provider-unlinked', accountSubject(userId, username), { issuer }));
  yield* queueAlert(userId, 'provider-unlinked', stamp, { provider: label });
}
