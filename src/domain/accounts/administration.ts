import type { Access, Actor, Role } from '../access.ts';
import { stampOf } from '../audit.ts';
import type { Clock, ListPart } from '../ports.ts';
import type { ApiKey } from './api-key.ts';
import {
  createKeyFor,
  getAccount,
  livingSessions,
  type AccountView,
  type CreatedKey,
  type LivingSession,
  type NewApiKey,
} from './own-account.ts';
import type { PasswordRules } from './password-rules.ts';
import type { KeyStore, PasswordHasher, SessionStore, Tokens, UserFilter, UserStore } from './ports.ts';
import type { SessionLimits } from './session.ts';
import { userNotFound } from './user-accounts.ts';
import { USER_STATUS_ACTIVE, USER_STATUS_CLOSED } from './user.ts';

export interface AdministrationNeeds {
  access: Access;
  users: UserStore;
  sessions: SessionStore;
  keys: KeyStore;
  passwords: PasswordHasher;
  rules: PasswordRules;
  tokens: Tokens;
  clock: Clock;
  sessionLimits: SessionLimits;
}

/** An account with a role, as the command line makes it. */
export interface NewStaffUser {
  username: string;
  role: Role;
  password: string;
}

export type Administration = ReturnType<typeof createAdministration>;

/** What administrators do with the accounts of others, over HTTP and at the command line. */
export function createAdministration(needs: AdministrationNeeds) {
  const { access, users, sessions, keys, passwords, rules, clock, sessionLimits } = needs;

  /** @throws Failure `not-found` */
  async function userIdOf(username: string): Promise<bigint> {
    return (await getAccount(users, username)).id;
  }

  async function setStatus(actor: Actor, username: string, userStatus: number): Promise<void> {
    access(actor, 'administer');
    await users.apply({ kind: 'set-status', username, userStatus, stamp: stampOf(actor, clock()) });
  }

  return {
    async searchUsers(actor: Actor, filter: UserFilter, part: ListPart): Promise<readonly AccountView[]> {
      access(actor, 'administer');
      return (await users.search(filter, part)).map(({ id, user, role }) => ({ id, user, role }));
    },

    /** @throws Failure `not-found` */
    async getUser(actor: Actor, username: string): Promise<AccountView> {
      access(actor, 'administer');
      const { id, user, role } = await getAccount(users, username);
      return { id, user, role };
    },

    /** The user name of the account with this id. @throws Failure `not-found` */
    async findUsername(actor: Actor, id: bigint): Promise<string> {
      access(actor, 'administer');
      const [account] = await users.search({}, { afterId: id - 1n, limit: 1 });
      if (account?.id !== id) throw userNotFound();
      return account.user.username;
    },

    /** @returns its id @throws Failure `conflict` */
    async createUser(actor: Actor, { username, role, password }: NewStaffUser): Promise<bigint> {
      access(actor, 'administer');
      rules.check(password, username);
      const profile = { username, userStatus: USER_STATUS_ACTIVE };
      const accounts = [{ publicId: undefined, profile, role, passwordHash: await passwords.hash(password) }];
      const [id] = await users.apply({ kind: 'create', accounts, isList: false, stamp: stampOf(actor, clock()) });
      return id as bigint;
    },

    /** From the very next request on. @throws Failure `not-found`, `conflict` for the last administrator */
    async setRole(actor: Actor, username: string, role: Role): Promise<void> {
      access(actor, 'administer');
      await users.apply({ kind: 'set-role', username, role, stamp: stampOf(actor, clock()) });
    },

    /** Ends the account's sessions, and revokes its keys. @throws Failure `not-found` */
    async setPassword(actor: Actor, username: string, password: string): Promise<void> {
      access(actor, 'administer');
      rules.check(password, username);
      const passwordHash = await passwords.hash(password);
      const stamp = stampOf(actor, clock());
      const ofAnother = { replacedHash: undefined, keepSession: undefined, keepKeys: false };
      await users.apply({ kind: 'set-password', username, passwordHash, ...ofAnother, stamp });
    },

    /** Nobody can log in to it any more, its sessions end, its keys rest. @throws Failure `not-found`, `conflict` for the last administrator */
    closeUser: (actor: Actor, username: string) => setStatus(actor, username, USER_STATUS_CLOSED),

    /** @throws Failure `not-found` */
    reopenUser: (actor: Actor, username: string) => setStatus(actor, username, USER_STATUS_ACTIVE),

    /** @throws Failure `not-found` */
    async listSessions(actor: Actor, username: string): Promise<readonly LivingSession[]> {
      access(actor, 'administer');
      return livingSessions(await sessions.listOf(await userIdOf(username)), sessionLimits, clock());
    },

    /** @throws Failure `not-found` */
    async endSessions(actor: Actor, username: string): Promise<void> {
      access(actor, 'administer');
      const userId = await userIdOf(username);
      await sessions.apply({ kind: 'end-others', userId, keepSession: undefined, stamp: stampOf(actor, clock()) });
    },

    /** @throws Failure `not-found` */
    async listKeys(actor: Actor, username: string): Promise<readonly ApiKey[]> {
      access(actor, 'administer');
      return keys.listOf(await userIdOf(username));
    },

    /** @throws Failure `not-found`, `conflict` when the account has as many as it may */
    async createKey(actor: Actor, username: string, newKey: NewApiKey): Promise<CreatedKey> {
      access(actor, 'administer');
      return createKeyFor(needs, await userIdOf(username), newKey, stampOf(actor, clock()));
    },

    /** Any key, by its id. @throws Failure `not-found` */
    async revokeKey(actor: Actor, id: string): Promise<void> {
      access(actor, 'administer');
      await keys.apply({ kind: 'revoke', id, userId: undefined, stamp: stampOf(actor, clock()) });
    },
  };
}
