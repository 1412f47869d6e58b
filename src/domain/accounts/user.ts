/** 1 registered, 2 active, 3 closed: who is closed cannot log in. Other numbers are kept as they come, as Petstore does. */
export const USER_STATUS_ACTIVE = 2;
export const USER_STATUS_CLOSED = 3;

/** What an account says of itself. Absent stays absent. */
export interface UserProfile {
  username: string;
  firstName?: string | undefined;
  lastName?: string | undefined;
  email?: string | undefined;
  phone?: string | undefined;
  userStatus?: number | undefined;
}

/** An account as it is shown: it has no password field, so none can slip out. */
export interface User extends UserProfile {
  id: bigint;
}

/** An account as a client sends it. */
export interface NewUser extends UserProfile {
  id?: bigint | undefined;
  password?: string | undefined;
}

/** A new profile for an account: without a name, it keeps the one that it has; without a password, too. */
export type UserUpdate = Omit<NewUser, 'id' | 'username'> & { username?: string | undefined };

/** Names that are paths of the service. */
export const RESERVED_USERNAMES: ReadonlySet<string> = new Set([
  'login',
  'logout',
  'createwitharray',
  'createwithlist',
]);

export const USER_LIMITS = { usernameLength: 64, fieldLength: 255, passwordLength: 1024, usersAtOnce: 1000 } as const;

/** The form in which a user name is kept: NFC, so that what looks the same is the same. */
export function canonicalUsername(username: string): string {
  return username.normalize('NFC');
}

/** Is it no longer than a user name may be? Counted in code points of its NFC form, in which it is kept. */
export function isUsernameLength(username: string): boolean {
  return Array.from(canonicalUsername(username)).length <= USER_LIMITS.usernameLength;
}

/** What makes two user names one: NFC, without regard to case. */
export function usernameKey(username: string): string {
  return canonicalUsername(canonicalUsername(username).toLowerCase());
}

export function isOwnName(ownName: string, username: string): boolean {
  return usernameKey(ownName) === usernameKey(username);
}
