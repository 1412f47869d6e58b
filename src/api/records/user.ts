import { USER_LIMITS, type User as DomainUser } from '../../domain/accounts/user.ts';
import { USERNAME_RULES } from '../../domain/accounts/username-rules.ts';
import { recordText, type Written } from './record-text.ts';
import * as Type from './type.ts';
import { absent, allOfPatterns, exactly, int32, int64, PLAIN_TEXT, SentInt64, text, tolerantly } from './fields.ts';

/*
 * A user in the operations of Petstore. Only requests contain the password.
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

/** The fields are listed, so that no other field is disclosed. */
export function profileOf({ id, username, firstName, lastName, email, phone, userStatus }: DomainUser): Written<User> {
  return { id, username, firstName, lastName, email, phone, userStatus };
}

const { usernameLength, fieldLength, passwordLength, usersPerRequest } = USER_LIMITS;

/**
 * The maximum length of a user name before its normalization to NFC, which may combine characters. Its length is
 * checked after it.
 */
const RAW_USERNAME_LENGTH = 4 * usernameLength;

/** A user name, including those from before the rules for new names in `domain/accounts/username-rules.ts`. */
export const SentUsername = Type.Unsafe<string>({
  type: 'string',
  minLength: 1,
  maxLength: RAW_USERNAME_LENGTH,
  pattern: allOfPatterns(PLAIN_TEXT, String.raw`^[^/\u0000-\u001F\u007F-\u009F\u2028\u2029]*$`),
  message: USERNAME_RULES.malformed,
});

/** The message for an int32 that is malformed or out of range. */
export const INT32_RULE = 'must be a 32-bit integer, or a string of its digits';

/** A 32-bit integer in a request: a number, or a string of digits as for IDs. */
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

/** The body of `createUser`. */
export const SentUser = Type.Object(
  { id, username: SentUsername, ...profile },
  tolerantly('SentUser', 'must be a JSON object'),
);

export type SentUser = Type.Static<typeof SentUser>;

/** The body of `updateUser`. Without a user name, the user keeps the current one. */
export const SentUserUpdate = Type.Object(
  { id, username: absent(SentUsername), ...profile },
  tolerantly('SentUserUpdate', 'must be a JSON object'),
);

export type SentUserUpdate = Type.Static<typeof SentUserUpdate>;

export const SentUsers = Type.Array(SentUser, {
  maxItems: usersPerRequest,
  message: `must be a JSON array of at most ${usersPerRequest} users`,
});

export type SentUsers = Type.Static<typeof SentUsers>;

/** The body of `loginUserWithBody`. */
export const SentCredentials = Type.Object(
  { username: text(fieldLength), password: text(passwordLength) },
  tolerantly('SentCredentials', 'must be a JSON object'),
);

export type SentCredentials = Type.Static<typeof SentCredentials>;
