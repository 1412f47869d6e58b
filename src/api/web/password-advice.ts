import type { AccessMode } from '../../domain/access.ts';
import { findPasswordFault, lengthOf, type PasswordFault } from '../../domain/accounts/password-rules.ts';

export type { PasswordFault };

/** The password rules of the service. */
interface PasswordWishes {
  access: AccessMode;
  minPasswordLength: number;
}

export interface PasswordAdvice {
  fault: PasswordFault | undefined;
  /** The number of missing characters. */
  missing: number;
}

/**
 * Checks a new password while it is typed, except whether it is a common one: only the service has that list, which is
 * long. In open and sandbox access, passwords protect nothing, so guessable ones are allowed.
 */
export function advisePassword(wishes: PasswordWishes, password: string, username: string): PasswordAdvice {
  const { access, minPasswordLength: minLength } = wishes;
  const fault = findPasswordFault({ minLength, isCommon: () => false }, password, username);
  return {
    fault: fault === 'guessable' && access !== 'secured' ? undefined : fault,
    missing: Math.max(0, minLength - lengthOf(password)),
  };
}
