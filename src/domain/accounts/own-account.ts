import {
  needsSecondFactor,
  type Access,
  type Actor,
  type LoggedIn,
  type Role,
  type Scope,
  type SecondFactorPolicy,
} from '../access.ts';
import { stampOf, type Stamp } from '../audit.ts';
import { Failure } from '../failure.ts';
import type { AddressStore } from '../mail/ports.ts';
import type { Clock } from '../ports.ts';
import { KEY_LIMITS, KEY_PREFIX, type ApiKey } from './api-key.ts';
import type { AccountWrites } from './account-writes.ts';
import type { AttemptThrottle } from './attempt-throttle.ts';
import type { WaysInOf } from './factors.ts';
import type { FreshProof } from './fresh-proof.ts';
import { getOwnAccount, type PasswordCheck } from './password-check.ts';
import type { PasswordRules } from './password-rules.ts';
import type { Account, KeyStore, PasswordHasher, SessionStore, Tokens, UserStore } from './ports.ts';
import { endsAtMs, type SessionLimits, type SessionRecord } from './session.ts';
import type { User } from './user.ts';
import { userNotFound } from './user-accounts.ts';

interface OwnAccountDeps {
  access: Access;
  users: Pick<UserStore, 'find'>;
  addresses: Pick<AddressStore, 'find'>;
  sessions: Pick<SessionStore, 'listOf'>;
  keys: Pick<KeyStore, 'listOf'>;
  writes: AccountWrites;
  passwords: PasswordHasher;
  passwordCheck: PasswordCheck;
  rules: PasswordRules;
  attempts: AttemptThrottle;
  freshProof: FreshProof;
  tokens: Tokens;
  clock: Clock;
  sessionLimits: SessionLimits;
  secondFactor: SecondFactorPolicy;
  waysInOf: WaysInOf;
}

interface PasswordChange {
  /** Undefined for an account without a password. */
  oldPassword: string | undefined;
  newPassword: string;
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
  /** True until an invited user has chosen a password: the account cannot log in yet. */
  isInvited: boolean;
  /** Whether the session that reads the own account must set up or prove a second factor first. */
  needsSecondFactor?: boolean;
  /** The address that gets messages. Only read for the owner. */
  confirmedEmail?: string | undefined;
  /** Whether the owner logs in without one. Only read for the owner. */
  hasNoPassword?: boolean;
  /** Whether the role cannot log in with one. Only read for the owner. */
  hasNoPasswordLogin?: boolean;
}

export function viewOf({ id, user, role, passwordHash, isLinked, hasPasskey }: Account): AccountView {
  return { id, user, role, isInvited: passwordHash === undefined && !isLinked && !hasPasskey };
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
    const { access, users, addresses, secondFactor, waysInOf } = this.#deps;
    const owner = requireOwner(access, actor, 'set up factors');
    const account = await getOwnAccount(users, owner);
    return {
      ...viewOf(account),
      confirmedEmail: (await addresses.find(account.id))?.confirmed?.email,
      hasNoPassword: account.passwordHash === undefined,
      hasNoPasswordLogin: !waysInOf(account.role).isPasswordAccepted,
      needsSecondFactor: needsSecondFactor(owner, secondFactor),
    };
  }

  /**
   * Sets a new password, ends the other sessions, and revokes the keys unless `keepKeys`.
   *
   * @throws Failure `invalid-input` for a wrong old password or a new one against the rules; `too-many-requests`;
   *   `forbidden` without a password and a recent proof, and for a role that cannot log in with one
   */
  async changePassword(actor: Actor, { oldPassword, newPassword, keepKeys }: PasswordChange): Promise<void> {
    const { writes, passwords, rules, attempts, clock, waysInOf } = this.#deps;
    const owner = this.#requireOwner(actor);
    if (!waysInOf(owner.role).isPasswordAccepted) throw noPasswordLogin();
    rules.check(newPassword, owner.username, '/newPassword');
    const account = await this.#requirePasswordOf(owner, oldPassword);
    await writes.changeUser({
      kind: 'set-password',
      username: account.user.username,
      passwordHash: await attempts.inHashingLane(owner, () => passwords.hash(newPassword)),
      replacedHash: account.passwordHash ?? null,
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
   * @param password required if the session was not proved recently, so that access to an open browser is not enough to
   *   create a key
   * @throws Failure `forbidden` if the password is required, and missing or wrong; `too-many-requests`; `conflict` at
   *   the maximum number of keys
   */
  async createKey(actor: Actor, newKey: NewApiKey, password?: string): Promise<CreatedKey> {
    const { clock, freshProof, passwordCheck } = this.#deps;
    const owner = this.#requireOwner(actor);
    if (!freshProof.isFresh(owner)) {
      if (password === undefined) throw await freshProof.needed(owner, PROOF_NEEDED, 'is missing');
      const refusal = await freshProof.needed(owner, PROOF_NEEDED, 'is wrong');
      await passwordCheck.require(owner, password, 'key.created', () => refusal);
    }
    return createKeyFor(this.#deps, owner.userId, newKey, stampOf(owner, clock()));
  }

  /** @throws Failure `not-found` */
  async revokeKey(actor: Actor, id: string): Promise<void> {
    const { writes, clock } = this.#deps;
    const owner = this.#requireOwner(actor);
    await writes.changeKey({ kind: 'revoke', id, userId: owner.userId, stamp: stampOf(owner, clock()) });
  }

  /** Without a password, the proof is another factor. */
  async #requirePasswordOf(owner: LoggedIn, password: string | undefined): Promise<Account> {
    const { users, passwordCheck, freshProof } = this.#deps;
    if (password !== undefined)
      return passwordCheck.require(owner, password, 'account.password-changed', wrongOldPassword);
    const account = await getOwnAccount(users, owner);
    if (account.passwordHash !== undefined) throw missingOldPassword();
    await freshProof.require(owner);
    return account;
  }

  #requireOwner(actor: Actor): LoggedIn {
    return requireOwner(this.#deps.access, actor, 'use own account');
  }
}

/** The session of the owner of an account. @throws Failure `unauthenticated`, `forbidden` */
export function requireOwner(access: Access, actor: Actor, action: 'use own account' | 'set up factors'): LoggedIn {
  access(actor, action);
  if (actor.kind !== 'signed-in') throw new Failure('unauthenticated', 'Missing or invalid credentials. Log in first.');
  return actor;
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

function noPasswordLogin(): Failure {
  return new Failure('forbidden', 'Your role does not log in with a password at this service, so you cannot set one.');
}

function wrongOldPassword(): Failure {
  return new Failure('invalid-input', 'The old password is wrong.', {
    problems: [{ path: '/oldPassword', message: 'is wrong' }],
  });
}

function missingOldPassword(): Failure {
  return new Failure('invalid-input', 'The old password is missing.', {
    problems: [{ path: '/oldPassword', message: 'is missing' }],
  });
}

const PROOF_NEEDED =
  'Your login is more than 15 minutes old. To create an API key, send your password in the field password, prove that ' +
  'it is you with POST /v2/account/proof, or log in again.';
