import { Failure, type FailureParameters } from '../failure.ts';

/** Why a login at a provider failed: a page shows the reason in the language of the user. */
export const SIGN_IN_PROBLEMS = {
  unknown: ['not-found', 'This provider is not configured.'],
  unavailable: [
    'unavailable',
    'The provider does not respond. Try again in a minute, or log in another way.',
    { retryAfterSeconds: 60 },
  ],
  misconfigured: [
    'unavailable',
    'The provider refuses this service, or the settings for it are wrong. The log of the service has the reason.',
    { retryAfterSeconds: 60 },
  ],
  expired: ['invalid-input', 'This login has expired, was used already, or was begun in another browser. Start again.'],
  refused: ['forbidden', 'The provider did not log you in.'],
  invalid: ['invalid-input', 'The response of the provider could not be verified. Start again.'],
  'no-account': [
    'forbidden',
    'No account is linked to this login. Log in another way and link it on your account page.',
  ],
  closed: ['forbidden', 'The account is closed.'],
  taken: ['conflict', 'This login belongs to another account already.'],
  'other-session': ['unauthenticated', 'The session in which you began to link the login has ended. Start again.'],
} as const satisfies Readonly<Record<string, Readonly<FailureParameters>>>;

export type SignInProblem = keyof typeof SIGN_IN_PROBLEMS;

export class SignInFailure extends Failure {
  readonly problem: SignInProblem;
  /** Whether the login was to be linked to the account of a session. */
  isLinking = false;

  /** @param cause for the log only */
  constructor(problem: SignInProblem, cause?: unknown) {
    super(...SIGN_IN_PROBLEMS[problem]);
    this.problem = problem;
    if (cause !== undefined) this.cause = cause;
  }
}
