import { useQuery } from '@tanstack/react-query';
import { client } from '../../service/client.ts';
import { PETS_KEY } from '../../service/queries.ts';
import { useCurrentUser } from '../../service/current-user.ts';

/**
 * The author of the last change of a pet: the current user (in another tab), a user with a name, or an unknown user.
 */
export type LastChange =
  { by: 'you' | 'unknown'; at: string | undefined } | { by: 'named'; name: string; at: string | undefined };

/**
 * Reads from the history who changed a pet last.
 *
 * @param petId its digits; undefined for nothing to read
 * @returns undefined while it is read; `unknown` where the history cannot be read
 */
export function useLastChange(petId: string | undefined): LastChange | undefined {
  const currentUser = useCurrentUser();
  const { data, isPending } = useQuery({
    queryKey: [...PETS_KEY, 'history', petId, 'last'],
    queryFn: ({ signal }) => client.listPetHistory({ petId: BigInt(petId ?? 0), limit: 1 }, { signal }),
    enabled: petId !== undefined,
    staleTime: 0,
    // A cached response could name the author of an earlier change.
    gcTime: 0,
  });
  if (petId === undefined || isPending) return undefined;
  const last = data?.[0];
  const name = last?.actor?.name ?? null;
  if (name === null) return { by: 'unknown', at: last?.at };
  return name === currentUser?.username ? { by: 'you', at: last?.at } : { by: 'named', name, at: last?.at };
}
