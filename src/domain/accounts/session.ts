import type { Role } from '../access.ts';
import type { Stamp } from '../audit.ts';
import type { RequestClaim } from '../idempotency/request-claim.ts';

/** A session with what is needed of its account, as one look-up gives it. Times are milliseconds since 1970. */
export interface Session {
  /** The SHA-256 of the token; the token itself is nowhere kept. */
  digest: string;
  /** Its public name. */
  id: string;
  userId: bigint;
  username: string;
  role: Role;
  userStatus: number | undefined;
  startedAtMs: number;
  lastUsedAtMs: number;
  /** The end that no use puts off. */
  expiresAtMs: number;
  /** The last version of a pet that was written with it, where a store may answer it from copies that fall behind. */
  lastWritten?: bigint | undefined;
}

/** Where somebody logs in from. */
export interface Client {
  /** The IP address. */
  address: string;
  userAgent: string | undefined;
  /** What the beginning of the session carries, where the request has an idempotency key. */
  claim?: RequestClaim;
}

export interface NewSession {
  digest: string;
  id: string;
  userId: bigint;
  startedAtMs: number;
  expiresAtMs: number;
  client: Client;
}

/** A session as its owner sees it in a list. */
export interface SessionRecord extends NewSession {
  lastUsedAtMs: number;
}

export interface SessionLimits {
  /** Unused for this long, a session has ended. */
  idleMs: number;
  /** However much used, a session ends after this long. */
  lifetimeMs: number;
  requestsPerHour: number;
}

/** The outcome is 0, but for those that are forgotten. */
export type SessionChange =
  /** `replaces` are digests of sessions that end with this. `conflict` where the account is gone or closed, or its password is not `passwordHash` any more. */
  | { kind: 'begin'; session: NewSession; passwordHash: string; replaces: readonly string[]; stamp: Stamp }
  | { kind: 'touch'; digest: string; usedAtMs: number }
  | { kind: 'end'; digests: readonly string[]; stamp: Stamp }
  /** One session of an account, by its public name. `not-found` */
  | { kind: 'end-one'; userId: bigint; id: string; stamp: Stamp }
  /** All sessions of an account, but the one with this digest. */
  | { kind: 'end-others'; userId: bigint; keepSession: string | undefined; stamp: Stamp }
  /** `limit` at most. The outcome is how many there were. */
  | { kind: 'forget-expired'; nowMs: number; idleMs: number; limit: number };

/** When the session ends if nobody uses it again. */
export function endsAtMs(session: Pick<Session, 'lastUsedAtMs' | 'expiresAtMs'>, limits: SessionLimits): number {
  return Math.min(session.lastUsedAtMs + limits.idleMs, session.expiresAtMs);
}
