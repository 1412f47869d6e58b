import type { DatabaseSync } from 'node:sqlite';
import type { Role } from '../domain/access.ts';
import type { SessionStore } from '../domain/accounts/ports.ts';
import type { Session, SessionChange } from '../domain/accounts/session.ts';
import { prepare, prepareRows } from './database.ts';
import type { TransactionWrites, Writer } from './writer.ts';

type SessionRow = [
  key: bigint,
  digest: string,
  userId: bigint,
  username: string,
  role: Role,
  userStatus: bigint | null,
  lastUsedAtMs: bigint,
  expiresAtMs: bigint,
];

/** Reads on the event loop's own connection; changes through the writer. */
export function openSessionStore(reader: DatabaseSync, writer: Writer): SessionStore {
  const byDigests = prepareRows<SessionRow>(
    reader,
    `select key, digest, account.id, username, role, user_status, last_used_at_ms, expires_at_ms
     from json_each(?) join session on digest = value join account on account.id = account_id`,
  );

  return {
    findMany: async (digests) => {
      const found: (Session | undefined)[] = Array.from({ length: digests.length });
      for (const row of byDigests(JSON.stringify(digests))) found[Number(row[0])] = toSession(row);
      return found;
    },
    applyAll: (changes) => writer.apply('session', changes),
  };
}

/** The changes of sessions. */
export function createSessionWrites(db: DatabaseSync): TransactionWrites<SessionChange, null> {
  // From the account's row, so that a session for an account removed a moment ago is not begun, rather than a broken reference.
  const begin = prepare(
    db,
    `insert into session (digest, account_id, started_at_ms, last_used_at_ms, expires_at_ms)
     select ?1, id, ?3, ?3, ?4 from account where id = ?2`,
  );
  const touch = prepare(db, 'update session set last_used_at_ms = max(last_used_at_ms, ?) where digest = ?');
  const end = prepare(db, 'delete from session where digest = ?');
  const forgetExpired = prepare(db, 'delete from session where expires_at_ms <= ? or last_used_at_ms <= ?');

  return {
    apply(change) {
      switch (change.kind) {
        case 'begin': {
          const { digest, userId, startedAtMs, expiresAtMs } = change.session;
          begin.run(digest, userId, startedAtMs, expiresAtMs);
          break;
        }
        case 'touch':
          touch.run(change.usedAtMs, change.digest);
          break;
        case 'end':
          for (const digest of change.digests) end.run(digest);
          break;
        case 'forget-expired':
          forgetExpired.run(change.nowMs, change.nowMs - change.idleMs);
          break;
      }
      return null;
    },
  };
}

function toSession([, digest, userId, username, role, userStatus, lastUsedAtMs, expiresAtMs]: SessionRow): Session {
  return {
    digest,
    userId,
    username,
    role,
    userStatus: userStatus === null ? undefined : Number(userStatus),
    lastUsedAtMs: Number(lastUsedAtMs),
    expiresAtMs: Number(expiresAtMs),
  };
}
