import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { shownSearch } from '../../../api/web/catalogue-search.ts';
import { usePermissions } from '../../service/current-user.ts';
import { lastCatalogueSearch } from '../../routing/navigation-history.ts';
import { changeSearch } from '../../catalogue/search/search-criteria.ts';
import { petSearchQuery, type SearchPage, type PetView } from '../../service/queries.ts';

interface Neighbours {
  previous: PetView | undefined;
  next: PetView | undefined;
  /** One-based. */
  place: number;
  /** The number of results. */
  total: number;
}

/**
 * The pets before and after this one in the list that the user came from. Undefined if there is no such list in the
 * cache, or the pet is not in it; nothing is loaded to find out.
 *
 * @param id its digits
 */
export function useNeighbours(id: string): Neighbours | undefined {
  const { writePets } = usePermissions();
  const search = changeSearch(shownSearch(lastCatalogueSearch(), writePets), {});
  const queries = useQueryClient();
  const [cards, table] = [petSearchQuery(search), petSearchQuery(search, 'profile')];
  const countIn = ({ queryKey }: typeof cards) => petsOn(queries.getQueryData(queryKey)?.pages).length;
  // The user saw both if they switched between them.
  const list = countIn(table) > countIn(cards) ? table : cards;
  const query = useInfiniteQuery({ ...list, enabled: false });
  const { data, hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = query;
  const pets = petsOn(data?.pages);
  const index = pets.findIndex((pet) => String(pet.id) === id);
  // Loads the next page in advance.
  const isLast = index !== -1 && index === pets.length - 1 && hasNextPage;
  useEffect(() => {
    if (isLast && !isFetching && !isFetchNextPageError) void fetchNextPage();
  }, [isLast, isFetching, isFetchNextPageError, fetchNextPage]);
  const newestPage = data?.pages.at(-1);
  if (newestPage === undefined || index === -1 || pets.length < 2) return undefined;
  return {
    previous: pets[index - 1],
    next: pets[index + 1],
    place: index + 1,
    total: newestPage.total,
  };
}

function petsOn(pages: readonly SearchPage[] | undefined): readonly PetView[] {
  return pages?.flatMap(({ pets }) => pets) ?? [];
}
