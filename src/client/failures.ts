import type { FailureCode } from '../domain/failure.ts';
import { FAILURE_STATUS } from '../api/answers.ts';

export interface FieldProblem {
  /** Where it is, as a JSON Pointer. */
  path: string;
  message: string;
}

export interface MenagerieErrorDetails {
  status: number;
  message: string;
  errors?: readonly FieldProblem[] | undefined;
  /** When it makes sense to try again. */
  retryAfterSeconds?: number | undefined;
  requestId?: string | undefined;
}

/** The service has answered, and it was no success. */
export class MenagerieError extends Error {
  override readonly name = 'MenagerieError';
  readonly status: number;
  /** What went wrong, for programs; `unexpected` where it was not foreseen. */
  readonly code: FailureCode | 'not-modified' | 'unexpected';
  /** The fields that are wrong, if it is about fields. */
  readonly errors: readonly FieldProblem[];
  readonly retryAfterSeconds: number | undefined;
  /** Under which the service's log has the request. */
  readonly requestId: string | undefined;

  constructor({ status, message, errors = [], retryAfterSeconds, requestId }: MenagerieErrorDetails) {
    super(message);
    this.status = status;
    this.code = status === 304 ? 'not-modified' : (codes.get(status) ?? 'unexpected');
    this.errors = errors;
    this.retryAfterSeconds = retryAfterSeconds;
    this.requestId = requestId;
  }
}

/** The service has not answered, or not to the end: whether it did what it was asked to, nobody knows. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';
  readonly isTimeout: boolean;

  constructor(message: string, { cause, isTimeout = false }: { cause?: unknown; isTimeout?: boolean } = {}) {
    super(message, { cause });
    this.isTimeout = isTimeout;
  }
}

const codes = new Map(
  Object.entries(FAILURE_STATUS)
    .toReversed()
    .map(([code, status]) => [status, code as FailureCode]),
);

/** What an answer that is no success tells of it, whoever gave it: a proxy in between has words of its own. */
export async function errorOf(response: Response): Promise<MenagerieError> {
  const told = await response.json().catch(() => undefined);
  const { message, errors } = (typeof told === 'object' && told !== null ? told : {}) as {
    message?: unknown;
    errors?: readonly FieldProblem[];
  };
  return new MenagerieError({
    status: response.status,
    message: typeof message === 'string' ? message : `The service answered ${response.status}.`,
    errors: Array.isArray(errors) ? errors : undefined,
    retryAfterSeconds: retryAfterOf(response),
    requestId: response.headers.get('x-request-id') ?? undefined,
  });
}

/** In seconds, or as a date (RFC 9110, section 10.2.3). */
function retryAfterOf({ headers }: Response): number | undefined {
  const text = headers.get('retry-after');
  if (text === null) return undefined;
  if (/^\d+$/.test(text)) return Number(text);
  const ms = Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, Math.ceil(ms / 1000));
}
