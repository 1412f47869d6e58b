import { ROLES } from '../../../domain/access.ts';
import { AUDIT_OUTCOMES, SUBJECT_KINDS } from '../../../domain/audit.ts';
import { DEFAULT_LOG_ENTRIES, LOG_ENTRY_LEVELS, MAX_LOG_ENTRIES, type LogEntryLevel } from '../../../domain/log.ts';
import { NAMED_BY } from '../../queries/admin-queries.ts';
import { PET_STATUSES, type PetStatus } from '../../../domain/pets/pet.ts';
import { PHOTO_FORMATS, PHOTO_SIZES, type PhotoFormat, type PhotoSize } from '../../../domain/photos/photo.ts';
import { int64 } from '../../records/fields.ts';
import * as Type from '../../records/type.ts';

/* Parameters in paths, queries and headers that several operations share. */

const text = (description: string) => Type.String({ minLength: 1, description });

export const PET_ID = { petId: int64('The ID of the pet.') };
export const PET_VERSION = { ...PET_ID, version: int64('A version of the pet, from its history.') };
export const USERNAME = { username: text('The user name, case-insensitive.') };
export const NAMED_USER = {
  username: text('The user name, case-insensitive. With `by=accountId`, the `accountId`.'),
};
export const NAMED_BY_PARAMETER = {
  by: Type.Optional(
    Type.Unsafe<(typeof NAMED_BY)[number]>({
      type: 'string',
      enum: [...NAMED_BY],
      default: 'name',
      description:
        'Whether the path contains the user name or the `accountId`. The user names `.` and `..` are not ' +
        'possible in a path.',
    }),
  ),
};
export const SESSION_ID = { sessionId: text('The public ID of the session.') };
export const LOGIN_ID = { loginId: text('The ID of the login at a provider.') };
export const MAIL_ID = { mailId: text('The ID of the message.') };
export const PASSKEY_ID = { passkeyId: text('The public ID of the passkey.') };
export const KEY_ID = { keyId: text('The public ID of the API key.') };

export const DIGEST = {
  digest: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'The SHA-256 digest of the photo, in hexadecimal.' }),
};

export const SIZE = {
  size: Type.Unsafe<PhotoSize>({
    type: 'string',
    enum: Object.keys(PHOTO_SIZES),
    description: `Maximum length of the longer side in pixels: ${Object.entries(PHOTO_SIZES)
      .map(([name, pixels]) => `${name} ${pixels}`)
      .join(', ')}.`,
  }),
};

export const FORMAT = {
  format: Type.Optional(
    Type.Unsafe<PhotoFormat>({
      type: 'string',
      enum: [...PHOTO_FORMATS],
      description: 'The format of the photo. Overrides `Accept`.',
    }),
  ),
};

export const EXPORT_FORMAT = {
  format: Type.Optional(
    Type.Unsafe<'ndjson' | 'csv'>({
      type: 'string',
      enum: ['ndjson', 'csv'],
      default: 'ndjson',
      description: 'The format of the file.',
    }),
  ),
};

/** The parameter in the URLs of photos that feeds contain. */
export const CONTENT_KEY = {
  v: Type.Optional(Type.String({ description: 'Ignored. Feeds have it, because sites read a URL once only.' })),
};

export const STATUSES = {
  status: Type.Unsafe<readonly PetStatus[]>({
    type: 'array',
    minItems: 1,
    items: { type: 'string', enum: [...PET_STATUSES] },
    description:
      'One or more statuses; a pet matches any of them. Repeat the parameter or separate the statuses by commas.',
  }),
};

/** The parameters of paged lists. */
export const PAGE = {
  limit: Type.Optional(
    Type.Unsafe<number>({
      type: 'integer',
      format: 'int32',
      minimum: 1,
      maximum: 1000,
      description:
        'The maximum number of records on a page. A page of long records may have fewer; only `Link` shows ' +
        'whether there is a next page.',
    }),
  ),
  cursor: Type.Optional(text('The position of the page, from the `Link` header of the previous page.')),
};

export const IF_MATCH = {
  'If-Match': Type.Optional(
    text('Entity tags, or `*` for any. The request fails with 412 if the record has none of them.'),
  ),
};

export const IF_NONE_MATCH = {
  'If-None-Match': Type.Optional(
    text('Entity tags that the client has cached. If one of them is current, the response is 304.'),
  ),
};

export const IF_ABSENT = {
  'If-None-Match': Type.Optional(text('`*`: the request fails with 412 if a pet with this ID exists.')),
};

/** A header of every POST operation. */
export const IDEMPOTENCY_KEY = {
  'Idempotency-Key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 257,
      description:
        'A unique key for the request. Within 24 hours, a request with the same key is executed once, and a ' +
        'retry receives the same response. After a 409 with `Retry-After`, repeat it with the same key. Use a ' +
        'random UUID: the stored response is encrypted with the key. Operations on users, API keys and sessions, ' +
        'and of the administration, require at least 22 characters.',
    }),
  ),
};

export const CREDENTIALS = {
  username: Type.String({ description: 'The user name.' }),
  password: Type.Unsafe<string>({ type: 'string', format: 'password', description: 'The password.' }),
};

export const USER_FILTER = {
  text: Type.Optional(text('A part of the user name, the first or last name, the e-mail address or the phone number.')),
  role: Type.Optional(
    Type.Unsafe<(typeof ROLES)[number]>({ type: 'string', enum: [...ROLES], description: 'The role of the user.' }),
  ),
  userStatus: Type.Optional(
    Type.Unsafe<number>({ type: 'integer', format: 'int32', description: '1: registered, 2: active, 3: closed.' }),
  ),
};

export const LABEL_FILTER = {
  text: Type.Optional(text('Words or beginnings of words. Each must occur in the name; case and accents are ignored.')),
};

export const LOG_FILTER = {
  level: Type.Optional(
    Type.Unsafe<LogEntryLevel>({
      type: 'string',
      enum: [...LOG_ENTRY_LEVELS],
      description: 'The least severe level.',
    }),
  ),
  text: Type.Optional(text('A text in any field of an entry, case-insensitive.')),
  limit: Type.Optional(
    Type.Unsafe<number>({
      type: 'integer',
      format: 'int32',
      minimum: 1,
      maximum: MAX_LOG_ENTRIES,
      default: DEFAULT_LOG_ENTRIES,
      description: 'The maximum number of entries.',
    }),
  ),
};

export const AUDIT_FILTER = {
  action: Type.Optional(text('An action such as `pet.added`, or its part before the dot.')),
  outcome: Type.Optional(
    Type.Unsafe<(typeof AUDIT_OUTCOMES)[number]>({
      type: 'string',
      enum: [...AUDIT_OUTCOMES],
      description: 'The outcome of the action.',
    }),
  ),
  actor: Type.Optional(text('The current or an earlier name of the user who performed the action.')),
  kind: Type.Optional(
    Type.Unsafe<(typeof SUBJECT_KINDS)[number]>({
      type: 'string',
      enum: [...SUBJECT_KINDS],
      description: 'The kind of the subject.',
    }),
  ),
  subject: Type.Optional(
    text('The subject of the action: the ID of a pet, a user, an API key or a backup, or a name.'),
  ),
  since: Type.Optional(text('The earliest time, such as 2026-01-31T12:00:00Z, or a day such as 2026-01-31.')),
  until: Type.Optional(text('The end of the period, exclusive, in the same format. A day stands for its beginning.')),
};
