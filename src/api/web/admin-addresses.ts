import { DEFAULT_ROLE, ROLES, type Role } from '../../domain/access.ts';
import { USER_STATUS_CLOSED } from '../../domain/accounts/user.ts';

/* The query parameters of the pages for administrators. Invalid ones are ignored. */

export { DEFAULT_ROLE, ROLES, USER_STATUS_CLOSED };
export type { Role };

/** 1: registered, 2: active, 3: closed. */
export const USER_STATUSES = [1, 2, 3] as const;

export interface UserSearch {
  text?: string;
  role?: Role;
  userStatus?: (typeof USER_STATUSES)[number];
}

/** Browsers resolve `.` and `..` in a path. Users may have these names from earlier versions, which allowed them. */
export function hasAddress(username: string): boolean {
  return username !== '.' && username !== '..';
}

export type Search = Readonly<Record<string, unknown>>;

export function readUserSearch(search: Search): UserSearch {
  const text = textIn(search, 'text');
  const role = ROLES.find((each) => each === search['role']);
  const userStatus = USER_STATUSES.find((each) => String(each) === String(search['userStatus']));
  return {
    ...(text !== undefined && { text }),
    ...(role !== undefined && { role }),
    ...(userStatus !== undefined && { userStatus }),
  };
}

const MAX_TEXT_LENGTH = 200;

/** The text of a parameter; undefined if it has none. */
export function textIn(search: Search, name: string): string | undefined {
  const value = search[name];
  const text = typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, MAX_TEXT_LENGTH) : '';
  return text.trim() === '' ? undefined : text;
}
