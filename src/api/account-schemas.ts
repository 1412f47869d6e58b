import { Type } from 'typebox';
import { ROLES, SCOPES, type Role, type Scope } from '../domain/access.ts';
import { KEY_LIMITS } from '../domain/accounts/api-key.ts';
import { USER_LIMITS } from '../domain/accounts/user.ts';
import { absent, allOfPatterns, PLAIN_TEXT, text } from './pet-schemas.ts';

/*
 * What the owner of an account and administrators send.
 */

const object = (title: string) => ({ title, message: 'must be a JSON object' });

const password = text(USER_LIMITS.passwordLength);

export const SentPasswordChange = Type.Object(
  {
    oldPassword: password,
    newPassword: password,
    revokeKeys: absent(Type.Unsafe<boolean>({ type: 'boolean', message: 'must be true or false' })),
  },
  object('SentPasswordChange'),
);

export type SentPasswordChange = Type.Static<typeof SentPasswordChange>;

export const SentPasswordReset = Type.Object(
  { token: text(USER_LIMITS.fieldLength), newPassword: password },
  object('SentPasswordReset'),
);

export type SentPasswordReset = Type.Static<typeof SentPasswordReset>;

const { nameLength, maxLifetimeDays } = KEY_LIMITS;

export const SentKey = Type.Object(
  {
    name: Type.Unsafe<string>({
      type: 'string',
      minLength: 1,
      maxLength: nameLength,
      pattern: allOfPatterns(PLAIN_TEXT, String.raw`^[^\u0000-\u001F\u007F-\u009F\u2028\u2029]*$`, String.raw`\S`),
      message: `must be a string of 1 to ${nameLength} characters that says what the key is for`,
    }),
    scopes: Type.Unsafe<readonly Scope[]>({
      type: 'array',
      minItems: 1,
      uniqueItems: true,
      items: { enum: SCOPES, message: `must be one of ${SCOPES.join(', ')}` },
      message: `must be a list with one or more of ${SCOPES.join(', ')}, each once`,
    }),
    expiresInDays: absent(
      Type.Unsafe<number>({
        type: 'integer',
        minimum: 1,
        maximum: maxLifetimeDays,
        message: `must be a whole number of days from 1 to ${maxLifetimeDays}`,
      }),
    ),
    password: absent(password),
  },
  object('SentKey'),
);

export type SentKey = Type.Static<typeof SentKey>;

export const SentRole = Type.Object(
  { role: Type.Unsafe<Role>({ enum: ROLES, message: `must be one of ${ROLES.join(', ')}` }) },
  object('SentRole'),
);

export type SentRole = Type.Static<typeof SentRole>;
