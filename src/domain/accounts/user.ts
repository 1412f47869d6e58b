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
  /** Data of the client: two users may have the same, and it may be changed. */
  id: bigint;
}

/** An account as a client sends it. */
export interface NewUser extends UserProfile {
  id?: bigint | undefined;
  password?: string | undefined;
}

/** A new profile for an account: without an id, a name or a password, it keeps the one that it has. */
export type UserUpdate = Omit<NewUser, 'username'> & { username?: string | undefined };

/** Names that are paths of the service, as keys. */
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

/** Small letters in NFC. */
export function lowerCaseOf(text: string): string {
  return canonicalUsername(canonicalUsername(text).toLowerCase());
}

/** Two user names with the same key are one name: NFKC, with the case folding of Unicode. */
export function usernameKey(username: string): string {
  if (isAscii(username)) return username.toLowerCase();
  return foldCase(foldCase(username).normalize('NFKC')).normalize('NFKC');
}

/**
 * The keys under which an account with this name may be stored, the one to prefer first. Before NFKC, two accounts could have names that are one
 * now: the older has the key of now, the other keeps the key that it had, and each is found by its own name.
 */
export function usernameKeys(username: string): readonly string[] {
  return [...new Set([lowerCaseOf(username), usernameKey(username)])];
}

/** The key of an account with this name: the one that it has, if that fits the name. */
export function keptUsernameKey(username: string, current: string): string {
  return usernameKeys(username).includes(current) ? current : usernameKey(username);
}

export function isOwnName(ownName: string, username: string): boolean {
  return usernameKey(ownName) === usernameKey(username);
}

function isAscii(text: string): boolean {
  return /^[\0-\x7F]*$/.test(text);
}

/**
 * JavaScript has no case folding. The small letters of the capital letters of a character are what it folds to, but for the dotless i. Character
 * by character, because a sigma at the end of a word has another small letter.
 */
function foldCase(text: string): string {
  return Array.from(text, (character) =>
    character === 'ı' ? character : character.toLowerCase().toUpperCase().toLowerCase(),
  ).join('');
}
