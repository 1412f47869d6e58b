import type { Endpoint } from '../endpoints.ts';
import type { HeaderName } from './headers.ts';

/**
 * What may be refused of any such operation, whatever it does: by status, the sentence that the documents have for it. What goes for every request
 * (408 and 431, and 405 for a method that a path does not know) stands in the introduction of the documents.
 */
export function usualFailures({ method, body, changes, answer, needs }: Endpoint): Readonly<Record<number, string>> {
  return {
    400: 'The request is not valid',
    ...(needs !== undefined && { 401: 'Nobody has said who is asking, or what was shown is no good any more' }),
    403: refusal(needs !== undefined, changes, method),
    ...(answer !== 'picture' && { 406: 'The client takes nothing of what the operation answers' }),
    417: 'The `Expect` header asks for something other than `100-continue`',
    ...(method === 'POST' && {
      409: 'The first request with this `Idempotency-Key` is under way, or was carried out and its answer cannot be told again',
      422: 'The `Idempotency-Key` was used for another request',
    }),
    // Whatever operation it is for: a body is looked at as soon as there is one.
    ...(method !== 'GET' && {
      413: 'The body is too large',
      415:
        body === 'none' ? 'The Content-Type is no media type' : 'The body is of another type, or in another encoding',
    }),
    429: 'Too many requests, or too many connections from one address',
    500: 'Something went wrong on our side',
    503: `Something that the service needs is out of reach, or the service is stopping${changes ? '. The change may have been made if the message says that the database did not confirm it' : ''}`,
  };
}

function refusal(needsRight: boolean, changes: boolean, method: Endpoint['method']): string {
  return [
    ...(needsRight ? ['Whoever asks may not do this'] : []),
    ...(changes ? ['a page of another site may not do this'] : []),
    ...(changes && method === 'GET' ? ['neither may a link, a form or an address typed into a browser'] : []),
    'in open access, the host must be this machine',
  ]
    .join('; ')
    .replace(/^./, (first) => first.toUpperCase());
}

/** What comes with a failure of this status. */
export function failureHeaders(status: number): readonly HeaderName[] {
  if (status === 401) return ['WWW-Authenticate'];
  return status === 409 || status === 429 || status === 503 ? ['Retry-After'] : [];
}
