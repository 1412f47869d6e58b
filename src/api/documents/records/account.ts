import { Type } from 'typebox';
import { ROLES, SCOPES, type Role, type Scope } from '../../../domain/access.ts';
import { int64, time } from './int64.ts';
import { PROFILE_FIELDS } from './user.ts';

/*
 * How accounts, sessions and keys are answered to those whom they belong to, and to administrators.
 */

const exactly = (title: string) => ({ title, additionalProperties: false }) as const;

export const Account = Type.Object(
  {
    ...PROFILE_FIELDS,
    role: Type.Unsafe<Role>({ type: 'string', enum: [...ROLES] }),
    accountId: int64(
      'The id of the account: assigned, unique, and never changed. `by=accountId` and the audit trail use it.',
    ),
  },
  exactly('Account'),
);
export type Account = Type.Static<typeof Account>;

export const Session = Type.Object(
  {
    id: Type.String({ description: 'Its public id, which gives no access.' }),
    createdAt: time('When it began.'),
    lastUsedAt: time('When it was last used, to a few minutes.'),
    expiresAt: time('When it ends by itself.'),
    address: Type.String({ description: 'The IP address that it was begun from.' }),
    userAgent: Type.Optional(Type.String({ description: 'The program that it was begun with, as it calls itself.' })),
    current: Type.Boolean({ description: 'Is it the one that asks?' }),
  },
  exactly('Session'),
);
export type Session = Type.Static<typeof Session>;

const KEY_FIELDS = {
  id: Type.String({ description: 'Its public id, which gives no access.' }),
  name: Type.String(),
  scopes: Type.Unsafe<readonly Scope[]>({ type: 'array', items: { type: 'string', enum: [...SCOPES] } }),
  createdAt: time('When it was made.'),
  expiresAt: time('When it ends by itself.'),
  lastUsedAt: Type.Optional(time('When it was last used, to a few minutes.')),
};

export const Key = Type.Object(KEY_FIELDS, exactly('Key'));
export type Key = Type.Static<typeof Key>;

export const CreatedKey = Type.Object(
  { key: Type.String({ description: 'The key itself, which is shown this once.' }), ...KEY_FIELDS },
  exactly('CreatedKey'),
);
export type CreatedKey = Type.Static<typeof CreatedKey>;

export const ResetLink = Type.Object(
  {
    link: Type.String({ format: 'uri', description: 'Where a new password can be chosen, once.' }),
    token: Type.String({ description: 'What the link has behind the #.' }),
    expiresAt: time('Until when.'),
  },
  exactly('ResetLink'),
);
export type ResetLink = Type.Static<typeof ResetLink>;
