import { useQuery, type QueryClient } from '@tanstack/react-query';
import { MenagerieError } from '../../client/failures.ts';
import { mayRole, type Viewer } from '../../api/web/bootstrap.ts';
import { bootstrap } from './bootstrap.ts';
import { plainClient } from './client.ts';

const UNAUTHENTICATED = 401;

/** Who looks at the page, as the service knows it. */
export const viewerQuery = {
  queryKey: ['viewer'],
  queryFn: findViewer,
  initialData: bootstrap.viewer,
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
} as const;

/** As the service knows it by now. */
export async function findViewer(): Promise<Viewer | null> {
  try {
    const { username, role } = await plainClient.getAccount();
    return { username, role };
  } catch (error) {
    if (error instanceof MenagerieError && error.status === UNAUTHENTICATED) return null;
    throw error;
  }
}

/** Null for somebody unknown. */
export function useViewer(): Viewer | null {
  return useQuery(viewerQuery).data;
}

/** What is read here is somebody's own, or for administrators: nobody else is to ask for it, or to find it. */
const PRIVATE_KEYS: ReadonlySet<unknown> = new Set(['account', 'administration']);

/** After logging in and out, and when a session turns out to be over. What others may see differs: all that was read is read again. */
export function setViewer(queries: QueryClient, viewer: Viewer | null): void {
  queries.setQueryData(viewerQuery.queryKey, viewer);
  if (viewer === null) queries.removeQueries({ predicate: ({ queryKey }) => PRIVATE_KEYS.has(queryKey[0]) });
  void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== viewerQuery.queryKey[0] });
}

/** The permissions of the viewer. The service checks them again with each request. */
export interface Permissions {
  writePets: boolean;
  administer: boolean;
}

export function permissionsOf(viewer: Viewer | null): Permissions {
  return {
    writePets: mayRole(viewer?.role, 'write pets', bootstrap.access),
    administer: mayRole(viewer?.role, 'administer', bootstrap.access),
  };
}

export function usePermissions(): Permissions {
  return permissionsOf(useViewer());
}
