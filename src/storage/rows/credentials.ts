import type { Role, Scope } from '../../domain/access.ts';
import type { ApiKey, OwnedKey } from '../../domain/accounts/api-key.ts';
import type { Session, SessionRecord } from '../../domain/accounts/session.ts';
import { accountSubject, done, keySubject, type NewAuditEntry, type Stamp } from '../../domain/audit.ts';
import { Failure } from '../../domain/failure.ts';

/* Sessions and API keys as rows of both engines. */

/** Maximum number of sessions of an account. One more ends the session that was not used for the longest time. */
export const MAX_SESSIONS = 1000;

/** A session with its account. Only PostgreSQL has the last version that was written in the session. */
export type SessionRow = [
  digest: string,
  id: string,
  userId: bigint,
  username: string,
  role: Role,
  userStatus: bigint | null,
  startedAtMs: bigint,
  lastUsedAtMs: bigint,
  expiresAtMs: bigint,
  lastWritten?: bigint,
];

export const SESSION_COLUMNS =
  'digest, session.id, account_id, username, role, user_status, started_at_ms, last_used_at_ms, expires_at_ms';

export type SessionRecordRow = [
  digest: string,
  id: string,
  userId: bigint,
  startedAtMs: bigint,
  lastUsedAtMs: bigint,
  expiresAtMs: bigint,
  address: string,
  userAgent: string | null,
];

export const SESSION_RECORD_COLUMNS =
  'digest, id, account_id, started_at_ms, last_used_at_ms, expires_at_ms, address, user_agent';

export function toSession(row: SessionRow): Session {
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
    ...(lastWritten !== undefined && lastWritten > 0n && { lastWritten }),
  };
}

export function toSessionRecord(row: SessionRecordRow): SessionRecord {
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

/** The session was ended by its owner: only the owner has its token. */
export function sessionEnded(
  stamp: Stamp,
  { id, userId, username }: { id: string; userId: bigint; username: string },
): NewAuditEntry {
  const owner = { via: 'session', actorId: userId, actorName: username, credentialId: id } as const;
  return done({ ...stamp, ...owner }, 'session.ended', accountSubject(userId, username), { session: id });
}

export function accountChangedMeanwhile(): Failure {
  return new Failure('conflict', 'The account was changed by a concurrent request.');
}

export function sessionNotFound(): Failure {
  return new Failure('not-found', 'Session not found');
}

export type KeyRow = [
  id: string,
  name: string,
  scopes: string,
  createdAtMs: bigint,
  expiresAtMs: bigint,
  lastUsedAtMs: bigint | null,
];

export const KEY_COLUMNS = 'api_key.id, name, scopes, created_at_ms, expires_at_ms, last_used_at_ms';

/** A key with its account. The last version that was written with the key is 0 on SQLite, which needs none. */
export type OwnedKeyRow = [
  digest: string,
  userId: bigint,
  username: string,
  role: Role,
  userStatus: bigint | null,
  lastWritten: bigint,
  ...key: KeyRow,
];

export function toKey([id, name, scopes, createdAtMs, expiresAtMs, lastUsedAtMs]: KeyRow): ApiKey {
  return {
    id,
    name,
    scopes: scopes.split(' ') as Scope[],
    createdAtMs: Number(createdAtMs),
    expiresAtMs: Number(expiresAtMs),
    lastUsedAtMs: lastUsedAtMs === null ? undefined : Number(lastUsedAtMs),
  };
}

export function toOwnedKey([digest, userId, username, role, status, lastWritten, ...key]: OwnedKeyRow): OwnedKey {
  const userStatus = status === null ? undefined : Number(status);
  return { digest, userId, username, role, userStatus, ...(lastWritten > 0n && { lastWritten }), ...toKey(key) };
}

/** The account that gets a key: the number of its valid keys, and its user name. */
export type KeyOwnerRow = [count: bigint, username: string];

/** @returns the user name of the owner. @throws Failure `conflict` */
export function requireRoomForKey(owner: KeyOwnerRow | undefined, maxOfAccount: number): string {
  if (owner === undefined) throw new Failure('conflict', 'The account was deleted.');
  const [count, username] = owner;
  if (count < maxOfAccount) return username;
  throw new Failure('conflict', `The account already has ${maxOfAccount} API keys. Revoke one first.`);
}

export function keyCreated(stamp: Stamp, key: Omit<ApiKey, 'lastUsedAtMs'>, account: string): NewAuditEntry {
  const expires = new Date(key.expiresAtMs).toISOString();
  return done(stamp, 'key.created', keySubject(key), { account, scopes: key.scopes.join(' '), expires });
}

export function keyNotFound(): Failure {
  return new Failure('not-found', 'API key not found');
}
