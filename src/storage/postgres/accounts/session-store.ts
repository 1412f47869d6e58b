import type { Role } from '../../../domain/access.ts';
import type { BatchedSessionStore } from '../../../domain/accounts/ports.ts';
import type { Session, SessionChange, SessionRecord } from '../../../domain/accounts/session.ts';
import { USER_STATUS_CLOSED } from '../../../domain/accounts/user.ts';
import { accountSubject, done, type Stamp } from '../../../domain/audit.ts';
import { Failure } from '../../../domain/failure.ts';
import type { Ask } from '../engine/statements.ts';
import { statement } from '../engine/statements.ts';
import { eachInTurn, type StoreWrites, type Transaction } from '../engine/transactions.ts';
import type { Writer } from '../engine/writer.ts';
import { demandStanding } from './standing.ts';

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
  lastWritten: bigint,
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

const byDigests = statement(
  `select digest, session.id, account_id, username, role, user_status, started_at_ms, last_used_at_ms, expires_at_ms, last_version
   from session join account on account.id = account_id where digest = any($1::text[])`,
);
const ofAccount = statement(
  `select digest, id, account_id, started_at_ms, last_used_at_ms, expires_at_ms, address, user_agent
   from session where account_id = $1 order by started_at_ms desc, id`,
);
// From the account's row, as it is at this moment: closed, removed or with another password, it gets no session.
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
// In an order that an index has: without one, the server would rather read the whole table, and each change would wait for it.
const forgetExpired = statement(
  `delete from session where digest = any(array(
     select digest from session where expires_at_ms <= $1 order by expires_at_ms limit $2)) returning digest`,
);
const forgetIdle = statement(
  `delete from session where digest = any(array(
     select digest from session where last_used_at_ms <= $1 order by last_used_at_ms limit $2)) returning digest`,
);

export function openSessionStore(ask: Ask, writer: Writer): BatchedSessionStore {
  return {
    // What another node did a moment ago counts: the database has to be asked.
    peek: () => undefined,
    findMany: async (digests) => {
      const rows = await ask<SessionRow>(byDigests, digests);
      const found = new Map(rows.map((row) => [row[0], toSession(row)]));
      return digests.map((digest) => found.get(digest));
    },
    listOf: async (userId) => (await ask<RecordRow>(ofAccount, userId)).map(toRecord),
    applyAll: (changes) => writer.apply('session', changes),
  };
}

async function beginSession(
  change: Extract<SessionChange, { kind: 'begin' }>,
  transaction: Transaction,
): Promise<void> {
  const { session, passwordHash, replaces, stamp } = change;
  const { digest, id, userId, startedAtMs, expiresAtMs, client } = session;
  const { ask, audit } = transaction;
  const place = [client.address, client.userAgent ?? null] as const;
  // Whoever logs in again is to see what they wrote before.
  const { lastVersion } = await transaction.counters;
  const begun = await ask(begin, digest, id, userId, startedAtMs, expiresAtMs, ...place, passwordHash, lastVersion);
  if (begun.length === 0) throw new Failure('conflict', 'The account was changed in this very moment.');
  for (const replaced of replaces) await endAndTell(replaced, stamp, transaction);
  await ask(endOldest, userId, MAX_OF_ACCOUNT);
  audit(done(stamp, 'session.begun', accountSubject(userId, await nameOf(userId, ask)), { session: id }));
}

/** Who presents the token of a session is its owner. */
async function endAndTell(digest: string, stamp: Stamp, { ask, audit }: Transaction): Promise<void> {
  for (const [id, userId] of await ask<[id: string, userId: bigint]>(end, digest)) {
    const username = await nameOf(userId, ask);
    const owner = { via: 'session', actorId: userId, actorName: username, credentialId: id } as const;
    audit(done({ ...stamp, ...owner }, 'session.ended', accountSubject(userId, username), { session: id }));
  }
}

async function tellOfEnd(
  userId: bigint,
  stamp: Stamp,
  details: Readonly<Record<string, string>>,
  { ask, audit }: Transaction,
): Promise<void> {
  audit(done(stamp, 'session.ended', accountSubject(userId, await nameOf(userId, ask)), details));
}

/** The changes of sessions. */
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
      for (const digest of change.digests) await endAndTell(digest, change.stamp, transaction);
      break;
    case 'end-one': {
      await demandStanding(change.stamp, transaction);
      const ended = await ask(endOne, change.userId, change.id);
      if (ended.length === 0) throw new Failure('not-found', 'Session not found');
      await tellOfEnd(change.userId, change.stamp, { session: change.id }, transaction);
      break;
    }
    case 'end-others': {
      await demandStanding(change.stamp, transaction);
      const { length } = await ask(endOthers, change.userId, change.keepSession ?? null);
      if (length > 0) await tellOfEnd(change.userId, change.stamp, { sessions: String(length) }, transaction);
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

function toSession(row: SessionRow): Session {
  const [digest, id, userId, username, role, userStatus, startedAtMs, lastUsedAtMs, expiresAtMs, lastWritten] = row;
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
    ...(lastWritten > 0n && { lastWritten }),
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
