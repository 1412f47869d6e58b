import type { Endpoint } from '../../endpoints.ts';
import type { HeaderName } from './headers.ts';
import { mapValues } from './schema-writer.ts';

/** The name (RFC 9110, section 15) and the usual description of each failure. */
export const FAILURES = {
  400: ['BadRequest', 'The request is not valid.'],
  401: ['Unauthorized', 'Missing or invalid credentials.'],
  403: [
    'Forbidden',
    'The account lacks the permission, or the request comes from a page of another site or is for another host.',
  ],
  404: ['NotFound', 'Not found.'],
  406: ['NotAcceptable', 'The operation has none of the media types in `Accept`.'],
  409: [
    'Conflict',
    'With `Retry-After`: the first request with this `Idempotency-Key` is in progress; repeat it then. Without: ' +
      'its response is lost.',
  ],
  412: ['PreconditionFailed', 'The precondition failed: the pet has changed. Nothing was stored.'],
  413: ['ContentTooLarge', 'The body is too large.'],
  415: ['UnsupportedMediaType', 'The media type or the encoding of the body is not supported.'],
  417: ['ExpectationFailed', 'The `Expect` header asks for something other than `100-continue`.'],
  422: ['UnprocessableContent', 'The `Idempotency-Key` was used for another request.'],
  429: ['TooManyRequests', 'Too many requests, or too many connections from one address.'],
  500: ['InternalServerError', 'An unexpected error.'],
  503: [
    'ServiceUnavailable',
    'The service is stopping, or something that it needs is not available. If the message says that the database ' +
      'did not confirm a change, it may have been made.',
  ],
  507: ['InsufficientStorage', 'The storage is full.'],
} as const satisfies Readonly<Record<number, readonly [name: string, description: string]>>;

export type FailureStatus = keyof typeof FAILURES;

/** The failures of every operation: 413 and 415 of all but GET. */
const SHARED_STATUSES = [400, 403, 406, 413, 415, 417, 429, 500, 503] as const satisfies readonly FailureStatus[];

const LIMIT_HEADERS = ['RateLimit-Policy', 'RateLimit'] as const;

/** These failures together, where an operation does not list them. */
export const SHARED_FAILURE = {
  description:
    `Every operation may also return: ${SHARED_STATUSES.map((status) => `${status}: ${FAILURES[status][1]}`).join(' ')} ` +
    'Downloads of photos and files never return 406, and no GET returns 413 or 415.',
  headers: [
    'X-Request-Id',
    'Retry-After',
    ...LIMIT_HEADERS,
    'Idempotency-Replayed',
    'X-Second-Factor',
    'X-Proof-Required',
  ],
} as const;

/** Whether this failure is the same for every operation. */
export function isShared(status: number, description: string): boolean {
  const shared = SHARED_STATUSES.find((candidate) => candidate === status);
  return shared !== undefined && description === FAILURES[shared][1];
}

/** The failures of an operation, by status: its own, and the usual ones. */
export function failureSentences(
  endpoint: Endpoint,
  own: Readonly<Record<number, string>> = {},
): Record<string, string> {
  const sentences = mapValues({ ...usualFailures(endpoint), ...own }, sentenceOf);
  if (endpoint.method === 'POST' && own[409] !== undefined)
    sentences[409] += ' With `Retry-After`: in progress; repeat it.';
  return sentences;
}

function sentenceOf(reason: string): string {
  return reason.endsWith('.') ? reason : `${reason}.`;
}

/**
 * The failures of any such operation, by status. The introduction of the documents has those of every request (408 and
 * 431, and 405 for a method that a path does not have).
 */
function usualFailures({ method, response, permission }: Endpoint): Partial<Record<FailureStatus, string>> {
  const statuses: readonly FailureStatus[] = [
    400,
    ...(permission !== undefined ? ([401] as const) : []),
    403,
    ...(response !== 'photo' && response !== 'file' ? ([406] as const) : []),
    417,
    ...(method === 'POST' ? ([409, 422] as const) : []),
    // A body is rejected even where none is expected.
    ...(method !== 'GET' ? ([413, 415] as const) : []),
    429,
    500,
    503,
  ];
  return Object.fromEntries(statuses.map((status) => [status, FAILURES[status][1]]));
}

export function failureHeaders(status: number): readonly HeaderName[] {
  if (status === 401) return ['WWW-Authenticate', 'X-Second-Factor'];
  if (status === 403) return ['WWW-Authenticate', 'X-Second-Factor', 'X-Proof-Required'];
  if (status === 429) return ['Retry-After', ...LIMIT_HEADERS];
  return status === 409 || status === 503 ? ['Retry-After'] : [];
}
