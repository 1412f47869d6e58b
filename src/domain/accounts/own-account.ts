import type { Access, Actor, Role, Scope, LoggedIn } from '../access.ts';
import { accountSubject, stampOf, type AuditAction, type NewAuditEntry, type Stamp } from '../audit.ts';
import { Failure } from '../failure.ts';
import type { Clock } from '../ports.ts';
import { KEY_LIMITS, KEY_PREFIX, type ApiKey } from './api-key.ts';
import type { AccountWrites } from './account-writes.ts';
import { hashingLaneOf, type AttemptThrottle } from './attempt-throttle.ts';
import type { PasswordRules } from './password-rules.ts';
import type { Account, KeyStore, PasswordHasher, SessionStore, Tokens, UserStore } from './ports.ts';
import { endsAtMs, type SessionLimits, type SessionRecord } from './session.ts';
import type { User } from './user.ts';
import { userNotFound } from './user-accounts.ts';

interface OwnAccountDeps {
  access: Access;
  users: Pick<UserStore, 'find'>;
  sessions: Pick<SessionStore, 'listOf'>;
  keys: Pick<KeyStore, 'listOf'>;
  writes: AccountWrites;
  passwords: PasswordHasher;
  rules: PasswordRules;
  attempts: AttemptThrottle;
  tokens: Tokens;
  clock: Clock;
  sessionLimits: SessionLimits;
  /** How long after the login a session can create API keys without the password. */
  freshLoginMs: number;
}

interface PasswordChange {
  oldPassword: string;
  newPassword: string;
  /** Whether the API keys of the account stay valid. */
  keepKeys: boolean;
}

export interface NewApiKey {
  name: string;
  scopes: readonly Scope[];
  lifetimeMs: number;
}

export interface CreatedKey extends ApiKey {
  /** The secret. It is not stored, and shown only once. */
  key: string;
}

/** An account as its owner and administrators see it. */
export interface AccountView {
  id: bigint;
  user: User;
  role: Role;
  /** Until a user who was invited has chosen a password: there is no way to log in. */
  isInvited: boolean;
}

export function viewOf({ id, user, role, passwordHash, isLinked }: Account): AccountView {
  return { id, user, role, isInvited: passwordHash === undefined && !isLinked };
}

export interface ActiveSession extends SessionRecord {
  /** The end of the session if it is not used again. */
  endsAtMs: number;
  isCurrent: boolean;
}

/**
 * Operations of users on their own account, password, sessions and API keys. Every method throws Failure
 * `unauthenticated` without a session.
 */
export class OwnAccount {
  readonly #deps: OwnAccountDeps;

  constructor(deps: OwnAccountDeps) {
    this.#deps = deps;
  }

  async getAccount(actor: Actor): Promise<AccountView> {
    const { username } = this.#requireOwner(actor);
    return viewOf(await getAccount(this.#deps.users, username));
  }

  /**
   * Sets a new password, ends the other sessions, and revokes the keys unless `keepKeys`.
   *
   * @throws Failure `invalid-input` for a wrong old password or a new one against the rules; `too-many-requests`
   */
  async changePassword(actor: Actor, { oldPassword, newPassword, keepKeys }: PasswordChange): Promise<void> {
    const { writes, passwords, rules, attempts, clock } = this.#deps;
    const owner = this.#requireOwner(actor);
    rules.check(newPassword, owner.username, '/newPassword');
    const account = await this.#checkPassword(owner, oldPassword, 'account.password-changed', wrongOldPassword);
    await writes.changeUser({
      kind: 'set-password',
      username: account.user.username,
      passwordHash: await attempts.inHashingLane(owner, () => passwords.hash(newPassword)),
      replacedHash: account.passwordHash,
      keepSession: owner.session.digest,
      keepKeys,
      stamp: stampOf(owner, clock()),
    });
  }

  async listSessions(actor: Actor): Promise<readonly ActiveSession[]> {
    const { sessions, clock, sessionLimits } = this.#deps;
    const { userId, session } = this.#requireOwner(actor);
    return activeSessions(await sessions.listOf(userId), sessionLimits, clock(), session.digest);
  }

  /** @throws Failure `not-found` */
  async endSession(actor: Actor, id: string): Promise<void> {
    const { writes, clock } = this.#deps;
    const owner = this.#requireOwner(actor);
    await writes.changeSession({ kind: 'end-one', userId: owner.userId, id, stamp: stampOf(owner, clock()) });
  }

  async endOtherSessions(actor: Actor): Promise<void> {
    const { writes, clock } = this.#deps;
    const owner = this.#requireOwner(actor);
    const { userId, session } = owner;
    const stamp = stampOf(owner, clock());
    await writes.changeSession({ kind: 'end-others', userId, keepSession: session.digest, stamp });
  }

  async listKeys(actor: Actor): Promise<readonly ApiKey[]> {
    return this.#deps.keys.listOf(this.#requireOwner(actor).userId);
  }

  /**
   * @param password required if the login is not recent, so that access to an open browser is not enough to create a
   *   key
   * @throws Failure `forbidden` if the password is required, and missing or wrong; `too-many-requests`; `conflict` at
   *   the maximum number of keys
   */
  async createKey(actor: Actor, newKey: NewApiKey, password?: string): Promise<CreatedKey> {
    const { clock, freshLoginMs } = this.#deps;
    const owner = this.#requireOwner(actor);
    if (clock() - owner.session.provedAtMs > freshLoginMs) {
      if (password === undefined) throw passwordNeeded('is missing');
      await this.#checkPassword(owner, password, 'key.created', () => passwordNeeded('is wrong'));
    }
    return createKeyFor(this.#deps, owner.userId, newKey, stampOf(owner, clock()));
  }

  /** @throws Failure `not-found` */
  async revokeKey(actor: Actor, id: string): Promise<void> {
    const { writes, clock } = this.#deps;
    const owner = this.#requireOwner(actor);
    await writes.changeKey({ kind: 'revoke', id, userId: owner.userId, stamp: stampOf(owner, clock()) });
  }

  #requireOwner(actor: Actor): LoggedIn {
    this.#deps.access(actor, 'use own account');
    if (actor.kind !== 'signed-in')
      throw new Failure('unauthenticated', 'Missing or invalid credentials. Log in first.');
    return actor;
  }

  /**
   * Returns the account if the password is right. A wrong password counts as a failed login.
   *
   * @param action the action of the audit entry for a wrong password
   * @throws Failure `too-many-requests`; `refusal` for a wrong password
   */
  #checkPassword(owner: LoggedIn, password: string, action: AuditAction, refusal: () => Failure): Promise<Account> {
    const { users, passwords, attempts, clock } = this.#deps;
    return attempts.tryPassword(
      owner.username,
      owner.address,
      async (fail, isFamiliar) => {
        const found = await getAccount(users, owner.username);
        const isRight = await passwords.verify(password, found.passwordHash, hashingLaneOf(found, isFamiliar));
        if (isRight) return found;
        return fail(failed(stampOf(owner, clock()), action, found));
      },
      refusal,
    );
  }
}

/** Creates a key. Only its digest is stored. */
export async function createKeyFor(
  { writes, tokens }: Pick<OwnAccountDeps, 'writes' | 'tokens'>,
  userId: bigint,
  { name, scopes, lifetimeMs }: NewApiKey,
  stamp: Stamp,
): Promise<CreatedKey> {
  const secret = KEY_PREFIX + tokens.create();
  const key = { id: tokens.createId(), name, scopes, createdAtMs: stamp.atMs, expiresAtMs: stamp.atMs + lifetimeMs };
  const maxOfAccount = KEY_LIMITS.keysOfAccount;
  await writes.changeKey({ kind: 'create', digest: tokens.digest(secret), userId, key, maxOfAccount, stamp });
  return { ...key, key: secret, lastUsedAtMs: undefined };
}

/** Filters out expired sessions. */
export function activeSessions(
  records: readonly SessionRecord[],
  sessionLimits: SessionLimits,
  nowMs: number,
  currentDigest?: string,
): readonly ActiveSession[] {
  return records
    .map((record) => ({
      ...record,
      endsAtMs: endsAtMs(record, sessionLimits),
      isCurrent: record.digest === currentDigest,
    }))
    .filter((session) => session.endsAtMs > nowMs);
}

/** @throws Failure `not-found` */
export async function getAccount(users: Pick<UserStore, 'find'>, username: string): Promise<Account> {
  const account = await users.find(username);
  if (account === undefined) throw userNotFound();
  return account;
}

function failed(stamp: Stamp, action: AuditAction, { id, user }: Account): NewAuditEntry {
  return { stamp, action, subject: accountSubject(id, user.username), outcome: 'failed', details: null };
}

function wrongOldPassword(): Failure {
  return new Failure('invalid-input', 'The old password is wrong.', {
    problems: [{ path: '/oldPassword', message: 'is wrong' }],
  });
}

function passwordNeeded(message: string): Failure {
  return new Failure(
    'forbidden',
    'Your login is more than 15 minutes old. To create an API key, send your password in the field password, or ' +
      'log in again.',
    { problems: [{ path: '/password', message }] },
  );
}
