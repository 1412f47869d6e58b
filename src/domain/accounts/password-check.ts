import type { LoggedIn, Role } from '../access.ts';
import { accountSubject, stampOf, type AuditAction, type NewAuditEntry } from '../audit.ts';
import type { Failure } from '../failure.ts';
import type { Clock } from '../ports.ts';
import { hashingLaneOf, type AttemptThrottle } from './attempt-throttle.ts';
import type { Account, PasswordHasher, UserStore } from './ports.ts';
import { userNotFound } from './user-accounts.ts';

interface PasswordCheckDeps {
  users: Pick<UserStore, 'find'>;
  passwords: PasswordHasher;
  attempts: AttemptThrottle;
  clock: Clock;
  /** The roles that cannot log in with a password. */
  withoutPassword: readonly Role[];
}

/** Checks the password of a user who has a session. */
export class PasswordCheck {
  readonly #deps: PasswordCheckDeps;

  constructor(deps: PasswordCheckDeps) {
    this.#deps = deps;
  }

  /**
   * Returns the account if the password is right. A wrong password counts as a failed login, and so does any password
   * of a role that cannot log in with one: a stolen password is not confirmed, and proves nothing.
   *
   * @param action the action of the audit entry for a wrong password
   * @throws Failure `too-many-requests`; `refusal` for a wrong password
   */
  require(owner: LoggedIn, password: string, action: AuditAction, refusal: () => Failure): Promise<Account> {
    const { users, passwords, attempts, clock, withoutPassword } = this.#deps;
    return attempts.tryPassword(
      owner.username,
      owner.address,
      async (fail, isFamiliar) => {
        const found = await getOwnAccount(users, owner);
        const isRight = await passwords.verify(password, found.passwordHash, hashingLaneOf(found, isFamiliar));
        return isRight && !withoutPassword.includes(found.role) ? found : fail(failedProof(owner, clock(), action));
      },
      refusal,
    );
  }
}

/**
 * The account of a session. While a body arrives, the account may be renamed, and another one may get its name.
 *
 * @throws Failure `not-found`
 */
export async function getOwnAccount(
  users: Pick<UserStore, 'find'>,
  { userId, username }: Pick<LoggedIn, 'userId' | 'username'>,
): Promise<Account> {
  const account = await users.find(username);
  if (account?.id !== userId) throw userNotFound();
  return account;
}

/** The audit entry of an attempt of the owner of a session to prove to be the owner of the account. */
export function failedProof(
  owner: LoggedIn,
  nowMs: number,
  action: AuditAction,
  details: NewAuditEntry['details'] = null,
): NewAuditEntry {
  const subject = accountSubject(owner.userId, owner.username);
  return { stamp: stampOf(owner, nowMs), action, subject, outcome: 'failed', details };
}
