import { invalidInput } from '../failure.ts';
import { USER_LIMITS, usernameKey } from './user.ts';

export interface PasswordRulesSettings {
  /** In characters: code points of the NFC form. */
  minLength: number;
  /** Is this, in small letters and NFC, a password that many people have? */
  isCommon: (password: string) => boolean;
}

export interface PasswordRules {
  minLength: number;
  /**
   * Is it good enough for a new password? Long is what counts: no rule asks for digits or capitals (NIST SP 800-63B-4, section 3.1.1.2).
   *
   * @param path where it stands in the body
   * @throws Failure `invalid-input`, which says what to do instead, and never what was given
   */
  check(password: string, username: string, path?: string): void;
}

/** Shorter than this, a part that repeats makes no password: `abcabcabcabcabc`. */
const SHORT_PART = 4;

/** Words that everybody thinks of first when it comes to this service. */
const CONTEXT_WORDS = ['menagerie', 'petstore', 'administrator', 'password'];

/** So much of a password has to be something else than those words and the user name. */
const SHORTEST_REST = 8;

/** For open and sandbox access, where a password keeps nobody out. */
export const ANY_PASSWORD: PasswordRules = { minLength: 1, check: () => {} };

/** What can be wrong with a new password. */
export type PasswordFault = 'too-long' | 'too-short' | 'guessable';

export function createPasswordRules(settings: PasswordRulesSettings): PasswordRules {
  const { minLength } = settings;
  const messages: Readonly<Record<PasswordFault, string>> = {
    'too-long': `must have at most ${USER_LIMITS.passwordLength} characters`,
    'too-short': `must have at least ${minLength} characters; a few words in a row are easy to remember`,
    guessable: 'is one of those that are tried first; choose a few words that only you would put together',
  };
  return {
    minLength,
    check(password, username, path = '/password') {
      const fault = findPasswordFault(settings, password, username);
      if (fault !== undefined) throw invalidInput([{ path, message: messages[fault] }]);
    },
  };
}

/** What keeps it from being a new password; undefined where nothing does. */
export function findPasswordFault(
  { minLength, isCommon }: PasswordRulesSettings,
  password: string,
  username: string,
): PasswordFault | undefined {
  if (password.length > USER_LIMITS.passwordLength) return 'too-long';
  if (lengthOf(password) < minLength) return 'too-short';
  // As user names are compared: the small letters of a text in NFC need not be in NFC.
  const plain = usernameKey(password);
  const part = repeatedPart(plain);
  const isGuessable =
    isCommon(plain) || lengthOf(part) < SHORT_PART || isCommon(part) || isMadeOfContext(plain, usernameKey(username));
  return isGuessable ? 'guessable' : undefined;
}

/** Is hardly anything left of it without the user name and the name of the service? */
function isMadeOfContext(plain: string, username: string): boolean {
  const words = [...CONTEXT_WORDS, username].filter((word) => lengthOf(word) >= SHORT_PART);
  const rest = words.reduce((text, word) => text.replaceAll(word, ''), plain);
  return plain === username || (rest !== plain && lengthOf(rest) < SHORTEST_REST);
}

/** The shortest part that a text is made of by repeating it, the last time perhaps cut off: `passwo` has itself, `abcabca` has `abc`. */
function repeatedPart(text: string): string {
  for (let length = 1; length <= text.length / 2; length++) {
    if (text.slice(length) === text.slice(0, -length)) return text.slice(0, length);
  }
  return text;
}

/** In characters: code points of the NFC form. */
export function lengthOf(text: string): number {
  return Array.from(text.normalize('NFC')).length;
}
