import type { DatabaseSync } from 'node:sqlite';
import type { SessionStore } from '../../../domain/accounts/ports.ts';
import type { Session, SessionChange, SessionRecord } from '../../../domain/accounts/session.ts';
import { USER_STATUS_CLOSED } from '../../../domain/accounts/user.ts';
import { accountSubject, done, type NewAuditEntry, type Stamp } from '../../../domain/audit.ts';
import {
  accountChangedMeanwhile,
  MAX_SESSIONS,
  SESSION_COLUMNS,
  SESSION_RECORD_COLUMNS,
  sessionEnded,
  sessionNotFound,
  toSession,
  toSessionRecord,
  type SessionRecordRow,
  type SessionRow,
} from '../../rows/credentials.ts';
import { prepareAuditWriter } from '../service/audit-store.ts';
import { prepare, prepareRow, prepareRows } from '../engine/database.ts';
import { ExactCache } from '../engine/exact-cache.ts';
import type { Snapshots } from '../engine/snapshots.ts';
import type { TransactionWrites, Writer } from '../engine/writer.ts';
import { prepareCredentialCheck } from '../service/credential-check.ts';

/** Maximum number of cached sessions. */
const MAX_CACHED = 10_000;

/** Reads on the event loop's own connection. */
export class SqliteSessionStore implements SessionStore {
  readonly #writer: Writer;
  readonly #cache: ExactCache<Session>;
  readonly #byDigest;
  readonly #ofAccount;

  constructor({ reader, writer, snapshots }: { reader: DatabaseSync; writer: Writer; snapshots: Snapshots }) {
    this.#writer = writer;
    this.#cache = new ExactCache(snapshots, MAX_CACHED);
    this.#byDigest = prepareRow(
      reader,
      `select ${SESSION_COLUMNS} from session join account on account.id = account_id where digest = ?`,
    );
    this.#ofAccount = prepareRows<SessionRecordRow>(
      reader,
      `select ${SESSION_RECORD_COLUMNS} from session where account_id = ? order by started_at_ms desc, id`,
    );
  }

  find(digest: string): Session | undefined {
    const cached = this.#cache.get(digest);
    if (cached !== undefined) return cached;
    this.#cache.refresh();
    const row = this.#byDigest(digest) as SessionRow | undefined;
    if (row === undefined) return undefined;
    const session = toSession(row);
    this.#cache.set(digest, session);
    return session;
  }

  async listOf(userId: bigint): Promise<readonly SessionRecord[]> {
    return this.#ofAccount(userId).map(toSessionRecord);
  }

  apply(change: SessionChange): Promise<number> {
    return this.#writer.apply('session', change);
  }
}

export class SessionWrites implements TransactionWrites<SessionChange, number> {
  readonly #audit: (entry: NewAuditEntry) => void;
  readonly #requireCredential: (stamp: Stamp) => void;
  readonly #begin;
  readonly #touch;
  readonly #end;
  readonly #endOne;
  readonly #endOthers;
  readonly #endOldest;
  readonly #usernameOf;
  readonly #forgetExpired;
  readonly #forgetIdle;

  constructor(db: DatabaseSync) {
    this.#audit = prepareAuditWriter(db);
    this.#requireCredential = prepareCredentialCheck(db);
    // From the current row of the account: if it was closed, deleted or got another password meanwhile, no session
    // begins.
    this.#begin = prepareRows<[username: string]>(
      db,
      `insert into session (digest, id, account_id, started_at_ms, last_used_at_ms, expires_at_ms, address, user_agent)
       select ?1, ?2, id, ?4, ?4, ?5, ?6, ?7 from account where id = ?3 and password_hash = ?8 and user_status is not ${USER_STATUS_CLOSED}
       returning (select username from account where id = ?3)`,
    );
    this.#touch = prepare(db, 'update session set last_used_at_ms = max(last_used_at_ms, ?) where digest = ?');
    this.#end = prepareRows<[id: string, userId: bigint, username: string]>(
      db,
      `delete from session where digest = ? returning id, account_id, (select username from account where account.id = account_id)`,
    );
    this.#endOne = prepare(db, 'delete from session where account_id = ? and id = ?');
    this.#endOthers = prepare(db, 'delete from session where account_id = ? and digest is not ?');
    this.#endOldest = prepare(
      db,
      `delete from session where digest in
       (select digest from session where account_id = ? order by last_used_at_ms desc limit -1 offset ?)`,
    );
    this.#usernameOf = prepareRows<[username: string]>(db, 'select username from account where id = ?');
    this.#forgetExpired = prepare(
      db,
      'delete from session where digest in (select digest from session where expires_at_ms <= ? order by ' +
        'expires_at_ms limit ?)',
    );
    this.#forgetIdle = prepare(
      db,
      'delete from session where digest in (select digest from session where last_used_at_ms <= ? order by ' +
        'last_used_at_ms limit ?)',
    );
  }

  apply(change: SessionChange): number {
    switch (change.kind) {
      case 'begin':
        this.#beginSession(change);
        break;
      case 'touch':
        this.#touch.run(change.usedAtMs, change.digest);
        break;
      case 'end':
        for (const digest of change.digests) this.#endSession(digest, change.stamp);
        break;
      case 'end-one':
        this.#requireCredential(change.stamp);
        if (this.#endOne.run(change.userId, change.id).changes === 0n) throw sessionNotFound();
        this.#auditEnd(change.userId, change.stamp, { session: change.id });
        break;
      case 'end-others': {
        this.#requireCredential(change.stamp);
        const { changes } = this.#endOthers.run(change.userId, change.keepSession ?? null);
        if (changes > 0n) this.#auditEnd(change.userId, change.stamp, { sessions: String(changes) });
        break;
      }
      case 'forget-expired': {
        const { nowMs, idleMs, limit } = change;
        const expired = Number(this.#forgetExpired.run(nowMs, limit).changes);
        return expired + Number(this.#forgetIdle.run(nowMs - idleMs, limit - expired).changes);
      }
    }
    return 0;
  }

  #beginSession({ session, passwordHash, replaces, stamp }: Extract<SessionChange, { kind: 'begin' }>): void {
    const { digest, id, userId, startedAtMs, expiresAtMs, client } = session;
    const place = [client.address, client.userAgent ?? null] as const;
    const [begun] = this.#begin(digest, id, userId, startedAtMs, expiresAtMs, ...place, passwordHash);
    if (begun === undefined) throw accountChangedMeanwhile();
    for (const replaced of replaces) this.#endSession(replaced, stamp);
    this.#endOldest.run(userId, MAX_SESSIONS);
    this.#audit(done(stamp, 'session.begun', accountSubject(userId, begun[0]), { session: id }));
  }

  #endSession(digest: string, stamp: Stamp): void {
    for (const [id, userId, username] of this.#end(digest)) this.#audit(sessionEnded(stamp, { id, userId, username }));
  }

  #auditEnd(userId: bigint, stamp: Stamp, details: Readonly<Record<string, string>>): void {
    const username = this.#usernameOf(userId)[0]?.[0] ?? '';
    this.#audit(done(stamp, 'session.ended', accountSubject(userId, username), details));
  }
}
