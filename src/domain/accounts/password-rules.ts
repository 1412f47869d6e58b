import { invalidInput } from '../failure.ts';
import { USER_LIMITS, usernameKey } from './user.ts';

export interface PasswordRulesDeps {
  /** In characters: code points of the NFC form. */
  minLength: number;
  /** Whether this password (lower case, NFC) is one of the common ones. */
  isCommon: (password: string) => boolean;
  /** False for open and sandbox access, where a password protects nothing: then any password is accepted. */
  isEnforced: boolean;
}

/** A repeated part must be at least this long: `abcabcabcabcabc` is no password. */
const SHORT_PART = 4;

/** Words of this service, which an attacker tries first. */
const CONTEXT_WORDS = ['menagerie', 'petstore', 'administrator', 'password'];

/** Minimum length of a password without those words and the user name. */
const SHORTEST_REST = 8;

export type PasswordFault = 'too-long' | 'too-short' | 'guessable';

/** The rules for new passwords. Length is decisive; digits or capitals are not required (NIST SP 800-63B-4, section 3.1.1.2). */
export class PasswordRules {
  readonly minLength: number;
  readonly #isCommon: (password: string) => boolean;
  readonly #isEnforced: boolean;

  constructor({ minLength, isCommon, isEnforced }: PasswordRulesDeps) {
    this.minLength = isEnforced ? minLength : 1;
    this.#isCommon = isCommon;
    this.#isEnforced = isEnforced;
  }

  /**
   * Checks a new password.
   *
   * @param path the JSON Pointer of the password in the body
   * @throws Failure `invalid-input`, which says what to do instead and never contains the password
   */
  check(password: string, username: string, path = '/password'): void {
    if (!this.#isEnforced) return;
    const policy = { minLength: this.minLength, isCommon: this.#isCommon };
    const fault = findPasswordFault(policy, password, username);
    if (fault !== undefined) throw invalidInput([{ path, message: this.#messageOf(fault) }]);
  }

  #messageOf(fault: PasswordFault): string {
    if (fault === 'too-long') return `must have at most ${USER_LIMITS.passwordLength} characters`;
    if (fault === 'guessable') {
      return 'is one of those that are tried first; choose a few words that only you would put together';
    }
    return `must have at least ${this.minLength} characters; a few words in a row are easy to remember`;
  }
}

/** The fault of a new password; undefined if it is good. */
export function findPasswordFault(
  { minLength, isCommon }: Pick<PasswordRulesDeps, 'minLength' | 'isCommon'>,
  password: string,
  username: string,
): PasswordFault | undefined {
  if (password.length > USER_LIMITS.passwordLength) return 'too-long';
  if (lengthOf(password) < minLength) return 'too-short';
  // The key, because the lower case of a text in NFC need not be in NFC.
  const plain = usernameKey(password);
  const part = repeatedPart(plain);
  const isGuessable =
    isCommon(plain) || lengthOf(part) < SHORT_PART || isCommon(part) || isMadeOfContext(plain, usernameKey(username));
  return isGuessable ? 'guessable' : undefined;
}

/** Whether little is left of it without the user name and the name of the service. */
function isMadeOfContext(plain: string, username: string): boolean {
  const words = [...CONTEXT_WORDS, username].filter((word) => lengthOf(word) >= SHORT_PART);
  const rest = words.reduce((text, word) => text.replaceAll(word, ''), plain);
  return plain === username || (rest !== plain && lengthOf(rest) < SHORTEST_REST);
}

/** The shortest part whose repetition is the text, the last one possibly truncated: `passwo` for itself, `abc` for `abcabca`. */
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
