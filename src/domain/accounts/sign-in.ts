import { ANONYMOUS, type Actor } from '../access.ts';
import { Failure } from '../failure.ts';
import type { Clock } from '../ports.ts';
import type { PasswordHasher, Sessions, Tokens, Users } from './ports.ts';
import { endsAtMs, type Session, type SessionLimits } from './session.ts';
import { createRequestBudget } from '../request-budget.ts';
import { USER_STATUS_CLOSED } from './user.ts';

export interface SignInNeeds {
  users: Users;
  sessions: Sessions;
  passwords: PasswordHasher;
  tokens: Tokens;
  clock: Clock;
  limits: SessionLimits;
}

/** Who is asking, and by which session. */
export interface Caller {
  actor: Actor;
  sessionDigest: string | undefined;
}

export interface StartedSession {
  /** Shown to the client once; only its digest is kept. */
  token: string;
  /** When the session ends if it is not used again. */
  endsAtMs: number;
  lifetimeMs: number;
  requestsPerHour: number;
}

export type SignIn = ReturnType<typeof createSignIn>;

export const NOBODY: Caller = { actor: ANONYMOUS, sessionDigest: undefined };

/** A use is written down when the last one written is older than this part of the idle time: exact to a hundredth, and rarely a write. */
const TOUCH_PART_OF_IDLE = 100;

/** Sessions: who is signed in, from when until when. */
export function createSignIn({ users, sessions, passwords, tokens, clock, limits }: SignInNeeds) {
  const budget = createRequestBudget(limits.requestsPerHour, clock);

  function isAlive(session: Session, nowMs: number): boolean {
    return nowMs < endsAtMs(session, limits) && session.userStatus !== USER_STATUS_CLOSED;
  }

  async function useSession(session: Session, nowMs: number): Promise<Caller> {
    budget.spend(session.digest);
    if (nowMs - session.lastUsedAtMs > limits.idleMs / TOUCH_PART_OF_IDLE) {
      await sessions.apply({ kind: 'touch', digest: session.digest, usedAtMs: nowMs });
    }
    const { userId, username, role } = session;
    return { actor: { kind: 'signed-in', userId, username, role }, sessionDigest: session.digest };
  }

  return {
    /**
     * Begins a session. An unknown name, a wrong password and a closed account answer alike, and take as long.
     *
     * @throws Failure `invalid-input`
     */
    async signIn(username: string, password: string): Promise<StartedSession> {
      const account = await users.find(username);
      const passwordFits = await passwords.verify(password, account?.passwordHash);
      if (account === undefined || !passwordFits || account.user.userStatus === USER_STATUS_CLOSED)
        throw wrongCredentials();
      const token = tokens.create();
      const nowMs = clock();
      const expiresAtMs = nowMs + limits.lifetimeMs;
      const digest = tokens.digest(token);
      await sessions.apply({
        kind: 'begin',
        session: { digest, userId: account.user.id, startedAtMs: nowMs, expiresAtMs },
      });
      return {
        token,
        endsAtMs: endsAtMs({ lastUsedAtMs: nowMs, expiresAtMs }, limits),
        lifetimeMs: limits.lifetimeMs,
        requestsPerHour: limits.requestsPerHour,
      };
    },

    /** Ends the sessions of these tokens; once this has answered, no node accepts them. Tokens that are none harm nobody. */
    async signOut(presented: readonly string[]): Promise<void> {
      if (presented.length === 0) return;
      await sessions.apply({ kind: 'end', digests: presented.map((token) => tokens.digest(token)) });
    },

    /**
     * Finds out who presents these tokens: the first that belongs to a living session counts. Others are as good as none.
     *
     * @throws Failure `too-many-requests` when the session has used up its hour
     */
    async identify(presented: readonly string[]): Promise<Caller> {
      const nowMs = clock();
      for (const token of presented) {
        const session = await sessions.find(tokens.digest(token));
        if (session !== undefined && isAlive(session, nowMs)) return useSession(session, nowMs);
      }
      return NOBODY;
    },

    /** Clears expired sessions away. */
    async forgetExpired(): Promise<void> {
      await sessions.apply({ kind: 'forget-expired', nowMs: clock(), idleMs: limits.idleMs });
    },
  };
}

export function wrongCredentials(): Failure {
  return new Failure('invalid-input', 'Invalid username/password supplied');
}
