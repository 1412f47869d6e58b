import {
  DEFAULT_ROLE,
  isStaff,
  type Access,
  type Actor,
  type KeyHolder,
  type Operator,
  type SignedIn,
} from '../access.ts';
import { stampOf } from '../audit.ts';
import { Failure } from '../failure.ts';
import type { Clock } from '../ports.ts';
import type { Guessing } from './guessing.ts';
import type { PasswordRules } from './password-rules.ts';
import type { Account, NewAccount, PasswordHasher, SeenAccount, UserStore } from './ports.ts';
import { demandUsername } from './username-rules.ts';
import { isOwnName, type NewUser, type User, type UserUpdate } from './user.ts';

export interface UserAccountsNeeds {
  access: Access;
  users: UserStore;
  passwords: PasswordHasher;
  rules: PasswordRules;
  guessing: Guessing;
  /** The first of these names that may be taken for one of the others. */
  findLookalike: (names: readonly string[], others: readonly string[]) => string | undefined;
  clock: Clock;
  /** So long after logging in, the session itself is proof enough to set another password; after that, the old one is asked for. */
  freshLoginMs: number;
}

export type UserAccounts = ReturnType<typeof createUserAccounts>;

/** The accounts as Petstore has them: what can be done with them, and by whom. */
export function createUserAccounts(needs: UserAccountsNeeds) {
  const { access, users, passwords, rules, guessing, findLookalike, clock, freshLoginMs } = needs;

  async function newAccount(actor: Actor, { id, password, ...profile }: NewUser, path = ''): Promise<NewAccount> {
    if (password !== undefined) rules.check(password, profile.username, `${path}/password`);
    const passwordHash =
      password === undefined ? undefined : await guessing.inTurn(actor, () => passwords.hash(password));
    // Only an administrator assigns another role.
    return { publicId: id, profile, role: DEFAULT_ROLE, passwordHash };
  }

  async function createOne(actor: Actor, user: NewUser): Promise<bigint> {
    await refuseLookalikes(actor, [user.username]);
    const accounts = [await newAccount(actor, user)];
    const [id] = await users.apply({ kind: 'create', accounts, isList: false, stamp: stampOf(actor, clock()) });
    return id as bigint;
  }

  /** Strangers must not learn by trying which names are taken; administrators see them all anyway. */
  function takingName<T>(actor: Actor, take: () => Promise<T>): Promise<T> {
    return isAdministrator(actor) ? take() : guessing.tryName(actor.address, take);
  }

  /** Refuses a name that looks like that of an editor or administrator, unless an administrator chooses it. */
  async function refuseLookalikes(actor: Actor, usernames: readonly string[], ownName?: string): Promise<void> {
    if (isAdministrator(actor)) return;
    const staffNames = (await users.staffNames()).filter((name) => name !== ownName);
    const lookalike = findLookalike(usernames, staffNames);
    if (lookalike === undefined) return;
    throw new Failure('conflict', `Nothing was stored: the user name ${lookalike} looks like one that is taken.`);
  }

  /** The account, if this actor may look at it, or change it. */
  async function getAllowed(actor: Actor, username: string, isChange = false): Promise<Account> {
    const own = isOwn(actor, username);
    access(actor, 'use account', own);
    const account = await users.find(username);
    if (account === undefined) throw userNotFound();
    // The name may have come to somebody else since the request was let in, or another account may have the same key.
    const isStillOwn = own && 'userId' in actor && actor.userId === account.id;
    access(actor, isChange && isStaff(account.role) ? 'change trusted account' : 'use account', isStillOwn);
    return account;
  }

  return {
    /**
     * Signing up. An account that exists is never overwritten.
     *
     * @returns the id of the user
     * @throws Failure `conflict`, `invalid-input` for a password that is not good enough, `too-many-requests`
     */
    async createUser(actor: Actor, user: NewUser): Promise<bigint> {
      access(actor, 'sign up');
      return takingName(actor, () => createOne(actor, user));
    },

    /** All of them or none. @throws Failure `conflict`, naming the entries */
    async createUsers(actor: Actor, newUsers: readonly NewUser[]): Promise<void> {
      access(actor, 'create users');
      newUsers.forEach(({ username, password }, index) => {
        if (password !== undefined) rules.check(password, username, `/${index}/password`);
      });
      await refuseLookalikes(
        actor,
        newUsers.map(({ username }) => username),
      );
      const accounts: NewAccount[] = [];
      // One after the other, so that a long list leaves the hashing queue to those who log in.
      for (const [index, user] of newUsers.entries()) accounts.push(await newAccount(actor, user, `/${index}`));
      await users.apply({ kind: 'create', accounts, isList: true, stamp: stampOf(actor, clock()) });
    },

    /** @throws Failure `not-found` */
    async getUser(actor: Actor, username: string): Promise<User> {
      return (await getAllowed(actor, username)).user;
    },

    /**
     * Puts a new profile in the place of the old one. Without a password, the old one stays; with one, the account's other sessions end
     * and its keys are revoked.
     *
     * @returns the id of the user
     * @throws Failure `not-found`, `conflict` where the new name is taken, `invalid-input` where it is none
     */
    async replaceUser(
      actor: Actor,
      username: string,
      { password, id: publicId, ...update }: UserUpdate,
    ): Promise<bigint> {
      const account = await getAllowed(actor, username, true);
      const { username: ownName } = account.user;
      const profile = { ...update, username: update.username ?? ownName };
      const isRenamed = profile.username !== ownName;
      if (isRenamed) demandUsername(profile.username, '/username');
      if (password !== undefined) demandGoodPassword(actor, account, profile.username, password);
      const passwordHash =
        password === undefined ? undefined : await guessing.inTurn(actor, () => passwords.hash(password));
      const keepSession = actor.kind === 'signed-in' && isOwn(actor, username) ? actor.session.digest : undefined;
      const stamp = stampOf(actor, clock());
      const change = {
        kind: 'replace',
        username,
        seen: seenOf(account),
        publicId,
        profile,
        passwordHash,
        keepSession,
        stamp,
      } as const;
      const apply = async () => {
        if (isRenamed) await refuseLookalikes(actor, [profile.username], ownName);
        return users.apply(change);
      };
      // Another spelling of the own name is no try of a name.
      const [id] = await (isOwnName(ownName, profile.username) ? apply() : takingName(actor, apply));
      return id as bigint;
    },

    /** Its sessions and keys end with it. @throws Failure `not-found`, `conflict` for the last administrator */
    async removeUser(actor: Actor, username: string): Promise<void> {
      const seen = seenOf(await getAllowed(actor, username, true));
      await users.apply({ kind: 'remove', username, seen, stamp: stampOf(actor, clock()) });
    },
  };

  /** Petstore's clients send the password with the whole record. Whoever finds an open browser must not get away with an account by it. */
  function demandGoodPassword(actor: Actor, { user }: Account, newName: string, password: string): void {
    rules.check(password, user.username);
    rules.check(password, newName);
    if (actor.kind !== 'signed-in' || !isOwn(actor, user.username)) return;
    if (clock() - actor.session.startedAtMs <= freshLoginMs) return;
    throw new Failure(
      'forbidden',
      'To set another password, log in again first, or use POST account/password with the one that you have.',
    );
  }
}

function seenOf({ id, role }: Account): SeenAccount {
  return { id, role };
}

export function userNotFound(): Failure {
  return new Failure('not-found', 'User not found');
}

function isAdministrator(actor: Actor): actor is Operator | ((SignedIn | KeyHolder) & { role: 'admin' }) {
  return actor.kind === 'operator' || (actor.kind !== 'anonymous' && actor.role === 'admin');
}

function isOwn(actor: Actor, username: string): boolean {
  return actor.kind === 'signed-in' && isOwnName(actor.username, username);
}
