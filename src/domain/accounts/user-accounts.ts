import {
  DEFAULT_ROLE,
  isStaff,
  needsSecondFactor,
  type Access,
  type Actor,
  type SecondFactorPolicy,
} from '../access.ts';
import { stampOf, type Stamp } from '../audit.ts';
import { Failure } from '../failure.ts';
import type { Clock } from '../ports.ts';
import type { AccountWrites } from './account-writes.ts';
import type { AttemptThrottle } from './attempt-throttle.ts';
import type { FreshProof } from './fresh-proof.ts';
import type { PasswordRules } from './password-rules.ts';
import type { Account, NewAccount, PasswordHasher, SeenAccount, UserStore } from './ports.ts';
import { requireUsername } from './username-rules.ts';
import { isOwnName, USER_STATUS_CLOSED, type NewUser, type User, type UserUpdate } from './user.ts';

interface UserAccountsDeps {
  access: Access;
  users: Pick<UserStore, 'find' | 'staffNames'>;
  writes: AccountWrites;
  passwords: PasswordHasher;
  rules: PasswordRules;
  attempts: AttemptThrottle;
  email: {
    confirmsChange(actor: Actor, account: Account, email: string | undefined): Promise<boolean>;
  };
  /** Returns the first of `names` that can be mistaken for one of `others`. */
  findLookalike: (names: readonly string[], others: readonly string[]) => string | undefined;
  clock: Clock;
  /** Later than this, only `OwnAccount.changePassword` sets a new password. */
  freshProof: FreshProof;
  secondFactor: SecondFactorPolicy;
}

/** The user operations of Petstore. */
export class UserAccounts {
  readonly #deps: UserAccountsDeps;

  constructor(deps: UserAccountsDeps) {
    this.#deps = deps;
  }

  /**
   * Creates an account for a sign-up. Never overwrites an existing account.
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

  /** Creates all accounts or none. @throws Failure `conflict` or `invalid-input`, with the index of each wrong entry */
  async createUsers(actor: Actor, newUsers: readonly NewUser[]): Promise<void> {
    const { access, writes, rules } = this.#deps;
    access(actor, 'create users');
    newUsers.forEach(({ username, password }, index) => {
      if (password !== undefined) rules.check(password, username, `/${index}/password`);
    });
    const usernames = newUsers.map(({ username }) => username);
    await this.#refuseLookalikes(actor, usernames);
    const accounts: NewAccount[] = [];
    // Sequentially, so that a long list does not block the hashing queue for logins.
    for (const [index, user] of newUsers.entries()) accounts.push(await this.#newAccount(actor, user, `/${index}`));
    await writes.changeUser({ kind: 'create', accounts, isList: true, stamp: this.#stampOf(actor) });
  }

  /** @throws Failure `not-found` */
  async getUser(actor: Actor, username: string): Promise<User> {
    return (await this.#getAllowed(actor, username)).user;
  }

  /**
   * Replaces the profile. A password in the update also ends the other sessions of the account, and revokes its keys.
   *
   * @param language of a message that confirms a new e-mail address
   * @returns the id of the user
   * @throws Failure `not-found`, `conflict` if the new name is taken, `invalid-input` if it is not allowed; `forbidden`
   *   for a new password or e-mail address, or to close or reopen it, if the session was not proved recently
   */
  async replaceUser(actor: Actor, username: string, update: UserUpdate, language: string): Promise<bigint> {
    const { password, id: publicId, ...fields } = update;
    const account = await this.#getAllowed(actor, username, true);
    const { username: ownName } = account.user;
    const profile = { ...fields, username: fields.username ?? ownName };
    const isRenamed = profile.username !== ownName;
    if (isRenamed) requireUsername(profile.username, '/username');
    if (password !== undefined) await this.#requireGoodPassword(actor, account, profile.username, password);
    if (profile.email !== account.user.email || closesOrReopens(account.user, fields))
      await this.#deps.freshProof.require(actor);
    const change = {
      kind: 'replace',
      username,
      seen: seenOf(account),
      publicId,
      profile,
      passwordHash: await this.#hash(actor, password),
      keepSession: actor.kind === 'signed-in' && isOwn(actor, username) ? actor.session.digest : undefined,
      confirmation: (await this.#deps.email.confirmsChange(actor, account, fields.email)) ? { language } : undefined,
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

  /**
   * Also ends the sessions of the account, and revokes its keys.
   * @throws Failure `not-found`, `conflict` for the last administrator; `forbidden` if the session was not proved
   *   recently
   */
  async deleteUser(actor: Actor, username: string): Promise<void> {
    const seen = seenOf(await this.#getAllowed(actor, username, true));
    await this.#deps.freshProof.require(actor);
    await this.#deps.writes.changeUser({ kind: 'delete', username, seen, stamp: this.#stampOf(actor) });
  }

  /**
   * Returns the account if this actor may read it, or change it if `isChange`.
   * @throws Failure `not-found`, `unauthenticated`, `forbidden`
   */
  async #getAllowed(actor: Actor, username: string, isChange = false): Promise<Account> {
    const { access, users } = this.#deps;
    const own = isOwn(actor, username);
    access(actor, 'use account', own);
    const account = await users.find(username);
    if (account === undefined) throw userNotFound();
    // The name may belong to another account since the request was authenticated, or another account may have the same
    // name key.
    const isStillOwn = own && 'userId' in actor && actor.userId === account.id;
    access(actor, isChange && isStaff(account.role) ? 'change trusted account' : 'use account', isStillOwn);
    return account;
  }

  async #newAccount(actor: Actor, { id, password, ...profile }: NewUser, path = ''): Promise<NewAccount> {
    if (password !== undefined) this.#deps.rules.check(password, profile.username, `${path}/password`);
    // Only administrators assign other roles.
    return { publicId: id, profile, role: DEFAULT_ROLE, passwordHash: await this.#hash(actor, password) };
  }

  async #hash(actor: Actor, password: string | undefined): Promise<string | undefined> {
    const { passwords, attempts } = this.#deps;
    return password === undefined ? undefined : attempts.inHashingLane(actor, () => passwords.hash(password));
  }

  /**
   * Rate-limits attempts, because the response shows whether the name is taken. Administrators can list all names
   * anyway.
   */
  #takeName<T>(actor: Actor, take: () => Promise<T>): Promise<T> {
    return actor.kind === 'operator' || this.#isAdministrator(actor)
      ? take()
      : this.#deps.attempts.tryName(actor.address, take);
  }

  /** Refuses a name that looks like that of an editor or administrator, unless an administrator chooses it. */
  async #refuseLookalikes(actor: Actor, usernames: readonly string[], ownName?: string): Promise<void> {
    if (this.#isAdministrator(actor)) return;
    const { users, findLookalike } = this.#deps;
    const staffNames = (await users.staffNames()).filter((name) => name !== ownName);
    const lookalike = findLookalike(usernames, staffNames);
    if (lookalike === undefined) return;
    throw new Failure(
      'conflict',
      `Nothing was stored: the user name ${lookalike} looks like an existing one. Choose another.`,
    );
  }

  /**
   * Petstore clients send the password with the whole record. Access to an open browser must not be enough to take over
   * the account, or that of another user.
   */
  async #requireGoodPassword(actor: Actor, { user }: Account, newName: string, password: string): Promise<void> {
    const { rules, freshProof } = this.#deps;
    rules.check(password, user.username);
    rules.check(password, newName);
    if (actor.kind !== 'signed-in' || !isOwn(actor, user.username)) return freshProof.require(actor);
    if (freshProof.isFresh(actor)) return;
    throw await freshProof.needed(
      actor,
      'To change the password, log in again, or send the old password to POST /v2/account/password.',
    );
  }

  /** Without the second factor that the role requires, a session has nothing of the role. */
  #isAdministrator(actor: Actor): boolean {
    if (actor.kind === 'operator') return true;
    if (actor.kind === 'anonymous' || actor.role !== 'admin') return false;
    return actor.kind === 'key' || !needsSecondFactor(actor, this.#deps.secondFactor);
  }

  #stampOf(actor: Actor): Stamp {
    return stampOf(actor, this.#deps.clock());
  }
}

function seenOf({ id, role }: Account): SeenAccount {
  return { id, role };
}

/** An update without a status does neither. */
function closesOrReopens({ userStatus: before }: User, { userStatus }: Pick<UserUpdate, 'userStatus'>): boolean {
  return userStatus !== undefined && (userStatus === USER_STATUS_CLOSED) !== (before === USER_STATUS_CLOSED);
}

export function userNotFound(): Failure {
  return new Failure('not-found', 'User not found');
}

function isOwn(actor: Actor, username: string): boolean {
  return actor.kind === 'signed-in' && isOwnName(actor.username, username);
}
