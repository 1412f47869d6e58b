import { DEFAULT_ROLE, type Role } from '../../../domain/access.ts';
import type { Account } from '../../../domain/accounts/ports.ts';
import { lowerCaseOf, type UserProfile } from '../../../domain/accounts/user.ts';
import { HAS_PASSKEY, IS_LINKED } from '../sign-in/ways-in.ts';
import { statement, type Parameter } from '../statements.ts';

type ProfileField = Exclude<keyof UserProfile, 'username'>;

/** The columns of the profile. A new field of an account is added here, and in no other place of the stores. */
const PROFILE_COLUMNS: Readonly<Record<ProfileField, string>> = {
  firstName: 'first_name',
  lastName: 'last_name',
  email: 'email',
  phone: 'phone',
  userStatus: 'user_status',
};

const PROFILE_FIELDS = Object.keys(PROFILE_COLUMNS) as ProfileField[];

/** The fields of text by which an account is searched, besides the user name. */
const SEARCHED_FIELDS = ['firstName', 'lastName', 'email'] as const;

export const SEARCHED_COLUMNS = ['username', ...SEARCHED_FIELDS.map((field) => PROFILE_COLUMNS[field])];

/** The columns that a change of the profile writes. */
export const WRITTEN_COLUMNS = ['public_id', 'username', 'username_key', ...Object.values(PROFILE_COLUMNS)];

/** A value for each of `WRITTEN_COLUMNS`, and the column `search_keys`, which only PostgreSQL has. */
export function writtenColumns(publicId: bigint, key: string, profile: UserProfile): Parameter[] {
  return [
    publicId,
    profile.username,
    key,
    ...PROFILE_FIELDS.map((field) => profile[field] ?? null),
    searchKeysOf(profile),
  ];
}

export type AccountRow = [
  id: bigint,
  publicId: bigint,
  username: string,
  usernameKey: string,
  role: Role,
  passwordHash: string | null,
  /** A number on SQLite. */
  isLinked: boolean | bigint,
  hasPasskey: boolean | bigint,
  ...profile: (string | bigint | null)[],
];

export const ACCOUNT_COLUMNS = [
  `id, public_id, username, username_key, role, password_hash, ${IS_LINKED}, ${HAS_PASSKEY}`,
]
  .concat(Object.values(PROFILE_COLUMNS))
  .join(', ');

/** The position of the key of the name in an `AccountRow`. */
export const KEY_INDEX = 3;

export function toAccount(row: AccountRow): Account {
  const [id, publicId, username, , role, passwordHash, isLinked, hasPasskey, ...profile] = row;
  const fields = PROFILE_FIELDS.map((field, index) => [field, toField(profile[index])]);
  const user = { id: publicId, username, ...(Object.fromEntries(fields) as Pick<UserProfile, ProfileField>) };
  return {
    id,
    user,
    role,
    passwordHash: passwordHash ?? undefined,
    isLinked: Boolean(isLinked),
    hasPasskey: Boolean(hasPasskey),
  };
}

function toField(value: string | bigint | null | undefined): string | number | undefined {
  return typeof value === 'bigint' ? Number(value) : (value ?? undefined);
}

/** The first condition is that of the index `account_staff` of SQLite, which the second one searches. */
export const IS_STAFF = `role <> '${DEFAULT_ROLE}' and role > ''`;

/** Stores the digest of a reset link, which replaces an earlier one of the account. */
export const addReset = statement(
  `insert into password_reset (account_id, digest, expires_at_ms) values ($1, $2, $3)
   on conflict (account_id) do update set digest = excluded.digest, expires_at_ms = excluded.expires_at_ms`,
);

export const forgetResets = statement('delete from password_reset where account_id = $1');

/** The texts by which an account is searched. */
export function searchKeysOf(profile: Pick<UserProfile, 'username' | (typeof SEARCHED_FIELDS)[number]>): string[] {
  const texts = [profile.username, ...SEARCHED_FIELDS.map((field) => profile[field])];
  return texts.filter((text) => text !== undefined).map(searchKey);
}

/**
 * The text by which accounts are searched: independent of case, and of the form of a Greek sigma, which depends on its
 * position in the word.
 */
export function searchKey(text: string): string {
  return lowerCaseOf(text).replaceAll('ς', 'σ');
}
