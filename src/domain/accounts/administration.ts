import { DEFAULT_ROLE, type Access, type Actor, type Role } from '../access.ts';
import { stampOf, type Stamp } from '../audit.ts';
import type { Clock, ListPage } from '../ports.ts';
import type { ApiKey } from './api-key.ts';
import { withImport, otherRole, profileIn, type ImportedUser } from './imported-user.ts';
import type { AccountWrites } from './account-writes.ts';
import type { FreshProof } from './fresh-proof.ts';
import {
  activeSessions,
  createKeyFor,
  getAccount,
  viewOf,
  type AccountView,
  type ActiveSession,
  type CreatedKey,
  type NewApiKey,
} from './own-account.ts';
import type { PasswordRules } from './password-rules.ts';
import type { KeyStore, PasswordHasher, SessionStore, Tokens, UserFilter, UserStore } from './ports.ts';
import type { SessionLimits } from './session.ts';
import { userNotFound } from './user-accounts.ts';
import { USER_STATUS_ACTIVE, USER_STATUS_CLOSED } from './user.ts';

interface AdministrationDeps {
  access: Access;
  users: Pick<UserStore, 'find' | 'search'>;
  sessions: Pick<SessionStore, 'listOf'>;
  keys: Pick<KeyStore, 'listOf'>;
  writes: AccountWrites;
  passwords: PasswordHasher;
  rules: PasswordRules;
  freshProof: FreshProof;
  tokens: Tokens;
  clock: Clock;
  sessionLimits: SessionLimits;
}

/** A new account with a role, created on the command line. */
interface NewStaffUser {
  username: string;
  role: Role;
  password: string;
}

/**
 * Administration of accounts, over HTTP and on the command line. Every operation requires the permission `administer`.
 */
export class Administration {
  readonly #deps: AdministrationDeps;

  constructor(deps: AdministrationDeps) {
    this.#deps = deps;
  }

  async searchUsers(actor: Actor, filter: UserFilter, page: ListPage): Promise<readonly AccountView[]> {
    this.#deps.access(actor, 'administer');
    return (await this.#deps.users.search(filter, page)).map(viewOf);
  }

  /** @throws Failure `not-found` */
  async getUser(actor: Actor, username: string): Promise<AccountView> {
    this.#deps.access(actor, 'administer');
    return viewOf(await getAccount(this.#deps.users, username));
  }

  /** @throws Failure `not-found` */
  async getUsername(actor: Actor, id: bigint): Promise<string> {
    this.#deps.access(actor, 'administer');
    const [account] = await this.#deps.users.search({}, { afterId: id - 1n, limit: 1 });
    if (account?.id !== id) throw userNotFound();
    return account.user.username;
  }

  /** @returns the id of the account @throws Failure `conflict`, `invalid-input` for a password against the rules */
  createUser(actor: Actor, user: NewStaffUser): Promise<bigint> {
    return this.#createUser(actor, user, false);
  }

  /**
   * Creates an administrator while no administrator can log in.
   * @throws Failure as `createUser`; `conflict` if an administrator can log in
   */
  createFirstAdministrator(actor: Actor, user: Omit<NewStaffUser, 'role'>): Promise<bigint> {
    return this.#createUser(actor, { ...user, role: 'admin' }, true);
  }

  async #createUser(actor: Actor, { username, role, password }: NewStaffUser, isFirstAdmin: boolean): Promise<bigint> {
    const { writes, passwords, rules } = this.#deps;
    this.#deps.access(actor, 'administer');
    rules.check(password, username);
    const profile = { username, userStatus: USER_STATUS_ACTIVE };
    const accounts = [{ publicId: undefined, profile, role, passwordHash: await passwords.hash(password) }];
    const stamp = this.#stampOf(actor);
    const [id] = await writes.changeUser({ kind: 'create', accounts, isList: false, isFirstAdmin, stamp });
    return id as bigint;
  }

  /**
   * Creates an account, or changes the profile of the account with this name. A password is only for a new account:
   * without one, nobody can log in until the password is set.
   *
   * @param isDryRun whether to check only
   * @throws Failure `invalid-input` for a password against the rules, `conflict` for another role than that of the
   *   existing account
   */
  async importUser(actor: Actor, imported: ImportedUser, isDryRun = false): Promise<'created' | 'updated'> {
    const { users, writes } = this.#deps;
    this.#deps.access(actor, 'administer');
    const account = await users.find(imported.user.username);
    if (account === undefined) {
      await this.#importNew(actor, imported, isDryRun);
      return 'created';
    }
    const { user, role } = account;
    if (imported.role !== undefined && imported.role !== role) throw otherRole(role);
    const { id: publicId, ...profile } = withImport(user, imported);
    const isSame = JSON.stringify(profile) === JSON.stringify(profileIn(user)) && publicId === user.id;
    if (!isDryRun && !isSame) {
      const { username } = user;
      const seen = { id: account.id, role };
      const unchanged = { passwordHash: undefined, keepSession: undefined } as const;
      const stamp = this.#stampOf(actor);
      await writes.changeUser({ kind: 'replace', username, seen, publicId, profile, ...unchanged, stamp });
    }
    return 'updated';
  }

  async #importNew(actor: Actor, { user, role = DEFAULT_ROLE }: ImportedUser, isDryRun: boolean): Promise<void> {
    const { writes, passwords, rules } = this.#deps;
    const { password, id: publicId, ...profile } = user;
    if (password !== undefined) rules.check(password, profile.username);
    if (isDryRun) return;
    const passwordHash = password === undefined ? undefined : await passwords.hash(password);
    const accounts = [{ publicId, profile, role, passwordHash }];
    await writes.changeUser({ kind: 'create', accounts, isList: false, stamp: this.#stampOf(actor) });
  }

  /**
   * Takes effect with the next request of the account.
   * @throws Failure `not-found`, `conflict` for the last administrator, `forbidden` without a recent proof
   */
  async setRole(actor: Actor, username: string, role: Role): Promise<void> {
    this.#deps.access(actor, 'administer');
    await this.#deps.freshProof.require(actor);
    await this.#deps.writes.changeUser({ kind: 'set-role', username, role, stamp: this.#stampOf(actor) });
  }

  /**
   * Also ends the sessions of the account, and revokes its keys.
   * @throws Failure `not-found`, `invalid-input` for a password against the rules
   */
  async setPassword(actor: Actor, username: string, password: string): Promise<void> {
    const { writes, passwords, rules } = this.#deps;
    this.#deps.access(actor, 'administer');
    rules.check(password, username);
    await writes.changeUser({
      kind: 'set-password',
      username,
      passwordHash: await passwords.hash(password),
      replacedHash: undefined,
      keepSession: undefined,
      keepKeys: false,
      stamp: this.#stampOf(actor),
    });
  }

  /**
   * Ends the sessions of the account. Until it is reopened, it cannot log in, and its keys are inactive.
   *
   * @throws Failure `not-found`, `conflict` for the last administrator, `forbidden` without a recent proof
   */
  async closeUser(actor: Actor, username: string): Promise<void> {
    await this.#setStatus(actor, username, USER_STATUS_CLOSED);
  }

  /** @throws Failure `not-found`, `forbidden` without a recent proof */
  async reopenUser(actor: Actor, username: string): Promise<void> {
    await this.#setStatus(actor, username, USER_STATUS_ACTIVE);
  }

  /** @throws Failure `not-found` */
  async listSessions(actor: Actor, username: string): Promise<readonly ActiveSession[]> {
    const { sessions, clock, sessionLimits } = this.#deps;
    this.#deps.access(actor, 'administer');
    return activeSessions(await sessions.listOf(await this.#userIdOf(username)), sessionLimits, clock());
  }

  /** @throws Failure `not-found` */
  async endSessions(actor: Actor, username: string): Promise<void> {
    this.#deps.access(actor, 'administer');
    const userId = await this.#userIdOf(username);
    const stamp = this.#stampOf(actor);
    await this.#deps.writes.changeSession({ kind: 'end-others', userId, keepSession: undefined, stamp });
  }

  /** @throws Failure `not-found` */
  async listKeys(actor: Actor, username: string): Promise<readonly ApiKey[]> {
    this.#deps.access(actor, 'administer');
    return this.#deps.keys.listOf(await this.#userIdOf(username));
  }

  /** @throws Failure `not-found`, `conflict` at the maximum number of keys */
  async createKey(actor: Actor, username: string, newKey: NewApiKey): Promise<CreatedKey> {
    this.#deps.access(actor, 'administer');
    return createKeyFor(this.#deps, await this.#userIdOf(username), newKey, this.#stampOf(actor));
  }

  /** Revokes an API key of any account by its id. @throws Failure `not-found` */
  async revokeKey(actor: Actor, id: string): Promise<void> {
    this.#deps.access(actor, 'administer');
    await this.#deps.writes.changeKey({ kind: 'revoke', id, userId: undefined, stamp: this.#stampOf(actor) });
  }

  async #setStatus(actor: Actor, username: string, userStatus: number): Promise<void> {
    this.#deps.access(actor, 'administer');
    await this.#deps.freshProof.require(actor);
    await this.#deps.writes.changeUser({ kind: 'set-status', username, userStatus, stamp: this.#stampOf(actor) });
  }

  /** @throws Failure `not-found` */
  async #userIdOf(username: string): Promise<bigint> {
    return (await getAccount(this.#deps.users, username)).id;
  }

  #stampOf(actor: Actor): Stamp {
    return stampOf(actor, this.#deps.clock());
  }
}
