import { invalidInput } from '../failure.ts';
import { canonicalUsername, isUsernameLength, RESERVED_USERNAMES, USER_LIMITS, usernameKey } from './user.ts';

/**
 * Control characters could forge log lines and terminal output, and a slash ends the name in a path. Default-ignorable
 * and bidirectional characters are invisible: names that differ only in them look the same.
 */
const FORBIDDEN = /[/\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\u2028\u2029]/u;

const SPACE_AT_AN_END = /^\p{White_Space}|\p{White_Space}$/u;

export type UsernameFault = 'reserved' | 'malformed';

export const USERNAME_RULES: Readonly<Record<UsernameFault, string>> = {
  malformed: `must have 1 to ${USER_LIMITS.usernameLength} characters, without control characters, invisible characters, slashes, or spaces at the start or end, and must not be "." or ".."`,
  reserved: 'must not be login, logout, createWithArray or createWithList: these are paths of the API',
};

/** Only new names are checked: accounts of earlier versions may keep names that violate these rules. */
export function findUsernameFault(username: string): UsernameFault | undefined {
  // Names are compared in NFKC, in which a full-width slash is a slash.
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
