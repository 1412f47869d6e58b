import { useQuery, type QueryClient } from '@tanstack/react-query';
import { MenagerieError } from '../../client/failures.ts';
import { mayRole, type Action, type CurrentUser } from '../../api/web/bootstrap.ts';
import { bootstrap } from './bootstrap.ts';
import { plainClient } from './client.ts';

const UNAUTHENTICATED = 401;

/** The user who is logged in on this page; null if anonymous. */
export const currentUserQuery = {
  queryKey: ['current-user'],
  queryFn: findCurrentUser,
  initialData: bootstrap.currentUser,
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
} as const;

export async function findCurrentUser(): Promise<CurrentUser | null> {
  try {
    const { username, role, needsSecondFactor } = await plainClient.getAccount();
    return { username, role, ...(needsSecondFactor && { needsSecondFactor }) };
  } catch (error) {
    if (error instanceof MenagerieError && error.status === UNAUTHENTICATED) return null;
    throw error;
  }
}

/** The current user, where no component is rendered. */
export function currentUserOf(queries: QueryClient): CurrentUser | null {
  const known = queries.getQueryData<CurrentUser | null>(currentUserQuery.queryKey);
  // Null if the user has logged out; undefined before the first component has asked.
  return known === undefined ? bootstrap.currentUser : known;
}

export function useCurrentUser(): CurrentUser | null {
  return useQuery(currentUserQuery).data;
}

/**
 * The owner of data in the browser. A host may have several services, each with its path, and with users of the same
 * name.
 */
export function storageOwnerOf(username: string | undefined): string {
  const { basePath } = bootstrap;
  return `${basePath === '' ? '' : `${basePath}:`}${username ?? ''}`;
}

/** Queries of the account of the current user and of administrators. They are deleted from the cache on logout. */
const PRIVATE_KEYS: ReadonlySet<unknown> = new Set(['account', 'administration']);

/**
 * Called after a login or logout, and when a session has ended. Refetches everything, because another user may see
 * other data.
 */
export function setCurrentUser(queries: QueryClient, currentUser: CurrentUser | null): void {
  queries.setQueryData(currentUserQuery.queryKey, currentUser);
  if (currentUser === null) queries.removeQueries({ predicate: ({ queryKey }) => PRIVATE_KEYS.has(queryKey[0]) });
  void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== currentUserQuery.queryKey[0] });
}

/** The permissions of the current user. The service checks them again on each request. */
export interface Permissions {
  writePets: boolean;
  administer: boolean;
}

export function permissionsOf(currentUser: CurrentUser | null): Permissions {
  return { writePets: may(currentUser, 'write pets'), administer: may(currentUser, 'administer') };
}

/** @param action also a permission of a feature */
export function may(currentUser: CurrentUser | null, action: Action): boolean {
  return mayRole(currentUser?.needsSecondFactor ? undefined : currentUser?.role, action, bootstrap.access);
}

export function usePermissions(): Permissions {
  return permissionsOf(useCurrentUser());
}
