import { foldedText } from '../text.ts';

/**
 * Petstore's values: 1 registered, 2 active, 3 closed. Closed accounts cannot log in. Other values are stored
 * unchanged.
 */
export const USER_STATUS_ACTIVE = 2;
export const USER_STATUS_CLOSED = 3;

/** The fields of a user that clients can choose, except id and password. */
export interface UserProfile {
  username: string;
  firstName?: string | undefined;
  lastName?: string | undefined;
  email?: string | undefined;
  phone?: string | undefined;
  userStatus?: number | undefined;
}

/** A user as responses show it. It has no password field, so that no response can contain one. */
export interface User extends UserProfile {
  /** Chosen by the client: neither unique nor permanent. */
  id: bigint;
}

export interface NewUser extends UserProfile {
  id?: bigint | undefined;
  password?: string | undefined;
}

/** A new profile for an account. Without an id, a name or a password, the account keeps its own. */
export type UserUpdate = Omit<NewUser, 'username'> & { username?: string | undefined };

/** The keys of names that are paths of the service. */
export const RESERVED_USERNAMES: ReadonlySet<string> = new Set([
  'login',
  'logout',
  'createwitharray',
  'createwithlist',
]);

export const USER_LIMITS = {
  usernameLength: 64,
  fieldLength: 255,
  passwordLength: 1024,
  usersPerRequest: 1000,
} as const;

/** The stored form of a user name: NFC, so that names that look the same are equal. */
export function canonicalUsername(username: string): string {
  return username.normalize('NFC');
}

/** Whether a user name is within the maximum length, in code points of its stored form. */
export function isUsernameLength(username: string): boolean {
  return Array.from(canonicalUsername(username)).length <= USER_LIMITS.usernameLength;
}

/** Lower case in NFC. */
export function lowerCaseOf(text: string): string {
  return canonicalUsername(canonicalUsername(text).toLowerCase());
}

/** User names with the same key are the same name. The key is NFKC with Unicode case folding. */
export function usernameKey(username: string): string {
  return foldedText(username);
}

/**
 * The keys under which an account with this name may be stored, in order of preference. Earlier versions did not use
 * NFKC, so two accounts could have names that now have the same key: the older one has the new key, the other keeps its
 * old key, and each is found by its own name.
 */
export function usernameKeys(username: string): readonly string[] {
  return [...new Set([lowerCaseOf(username), usernameKey(username)])];
}

/** The key for an account with this name: its current key if that is valid for the name, otherwise the new key. */
export function keptUsernameKey(username: string, current: string): string {
  return usernameKeys(username).includes(current) ? current : usernameKey(username);
}

export function isOwnName(ownName: string, username: string): boolean {
  return usernameKey(ownName) === usernameKey(username);
}

/** The detail of an audit entry for a link that invites a user. The action is that of reset links. */
export const INVITATION = { invitation: 'true' } as const;
