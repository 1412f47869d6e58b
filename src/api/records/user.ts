import { Type } from 'typebox';
import { USER_LIMITS, type User as DomainUser } from '../../domain/accounts/user.ts';
import { USERNAME_RULES } from '../../domain/accounts/username-rules.ts';
import { recordText, type Written } from '../answers.ts';
import { absent, allOfPatterns, exactly, int32, int64, PLAIN_TEXT, SentInt64, text } from './fields.ts';

/*
 * An account in the operations of Petstore. A password is only sent by clients, never answered.
 */

export const PROFILE_FIELDS = {
  id: int64('Chosen by the client, or assigned. Several users may have the same id, and it can be changed.'),
  username: Type.String({ minLength: 1 }),
  firstName: Type.Optional(Type.String()),
  lastName: Type.Optional(Type.String()),
  email: Type.Optional(Type.String()),
  phone: Type.Optional(Type.String()),
  userStatus: Type.Optional(int32('1 registered, 2 active, 3 closed.')),
};

export const User = Type.Object(PROFILE_FIELDS, { ...exactly('User'), xml: { name: 'User' } });
export type User = Type.Static<typeof User>;

export function userText(user: DomainUser): string {
  return recordText<User>(profileOf(user));
}

/** The fields by name, so that nothing else is disclosed. */
export function profileOf({ id, username, firstName, lastName, email, phone, userStatus }: DomainUser): Written<User> {
  return { id, username, firstName, lastName, email, phone, userStatus };
}

const { usernameLength, fieldLength, passwordLength, usersAtOnce } = USER_LIMITS;

/**
 * The most that a user name may have before it is put into NFC, where several characters may become one; its length is checked after.
 */
const RAW_USERNAME_LENGTH = 4 * usernameLength;

/** The name of an account, old ones included: `domain/accounts/username-rules.ts` says what a new one may be. */
export const SentUsername = Type.Unsafe<string>({
  type: 'string',
  minLength: 1,
  maxLength: RAW_USERNAME_LENGTH,
  pattern: allOfPatterns(PLAIN_TEXT, String.raw`^[^/\u0000-\u001F\u007F-\u009F\u2028\u2029]*$`),
  message: USERNAME_RULES.malformed,
});

/** The message for an int32 that is malformed or out of range. */
export const INT32_RULE = 'must be a whole number of 32 bits, or a string of its digits';

/** An int32 as clients send it: a number, or a string of digits as for ids. */
const SentInt32 = Type.Unsafe<number | string>({
  anyOf: [
    { type: 'integer', format: 'int32', minimum: -(2 ** 31), maximum: 2 ** 31 - 1 },
    { type: 'string', pattern: '^-?[0-9]{1,10}$' },
  ],
  message: INT32_RULE,
});

const id = absent(SentInt64);

const profile = {
  firstName: absent(text(fieldLength)),
  lastName: absent(text(fieldLength)),
  email: absent(text(fieldLength)),
  password: absent(text(passwordLength)),
  phone: absent(text(fieldLength)),
  userStatus: absent(SentInt32),
};

/** An account as a client sends it to create it. */
export const SentUser = Type.Object(
  { id, username: SentUsername, ...profile },
  { title: 'SentUser', message: 'must be a JSON object' },
);

export type SentUser = Type.Static<typeof SentUser>;

/** An account as a client sends it to replace its profile: without a name, it keeps the one that it has. */
export const SentUserUpdate = Type.Object(
  { id, username: absent(SentUsername), ...profile },
  { title: 'SentUserUpdate', message: 'must be a JSON object' },
);

export type SentUserUpdate = Type.Static<typeof SentUserUpdate>;

export const SentUsers = Type.Array(SentUser, {
  maxItems: usersAtOnce,
  message: `must be a JSON array of at most ${usersAtOnce} users`,
});

export type SentUsers = Type.Static<typeof SentUsers>;

/** The body of `POST user/login`. */
export const SentCredentials = Type.Object(
  { username: text(fieldLength), password: text(passwordLength) },
  { title: 'SentCredentials', message: 'must be a JSON object' },
);

export type SentCredentials = Type.Static<typeof SentCredentials>;
