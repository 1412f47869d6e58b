import { invalidInput } from '../failure.ts';
import { USER_LIMITS, usernameKey } from './user.ts';

interface PasswordRulesDeps {
  /** In characters: code points of the NFC form. */
  minLength: number;
  /** Whether a password, in lower case and NFC, is on the list of common passwords. */
  isCommon: (password: string) => boolean;
  /** False in open and sandbox access, where a password protects nothing, and any is accepted. */
  isEnforced: boolean;
}

/** Minimum length of a repeated sequence: `abcabcabcabcabc` is refused. */
const SHORT_PART = 4;

/** Words related to this service, which an attacker tries first. */
const CONTEXT_WORDS = ['menagerie', 'petstore', 'administrator', 'password'];

/** Minimum length of the rest of a password without these words and the user name. */
const SHORTEST_REST = 8;

export type PasswordFault = 'too-long' | 'too-short' | 'guessable';

/**
 * The rules for new passwords. Length is decisive; digits or capitals are not required (NIST SP 800-63B-4, section
 * 3.1.1.2).
 */
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
   * @throws Failure `invalid-input`. Its message says how to choose a better password, and never contains the password.
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
      return 'is easy to guess; choose a few unrelated words';
    }
    return `must have at least ${this.minLength} characters; choose a few unrelated words`;
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
  // `usernameKey`, because the lower case of an NFC text is not always NFC.
  const plain = usernameKey(password);
  const part = repeatedPart(plain);
  const isGuessable =
    isCommon(plain) || lengthOf(part) < SHORT_PART || isCommon(part) || isMadeOfContext(plain, usernameKey(username));
  return isGuessable ? 'guessable' : undefined;
}

/** Whether the password consists mostly of the user name and words related to the service. */
function isMadeOfContext(plain: string, username: string): boolean {
  const words = [...CONTEXT_WORDS, username].filter((word) => lengthOf(word) >= SHORT_PART);
  const rest = words.reduce((text, word) => text.replaceAll(word, ''), plain);
  return plain === username || (rest !== plain && lengthOf(rest) < SHORTEST_REST);
}

/**
 * The shortest sequence whose repetition is the text, possibly truncated at the end: `passwo` for itself, `abc` for
 * `abcabca`.
 */
function repeatedPart(text: string): string {
  for (let length = 1; length <= text.length / 2; length++) {
    if (text.slice(length) === text.slice(0, -length)) return text.slice(0, length);
  }
  return text;
}

/** Length in characters: code points of the NFC form. */
export function lengthOf(text: string): number {
  return Array.from(text.normalize('NFC')).length;
}
