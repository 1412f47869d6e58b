import type { Factor, Role, SessionProof } from '../access.ts';
import type { Stamp } from '../audit.ts';
import type { FactorUse } from './factors.ts';
import type { RequestClaim } from '../request-claim.ts';

/** A session, joined with its account. */
export interface Session {
  /** The SHA-256 of the token, which itself is never stored. */
  digest: string;
  id: string;
  userId: bigint;
  username: string;
  role: Role;
  userStatus: number | undefined;
  startedAtMs: number;
  proof: SessionProof;
  /** When a factor was checked last: at the start of the session, or later for a sensitive change. */
  provedAtMs: number;
  lastUsedAtMs: number;
  /** The end of the session even if it is used. */
  expiresAtMs: number;
  /** The last version of a pet that was written in this session; undefined for stores without standbys. */
  lastWritten?: bigint | undefined;
}

export interface Client {
  /** The IP address. */
  address: string;
  userAgent: string | undefined;
  /** The claim of a login with an idempotency key. */
  claim?: RequestClaim;
}

interface NewSession {
  digest: string;
  id: string;
  userId: bigint;
  startedAtMs: number;
  expiresAtMs: number;
  client: Client;
  proof: SessionProof;
}

/** A session as its owner sees it in a list. */
export interface SessionRecord extends NewSession {
  lastUsedAtMs: number;
}

export interface SessionLimits {
  /** A session ends after this time without use. */
  idleMs: number;
  /** A session ends after this time even if it is used. */
  lifetimeMs: number;
  requestsPerHour: number;
}

/** Returns 0, except for `forget-expired`. */
export type SessionChange =
  /**
   * Starts a session, and ends those with the digests in `replaces`. The owner is told of a new device.
   *
   * @throws Failure `conflict` if the account was deleted or closed, or `passwordHash` is no longer its hash, or one of
   *   `uses` is not the first; `unauthenticated` with the second factors of the account if only the password was proved
   */
  | {
      kind: 'begin';
      session: NewSession;
      passwordHash: string | undefined;
      replaces: readonly string[];
      uses?: readonly FactorUse[];
      isNewDevice: boolean;
      stamp: Stamp;
    }
  /**
   * Records that the owner of the session has proved to be the owner of the account again.
   * @throws Failure `conflict` if one of `uses` is not the first; `unauthenticated` if the session has ended
   */
  | { kind: 'prove'; digest: string; factors: readonly Factor[]; uses: readonly FactorUse[]; stamp: Stamp }
  | { kind: 'touch'; digest: string; usedAtMs: number }
  | { kind: 'end'; digests: readonly string[]; stamp: Stamp }
  /** Ends one session of an account, by its public id. @throws Failure `not-found` */
  | { kind: 'end-one'; userId: bigint; id: string; stamp: Stamp }
  /** Ends all sessions of an account, except the one with the digest `keepSession`. */
  | { kind: 'end-others'; userId: bigint; keepSession: string | undefined; stamp: Stamp }
  /** Deletes at most `limit` ended sessions. Returns the number of deleted sessions. */
  | { kind: 'forget-expired'; nowMs: number; idleMs: number; limit: number };

/** The end of a session if it is not used again. */
export function endsAtMs(session: Pick<Session, 'lastUsedAtMs' | 'expiresAtMs'>, limits: SessionLimits): number {
  return Math.min(session.lastUsedAtMs + limits.idleMs, session.expiresAtMs);
}
