import type { Actor, Anonymous, SignedIn } from '../access.ts';
import { accountSubject, stampOf, type NewAuditEntry } from '../audit.ts';
import { Failure, isUnavailable } from '../failure.ts';
import type { Clock } from '../ports.ts';
import { inPortions } from '../portions.ts';
import type { RequestBudget } from './request-budget.ts';
import type { OwnedKey } from './api-key.ts';
import { hashingLaneOf, type Guessing } from './guessing.ts';
import type { Account, HashingLane, KeyStore, PasswordHasher, SessionStore, Tokens, UserStore } from './ports.ts';
import { endsAtMs, type Client, type Session, type SessionLimits } from './session.ts';
import { USER_STATUS_CLOSED } from './user.ts';

export interface SignInNeeds {
  users: UserStore;
  sessions: SessionStore;
  keys: KeyStore;
  passwords: PasswordHasher;
  tokens: Tokens;
  guessing: Guessing;
  budget: RequestBudget;
  clock: Clock;
  sessionLimits: SessionLimits;
}

export interface Credentials {
  username: string;
  password: string;
}

/** What a client presents: session tokens and API keys, in the order in which they count. */
export type Presented = readonly { kind: 'session' | 'key'; secret: string }[];

/** The same, as the stores know it: nothing in it is secret. */
export type Digests = readonly { kind: 'session' | 'key'; digest: string }[];

export interface StartedSession {
  /** Shown to the client once; only its digest is kept. */
  token: string;
  /** When the session ends if it is not used again. */
  endsAtMs: number;
  lifetimeMs: number;
  requestsPerHour: number;
}

export type SignIn = ReturnType<typeof createSignIn>;

/** A use is written down when the last one written is older than this part of the idle time: exact to a hundredth, and rarely a write. */
const TOUCH_PART_OF_IDLE = 100;

/** The use of a key is written down so often at most. */
const KEY_TOUCH_MS = 60_000;

/** After a use could not be written down, none is for so long. */
const TOUCH_REST_MS = 10_000;

/** How long an expired key is still shown to its owner, who may wonder why something stopped. */
const EXPIRED_KEY_KEPT_MS = 30 * 24 * 3_600_000;

/** Sessions and keys: who is asking, from when until when. */
export function createSignIn(needs: SignInNeeds) {
  const { users, sessions, keys, passwords, tokens, guessing, budget, clock, sessionLimits } = needs;

  let nextTouchMs = 0;

  /** Where changes are out of reach, reading goes on: when something was last used is worth neither a refusal nor waiting again and again. */
  async function touch(apply: () => Promise<unknown>): Promise<void> {
    if (clock() < nextTouchMs) return;
    try {
      await apply();
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      nextTouchMs = clock() + TOUCH_REST_MS;
    }
  }

  async function livingSession(digest: string): Promise<Session | undefined> {
    const session = await sessions.find(digest);
    return session !== undefined && isAlive(session, clock()) ? session : undefined;
  }

  async function livingKey(digest: string): Promise<OwnedKey | undefined> {
    const key = await keys.find(digest);
    return key !== undefined && clock() < key.expiresAtMs && !isClosed(key) ? key : undefined;
  }

  async function findSession(digest: string, address: string): Promise<Actor | undefined> {
    const session = await livingSession(digest);
    const nowMs = clock();
    if (session === undefined) return undefined;
    await budget.spend(session.digest);
    if (isTouchDue(session, nowMs)) {
      await touch(() => sessions.apply({ kind: 'touch', digest: session.digest, usedAtMs: nowMs }));
    }
    return signedIn(session, address);
  }

  function isTouchDue({ lastUsedAtMs }: Session, nowMs: number): boolean {
    return nowMs - lastUsedAtMs > sessionLimits.idleMs / TOUCH_PART_OF_IDLE;
  }

  async function findKey(digest: string, address: string): Promise<Actor | undefined> {
    const key = await livingKey(digest);
    const nowMs = clock();
    if (key === undefined) return undefined;
    await budget.spend(key.digest);
    if (key.lastUsedAtMs === undefined || nowMs - key.lastUsedAtMs > KEY_TOUCH_MS) {
      await touch(() => keys.apply({ kind: 'touch', digest: key.digest, usedAtMs: nowMs }));
    }
    const { id: keyId, scopes, userId, username, role, lastWritten } = key;
    return { kind: 'key', address, userId, username, role, lastWritten, keyId, scopes };
  }

  function isAlive(session: Session, nowMs: number): boolean {
    return nowMs < endsAtMs(session, sessionLimits) && !isClosed(session);
  }

  async function begin(account: Account, passwordHash: string, client: Client, replaces: readonly string[]) {
    const token = tokens.create();
    const startedAtMs = clock();
    const expiresAtMs = startedAtMs + sessionLimits.lifetimeMs;
    const { id: userId, user } = account;
    const session = {
      digest: tokens.digest(token),
      id: tokens.createId(),
      userId,
      startedAtMs,
      expiresAtMs,
      client,
    };
    const stamp = {
      atMs: startedAtMs,
      via: 'session',
      actorId: userId,
      actorName: user.username,
      actorRole: account.role,
      credentialId: session.id,
      address: client.address,
      ...(client.claim !== undefined && { claim: client.claim }),
    } as const;
    await sessions.apply({ kind: 'begin', session, passwordHash, replaces, stamp });
    return {
      token,
      endsAtMs: endsAtMs({ lastUsedAtMs: startedAtMs, expiresAtMs }, sessionLimits),
      lifetimeMs: sessionLimits.lifetimeMs,
      requestsPerHour: sessionLimits.requestsPerHour,
    };
  }

  /** The password is right; whether it is hashed as it should be can be mended only now, when it is at hand. */
  async function renewHash({ id, passwordHash }: Account, password: string, lane: HashingLane): Promise<void> {
    if (passwordHash === undefined || !passwords.isOutdated(passwordHash)) return;
    const to = await passwords.hash(password, lane);
    await users.apply({ kind: 'rehash', userId: id, from: passwordHash, to });
  }

  function failedLogin(account: Account | undefined, client: Client): NewAuditEntry {
    return {
      stamp: stampOf({ kind: 'anonymous', address: client.address }, clock()),
      action: 'session.begun',
      // What is no user name here may be a password, typed into the wrong field.
      subject: account === undefined ? null : accountSubject(account.id, account.user.username),
      outcome: 'failed',
      details: null,
    };
  }

  return {
    /**
     * Begins a session. An unknown name, a wrong password and a closed account answer alike, and take as long.
     *
     * @param replaced a session that the same browser has had until now: it ends (ASVS 5.0, 7.2.4)
     * @throws Failure `invalid-input`, `too-many-requests`
     */
    async signIn({ username, password }: Credentials, client: Client, replaced?: string): Promise<StartedSession> {
      let lane: HashingLane = 'general';
      const account = await guessing.tryPassword(
        username,
        client.address,
        async (fail, isFamiliar) => {
          const found = await users.find(username);
          lane = hashingLaneOf(found, isFamiliar);
          const fits = await passwords.verify(password, found?.passwordHash, lane);
          return found !== undefined && fits && !isClosed(found.user) ? found : fail(failedLogin(found, client));
        },
        wrongCredentials,
      );
      const replaces = replaced === undefined ? [] : [tokens.digest(replaced)];
      const started = await begin(account, account.passwordHash ?? '', client, replaces).catch(asWrongCredentials);
      await renewHash(account, password, lane);
      return started;
    },

    digestsOf: (presented: Presented): Digests =>
      presented.map(({ kind, secret }) => ({ kind, digest: tokens.digest(secret) })),

    /** Ends the sessions of these tokens; once this has answered, no node accepts them. Tokens that are none harm nobody. */
    async signOut(presented: Digests, actor: Anonymous): Promise<void> {
      const digests = presented.filter(({ kind }) => kind === 'session').map(({ digest }) => digest);
      if (digests.length > 0) await sessions.apply({ kind: 'end', digests, stamp: stampOf(actor, clock()) });
    },

    /**
     * The same as `identify`, where nothing has to be waited for: the session is known for certain, and nothing is to be written down. This is on
     * the path of nearly every request with a session.
     */
    identifyAtOnce(presented: Digests, address: string): Actor | undefined {
      const [first] = presented;
      if (first?.kind !== 'session') return undefined;
      const session = sessions.peek(first.digest);
      const nowMs = clock();
      if (session === undefined || !isAlive(session, nowMs) || isTouchDue(session, nowMs)) return undefined;
      return budget.spendAtOnce(session.digest) ? signedIn(session, address) : undefined;
    },

    /**
     * Finds out who presents these: the first that belongs to a living session or key counts. Others are as good as none.
     *
     * @throws Failure `too-many-requests` when the session or the key has used up its hour
     */
    async identify(presented: Digests, address: string): Promise<Actor> {
      for (const { kind, digest } of presented) {
        const actor = kind === 'session' ? await findSession(digest, address) : await findKey(digest, address);
        if (actor !== undefined) return actor;
      }
      return { kind: 'anonymous', address };
    },

    /** Is whoever presented these still who they were then? Nothing is spent by asking, and no session lives on by it. */
    async isStill(actor: Actor, presented: Digests): Promise<boolean> {
      if (actor.kind === 'anonymous' || actor.kind === 'operator') return true;
      const found = await Promise.all(
        presented.map(({ kind, digest }) => (kind === 'session' ? livingSession(digest) : livingKey(digest))),
      );
      const id = actor.kind === 'key' ? actor.keyId : actor.session.id;
      return found.some((living) => living?.id === id && living.role === actor.role);
    },

    /** Clears away sessions that have ended. @param isStopping asked between the steps */
    forgetSessions(isStopping: () => boolean = () => false): Promise<void> {
      const expired = { nowMs: clock(), idleMs: sessionLimits.idleMs };
      return inPortions((limit) => sessions.apply({ kind: 'forget-expired', ...expired, limit }), isStopping);
    },

    /** Clears away keys that have expired long ago. @param isStopping asked between the steps */
    forgetKeys(isStopping: () => boolean = () => false): Promise<void> {
      const beforeMs = clock() - EXPIRED_KEY_KEPT_MS;
      return inPortions((limit) => keys.apply({ kind: 'forget-expired', beforeMs, limit }), isStopping);
    },
  };
}

function signedIn(session: Session, address: string): SignedIn {
  const { id, digest, startedAtMs, userId, username, role, lastWritten } = session;
  return { kind: 'signed-in', address, userId, username, role, lastWritten, session: { id, digest, startedAtMs } };
}

export function wrongCredentials(): Failure {
  return new Failure('invalid-input', 'Invalid username/password supplied');
}

/** The account was closed, or got another password, between the check and the session. */
function asWrongCredentials(error: unknown): never {
  throw error instanceof Failure && error.code === 'conflict' ? wrongCredentials() : error;
}

function isClosed({
  userStatus,
}: Pick<Session | OwnedKey, 'userStatus'> | { userStatus?: number | undefined }): boolean {
  return userStatus === USER_STATUS_CLOSED;
}
