import type { AccessMode } from '../../domain/access.ts';
import { findPasswordFault, lengthOf, type PasswordFault } from '../../domain/accounts/password-rules.ts';

export type { PasswordFault };

/** What the service asks of new passwords. */
export interface PasswordWishes {
  access: AccessMode;
  minPasswordLength: number;
}

export interface PasswordAdvice {
  fault: PasswordFault | undefined;
  /** So many characters are still missing. */
  missing: number;
}

/**
 * What can be said of a new password while it is typed: all but whether it is one of those that many people have. That list is long, and the service
 * has it. In open and sandbox access a password keeps nobody out, and any will do.
 */
export function advisePassword(wishes: PasswordWishes, password: string, username: string): PasswordAdvice {
  const { access, minPasswordLength: minLength } = wishes;
  const fault = findPasswordFault({ minLength, isCommon: () => false }, password, username);
  return {
    fault: fault === 'guessable' && access !== 'secured' ? undefined : fault,
    missing: Math.max(0, minLength - lengthOf(password)),
  };
}
