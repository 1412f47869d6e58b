import { invalidInput } from '../failure.ts';
import { canonicalUsername, isUsernameLength, RESERVED_USERNAMES, USER_LIMITS, usernameKey } from './user.ts';

/**
 * Control characters would forge log lines and terminals, a slash would end the name in a path. Default-ignorable and bidirectional characters
 * are not visible: two names that differ by them look the same.
 */
const FORBIDDEN = /[/\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\u2028\u2029]/u;

const SPACE_AT_AN_END = /^\p{White_Space}|\p{White_Space}$/u;

export type UsernameFault = 'reserved' | 'malformed';

export const USERNAME_RULES: Readonly<Record<UsernameFault, string>> = {
  malformed: `must be a string of 1 to ${USER_LIMITS.usernameLength} characters, without control characters, invisible characters and /, without a space at either end, and not . or ..`,
  reserved: 'must not be login, logout, createWithArray or createWithList: these are paths of the service',
};

/** Accounts may have names from before these rules. They keep them: only a name that is new to an account is checked. */
export function findUsernameFault(username: string): UsernameFault | undefined {
  // NFKC is the form in which names are compared: there, a full-width slash is a slash.
  const forms = [canonicalUsername(username), username.normalize('NFKC')];
  if (!isUsernameLength(username) || forms.some(isMalformed)) return 'malformed';
  return RESERVED_USERNAMES.has(usernameKey(username)) ? 'reserved' : undefined;
}

/** @throws Failure `invalid-input` */
export function requireUsername(username: string, path: string): void {
  const fault = findUsernameFault(username);
  if (fault !== undefined) throw invalidInput([{ path, message: USERNAME_RULES[fault] }]);
}

function isMalformed(form: string): boolean {
  return form === '' || form === '.' || form === '..' || FORBIDDEN.test(form) || SPACE_AT_AN_END.test(form);
}
