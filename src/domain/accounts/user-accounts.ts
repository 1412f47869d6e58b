import type { Access, Actor } from '../access.ts';
import { Failure } from '../failure.ts';
import type { NewAccount, PasswordHasher, Users } from './ports.ts';
import { usernameKey, type NewUser, type User, type UserUpdate } from './user.ts';

export interface UserAccountsNeeds {
  access: Access;
  users: Users;
  passwords: PasswordHasher;
}

export type UserAccounts = ReturnType<typeof createUserAccounts>;

/** The accounts: what can be done with them, and by whom. */
export function createUserAccounts({ access, users, passwords }: UserAccountsNeeds) {
  async function newAccount({ id, password, ...profile }: NewUser): Promise<NewAccount> {
    const passwordHash = password === undefined ? undefined : await passwords.hash(password);
    // Nobody chooses a role for themselves: whoever signs up may look, and an administrator may let them do more.
    return { id, profile, role: 'viewer', passwordHash };
  }

  return {
    /**
     * Signing up. An account that exists is never overwritten.
     *
     * @returns its id
     * @throws Failure `conflict`
     */
    async createUser(user: NewUser): Promise<bigint> {
      const [id] = await users.apply({ kind: 'create', accounts: [await newAccount(user)], isList: false });
      return id as bigint;
    },

    /** All of them or none. @throws Failure `conflict`, naming the entries */
    async createUsers(actor: Actor, newUsers: readonly NewUser[]): Promise<void> {
      access(actor, 'create users');
      const accounts: NewAccount[] = [];
      // One after the other, so that a long list leaves the hashing queue to those who log in.
      for (const user of newUsers) accounts.push(await newAccount(user));
      await users.apply({ kind: 'create', accounts, isList: true });
    },

    /** @throws Failure `not-found` */
    async getUser(actor: Actor, username: string): Promise<User> {
      access(actor, 'use account', isOwn(actor, username));
      const account = await users.find(username);
      if (account === undefined) throw userNotFound();
      return account.user;
    },

    /**
     * Puts a new profile in the place of the old one. Without a password, the old one stays; with one, the account's other sessions end.
     *
     * @returns the id, which never changes
     * @throws Failure `not-found`, or `conflict` where the new name is taken
     */
    async replaceUser(
      actor: Actor,
      username: string,
      { password, ...update }: UserUpdate,
      keepSession: string | undefined,
    ): Promise<bigint> {
      access(actor, 'use account', isOwn(actor, username));
      const account = await users.find(username);
      if (account === undefined) throw userNotFound();
      const profile = { ...update, username: update.username ?? account.user.username };
      const passwordHash = password === undefined ? undefined : await passwords.hash(password);
      const [id] = await users.apply({ kind: 'replace', username, profile, passwordHash, keepSession });
      return id as bigint;
    },

    /** Its sessions end with it. @throws Failure `not-found` */
    async removeUser(actor: Actor, username: string): Promise<void> {
      access(actor, 'use account', isOwn(actor, username));
      await users.apply({ kind: 'remove', username });
    },
  };
}

export function userNotFound(): Failure {
  return new Failure('not-found', 'User not found');
}

function isOwn(actor: Actor, username: string): boolean {
  return actor.kind === 'signed-in' && usernameKey(actor.username) === usernameKey(username);
}
