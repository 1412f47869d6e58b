import { infiniteQueryOptions } from '@tanstack/react-query';
import { nextCursor } from '../../client/calls.ts';
import type { ResultOf } from '../../api/operation-types.ts';
import { client } from '../service/client.ts';
import { PETS_KEY } from '../service/queries.ts';

export type HistoryEntry = ResultOf<'listPetHistory'>[number];
export type FieldChange = HistoryEntry['changes'][number];
export type RemovedPet = ResultOf<'listRemovedPets'>[number];

interface Page<T> {
  items: readonly T[];
  next: string | undefined;
}

const PAGE_SIZE = 20;

/** @param id its digits */
export function historyQuery(id: string) {
  return infiniteQueryOptions({
    queryKey: [...PETS_KEY, 'history', id],
    queryFn: async ({ pageParam, signal }): Promise<Page<HistoryEntry>> => {
      const question = { petId: BigInt(id), limit: PAGE_SIZE, ...(pageParam !== undefined && { cursor: pageParam }) };
      const { value, headers } = await client.listPetHistory.answer(question, { signal });
      return { items: value ?? [], next: nextCursor(headers) };
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
  });
}

export const removedPetsQuery = infiniteQueryOptions({
  queryKey: [...PETS_KEY, 'removed'],
  queryFn: async ({ pageParam, signal }): Promise<Page<RemovedPet>> => {
    const question = { limit: PAGE_SIZE, ...(pageParam !== undefined && { cursor: pageParam }) };
    const { value, headers } = await client.listRemovedPets.answer(question, { signal });
    return { items: value ?? [], next: nextCursor(headers) };
  },
  initialPageParam: undefined as string | undefined,
  getNextPageParam: ({ next }) => next,
});
