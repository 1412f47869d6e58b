import { queryOptions, type QueryClient } from '@tanstack/react-query';
import type { ResultOf } from '../../api/documents/operation-types.ts';
import { createClient } from '../../client/client.ts';
import type { PlaygroundPlace } from '../service/playground-place.ts';

export type RequestView = ResultOf<'listPlaygroundRequests'>[number];

const MAX_SHOWN = 1000;

const POLL_MS = 2000;

const clientOf = ({ service }: PlaygroundPlace) => createClient({ base: service });

const keyOf = ({ token }: PlaygroundPlace) => ['recorded-requests', token] as const;

/** All requests, oldest first. Only those that are new are loaded again. */
export function requestsQuery(place: PlaygroundPlace, queries: QueryClient) {
  const queryKey = keyOf(place);
  return queryOptions({
    queryKey,
    queryFn: async ({ signal }) => {
      const known = queries.getQueryData<readonly RequestView[]>(queryKey) ?? [];
      const after = known.at(-1)?.number ?? 0;
      const added = await clientOf(place).listPlaygroundRequests({ token: place.token, after }, { signal });
      return added.length === 0 ? known : [...known, ...added].slice(-MAX_SHOWN);
    },
    refetchInterval: POLL_MS,
    structuralSharing: false,
  });
}

export async function deleteRequests(place: PlaygroundPlace, queries: QueryClient): Promise<void> {
  await clientOf(place).deletePlaygroundRequests({ token: place.token });
  queries.setQueryData(keyOf(place), []);
}
