import { Type } from 'typebox';
import { ROLES } from '../../domain/access.ts';
import { AUDIT_OUTCOMES } from '../../domain/audit.ts';
import { NAMED_BY } from '../admin-queries.ts';
import { PET_STATUSES, type PetStatus } from '../../domain/pets/pet.ts';
import { PHOTO_FORMATS, PHOTO_SIZES, type PhotoFormat, type PhotoSize } from '../../domain/photos/photo.ts';
import { int64 } from '../records/fields.ts';

/*
 * What stands in paths, queries and headers. A parameter that means the same in several operations is described once.
 */

const text = (description: string) => Type.String({ minLength: 1, description });

export const PET_ID = { petId: int64('The id of the pet.') };
export const PET_VERSION = { ...PET_ID, version: int64('A version of the pet, as its history tells it.') };
export const USERNAME = { username: text('The user name of the account, without regard to case.') };
export const NAMED_USER = {
  username: text('The user name of the account, without regard to case; with `by=accountId`, its `accountId`.'),
};
export const NAMED_BY_PARAMETER = {
  by: Type.Optional(
    Type.Unsafe<(typeof NAMED_BY)[number]>({
      type: 'string',
      enum: [...NAMED_BY],
      default: 'name',
      description: 'Whether the path has the user name or the `accountId`: no address can say the names `.` and `..`.',
    }),
  ),
};
export const SESSION_ID = { sessionId: text('The public id of the session.') };
export const KEY_ID = { keyId: text('The public id of the key.') };

export const DIGEST = {
  digest: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'The SHA-256 of the picture, in hexadecimal.' }),
};

export const SIZE = {
  size: Type.Unsafe<PhotoSize>({
    type: 'string',
    enum: Object.keys(PHOTO_SIZES),
    description: `The longer side has at most so many pixels: ${Object.entries(PHOTO_SIZES)
      .map(([name, pixels]) => `${name} ${pixels}`)
      .join(', ')}.`,
  }),
};

export const FORMAT = {
  format: Type.Optional(
    Type.Unsafe<PhotoFormat>({
      type: 'string',
      enum: [...PHOTO_FORMATS],
      description: 'What the picture is to be sent as, whatever `Accept` says.',
    }),
  ),
};

export const STATUSES = {
  status: Type.Unsafe<readonly PetStatus[]>({
    type: 'array',
    minItems: 1,
    items: { type: 'string', enum: [...PET_STATUSES] },
    description:
      'The statuses of which a pet has one. For several, the parameter is repeated, or has commas between them.',
  }),
};

export const TAG_NAMES = {
  tags: Type.Unsafe<readonly string[]>({
    type: 'array',
    minItems: 1,
    items: { type: 'string', minLength: 1 },
    description:
      'The names of tags of which a pet has at least one. For several, the parameter is repeated, or has commas between them: a name with a comma in it cannot be asked for.',
  }),
};

/** Lists in pages. */
export const PAGE = {
  limit: Type.Optional(
    Type.Unsafe<number>({
      type: 'integer',
      format: 'int32',
      minimum: 1,
      maximum: 1000,
      description:
        'How many a page has at most. Where records are long, it has fewer: `Link` tells whether there is a next page, not the number.',
    }),
  ),
  cursor: Type.Optional(text('Where the page begins: from the `Link` of the page before.')),
};

/** A change holds only for a pet that is still as the client knows it. */
export const IF_MATCH = {
  'If-Match': Type.Optional(
    text('Entity tags, or `*`. The change is made only if the pet has one of them, or is there at all.'),
  ),
};

export const IF_NONE_MATCH = {
  'If-None-Match': Type.Optional(
    text('Entity tags that the client has. If one of them is the newest, the answer is 304.'),
  ),
};

export const IF_ABSENT = {
  'If-None-Match': Type.Optional(text('`*`: the pet is stored only if there is none with its id.')),
};

/** Of every operation that is a POST. */
export const IDEMPOTENCY_KEY = {
  'Idempotency-Key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 257,
      description:
        'A new one for each request, best a random UUID, and the same one to repeat it: within 24 hours the request is carried out once, and answered the same again. It should be random: what is kept of the request is sealed with it. For operations about accounts, keys, sessions and webhooks it must have at least 22 characters.',
    }),
  ),
};

export const CREDENTIALS = {
  username: Type.String({ description: 'The user name.' }),
  password: Type.Unsafe<string>({ type: 'string', format: 'password', description: 'The password, in clear text.' }),
};

export const USER_FILTER = {
  text: Type.Optional(text('What the user name, the names, the e-mail address or the phone number has in it.')),
  role: Type.Optional(
    Type.Unsafe<(typeof ROLES)[number]>({ type: 'string', enum: [...ROLES], description: 'The role of the account.' }),
  ),
  userStatus: Type.Optional(
    Type.Unsafe<number>({ type: 'integer', format: 'int32', description: '1 registered, 2 active, 3 closed.' }),
  ),
};

export const AUDIT_FILTER = {
  action: Type.Optional(text('What was done, such as `pet.added`, or its part before the dot.')),
  outcome: Type.Optional(
    Type.Unsafe<(typeof AUDIT_OUTCOMES)[number]>({
      type: 'string',
      enum: [...AUDIT_OUTCOMES],
      description: 'How it ended.',
    }),
  ),
  actor: Type.Optional(text('Who did it: a user name, or a name that they had.')),
  kind: Type.Optional(
    Type.Unsafe<'pet' | 'account' | 'key' | 'webhook'>({
      type: 'string',
      enum: ['pet', 'account', 'key', 'webhook'],
      description: 'What kind of thing it was done to.',
    }),
  ),
  subject: Type.Optional(text('What it was done to: the id of a pet, an account or a key, or a name.')),
  since: Type.Optional(text('Not before: a time such as 2026-01-31T12:00:00Z, or a day such as 2026-01-31.')),
  until: Type.Optional(text('Before this time, in the same form: a day stands for its beginning.')),
};
