/** Everything that can go wrong by design. Anything else that is thrown is a bug. */
export type FailureCode =
  | 'invalid-input'
  | 'unauthenticated'
  | 'forbidden'
  | 'not-found'
  | 'method-not-allowed'
  | 'not-acceptable'
  | 'conflict'
  | 'precondition-failed'
  | 'key-reused'
  | 'too-large'
  | 'unsupported-media-type'
  | 'unknown-expectation'
  | 'headers-too-large'
  | 'too-many-requests'
  | 'timed-out'
  | 'unavailable'
  | 'insufficient-storage';

/** One wrong field: where it is (a JSON Pointer, RFC 6901) and what is wrong with it. */
export interface FieldProblem {
  path: string;
  message: string;
}

export interface FailureDetails {
  problems?: readonly FieldProblem[];
  /** When it makes sense to try again, for 429 and 503. */
  retryAfterSeconds?: number;
  /** What is allowed instead, for a wrong method. */
  allow?: readonly string[];
}

/** A failure as plain data, so that it can cross from one thread to another. */
export interface PlainFailure extends FailureDetails {
  failureCode: FailureCode;
  message: string;
  /** For the log; never for a client. */
  cause?: string;
}

/** An expected failure: a code from the closed list, and one clear sentence for the person who gets it. */
export class Failure extends Error {
  readonly code: FailureCode;
  readonly details: FailureDetails;

  constructor(code: FailureCode, message: string, details: FailureDetails = {}) {
    super(message);
    this.name = 'Failure';
    this.code = code;
    this.details = details;
  }

  toPlain(): PlainFailure {
    const plain = { ...this.details, failureCode: this.code, message: this.message };
    return this.reason === undefined ? plain : { ...plain, cause: this.reason };
  }

  /** The cause as text, for the log; never for a client. */
  get reason(): string | undefined {
    const { cause } = this;
    return cause instanceof Error ? cause.message : (cause as string | undefined);
  }

  static fromPlain({ failureCode, message, cause, ...details }: PlainFailure): Failure {
    const failure = new Failure(failureCode, message, details);
    return cause === undefined ? failure : becauseOf(cause, failure);
  }
}

/** @param cause what happened, an Error or a text for the log; never for a client */
export function becauseOf(cause: unknown, failure: Failure): Failure {
  failure.cause = cause;
  return failure;
}

/** Another program has brought the database up to date meanwhile: this one does not know all that a change has to write. */
export function ofNewerVersion(): Failure {
  return new Failure(
    'unavailable',
    'The database belongs to a newer version of Menagerie; stop this one and start the new one.',
  );
}

/**
 * The database failed while it committed a change: after a failed `fsync`, for instance, the change may be on the disk or not.
 *
 * @param cause what happened, for the log; never for a client
 */
export function notConfirmed(cause: unknown): Failure {
  return becauseOf(
    cause,
    new Failure(
      'unavailable',
      'The database did not confirm the change, but it may have been made. Check before you send it again.',
      { retryAfterSeconds: 2 },
    ),
  );
}

/** Is it that something is out of reach, and nothing else? */
export function isUnavailable(error: unknown): boolean {
  return error instanceof Failure && error.code === 'unavailable';
}

/** What a batch answers for one of its members: the result, or what went wrong with that member alone: a Failure, or a bug as any other Error. */
export type Outcome<T> = T | Failure | Error;

/** Names the wrong fields in one sentence, and keeps them apart for programs. */
export function invalidInput(problems: readonly FieldProblem[]): Failure {
  const sentences = problems.map(({ path, message }) => `${path === '' ? 'The body' : path} ${message}`);
  return new Failure('invalid-input', `Invalid input: ${firstOf(sentences)}.`, { problems });
}

/** User names or ids that other accounts have. */
export function taken(problems: readonly FieldProblem[]): Failure {
  const sentences = problems.map(({ message }) => message);
  return new Failure('conflict', `Nothing was stored: ${firstOf(sentences)}.`, { problems });
}

function firstOf(sentences: readonly string[]): string {
  const more = sentences.length > 5 ? `, and ${sentences.length - 5} more` : '';
  return sentences.slice(0, 5).join('; ') + more;
}
