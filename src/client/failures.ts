import type { FailureCode } from '../domain/failure.ts';
import { FAILURE_STATUS } from '../api/records/response-texts.ts';

export interface FieldProblem {
  /** Location of the field, as a JSON Pointer. */
  path: string;
  message: string;
}

export interface MenagerieErrorDetails {
  status: number;
  message: string;
  errors?: readonly FieldProblem[] | undefined;
  /** Delay before a retry, from the Retry-After header. */
  retryAfterSeconds?: number | undefined;
  requestId?: string | undefined;
  proof?: readonly string[] | undefined;
  secondFactor?: readonly string[] | undefined;
}

/** The service responded with an error. */
export class MenagerieError extends Error {
  override readonly name = 'MenagerieError';
  readonly status: number;
  /** Code of the failure; `unexpected` for other statuses. */
  readonly code: FailureCode | 'not-modified' | 'unexpected';
  /** Invalid fields; empty if the error is not about fields. */
  readonly errors: readonly FieldProblem[];
  readonly retryAfterSeconds: number | undefined;
  /** Identifies the request in the log of the service. */
  readonly requestId: string | undefined;
  /** Factors, of which `proveOwnership` needs one before the request is executed (403). */
  readonly proof: readonly string[] | undefined;
  /** Second factors, of which one is required: to log in (401), or for everything else (403). */
  readonly secondFactor: readonly string[] | undefined;

  constructor(details: MenagerieErrorDetails) {
    const { status, message, errors = [], retryAfterSeconds, requestId, proof, secondFactor } = details;
    super(message);
    this.status = status;
    this.code = status === 304 ? 'not-modified' : (codes.get(status) ?? 'unexpected');
    this.errors = errors;
    this.retryAfterSeconds = retryAfterSeconds;
    this.requestId = requestId;
    this.proof = proof;
    this.secondFactor = secondFactor;
  }
}

/** There was no response, or only a part of one. It is unknown whether the request was executed. */
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

/** Reads an error response. A proxy may have sent it, in another format. */
export async function errorOf(response: Response): Promise<MenagerieError> {
  const body: unknown = await response.json().catch(() => undefined);
  const { message, errors } = (typeof body === 'object' && body !== null ? body : {}) as {
    message?: unknown;
    errors?: readonly FieldProblem[];
  };
  const listIn = (header: string) =>
    response.headers
      .get(header)
      ?.split(', ')
      .filter((name) => name !== '');
  return new MenagerieError({
    status: response.status,
    message: typeof message === 'string' ? message : `The service responded with status ${response.status}.`,
    errors: Array.isArray(errors) ? errors : undefined,
    retryAfterSeconds: retryAfterOf(response),
    requestId: response.headers.get('x-request-id') ?? undefined,
    proof: listIn('x-proof-required'),
    secondFactor: listIn('x-second-factor'),
  });
}

/** The header has seconds or a date (RFC 9110, section 10.2.3). */
function retryAfterOf({ headers }: Response): number | undefined {
  const text = headers.get('retry-after');
  if (text === null) return undefined;
  if (/^\d+$/.test(text)) return Number(text);
  const ms = Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, Math.ceil(ms / 1000));
}
