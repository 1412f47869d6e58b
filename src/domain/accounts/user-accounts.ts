import {
  DEFAULT_ROLE,
  isStaff,
  type Access,
  type Actor,
  type KeyHolder,
  type Operator,
  type SignedIn,
} from '../access.ts';
import { stampOf, type Stamp } from '../audit.ts';
import { Failure } from '../failure.ts';
import type { Clock } from '../ports.ts';
import type { AccountWrites } from './account-writes.ts';
import type { AttemptThrottle } from './attempt-throttle.ts';
import type { PasswordRules } from './password-rules.ts';
import type { Account, NewAccount, PasswordHasher, SeenAccount, UserStore } from './ports.ts';
import { requireUsername } from './username-rules.ts';
import { isOwnName, type NewUser, type User, type UserUpdate } from './user.ts';

export interface UserAccountsDeps {
  access: Access;
  users: Pick<UserStore, 'find' | 'staffNames'>;
  writes: AccountWrites;
  passwords: PasswordHasher;
  rules: PasswordRules;
  attempts: AttemptThrottle;
  /** The first of these names that can be mistaken for one of the others. */
  findLookalike: (names: readonly string[], others: readonly string[]) => string | undefined;
  clock: Clock;
  /** How long after the login the session alone may set a new password; after that, only `OwnAccount.changePassword` can, with the old one. */
  freshLoginMs: number;
}

/** The user operations of Petstore. */
export class UserAccounts {
  readonly #deps: UserAccountsDeps;

  constructor(deps: UserAccountsDeps) {
    this.#deps = deps;
  }

  /**
   * Signs up. Never overwrites an existing account.
   *
   * @returns the id of the user
   * @throws Failure `conflict`, `invalid-input` for a password against the rules, `too-many-requests`
   */
  async createUser(actor: Actor, user: NewUser): Promise<bigint> {
    this.#deps.access(actor, 'sign up');
    return this.#takeName(actor, async () => {
      await this.#refuseLookalikes(actor, [user.username]);
      const accounts = [await this.#newAccount(actor, user)];
      const stamp = this.#stampOf(actor);
      const [id] = await this.#deps.writes.changeUser({ kind: 'create', accounts, isList: false, stamp });
      return id as bigint;
    });
  }

  /** Creates all of them or none. @throws Failure `conflict` or `invalid-input`, which name the entries */
  async createUsers(actor: Actor, newUsers: readonly NewUser[]): Promise<void> {
    const { access, writes, rules } = this.#deps;
    access(actor, 'create users');
    newUsers.forEach(({ username, password }, index) => {
      if (password !== undefined) rules.check(password, username, `/${index}/password`);
    });
    const usernames = newUsers.map(({ username }) => username);
    await this.#refuseLookalikes(actor, usernames);
    const accounts: NewAccount[] = [];
    // One after the other, so that a long list leaves the hashing queue to logins.
    for (const [index, user] of newUsers.entries()) accounts.push(await this.#newAccount(actor, user, `/${index}`));
    await writes.changeUser({ kind: 'create', accounts, isList: true, stamp: this.#stampOf(actor) });
  }

  /** @throws Failure `not-found` */
  async getUser(actor: Actor, username: string): Promise<User> {
    return (await this.#getAllowed(actor, username)).user;
  }

  /**
   * Replaces the profile. Without a password, the old one stays; with one, the other sessions of the account end and its keys are revoked.
   *
   * @returns the id of the user
   * @throws Failure `not-found`, `conflict` if the new name is taken, `invalid-input` if it is not allowed; `forbidden` for a new password if the
   *   login is not recent
   */
  async replaceUser(actor: Actor, username: string, update: UserUpdate): Promise<bigint> {
    const { password, id: publicId, ...fields } = update;
    const account = await this.#getAllowed(actor, username, true);
    const { username: ownName } = account.user;
    const profile = { ...fields, username: fields.username ?? ownName };
    const isRenamed = profile.username !== ownName;
    if (isRenamed) requireUsername(profile.username, '/username');
    if (password !== undefined) this.#requireGoodPassword(actor, account, profile.username, password);
    const change = {
      kind: 'replace',
      username,
      seen: seenOf(account),
      publicId,
      profile,
      passwordHash: await this.#hash(actor, password),
      keepSession: actor.kind === 'signed-in' && isOwn(actor, username) ? actor.session.digest : undefined,
      stamp: this.#stampOf(actor),
    } as const;
    const apply = async () => {
      if (isRenamed) await this.#refuseLookalikes(actor, [profile.username], ownName);
      return this.#deps.writes.changeUser(change);
    };
    // Another spelling of the same name reveals nothing about other accounts.
    const [id] = await (isOwnName(ownName, profile.username) ? apply() : this.#takeName(actor, apply));
    return id as bigint;
  }

  /** Ends the sessions of the account, and revokes its keys. @throws Failure `not-found`, `conflict` for the last administrator */
  async deleteUser(actor: Actor, username: string): Promise<void> {
    const seen = seenOf(await this.#getAllowed(actor, username, true));
    await this.#deps.writes.changeUser({ kind: 'remove', username, seen, stamp: this.#stampOf(actor) });
  }

  /** Returns the account if this actor may read it, or change it. @throws Failure `not-found` */
  async #getAllowed(actor: Actor, username: string, isChange = false): Promise<Account> {
    const { access, users } = this.#deps;
    const own = isOwn(actor, username);
    access(actor, 'use account', own);
    const account = await users.find(username);
    if (account === undefined) throw userNotFound();
    // The name may belong to another account since the request was admitted, or another account may have the same key.
    const isStillOwn = own && 'userId' in actor && actor.userId === account.id;
    access(actor, isChange && isStaff(account.role) ? 'change trusted account' : 'use account', isStillOwn);
    return account;
  }

  async #newAccount(actor: Actor, { id, password, ...profile }: NewUser, path = ''): Promise<NewAccount> {
    if (password !== undefined) this.#deps.rules.check(password, profile.username, `${path}/password`);
    // Only an administrator assigns another role.
    return { publicId: id, profile, role: DEFAULT_ROLE, passwordHash: await this.#hash(actor, password) };
  }

  async #hash(actor: Actor, password: string | undefined): Promise<string | undefined> {
    const { passwords, attempts } = this.#deps;
    return password === undefined ? undefined : attempts.inHashingLane(actor, () => passwords.hash(password));
  }

  /** Limits attempts, because the response shows whether the name is taken. Administrators can list all names anyway. */
  #takeName<T>(actor: Actor, take: () => Promise<T>): Promise<T> {
    return isAdministrator(actor) ? take() : this.#deps.attempts.tryName(actor.address, take);
  }

  /** Refuses a name that looks like that of staff, unless an administrator chooses it. */
  async #refuseLookalikes(actor: Actor, usernames: readonly string[], ownName?: string): Promise<void> {
    if (isAdministrator(actor)) return;
    const { users, findLookalike } = this.#deps;
    const staffNames = (await users.staffNames()).filter((name) => name !== ownName);
    const lookalike = findLookalike(usernames, staffNames);
    if (lookalike === undefined) return;
    throw new Failure('conflict', `Nothing was stored: the user name ${lookalike} looks like one that is taken.`);
  }

  /** Petstore clients send the password with the whole record. An open browser must not be enough to take over the account with it. */
  #requireGoodPassword(actor: Actor, { user }: Account, newName: string, password: string): void {
    const { rules, clock, freshLoginMs } = this.#deps;
    rules.check(password, user.username);
    rules.check(password, newName);
    if (actor.kind !== 'signed-in' || !isOwn(actor, user.username)) return;
    if (clock() - actor.session.startedAtMs <= freshLoginMs) return;
    throw new Failure(
      'forbidden',
      'To set another password, log in again first, or use POST account/password with the one that you have.',
    );
  }

  #stampOf(actor: Actor): Stamp {
    return stampOf(actor, this.#deps.clock());
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
