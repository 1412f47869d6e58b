import type { DatabaseSync } from 'node:sqlite';
import type { Role } from '../../../domain/access.ts';
import type { BatchedSessionStore } from '../../../domain/accounts/ports.ts';
import type { Session, SessionChange, SessionRecord } from '../../../domain/accounts/session.ts';
import { USER_STATUS_CLOSED } from '../../../domain/accounts/user.ts';
import { accountSubject, done, type Stamp } from '../../../domain/audit.ts';
import { Failure } from '../../../domain/failure.ts';
import { createAuditWriter } from '../audit-store.ts';
import { prepare, prepareRows } from '../engine/database.ts';
import { createExactCache } from '../engine/exact-cache.ts';
import { createSnapshots } from '../engine/snapshots.ts';
import { createStandingCheck } from './standing.ts';
import type { TransactionWrites, Writer } from '../engine/writer.ts';

type SessionRow = [
  key: bigint,
  digest: string,
  id: string,
  userId: bigint,
  username: string,
  role: Role,
  userStatus: bigint | null,
  startedAtMs: bigint,
  lastUsedAtMs: bigint,
  expiresAtMs: bigint,
];

type RecordRow = [
  digest: string,
  id: string,
  userId: bigint,
  startedAtMs: bigint,
  lastUsedAtMs: bigint,
  expiresAtMs: bigint,
  address: string,
  userAgent: string | null,
];

/** So many sessions an account has at most; one more ends the one that was not used for the longest time. */
const MAX_OF_ACCOUNT = 1000;

/** Sessions in use at one time; what is one more is read again. */
const MAX_CACHED = 10_000;

/** Reads on the event loop's own connection; changes through the writer. */
export function openSessionStore(
  reader: DatabaseSync,
  writer: Writer,
  snapshots = createSnapshots(reader),
): BatchedSessionStore {
  const byDigests = prepareRows<SessionRow>(
    reader,
    `select key, digest, session.id, account_id, username, role, user_status, started_at_ms, last_used_at_ms, expires_at_ms
     from json_each(?) join session on digest = value join account on account.id = account_id`,
  );
  const ofAccount = prepareRows<RecordRow>(
    reader,
    `select digest, id, account_id, started_at_ms, last_used_at_ms, expires_at_ms, address, user_agent
     from session where account_id = ? order by started_at_ms desc, id`,
  );

  const cache = createExactCache<Session>(snapshots, MAX_CACHED);

  return {
    peek: (digest) => cache.get(digest),
    findMany: async (digests) => {
      const found: (Session | undefined)[] = Array.from({ length: digests.length });
      cache.refresh();
      for (const row of byDigests(JSON.stringify(digests))) {
        const session = toSession(row);
        found[Number(row[0])] = session;
        cache.set(session.digest, session);
      }
      return found;
    },
    listOf: async (userId) => ofAccount(userId).map(toRecord),
    applyAll: (changes) => writer.apply('session', changes),
  };
}

/** The changes of sessions. */
export function createSessionWrites(db: DatabaseSync): TransactionWrites<SessionChange, number> {
  const audit = createAuditWriter(db);
  const demandStanding = createStandingCheck(db);
  // From the account's row, as it is at this moment: closed, removed or with another password, it gets no session.
  const begin = prepareRows<[username: string]>(
    db,
    `insert into session (digest, id, account_id, started_at_ms, last_used_at_ms, expires_at_ms, address, user_agent)
     select ?1, ?2, id, ?4, ?4, ?5, ?6, ?7 from account where id = ?3 and password_hash = ?8 and user_status is not ${USER_STATUS_CLOSED}
     returning (select username from account where id = ?3)`,
  );
  const touch = prepare(db, 'update session set last_used_at_ms = max(last_used_at_ms, ?) where digest = ?');
  const end = prepareRows<[id: string, userId: bigint, username: string]>(
    db,
    `delete from session where digest = ? returning id, account_id, (select username from account where account.id = account_id)`,
  );
  const endOne = prepare(db, 'delete from session where account_id = ? and id = ?');
  const endOthers = prepare(db, 'delete from session where account_id = ? and digest is not ?');
  const endOldest = prepare(
    db,
    `delete from session where digest in
     (select digest from session where account_id = ? order by last_used_at_ms desc limit -1 offset ?)`,
  );
  const usernameOf = prepareRows<[username: string]>(db, 'select username from account where id = ?');
  const forgetExpired = prepare(
    db,
    'delete from session where digest in (select digest from session where expires_at_ms <= ? order by expires_at_ms limit ?)',
  );
  const forgetIdle = prepare(
    db,
    'delete from session where digest in (select digest from session where last_used_at_ms <= ? order by last_used_at_ms limit ?)',
  );

  function beginSession({ session, passwordHash, replaces, stamp }: Extract<SessionChange, { kind: 'begin' }>): void {
    const { digest, id, userId, startedAtMs, expiresAtMs, client } = session;
    const place = [client.address, client.userAgent ?? null] as const;
    const [begun] = begin(digest, id, userId, startedAtMs, expiresAtMs, ...place, passwordHash);
    if (begun === undefined) throw new Failure('conflict', 'The account was changed in this very moment.');
    for (const replaced of replaces) endAndTell(replaced, stamp);
    endOldest.run(userId, MAX_OF_ACCOUNT);
    audit(done(stamp, 'session.begun', accountSubject(userId, begun[0]), { session: id }));
  }

  /** Who presents the token of a session is its owner. */
  function endAndTell(digest: string, stamp: Stamp): void {
    for (const [id, userId, username] of end(digest)) {
      const owner = { via: 'session', actorId: userId, actorName: username, credentialId: id } as const;
      audit(done({ ...stamp, ...owner }, 'session.ended', accountSubject(userId, username), { session: id }));
    }
  }

  function tellOfEnd(userId: bigint, stamp: Stamp, details: Readonly<Record<string, string>>): void {
    audit(done(stamp, 'session.ended', accountSubject(userId, usernameOf(userId)[0]?.[0] ?? ''), details));
  }

  return {
    apply(change) {
      switch (change.kind) {
        case 'begin':
          beginSession(change);
          break;
        case 'touch':
          touch.run(change.usedAtMs, change.digest);
          break;
        case 'end':
          for (const digest of change.digests) endAndTell(digest, change.stamp);
          break;
        case 'end-one':
          demandStanding(change.stamp);
          if (endOne.run(change.userId, change.id).changes === 0n) throw new Failure('not-found', 'Session not found');
          tellOfEnd(change.userId, change.stamp, { session: change.id });
          break;
        case 'end-others': {
          demandStanding(change.stamp);
          const { changes } = endOthers.run(change.userId, change.keepSession ?? null);
          if (changes > 0n) tellOfEnd(change.userId, change.stamp, { sessions: String(changes) });
          break;
        }
        case 'forget-expired': {
          const { nowMs, idleMs, limit } = change;
          const expired = Number(forgetExpired.run(nowMs, limit).changes);
          return expired + Number(forgetIdle.run(nowMs - idleMs, limit - expired).changes);
        }
      }
      return 0;
    },
  };
}

function toSession(row: SessionRow): Session {
  const [, digest, id, userId, username, role, userStatus, startedAtMs, lastUsedAtMs, expiresAtMs] = row;
  return {
    digest,
    id,
    userId,
    username,
    role,
    userStatus: userStatus === null ? undefined : Number(userStatus),
    startedAtMs: Number(startedAtMs),
    lastUsedAtMs: Number(lastUsedAtMs),
    expiresAtMs: Number(expiresAtMs),
  };
}

function toRecord(row: RecordRow): SessionRecord {
  const [digest, id, userId, startedAtMs, lastUsedAtMs, expiresAtMs, address, userAgent] = row;
  return {
    digest,
    id,
    userId,
    startedAtMs: Number(startedAtMs),
    lastUsedAtMs: Number(lastUsedAtMs),
    expiresAtMs: Number(expiresAtMs),
    client: { address, userAgent: userAgent ?? undefined },
  };
}
