import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { MenagerieError } from '../../client/failures.ts';
import type { ResultOf } from '../../api/documents/operation-types.ts';
import { client } from '../service/client.ts';

/* The playground of this tab, which the page of the API documents uses as well. */

export type PlaygroundView = ResultOf<'getPlayground'>;

/** As in `docs/playground.ts`. */
const STORED = 'menagerie-docs-playground';

/** The playground of this tab; null without one, and after its end. */
export const ownPlaygroundQuery = queryOptions({
  queryKey: ['own-playground'],
  queryFn: async ({ signal }): Promise<PlaygroundView | null> => {
    const token = storedToken();
    if (token === undefined) return null;
    try {
      return await client.getPlayground({ token }, { signal });
    } catch (error) {
      if (error instanceof MenagerieError && error.status === 404) return null;
      throw error;
    }
  },
});

export function rememberPlayground(queries: QueryClient, playground: PlaygroundView): void {
  const { token, page, expiresAt } = playground;
  queries.setQueryData(ownPlaygroundQuery.queryKey, playground);
  try {
    sessionStorage.setItem(STORED, JSON.stringify({ token, page, expiresAt }));
  } catch {
    // The browser keeps nothing: the page shows it until it is left.
  }
}

function storedToken(): string | undefined {
  try {
    const { token } = JSON.parse(sessionStorage.getItem(STORED) ?? '{}') as { token?: string };
    return token;
  } catch {
    return undefined;
  }
}
