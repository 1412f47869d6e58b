import type { Factor, Role, SessionProof } from '../../../domain/access.ts';
import type { SessionStore } from '../../../domain/accounts/ports.ts';
import type { Session, SessionChange, SessionRecord } from '../../../domain/accounts/session.ts';
import { isFirstFactor, secondFactorNeeded } from '../../../domain/accounts/factors.ts';
import { USER_STATUS_CLOSED } from '../../../domain/accounts/user.ts';
import { accountSubject, done, type Stamp } from '../../../domain/audit.ts';
import { Failure } from '../../../domain/failure.ts';
import { credentialEnded, requireCredential } from '../credential-check.ts';
import { queueAlert } from '../mail/mail-rows.ts';
import { readSecondFactors, recordUses, requireUsable } from '../sign-in/factor-uses.ts';
import { forgetOldest, statement } from '../statements.ts';
import { ask, send, type CommonTransaction, type Reads, type StoreDeps, type Steps } from '../steps.ts';

type Change<K extends SessionChange['kind']> = Extract<SessionChange, { kind: K }>;

/** Maximum number of sessions of an account. One more ends the session that was not used for the longest time. */
const MAX_SESSIONS = 1000;

/** A session with its account. The last version that was written in it is 0 on SQLite, which needs none. */
type SessionRow = [
  digest: string,
  id: string,
  userId: bigint,
  username: string,
  role: Role,
  userStatus: bigint | null,
  startedAtMs: bigint,
  lastUsedAtMs: bigint,
  expiresAtMs: bigint,
  factors: string,
  issuer: string | null,
  provedAtMs: bigint,
  lastWritten: bigint,
];

type SessionRecordRow = [
  digest: string,
  id: string,
  userId: bigint,
  startedAtMs: bigint,
  lastUsedAtMs: bigint,
  expiresAtMs: bigint,
  address: string,
  userAgent: string | null,
  factors: string,
  issuer: string | null,
];

const find = statement(
  (
    sql,
  ) => `select digest, session.id, account_id, username, role, user_status, started_at_ms, last_used_at_ms, expires_at_ms,
     factors, issuer, proved_at_ms, ${sql.either('last_version', '0')}
   from session join account on account.id = account_id where ${sql.isKey('digest')}`,
);
const ofAccount = statement(
  `select digest, id, account_id, started_at_ms, last_used_at_ms, expires_at_ms, address, user_agent, factors, issuer
   from session where account_id = $1 order by started_at_ms desc, id`,
);
// From the current row of the account: if it was closed, deleted or got another password meanwhile, no session begins.
const begin = statement(({ either }) => {
  const [column, value] = [either(', last_version', ''), either(', $11::int8', '')];
  return `insert into session (digest, id, account_id, started_at_ms, last_used_at_ms, expires_at_ms, address, user_agent, factors, issuer,
     proved_at_ms${column})
   select $1::text, $2::text, id, $4::int8, $4::int8, $5::int8, $6::text, $7::text, $8::text, $9::text, $4::int8${value}
   from account where id = $3 and password_hash is not distinct from $10 and user_status is distinct from ${USER_STATUS_CLOSED}
   returning account_id`;
});
const usernameOf = statement('select username from account where id = $1');
const touch = statement(
  ({ greatest }) => `update session set last_used_at_ms = ${greatest('last_used_at_ms', '$1')} where digest = $2`,
);
const prove = statement('update session set factors = $2, proved_at_ms = $3 where digest = $1');
const ownerOf = statement('select account_id, id from session where digest = $1');
const end = statement('delete from session where digest = $1 returning id, account_id');
const endOne = statement('delete from session where account_id = $1 and id = $2 returning id');
const endOthers = statement(
  'delete from session where account_id = $1 and digest is distinct from $2::text returning id',
);
const endOldest = statement(({ isAmong }) => {
  // SQLite wants a limit with an offset.
  const oldest = `select digest from session where account_id = $1 order by last_used_at_ms desc limit ${MAX_SESSIONS} offset $2`;
  return `delete from session where ${isAmong('digest', oldest)}`;
});
const forgetExpired = forgetOldest('session', 'digest', 'expires_at_ms');
const forgetIdle = forgetOldest('session', 'digest', 'last_used_at_ms');

export class SqlSessionStore implements SessionStore {
  readonly find: SessionStore['find'];
  readonly #reads: Reads;
  readonly #apply;

  constructor({ reads, apply }: StoreDeps<SessionChange, number>) {
    this.find = reads.finder(find, toSession);
    this.#reads = reads;
    this.#apply = apply;
  }

  async listOf(userId: bigint): Promise<readonly SessionRecord[]> {
    return (await this.#reads.ask<SessionRecordRow>(ofAccount, userId)).map(toSessionRecord);
  }

  apply(change: SessionChange): Promise<number> {
    return this.#apply(change);
  }
}

export function* applySessionChange(change: SessionChange, transaction: CommonTransaction): Steps<number> {
  switch (change.kind) {
    case 'begin':
      yield* beginSession(change, transaction);
      break;
    case 'touch':
      yield* send(touch, change.usedAtMs, change.digest);
      break;
    case 'prove':
      yield* proveAgain(change, transaction);
      break;
    case 'end':
      for (const digest of change.digests) yield* endSession(digest, change.stamp, transaction);
      break;
    case 'end-one':
      yield* requireCredential(change.stamp);
      if ((yield* ask(endOne, change.userId, change.id)).length === 0)
        throw new Failure('not-found', 'Session not found');
      yield* auditEnd(change.userId, change.stamp, { session: change.id }, transaction);
      break;
    case 'end-others': {
      yield* requireCredential(change.stamp);
      const { length } = yield* ask(endOthers, change.userId, change.keepSession ?? null);
      if (length > 0) yield* auditEnd(change.userId, change.stamp, { sessions: String(length) }, transaction);
      break;
    }
    case 'forget-expired': {
      const { nowMs, idleMs, limit } = change;
      const expired = (yield* ask(forgetExpired, nowMs, limit)).length;
      return expired + (yield* ask(forgetIdle, nowMs - idleMs, limit - expired)).length;
    }
  }
  return 0;
}

function* beginSession(change: Change<'begin'>, transaction: CommonTransaction): Steps<void> {
  const { session, passwordHash, replaces, uses = [], isNewDevice, stamp } = change;
  const { digest, id, userId, startedAtMs, expiresAtMs, client, proof } = session;
  const username = yield* nameOf(userId);
  yield* requireUsable(uses, stamp);
  if (proof.factors.every(isFirstFactor)) yield* requireNoSecondFactor(userId);
  const from = [client.address, client.userAgent ?? null];
  const proved = [proof.factors.join(' '), proof.issuer ?? null, passwordHash ?? null];
  // After the next login, a user sees the changes made before it.
  const lastVersion = transaction.lastVersion();
  const begun = yield* ask(begin, digest, id, userId, startedAtMs, expiresAtMs, ...from, ...proved, lastVersion);
  if (begun.length === 0) throw new Failure('conflict', 'The account was changed by a concurrent request.');
  yield* recordUses(uses, stamp);
  for (const replaced of replaces) yield* endSession(replaced, stamp, transaction);
  yield* send(endOldest, userId, MAX_SESSIONS);
  const device = client.userAgent === undefined ? {} : { userAgent: client.userAgent };
  if (isNewDevice) yield* queueAlert(userId, 'new-device', stamp, device);
  transaction.audit(done(stamp, 'session.begun', accountSubject(userId, username), detailsOf(id, proof)));
}

function detailsOf(session: string, { factors, issuer }: SessionProof): Readonly<Record<string, string>> {
  const isSecond = !factors.every(isFirstFactor);
  return { session, ...(issuer !== undefined && { issuer }), ...(isSecond && { factors: factors.join(' ') }) };
}

/** In the transaction that begins the session, so that no login passes by a factor that was just set up. */
function* requireNoSecondFactor(userId: bigint): Steps<void> {
  const factors = yield* readSecondFactors(userId);
  if (factors.length > 0) throw secondFactorNeeded(factors);
}

function* proveAgain(change: Change<'prove'>, { audit }: CommonTransaction): Steps<void> {
  const { digest, factors, uses, stamp } = change;
  yield* requireCredential(stamp);
  const [owner] = yield* ask<[userId: bigint, id: string]>(ownerOf, digest);
  if (owner === undefined) throw credentialEnded();
  yield* requireUsable(uses, stamp);
  yield* recordUses(uses, stamp);
  yield* send(prove, digest, factors.join(' '), stamp.atMs);
  const [userId, session] = owner;
  const subject = accountSubject(userId, yield* nameOf(userId));
  audit(done(stamp, 'session.proved', subject, { session, factors: factors.join(' ') }));
}

/** The session was ended by its owner: only the owner has its token. */
function* endSession(digest: string, stamp: Stamp, { audit }: CommonTransaction): Steps<void> {
  for (const [id, userId] of yield* ask<[id: string, userId: bigint]>(end, digest)) {
    const username = yield* nameOf(userId);
    const owner = { via: 'session', actorId: userId, actorName: username, credentialId: id } as const;
    audit(done({ ...stamp, ...owner }, 'session.ended', accountSubject(userId, username), { session: id }));
  }
}

function* auditEnd(
  userId: bigint,
  stamp: Stamp,
  details: Readonly<Record<string, string>>,
  { audit }: CommonTransaction,
): Steps<void> {
  audit(done(stamp, 'session.ended', accountSubject(userId, yield* nameOf(userId)), details));
}

function* nameOf(userId: bigint): Steps<string> {
  return (yield* ask<[username: string]>(usernameOf, userId))[0]?.[0] ?? '';
}

function toSession(row: SessionRow): Session {
  const [digest, id, userId, username, role, userStatus, startedAtMs, lastUsedAtMs, expiresAtMs, ...more] = row;
  const [factors, issuer, provedAtMs, lastWritten] = more;
  return {
    digest,
    id,
    userId,
    username,
    role,
    userStatus: userStatus === null ? undefined : Number(userStatus),
    startedAtMs: Number(startedAtMs),
    proof: toProof(factors, issuer),
    // A session of an earlier version has no such time.
    provedAtMs: Math.max(Number(provedAtMs), Number(startedAtMs)),
    lastUsedAtMs: Number(lastUsedAtMs),
    expiresAtMs: Number(expiresAtMs),
    ...(lastWritten > 0n && { lastWritten }),
  };
}

function toSessionRecord(row: SessionRecordRow): SessionRecord {
  const [digest, id, userId, startedAtMs, lastUsedAtMs, expiresAtMs, address, userAgent, factors, issuer] = row;
  return {
    digest,
    id,
    userId,
    startedAtMs: Number(startedAtMs),
    lastUsedAtMs: Number(lastUsedAtMs),
    expiresAtMs: Number(expiresAtMs),
    client: { address, userAgent: userAgent ?? undefined },
    proof: toProof(factors, issuer),
  };
}

/** The proof of most sessions, which every request with a session reads. */
const PASSWORD: SessionProof = { factors: ['password'] };

function toProof(factors: string, issuer: string | null): SessionProof {
  if (factors === 'password') return PASSWORD;
  // Empty for a session that began with a passkey, of an account that has none any more.
  return { factors: factors.split(' ').filter(Boolean) as Factor[], issuer: issuer ?? undefined };
}
