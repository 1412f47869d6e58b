import type { Actor, Anonymous, LoggedIn, Role } from '../access.ts';
import { accountSubject, stampOf, type NewAuditEntry } from '../audit.ts';
import { Failure, isUnavailable } from '../failure.ts';
import type { Awaitable, Clock } from '../ports.ts';
import { inBatches } from '../batches.ts';
import type { AccountWrites } from './account-writes.ts';
import type { OwnedKey } from './api-key.ts';
import { hashingLaneOf, type AttemptThrottle } from './attempt-throttle.ts';
import type { Account, HashingLane, KeyStore, PasswordHasher, SessionStore, Tokens, UserStore } from './ports.ts';
import type { RateLimit } from './rate-limit.ts';
import { endsAtMs, type Client, type Session, type SessionLimits } from './session.ts';
import type { SessionStart, StartedSession } from './session-start.ts';
import { USER_STATUS_CLOSED } from './user.ts';

interface AuthenticationDeps {
  users: Pick<UserStore, 'find'>;
  sessions: Pick<SessionStore, 'find'>;
  keys: Pick<KeyStore, 'find'>;
  writes: AccountWrites;
  passwords: PasswordHasher;
  tokens: Tokens;
  attempts: AttemptThrottle;
  rateLimit: RateLimit;
  sessionStart: SessionStart;
  clock: Clock;
  sessionLimits: SessionLimits;
  /** The roles that cannot log in with a password. */
  withoutPassword: readonly Role[];
}

export interface CheckedPassword {
  account: Account;
  password: string;
  lane: HashingLane;
}

export interface Credentials {
  username: string;
  password: string;
}

/** The session tokens and API keys that a request presents, in order of precedence. */
export type Presented = readonly { kind: 'session' | 'key'; secret: string }[];

/** The digests of the presented credentials, by which stores find them. They are not secret. */
export type Digests = readonly { kind: 'session' | 'key'; digest: string }[];

/**
 * The last use is stored only if the stored one is older than this fraction of the idle time: accurate to 1 %, with few
 * writes.
 */
const TOUCH_PART_OF_IDLE = 100;

/** Minimum interval between stored uses of a key. */
const KEY_TOUCH_MS = 60_000;

/** After a last use could not be stored, none is stored for this time. */
const TOUCH_REST_MS = 10_000;

/** How long an expired key is still listed, so that its owner sees why a client stopped working. */
const EXPIRED_KEY_KEPT_MS = 30 * 24 * 3_600_000;

/** Logs users in and out, and identifies requests by session or API key. */
export class Authentication {
  readonly #deps: AuthenticationDeps;
  #nextTouchMs = 0;

  constructor(deps: AuthenticationDeps) {
    this.#deps = deps;
  }

  /**
   * Starts a session. For an unknown name, a wrong password, a closed account, and a role that cannot log in with a
   * password, the response and its timing are the same: a stolen password is not confirmed.
   *
   * @param replaced the token of the browser's current session, which ends (ASVS 5.0, 7.2.4)
   * @throws Failure `invalid-input`, `too-many-requests`; `unauthenticated` with the second factors of the account, if
   *   it has one
   */
  async logIn(credentials: Credentials, client: Client, replaced?: string): Promise<StartedSession> {
    return this.beginWithPassword(await this.checkPassword(credentials, client), client, replaced);
  }

  /** @throws Failure `invalid-input`, `too-many-requests` */
  async checkPassword({ username, password }: Credentials, client: Client): Promise<CheckedPassword> {
    const { users, passwords, attempts } = this.#deps;
    let lane: HashingLane = 'general';
    const account = await attempts.tryPassword(
      username,
      client.address,
      async (fail, isFamiliar) => {
        const found = await users.find(username);
        lane = hashingLaneOf(found, isFamiliar);
        const isRight = await passwords.verify(password, found?.passwordHash, lane);
        if (found !== undefined && isRight && this.#acceptsPassword(found)) return found;
        return fail(failedLogin(found, client, this.#deps.clock()));
      },
      wrongCredentials,
    );
    return { account, password, lane };
  }

  /** @throws Failure as `logIn` */
  async beginWithPassword(checked: CheckedPassword, client: Client, replaced?: string): Promise<StartedSession> {
    const proof = { factors: ['password'] } as const;
    const started = await this.#deps.sessionStart
      .begin(checked.account, client, proof, replaced)
      .catch(asWrongCredentials);
    await this.#renewHash(checked);
    return started;
  }

  /**
   * Ends the sessions among these credentials, on all nodes. Ignores unknown tokens.
   * @returns the issuers at which their owners have logged in
   */
  async logOut(presented: Digests, actor: Anonymous): Promise<readonly string[]> {
    const digests = presented.filter(({ kind }) => kind === 'session').map(({ digest }) => digest);
    if (digests.length === 0) return [];
    const { writes, sessions, clock } = this.#deps;
    const ended = await Promise.all(digests.map(async (digest) => sessions.find(digest)));
    await writes.changeSession({ kind: 'end', digests, stamp: stampOf(actor, clock()) });
    return ended.flatMap((session) => session?.proof.issuer ?? []);
  }

  digestsOf(presented: Presented): Digests {
    return presented.map(({ kind, secret }) => ({ kind, digest: this.#deps.tokens.digest(secret) }));
  }

  /**
   * Returns the actor of the first credential that belongs to an active session or key, or an anonymous actor. Returns
   * synchronously if the first credential is a session that the store finds synchronously, and nothing has to be
   * written: true for nearly every request with a session.
   *
   * @throws Failure `too-many-requests` if the session or key has reached its hourly limit
   */
  identify(presented: Digests, address: string): Awaitable<Actor> {
    const [first] = presented;
    if (first?.kind !== 'session') return this.#identifyAny(presented, address);
    const session = this.#deps.sessions.find(first.digest);
    if (session === undefined || session instanceof Promise || !this.#spendSynchronously(session))
      return this.#identifyAny(presented, address, session);
    return loggedIn(session, address);
  }

  /**
   * Whether these credentials still identify this actor, with the same role, and with no fewer factors. Counts neither
   * as a request nor as a use.
   */
  async isStill(actor: Actor, presented: Digests): Promise<boolean> {
    if (actor.kind === 'anonymous' || actor.kind === 'operator') return true;
    const found = await Promise.all(
      presented.map(({ kind, digest }) => (kind === 'session' ? this.#findSession(digest) : this.#findKey(digest))),
    );
    const { id, factors } =
      actor.kind === 'key' ? { id: actor.keyId, factors: [] } : { ...actor.session, ...actor.session.proof };
    return found.some(
      (active) =>
        active?.id === id &&
        active.role === actor.role &&
        factors.every((factor) => 'proof' in active && active.proof.factors.includes(factor)),
    );
  }

  /** Deletes ended sessions. @param isStopping called before each batch; true ends the deletion */
  deleteEndedSessions(isStopping: () => boolean = () => false): Promise<void> {
    const { writes, clock, sessionLimits } = this.#deps;
    const expired = { nowMs: clock(), idleMs: sessionLimits.idleMs };
    return inBatches((limit) => writes.changeSession({ kind: 'forget-expired', ...expired, limit }), isStopping);
  }

  /**
   * Deletes keys that expired more than 30 days ago.
   * @param isStopping called before each batch; true ends the deletion
   */
  deleteExpiredKeys(isStopping: () => boolean = () => false): Promise<void> {
    const { writes, clock } = this.#deps;
    const beforeMs = clock() - EXPIRED_KEY_KEPT_MS;
    return inBatches((limit) => writes.changeKey({ kind: 'forget-expired', beforeMs, limit }), isStopping);
  }

  /** @param firstSession the result of the store for the first credential, if it was already looked up */
  async #identifyAny(
    presented: Digests,
    address: string,
    firstSession?: Awaitable<Session | undefined>,
  ): Promise<Actor> {
    for (const [index, { kind, digest }] of presented.entries()) {
      const actor =
        kind === 'session'
          ? await this.#identifySession(digest, address, index === 0 ? firstSession : undefined)
          : await this.#identifyKey(digest, address);
      if (actor !== undefined) return actor;
    }
    return { kind: 'anonymous', address };
  }

  /**
   * Whether the session is active, needs no write, and has requests left in the current lease. Spends one request if
   * so.
   */
  #spendSynchronously(session: Session): boolean {
    const nowMs = this.#deps.clock();
    if (!this.#isActive(session, nowMs) || this.#isTouchDue(session, nowMs)) return false;
    return this.#deps.rateLimit.trySpend(session.digest);
  }

  async #identifySession(
    digest: string,
    address: string,
    known?: Awaitable<Session | undefined>,
  ): Promise<Actor | undefined> {
    const session = await this.#findSession(digest, known);
    if (session === undefined) return undefined;
    const { writes, rateLimit, clock } = this.#deps;
    const nowMs = clock();
    await rateLimit.spend(digest);
    if (this.#isTouchDue(session, nowMs)) {
      await this.#touch(() => writes.changeSession({ kind: 'touch', digest, usedAtMs: nowMs }));
    }
    return loggedIn(session, address);
  }

  async #identifyKey(digest: string, address: string): Promise<Actor | undefined> {
    const key = await this.#findKey(digest);
    if (key === undefined) return undefined;
    const { writes, rateLimit, clock } = this.#deps;
    const nowMs = clock();
    await rateLimit.spend(digest);
    if (key.lastUsedAtMs === undefined || nowMs - key.lastUsedAtMs > KEY_TOUCH_MS) {
      await this.#touch(() => writes.changeKey({ kind: 'touch', digest, usedAtMs: nowMs }));
    }
    const { id: keyId, scopes, userId, username, role, lastWritten, isAccessToken } = key;
    return { kind: 'key', address, userId, username, role, lastWritten, keyId, scopes, isAccessToken };
  }

  async #findSession(digest: string, known?: Awaitable<Session | undefined>): Promise<Session | undefined> {
    const { sessions, clock } = this.#deps;
    const session = await (known ?? sessions.find(digest));
    return session !== undefined && this.#isActive(session, clock()) ? session : undefined;
  }

  async #findKey(digest: string): Promise<OwnedKey | undefined> {
    const { keys, clock } = this.#deps;
    const key = await keys.find(digest);
    return key !== undefined && clock() < key.expiresAtMs && !isClosed(key) ? key : undefined;
  }

  #isActive(session: Session, nowMs: number): boolean {
    return nowMs < endsAtMs(session, this.#deps.sessionLimits) && !isClosed(session);
  }

  #isTouchDue({ lastUsedAtMs }: Session, nowMs: number): boolean {
    return nowMs - lastUsedAtMs > this.#deps.sessionLimits.idleMs / TOUCH_PART_OF_IDLE;
  }

  /**
   * A temporarily read-only database still serves reads: a last use that cannot be stored must neither refuse nor delay
   * requests.
   */
  async #touch(apply: () => Promise<unknown>): Promise<void> {
    const { clock } = this.#deps;
    if (clock() < this.#nextTouchMs) return;
    try {
      await apply();
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      this.#nextTouchMs = clock() + TOUCH_REST_MS;
    }
  }

  #acceptsPassword({ user, role }: Account): boolean {
    return !isClosed(user) && !this.#deps.withoutPassword.includes(role);
  }

  /** Hashes the password again if the hashing parameters have changed. Only a login has the password itself. */
  async #renewHash({ account: { id, passwordHash }, password, lane }: CheckedPassword): Promise<void> {
    const { writes, passwords } = this.#deps;
    if (passwordHash === undefined || !passwords.isOutdated(passwordHash)) return;
    const to = await passwords.hash(password, lane);
    await writes.changeUser({ kind: 'rehash', userId: id, from: passwordHash, to });
  }
}

export function wrongCredentials(): Failure {
  return new Failure('invalid-input', 'Invalid username/password supplied');
}

function failedLogin(account: Account | undefined, client: Client, nowMs: number): NewAuditEntry {
  return {
    stamp: stampOf({ kind: 'anonymous', address: client.address }, nowMs),
    action: 'session.begun',
    // An unknown user name is not logged, because it may be a password typed into the wrong field.
    subject: account === undefined ? null : accountSubject(account.id, account.user.username),
    outcome: 'failed',
    details: null,
  };
}

function loggedIn(session: Session, address: string): LoggedIn {
  const { id, digest, startedAtMs, provedAtMs, proof, userId, username, role, lastWritten } = session;
  const own = { id, digest, startedAtMs, provedAtMs, proof };
  return { kind: 'signed-in', address, userId, username, role, lastWritten, session: own };
}

/**
 * For an account that was closed, or whose password changed, after the password was checked. Only a login whose key was
 * taken over may be repeated.
 */
export function asWrongCredentials(error: unknown): never {
  const isOfAccount =
    error instanceof Failure && error.code === 'conflict' && error.details.retryAfterSeconds === undefined;
  throw isOfAccount ? wrongCredentials() : error;
}

function isClosed({ userStatus }: { userStatus?: number | undefined }): boolean {
  return userStatus === USER_STATUS_CLOSED;
}
