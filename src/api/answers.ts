import type { Failure, FailureCode } from '../domain/failure.ts';
import type { User } from '../domain/accounts/user.ts';

/*
 * What the service says, as text. JSON is compact, and a record begins with its id.
 */

/** The HTTP status of every failure there is; the compiler asks for each. */
export const FAILURE_STATUS: Readonly<Record<FailureCode, number>> = {
  'invalid-input': 400,
  unauthenticated: 401,
  forbidden: 403,
  'not-found': 404,
  'method-not-allowed': 405,
  'not-acceptable': 406,
  'timed-out': 408,
  conflict: 409,
  'precondition-failed': 412,
  'too-large': 413,
  'unsupported-media-type': 415,
  'unknown-expectation': 417,
  'key-reused': 422,
  'too-many-requests': 429,
  'headers-too-large': 431,
  unavailable: 503,
  'insufficient-storage': 507,
};

/** The title that RFC 9457 wants for each: the same for every occurrence. */
const FAILURE_TITLE: Readonly<Record<FailureCode, string>> = {
  'invalid-input': 'Invalid input',
  unauthenticated: 'Not logged in',
  forbidden: 'Not allowed',
  'not-found': 'Not found',
  'method-not-allowed': 'Method not allowed',
  'not-acceptable': 'Not acceptable',
  'timed-out': 'Request timed out',
  conflict: 'Conflict',
  'precondition-failed': 'Precondition failed',
  'too-large': 'Too large',
  'unsupported-media-type': 'Unsupported media type',
  'unknown-expectation': 'Unknown expectation',
  'key-reused': 'Idempotency key reused',
  'too-many-requests': 'Too many requests',
  'headers-too-large': 'Header fields too large',
  unavailable: 'Unavailable',
  'insufficient-storage': 'Insufficient storage',
};

/** Petstore's ApiResponse, for success without a record. */
export function apiResponseText(message: string): string {
  return `{"code":200,"type":"unknown","message":${JSON.stringify(message)}}`;
}

/** A failure in Petstore's shape. */
export function failureText({ message, details }: Failure): string {
  return JSON.stringify({ code: 1, type: 'error', message, errors: details.problems });
}

/** A failure as a problem document (RFC 9457), for clients that prefer it. */
export function problemText({ code, message, details }: Failure): string {
  return JSON.stringify({
    type: 'about:blank',
    title: FAILURE_TITLE[code],
    status: FAILURE_STATUS[code],
    detail: message,
    errors: details.problems,
  });
}

/** The answer to a bug: a fixed sentence, and the id under which the log has the rest. */
export function unexpectedText(requestId: string): string {
  return JSON.stringify({ code: 1, type: 'error', message: unexpectedSentence(requestId) });
}

export function unexpectedProblemText(requestId: string): string {
  return JSON.stringify({
    type: 'about:blank',
    title: 'Internal error',
    status: 500,
    detail: unexpectedSentence(requestId),
  });
}

export function unexpectedSentence(requestId: string): string {
  return `Something went wrong on our side. If it happens again, report it with the request id ${requestId}.`;
}

/** A number as its digits (https://tc39.es/proposal-json-parse-with-source/), which the compiler's library does not know of yet. */
const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => unknown };

/** Any record as JSON; 64-bit integers digit for digit. */
export function recordText(record: unknown): string {
  return JSON.stringify(record, (_key, value: unknown) =>
    typeof value === 'bigint' ? rawJSON(value.toString()) : value,
  );
}

/** An account as it is shown: the fields by name, so that nothing else can slip out. */
export function userText({ id, username, firstName, lastName, email, phone, userStatus }: User): string {
  return `{"id":${id},${JSON.stringify({ username, firstName, lastName, email, phone, userStatus }).slice(1)}`;
}
