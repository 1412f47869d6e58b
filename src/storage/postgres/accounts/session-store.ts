import type { SessionStore } from '../../../domain/accounts/ports.ts';
import type { Session, SessionChange, SessionRecord } from '../../../domain/accounts/session.ts';
import { USER_STATUS_CLOSED } from '../../../domain/accounts/user.ts';
import { accountSubject, done, type Stamp } from '../../../domain/audit.ts';
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
import { gather } from '../../rows/gather.ts';
import { statement, type Ask } from '../engine/statements.ts';
import { eachInTurn, type StoreWrites, type Transaction } from '../engine/transactions.ts';
import type { Writer } from '../engine/writer.ts';
import { requireCredential } from '../service/credential-check.ts';

const byDigests = statement(
  `select ${SESSION_COLUMNS}, last_version
   from session join account on account.id = account_id where digest = any($1::text[])`,
);
const ofAccount = statement(
  `select ${SESSION_RECORD_COLUMNS} from session where account_id = $1 order by started_at_ms desc, id`,
);
// From the current row of the account: if it was closed, deleted or got another password meanwhile, no session begins.
const begin = statement(
  `insert into session (digest, id, account_id, started_at_ms, last_used_at_ms, expires_at_ms, address, user_agent, last_version)
   select $1::text, $2::text, id, $4::int8, $4::int8, $5::int8, $6::text, $7::text, $9::int8 from account
   where id = $3 and password_hash = $8 and user_status is distinct from ${USER_STATUS_CLOSED}
   returning account_id`,
);
const usernameOf = statement('select username from account where id = $1');
const touch = statement('update session set last_used_at_ms = greatest(last_used_at_ms, $1) where digest = $2');
const end = statement('delete from session where digest = $1 returning id, account_id');
const endOne = statement('delete from session where account_id = $1 and id = $2 returning id');
const endOthers = statement(
  'delete from session where account_id = $1 and digest is distinct from $2::text returning id',
);
const endOldest = statement(
  `delete from session where digest = any(array(
     select digest from session where account_id = $1 order by last_used_at_ms desc offset $2))`,
);
// In an order that an index has: without one, the server would read the whole table while every change waits for it.
const forgetExpired = statement(
  `delete from session where digest = any(array(
     select digest from session where expires_at_ms <= $1 order by expires_at_ms limit $2)) returning digest`,
);
const forgetIdle = statement(
  `delete from session where digest = any(array(
     select digest from session where last_used_at_ms <= $1 order by last_used_at_ms limit $2)) returning digest`,
);

export class PostgresSessionStore implements SessionStore {
  readonly #ask: Ask;
  readonly #writer: Writer;

  constructor({ ask, writer }: { ask: Ask; writer: Writer }) {
    this.#ask = ask;
    this.#writer = writer;
  }

  readonly find = gather(async (digests: readonly string[]): Promise<readonly (Session | undefined)[]> => {
    const rows = await this.#ask<SessionRow>(byDigests, digests);
    const found = new Map(rows.map((row) => [row[0], toSession(row)]));
    return digests.map((digest) => found.get(digest));
  });

  async listOf(userId: bigint): Promise<readonly SessionRecord[]> {
    return (await this.#ask<SessionRecordRow>(ofAccount, userId)).map(toSessionRecord);
  }

  apply(change: SessionChange): Promise<number> {
    return this.#writer.apply('session', change);
  }
}

async function beginSession(
  change: Extract<SessionChange, { kind: 'begin' }>,
  transaction: Transaction,
): Promise<void> {
  const { session, passwordHash, replaces, stamp } = change;
  const { digest, id, userId, startedAtMs, expiresAtMs, client } = session;
  const { ask, audit } = transaction;
  const place = [client.address, client.userAgent ?? null] as const;
  // After the next login, a user sees the changes made before it.
  const { lastVersion } = await transaction.counters;
  const begun = await ask(begin, digest, id, userId, startedAtMs, expiresAtMs, ...place, passwordHash, lastVersion);
  if (begun.length === 0) throw accountChangedMeanwhile();
  for (const replaced of replaces) await endSession(replaced, stamp, transaction);
  await ask(endOldest, userId, MAX_SESSIONS);
  audit(done(stamp, 'session.begun', accountSubject(userId, await nameOf(userId, ask)), { session: id }));
}

async function endSession(digest: string, stamp: Stamp, { ask, audit }: Transaction): Promise<void> {
  for (const [id, userId] of await ask<[id: string, userId: bigint]>(end, digest))
    audit(sessionEnded(stamp, { id, userId, username: await nameOf(userId, ask) }));
}

async function auditEnd(
  userId: bigint,
  stamp: Stamp,
  details: Readonly<Record<string, string>>,
  { ask, audit }: Transaction,
): Promise<void> {
  audit(done(stamp, 'session.ended', accountSubject(userId, await nameOf(userId, ask)), details));
}

export const sessionWrites: StoreWrites<SessionChange, number> = eachInTurn(async (change, transaction) => {
  const { ask } = transaction;
  switch (change.kind) {
    case 'begin':
      await beginSession(change, transaction);
      break;
    case 'touch':
      await ask(touch, change.usedAtMs, change.digest);
      break;
    case 'end':
      for (const digest of change.digests) await endSession(digest, change.stamp, transaction);
      break;
    case 'end-one': {
      await requireCredential(change.stamp, transaction);
      const ended = await ask(endOne, change.userId, change.id);
      if (ended.length === 0) throw sessionNotFound();
      await auditEnd(change.userId, change.stamp, { session: change.id }, transaction);
      break;
    }
    case 'end-others': {
      await requireCredential(change.stamp, transaction);
      const { length } = await ask(endOthers, change.userId, change.keepSession ?? null);
      if (length > 0) await auditEnd(change.userId, change.stamp, { sessions: String(length) }, transaction);
      break;
    }
    case 'forget-expired': {
      const { nowMs, idleMs, limit } = change;
      const expired = (await ask(forgetExpired, nowMs, limit)).length;
      return expired + (await ask(forgetIdle, nowMs - idleMs, limit - expired)).length;
    }
  }
  return 0;
});

async function nameOf(userId: bigint, ask: Ask): Promise<string> {
  return (await ask<[username: string]>(usernameOf, userId))[0]?.[0] ?? '';
}
