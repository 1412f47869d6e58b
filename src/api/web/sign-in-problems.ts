import { SIGN_IN_PROBLEMS, type SignInProblem } from '../../domain/providers/sign-in-failure.ts';

export type { SignInProblem };

/** The beginning of the fragment with the reason of a failed login, which the page shows. */
export const PROBLEM_FRAGMENT = 'problem=';

export function readSignInProblem(fragment: string): SignInProblem | undefined {
  const problem = fragment.startsWith(PROBLEM_FRAGMENT) ? fragment.slice(PROBLEM_FRAGMENT.length) : '';
  return Object.hasOwn(SIGN_IN_PROBLEMS, problem) ? (problem as SignInProblem) : undefined;
}
