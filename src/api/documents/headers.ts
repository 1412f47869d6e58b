import { Type, type TSchema } from 'typebox';

/** The headers of answers that clients have a use for. */
export const HEADERS = {
  ETag: Type.String({
    pattern: String.raw`^(?:W/)?"[\x21\x23-\x7e]*"$`,
    description: 'The entity tag of what is answered.',
  }),
  Link: Type.String({
    pattern: '^<[^<>]+>; rel="next"$',
    description: 'Where the next page is (RFC 8288). Absent on the last page, and where no page was asked for.',
  }),
  Deprecation: Type.String({ pattern: '^@[0-9]+$', description: 'Since when the operation is deprecated (RFC 9745).' }),
  'Menagerie-Missing-Pictures': Type.Unsafe<number>({
    type: 'integer',
    format: 'int32',
    minimum: 0,
    description: 'So many pictures that the version had are gone by now, and left out.',
  }),
  'Cache-Control': Type.String({ minLength: 1, description: 'How long the answer may be kept, and by whom.' }),
  'Set-Cookie': Type.String({ minLength: 1, description: 'The session, for browsers.' }),
  'X-Expires-After': Type.String({ format: 'date-time', description: 'When the session ends.' }),
  'X-Rate-Limit': Type.Unsafe<number>({
    type: 'integer',
    format: 'int32',
    minimum: 0,
    description: 'How many requests an hour the session may make.',
  }),
  'Retry-After': Type.Unsafe<number>({
    type: 'integer',
    format: 'int32',
    minimum: 0,
    description: 'When it makes sense to try again, in seconds.',
  }),
  'Idempotency-Replayed': Type.Unsafe<'true'>({
    type: 'string',
    enum: ['true'],
    description: 'The request was carried out before: this is what was answered then.',
  }),
  'WWW-Authenticate': Type.String({ minLength: 1, description: 'How to say who is asking.' }),
  'X-Request-Id': Type.String({ minLength: 1, description: 'The id under which the log has the request.' }),
} as const satisfies Record<string, TSchema>;

export type HeaderName = keyof typeof HEADERS;
