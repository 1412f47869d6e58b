import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { catalogueQuery, type CatalogueSearch } from '../../api/web/catalogue-search.ts';
import { foundPetsQuery, type FoundPage } from '../service/queries.ts';
import { useArrivals, type FoundPet } from './arrivals.ts';
import { findExpectedCount, forgetExpectedCount, rememberCount } from './remembered-count.ts';

export type Total = FoundPage['total'];

/** What is found by a search, as far as it was asked for. While a new search is under way, what the one before found. */
export function useFoundPets(search: CatalogueSearch) {
  const query = useInfiniteQuery({ ...foundPetsQuery(search), placeholderData: keepPreviousData });
  const { data, isPlaceholderData, hasNextPage, isFetching, isError, fetchNextPage } = query;
  const all = useMemo(() => data?.pages.flatMap(foundOn), [data]);
  const address = catalogueQuery(search).toString();
  const expected = findExpectedCount(address);
  const [answered, setAnswered] = useState(address);
  // A search that failed has found nothing: what is seen while it is tried again is still of the one before.
  if (all !== undefined && !isPlaceholderData && answered !== address) setAnswered(address);
  const count = isPlaceholderData ? undefined : all?.length;
  const shown = useArrivals(all, isPlaceholderData ? answered : address);
  useEffect(() => {
    if (count === undefined) return;
    if (count >= expected || !hasNextPage || isError) {
      forgetExpectedCount();
      rememberCount(address, count);
    } else if (!isFetching) void fetchNextPage();
  }, [address, count, expected, hasNextPage, isError, isFetching, fetchNextPage]);
  return {
    ...query,
    ...shown,
    /** The address of the search that found them. */
    answered,
    /** Of the last page that was read: it is as new as it can be. */
    total: data?.pages.at(-1)?.total,
    /** As many were there before the page was loaded again. */
    expected,
  };
}

const kept = new WeakMap<FoundPage, readonly FoundPet[]>();

/** The same list for the same page: then cards that stay need not be drawn again. */
export function foundOn(page: FoundPage): readonly FoundPet[] {
  const before = kept.get(page);
  if (before !== undefined) return before;
  const covers = new Map(page.covers?.map((cover) => [cover.petId, cover]));
  const found = page.pets.map((pet) => ({ pet, cover: covers.get(pet.id) }));
  kept.set(page, found);
  return found;
}
