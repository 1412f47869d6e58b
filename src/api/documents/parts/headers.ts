import type { TSchema } from 'typebox';
import * as Type from '../../records/type.ts';

/** The response headers for clients. */
export const HEADERS = {
  ETag: Type.String({
    pattern: String.raw`^(?:W/)?"[\x21\x23-\x7e]*"$`,
    description: 'The entity tag of the record.',
  }),
  Link: Type.String({
    pattern: '^<[^<>]+>; rel="next"$',
    description: 'The URL of the next page (RFC 8288). Absent on the last page, and if no page was requested.',
  }),
  Deprecation: Type.String({
    pattern: '^@[0-9]+$',
    description: 'The time since which the operation is deprecated (RFC 9745).',
  }),
  'Menagerie-Missing-Photos': Type.Unsafe<number>({
    type: 'integer',
    format: 'int32',
    minimum: 0,
    description: 'The number of photos of this version that are left out because they have been deleted.',
  }),
  'Cache-Control': Type.String({ minLength: 1, description: 'Whether and how long the response may be cached.' }),
  'Content-Disposition': Type.String({ minLength: 1, description: 'The file name for a download.' }),
  'Set-Cookie': Type.String({ minLength: 1, description: 'The session cookie for browsers.' }),
  'X-Second-Factor': Type.String({
    minLength: 1,
    description: 'The second factors with which the login can be completed: `totp, recovery-code, passkey`.',
  }),
  'X-Proof-Required': Type.String({
    minLength: 1,
    description:
      'The factors of which `proveOwnership` needs one: `password, totp, recovery-code, passkey`. With `provider`, a ' +
      'new login at a linked provider does the same.',
  }),
  'X-Expires-After': Type.String({ format: 'date-time', description: 'The time at which the session expires.' }),
  'X-Rate-Limit': Type.Unsafe<number>({
    type: 'integer',
    format: 'int32',
    minimum: 0,
    description: 'The maximum number of requests per hour in this session.',
  }),
  'Retry-After': Type.Unsafe<number>({
    type: 'integer',
    format: 'int32',
    minimum: 0,
    description: 'The number of seconds to wait before a retry.',
  }),
  'RateLimit-Policy': Type.String({
    minLength: 1,
    description:
      'The limit that the client has exceeded, or that applies to it, such as `"attempts";q=10;w=86400`: ten ' +
      'requests in a day (draft-ietf-httpapi-ratelimit-headers).',
  }),
  RateLimit: Type.String({
    minLength: 1,
    description:
      'What is left of that limit, and the seconds until there is more: `"attempts";r=0;t=4`. `Retry-After` is never ' +
      'earlier.',
  }),
  'Menagerie-Provider-Logout': Type.String({
    format: 'uri',
    description: 'For a session that began at a provider: the page that ends the session there.',
  }),
  'Idempotency-Replayed': Type.Unsafe<'true'>({
    type: 'string',
    enum: ['true'],
    description: 'This is the response to an earlier request with the same `Idempotency-Key`.',
  }),
  'WWW-Authenticate': Type.String({
    minLength: 1,
    description: 'The authentication scheme, and the scope that an access token lacks.',
  }),
  'X-Request-Id': Type.String({ minLength: 1, description: 'The request ID, which is also in the log.' }),
} as const satisfies Record<string, TSchema>;

export type HeaderName = keyof typeof HEADERS;
