import type { Role } from '../access.ts';

/** A session with what is needed of its account, as one look-up gives it. Times are milliseconds since 1970. */
export interface Session {
  /** The SHA-256 of the token; the token itself is nowhere kept. */
  digest: string;
  userId: bigint;
  username: string;
  role: Role;
  userStatus: number | undefined;
  lastUsedAtMs: number;
  /** The end that no use puts off. */
  expiresAtMs: number;
}

export interface NewSession {
  digest: string;
  userId: bigint;
  startedAtMs: number;
  expiresAtMs: number;
}

export interface SessionLimits {
  /** Unused for this long, a session has ended. */
  idleMs: number;
  /** However much used, a session ends after this long. */
  lifetimeMs: number;
  requestsPerHour: number;
}

export type SessionChange =
  | { kind: 'begin'; session: NewSession }
  | { kind: 'touch'; digest: string; usedAtMs: number }
  | { kind: 'end'; digests: readonly string[] }
  | { kind: 'forget-expired'; nowMs: number; idleMs: number };

/** When the session ends if nobody uses it again. */
export function endsAtMs(session: Pick<Session, 'lastUsedAtMs' | 'expiresAtMs'>, limits: SessionLimits): number {
  return Math.min(session.lastUsedAtMs + limits.idleMs, session.expiresAtMs);
}
