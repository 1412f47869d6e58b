/** The closed list of expected failures. Any other error is a bug. */
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

export interface FieldProblem {
  /** A JSON Pointer (RFC 6901). */
  path: string;
  /** A predicate that completes a sentence beginning with the path. */
  message: string;
}

export interface RequestLimit {
  name: string;
  /** Maximum number of requests in the window, or concurrently. */
  quota: number;
  windowSeconds?: number;
  isConcurrent?: true;
}

interface FailureDetails {
  problems?: readonly FieldProblem[];
  /** The value of Retry-After: when the request can succeed. 429 and 503 have it always. */
  retryAfterSeconds?: number;
  /** The exceeded limit, for 429. */
  limit?: RequestLimit;
  /** The allowed methods, for 405. */
  allow?: readonly string[];
  /** The scope that an access token lacks, for the header `WWW-Authenticate`; null if no scope allows the operation. */
  missingScope?: string | null;
  /** The factors with which a login can be completed, for the header `X-Second-Factor`. */
  secondFactor?: readonly string[];
  /** The factors of which one must be proved again, for the header `X-Proof-Required`. */
  proof?: readonly string[];
}

/** Failures that end without a change of the request: clients have to know when. */
type TemporaryCode = 'too-many-requests' | 'unavailable';

export type FailureParameters =
  | [code: TemporaryCode, message: string, details: FailureDetails & { retryAfterSeconds: number }]
  | [code: Exclude<FailureCode, TemporaryCode>, message: string, details?: FailureDetails];

/** A failure as plain data, for messages between threads. */
export interface PlainFailure {
  failure: FailureParameters;
  /** For the log only, never sent to clients. */
  cause?: string;
}

/** An expected failure: a code from the closed list, and one sentence for the user. */
export class Failure extends Error {
  readonly code: FailureCode;
  readonly details: FailureDetails;
  readonly #parameters: FailureParameters;

  constructor(...parameters: FailureParameters) {
    const [code, message, details = {}] = parameters;
    super(message);
    this.name = 'Failure';
    this.code = code;
    this.details = details;
    this.#parameters = parameters;
  }

  toPlain(): PlainFailure {
    const plain = { failure: this.#parameters };
    return this.reason === undefined ? plain : { ...plain, cause: this.reason };
  }

  /** The cause as text, for the log only, never sent to clients. */
  get reason(): string | undefined {
    const { cause } = this;
    return cause instanceof Error ? cause.message : (cause as string | undefined);
  }

  static fromPlain({ failure: parameters, cause }: PlainFailure): Failure {
    const failure = new Failure(...parameters);
    return cause === undefined ? failure : becauseOf(cause, failure);
  }
}

/** An unexpected error that a client asked for, with a fault of a playground. It is not logged. */
export class PlannedError extends Error {}

/** @param cause an Error or a text, for the log only, never sent to clients */
export function becauseOf(cause: unknown, failure: Failure): Failure {
  failure.cause = cause;
  return failure;
}

/** How soon a client asks again for what an operator has to repair first. */
const REPAIR_SECONDS = 60;

/** The service or a command cannot continue until an operator acts. */
export function unusable(message: string): Failure {
  return new Failure('unavailable', message, { retryAfterSeconds: REPAIR_SECONDS });
}

/** A stopping process: another node, or its successor, responds soon. */
export function stopping(): Failure {
  return new Failure('unavailable', 'The service is stopping. Try again later.', { retryAfterSeconds: 2 });
}

/**
 * A newer version of the program has migrated the database. This one would not write everything that the new schema
 * requires.
 */
export function databaseTooNew(): Failure {
  return unusable(
    'The database was migrated by a newer version of Menagerie. Stop this version and start the newer one.',
  );
}

/** A change would not be in the final backup, from which the data is restored elsewhere. */
export function databaseRetired(): Failure {
  return unusable('The database refuses changes since its final backup. Use the service on the restored data.');
}

/**
 * The database failed during a commit, so the change may or may not be durable, for example after a failed `fsync`.
 *
 * @param cause for the log only, never sent to clients
 */
export function commitNotConfirmed(cause: unknown): Failure {
  return becauseOf(
    cause,
    new Failure(
      'unavailable',
      'The database did not confirm the change, but it may have been made. Check before you retry.',
      { retryAfterSeconds: 2 },
    ),
  );
}

export function isUnavailable(error: unknown): error is Failure {
  return error instanceof Failure && error.code === 'unavailable';
}

/** The outcome of one item of a batch: its result, a Failure, or another Error, which is a bug. */
export type Outcome<T> = T | Failure | Error;

/** The message names the first wrong fields; `details.problems` has all of them. */
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
