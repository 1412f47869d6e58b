import type { Access, Actor, Role, Scope, SignedIn } from '../access.ts';
import { accountSubject, stampOf, type AuditAction, type NewAuditEntry, type Stamp } from '../audit.ts';
import { Failure } from '../failure.ts';
import type { Clock } from '../ports.ts';
import { KEY_LIMITS, KEY_PREFIX, type ApiKey } from './api-key.ts';
import { hashingLaneOf, type Guessing } from './guessing.ts';
import type { PasswordRules } from './password-rules.ts';
import type { Account, KeyStore, PasswordHasher, SessionStore, Tokens, UserStore } from './ports.ts';
import { endsAtMs, type SessionLimits, type SessionRecord } from './session.ts';
import type { User } from './user.ts';
import { userNotFound } from './user-accounts.ts';

export interface OwnAccountNeeds {
  access: Access;
  users: UserStore;
  sessions: SessionStore;
  keys: KeyStore;
  passwords: PasswordHasher;
  rules: PasswordRules;
  guessing: Guessing;
  tokens: Tokens;
  clock: Clock;
  sessionLimits: SessionLimits;
  /** How long after the login the session alone may create a key; after that, the password is required as well. */
  freshLoginMs: number;
}

export interface PasswordChange {
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

/** A key that was just created: the only time that it is shown. */
export interface CreatedKey extends ApiKey {
  key: string;
}

/** An account as its owner, and administrators, see it. */
export interface AccountView {
  id: bigint;
  user: User;
  role: Role;
}

export interface LivingSession extends SessionRecord {
  /** When it ends if it is not used again. */
  endsAtMs: number;
  isCurrent: boolean;
}

export type OwnAccount = ReturnType<typeof createOwnAccount>;

/** What the owner of an account does with it: the password, the sessions, the keys. A key is no owner: it takes a session. */
export function createOwnAccount(needs: OwnAccountNeeds) {
  const { access, users, sessions, keys, passwords, rules, guessing, clock, sessionLimits, freshLoginMs } = needs;

  function demandOwner(actor: Actor): SignedIn {
    access(actor, 'use own account');
    if (actor.kind !== 'signed-in') throw new Failure('unauthenticated', 'Log in first.');
    return actor;
  }

  /**
   * The account, if this is its password. A wrong one counts like a failed login.
   *
   * @param action what the audit trail names as failed
   * @throws Failure `too-many-requests`; `refusal` for a wrong password
   */
  function checkPassword(
    owner: SignedIn,
    password: string,
    action: AuditAction,
    refusal: () => Failure,
  ): Promise<Account> {
    return guessing.tryPassword(
      owner.username,
      owner.address,
      async (fail, isFamiliar) => {
        const found = await getAccount(users, owner.username);
        const fits = await passwords.verify(password, found.passwordHash, hashingLaneOf(found, isFamiliar));
        return fits ? found : fail(failed(stampOf(owner, clock()), action, found));
      },
      refusal,
    );
  }

  return {
    async getAccount(actor: Actor): Promise<AccountView> {
      const { id, user, role } = await getAccount(users, demandOwner(actor).username);
      return { id, user, role };
    },

    /**
     * Sets another password, ends the other sessions, and revokes the keys unless they are to stay.
     *
     * @throws Failure `invalid-input` for a wrong old password, or a new one that is not good enough; `too-many-requests`
     */
    async changePassword(actor: Actor, { oldPassword, newPassword, keepKeys }: PasswordChange): Promise<void> {
      const owner = demandOwner(actor);
      rules.check(newPassword, owner.username, '/newPassword');
      const account = await checkPassword(owner, oldPassword, 'account.password-changed', wrongOldPassword);
      await users.apply({
        kind: 'set-password',
        username: account.user.username,
        passwordHash: await guessing.inTurn(owner, () => passwords.hash(newPassword)),
        replacedHash: account.passwordHash,
        keepSession: owner.session.digest,
        keepKeys,
        stamp: stampOf(owner, clock()),
      });
    },

    async listSessions(actor: Actor): Promise<readonly LivingSession[]> {
      const owner = demandOwner(actor);
      return livingSessions(await sessions.listOf(owner.userId), sessionLimits, clock(), owner.session.digest);
    },

    /** @throws Failure `not-found` */
    async endSession(actor: Actor, id: string): Promise<void> {
      const owner = demandOwner(actor);
      await sessions.apply({ kind: 'end-one', userId: owner.userId, id, stamp: stampOf(owner, clock()) });
    },

    async endOtherSessions(actor: Actor): Promise<void> {
      const owner = demandOwner(actor);
      const { userId, session } = owner;
      const stamp = stampOf(owner, clock());
      await sessions.apply({ kind: 'end-others', userId, keepSession: session.digest, stamp });
    },

    async listKeys(actor: Actor): Promise<readonly ApiKey[]> {
      return keys.listOf(demandOwner(actor).userId);
    },

    /**
     * @param password looked at where the login is no longer fresh: a key must not come from a session that its owner left open
     * @throws Failure `forbidden` where the password is needed, and missing or wrong; `too-many-requests`; `conflict` when the account has as many
     * keys as it may
     */
    async createKey(actor: Actor, newKey: NewApiKey, password?: string): Promise<CreatedKey> {
      const owner = demandOwner(actor);
      if (clock() - owner.session.startedAtMs > freshLoginMs) {
        if (password === undefined) throw passwordNeeded('is missing');
        await checkPassword(owner, password, 'key.created', () => passwordNeeded('is not right'));
      }
      return createKeyFor(needs, owner.userId, newKey, stampOf(owner, clock()));
    },

    /** @throws Failure `not-found` */
    async revokeKey(actor: Actor, id: string): Promise<void> {
      const owner = demandOwner(actor);
      await keys.apply({ kind: 'revoke', id, userId: owner.userId, stamp: stampOf(owner, clock()) });
    },
  };
}

/** Makes a key for an account, and keeps nothing of it but the digest. */
export async function createKeyFor(
  { keys, tokens }: Pick<OwnAccountNeeds, 'keys' | 'tokens'>,
  userId: bigint,
  { name, scopes, lifetimeMs }: NewApiKey,
  stamp: Stamp,
): Promise<CreatedKey> {
  const secret = KEY_PREFIX + tokens.create();
  const key = { id: tokens.createId(), name, scopes, createdAtMs: stamp.atMs, expiresAtMs: stamp.atMs + lifetimeMs };
  const maxOfAccount = KEY_LIMITS.keysOfAccount;
  await keys.apply({ kind: 'create', digest: tokens.digest(secret), userId, key, maxOfAccount, stamp });
  return { ...key, key: secret, lastUsedAtMs: undefined };
}

/** Those that have not ended by themselves. */
export function livingSessions(
  records: readonly SessionRecord[],
  sessionLimits: SessionLimits,
  nowMs: number,
  currentDigest?: string,
): readonly LivingSession[] {
  return records
    .map((record) => ({
      ...record,
      endsAtMs: endsAtMs(record, sessionLimits),
      isCurrent: record.digest === currentDigest,
    }))
    .filter((session) => session.endsAtMs > nowMs);
}

/** @throws Failure `not-found` */
export async function getAccount(users: UserStore, username: string): Promise<Account> {
  const account = await users.find(username);
  if (account === undefined) throw userNotFound();
  return account;
}

function failed(stamp: Stamp, action: AuditAction, { id, user }: Account): NewAuditEntry {
  return { stamp, action, subject: accountSubject(id, user.username), outcome: 'failed', details: null };
}

function wrongOldPassword(): Failure {
  return new Failure('invalid-input', 'The old password is not right.', {
    problems: [{ path: '/oldPassword', message: 'is not right' }],
  });
}

function passwordNeeded(message: string): Failure {
  return new Failure(
    'forbidden',
    'You logged in more than 15 minutes ago. To create an API key, send your password as well, in the field password, or log in again.',
    { problems: [{ path: '/password', message }] },
  );
}
