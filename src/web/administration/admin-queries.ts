import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { nextCursor } from '../../client/calls.ts';
import type { ArgumentsOf, ResultOf } from '../../api/operation-types.ts';
import { client } from '../service/client.ts';

/** All that administrators read. */
export const ADMIN_KEY = ['administration'] as const;

export type UserView = ResultOf<'searchUsers'>[number];
export type AuditEntryView = ResultOf<'listAuditEntries'>[number];

export type UserFilter = Pick<ArgumentsOf<'searchUsers'>, 'text' | 'role' | 'userStatus'>;
export type AuditFilter = Omit<ArgumentsOf<'listAuditEntries'>, 'limit' | 'cursor'>;

const PAGE_SIZE = 50;
/** Many entries of one change of many pets take one row. */
const AUDIT_PAGE_SIZE = 200;

interface PageOf<T> {
  items: readonly T[];
  next: string | undefined;
}

export function usersQuery(filter: UserFilter) {
  return infiniteQueryOptions({
    queryKey: [...ADMIN_KEY, 'users', filter],
    queryFn: async ({ pageParam, signal }): Promise<PageOf<UserView>> => {
      const asked = { ...filter, limit: PAGE_SIZE, ...(pageParam !== undefined && { cursor: pageParam }) };
      const { value, headers } = await client.searchUsers.answer(asked, { signal });
      return { items: value ?? [], next: nextCursor(headers) };
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
  });
}

/** Where an account is reached: by its name or, as no address can say every name, by its account id. */
export type UserAddress = Pick<ArgumentsOf<'getUserAsAdmin'>, 'username' | 'by'>;

/** For an account that is known: it may be renamed meanwhile. */
export function addressOf({ accountId }: UserView): UserAddress {
  return { username: String(accountId), by: 'accountId' };
}

export function userQuery(address: UserAddress) {
  return queryOptions({
    queryKey: [...ADMIN_KEY, 'user', address],
    queryFn: ({ signal }) => client.getUserAsAdmin(address, { signal }),
  });
}

export function userSessionsQuery(user: UserView) {
  return queryOptions({
    queryKey: [...ADMIN_KEY, 'user', String(user.accountId), 'sessions'],
    queryFn: ({ signal }) => client.listUserSessions(addressOf(user), { signal }),
  });
}

export function userKeysQuery(user: UserView) {
  return queryOptions({
    queryKey: [...ADMIN_KEY, 'user', String(user.accountId), 'keys'],
    queryFn: ({ signal }) => client.listUserKeys(addressOf(user), { signal }),
  });
}

export function auditQuery(filter: AuditFilter) {
  return infiniteQueryOptions({
    queryKey: [...ADMIN_KEY, 'audit', filter],
    queryFn: async ({ pageParam, signal }): Promise<PageOf<AuditEntryView>> => {
      const asked = { ...filter, limit: AUDIT_PAGE_SIZE, ...(pageParam !== undefined && { cursor: pageParam }) };
      const { value, headers } = await client.listAuditEntries.answer(asked, { signal });
      return { items: value ?? [], next: nextCursor(headers) };
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    // What is read page by page must not move while one reads.
    staleTime: Number.POSITIVE_INFINITY,
  });
}
