import { SIGN_IN_PROBLEMS, type SignInProblem } from '../../domain/providers/sign-in-failure.ts';

export type { SignInProblem };

/** The beginning of the fragment with the reason of a failed login, which the page shows. */
export const PROBLEM_FRAGMENT = 'problem=';

/**
 * The beginning of the fragment of a login at a provider that needs a second factor. The record of
 * `POST /v2/sign-in/password` follows in base64url.
 */
export const SECOND_FACTOR_FRAGMENT = 'second-factor=';

export function readSignInProblem(fragment: string): SignInProblem | undefined {
  const problem = fragment.startsWith(PROBLEM_FRAGMENT) ? fragment.slice(PROBLEM_FRAGMENT.length) : '';
  return Object.hasOwn(SIGN_IN_PROBLEMS, problem) ? (problem as SignInProblem) : undefined;
}
