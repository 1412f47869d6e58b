import type { Failure, FailureCode, FieldProblem } from '../../domain/failure.ts';
import type { ApiResponse, ErrorResponse, Problem } from './api-response.ts';
import { recordText } from './record-text.ts';

/*
 * The responses without a record of the service: failures, and a success that is only confirmed.
 */

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

/** The title of each failure, which is the same for every occurrence (RFC 9457, section 3.1.4). */
const FAILURE_TITLE: Readonly<Record<FailureCode, string>> = {
  'invalid-input': 'Invalid input',
  unauthenticated: 'Missing or invalid credentials',
  forbidden: 'Forbidden',
  'not-found': 'Not found',
  'method-not-allowed': 'Method not allowed',
  'not-acceptable': 'Not acceptable',
  'timed-out': 'Request timed out',
  conflict: 'Conflict',
  'precondition-failed': 'Precondition failed',
  'too-large': 'Too large',
  'unsupported-media-type': 'Unsupported media type',
  'unknown-expectation': 'Expectation failed',
  'key-reused': 'Idempotency key reused',
  'too-many-requests': 'Too many requests',
  'headers-too-large': 'Header fields too large',
  unavailable: 'Unavailable',
  'insufficient-storage': 'Insufficient storage',
};

/** Petstore's ApiResponse, for a success without a record. */
export function apiResponseText(message: string): string {
  return recordText<ApiResponse>({ code: 200, type: 'unknown', message });
}

const NO_OAUTH = { error: undefined, error_description: undefined } as const;

/** An error of OAuth 2.0 (RFC 6749, section 5.2), in the same shape. */
export function oauthErrorText(error: string, description: string): string {
  const message = `${description}.`;
  return recordText<ErrorResponse>({
    code: 1,
    type: 'error',
    message,
    errors: undefined,
    error,
    error_description: description,
  });
}

/** A failure in Petstore's shape. */
export function failureText({ message, details }: Failure): string {
  return recordText<ErrorResponse>({ code: 1, type: 'error', message, errors: details.problems, ...NO_OAUTH });
}

/** A failure as a problem document (RFC 9457), for clients that prefer it. */
export function problemText({ code, message, details }: Failure): string {
  return problemOf(FAILURE_TITLE[code], FAILURE_STATUS[code], message, details.problems);
}

/** The response to an unexpected error: a fixed sentence with the request ID, under which the log has the details. */
export function unexpectedText(requestId: string): string {
  const message = unexpectedSentence(requestId);
  return recordText<ErrorResponse>({ code: 1, type: 'error', message, errors: undefined, ...NO_OAUTH });
}

export function unexpectedProblemText(requestId: string): string {
  return problemOf('Internal server error', 500, unexpectedSentence(requestId));
}

function problemOf(title: string, status: number, detail: string, errors?: readonly FieldProblem[]): string {
  return recordText<Problem>({ type: 'about:blank', title, status, detail, errors });
}

export function unexpectedSentence(requestId: string): string {
  return `Internal server error. If it happens again, report it with the request ID ${requestId}.`;
}
