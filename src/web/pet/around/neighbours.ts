import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { lastCatalogueSearch } from '../../app/trail.ts';
import { changeSearch } from '../../catalogue/search/search-parts.ts';
import { foundPetsQuery, type FoundPage, type PetView } from '../../service/queries.ts';

export interface Neighbours {
  previous: PetView | undefined;
  next: PetView | undefined;
  /** From 1 on. */
  place: number;
  /** Of how many, where it is known. */
  total: number | undefined;
}

/**
 * Which pets stand beside this one in the list that the reader came from. Undefined where they came from elsewhere, or the pet is not in it any more:
 * nothing is read to find out.
 *
 * @param id its digits
 */
export function useNeighbours(id: string): Neighbours | undefined {
  const query = useInfiniteQuery({ ...foundPetsQuery(changeSearch(lastCatalogueSearch(), {})), enabled: false });
  const { data, hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = query;
  const found = petsOn(data?.pages);
  const index = found.findIndex((pet) => String(pet.id) === id);
  // Where the list goes on, the next one is known before it is asked for.
  const isLast = index !== -1 && index === found.length - 1 && hasNextPage;
  useEffect(() => {
    if (isLast && !isFetching && !isFetchNextPageError) void fetchNextPage();
  }, [isLast, isFetching, isFetchNextPageError, fetchNextPage]);
  if (index === -1 || found.length < 2) return undefined;
  const total = data?.pages.at(-1)?.total;
  return {
    previous: found[index - 1],
    next: found[index + 1],
    place: index + 1,
    total: total?.exact === true ? total.count : undefined,
  };
}

function petsOn(pages: readonly FoundPage[] | undefined): readonly PetView[] {
  return pages?.flatMap(({ pets }) => pets) ?? [];
}
