import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { catalogueQuery, type CatalogueSearch } from '../../api/web/catalogue-search.ts';
import { petSearchQuery, type SearchPage } from '../service/queries.ts';
import { type SearchResult, useArrivals } from './arrivals.ts';

/*
 * The number of loaded pets, saved for a reload: the same number is loaded again, so that the scroll position can be
 * restored.
 */

const KEY = 'menagerie-catalogue-count';

/** Above this, restoring the position costs too much. */
const MAX_SAVED = 10_000;

interface SavedCount {
  address: string;
  count: number;
}

let saved = readSavedCount();

/** The loaded results of a search. While a new search is pending, those of the previous one. */
export function useSearchResults(search: CatalogueSearch, include?: 'profile') {
  const query = useInfiniteQuery({ ...petSearchQuery(search, include), placeholderData: keepPreviousData });
  const { data, isPlaceholderData, hasNextPage, isFetching, isError, fetchNextPage } = query;
  const all = useMemo(() => data?.pages.flatMap(resultsOf), [data]);
  const address = catalogueQuery(search).toString();
  const savedCount = findSavedCount(address);
  const newestPage = data?.pages.at(-1);
  const [resultsAddress, setResultsAddress] = useState(address);
  // A failed search keeps the previous results, also while it is retried.
  if (all !== undefined && !isPlaceholderData && resultsAddress !== address) setResultsAddress(address);
  const count = isPlaceholderData ? undefined : all?.length;
  const shown = useArrivals(all, isPlaceholderData ? resultsAddress : address);
  useEffect(() => {
    if (count === undefined) return;
    if (count >= savedCount || !hasNextPage || isError) {
      clearSavedCount();
      saveCount(address, count);
    } else if (!isFetching) void fetchNextPage();
  }, [address, count, savedCount, hasNextPage, isError, isFetching, fetchNextPage]);
  return {
    ...query,
    ...shown,
    /** The address of the search that the results belong to. */
    resultsAddress,
    total: newestPage?.total,
    correctedText: newestPage?.correctedText,
    synonyms: newestPage?.synonyms,
    /** The number of results before a reload. */
    savedCount,
  };
}

const kept = new WeakMap<SearchPage, readonly SearchResult[]>();

/** Returns the same array for the same page, so that memoized cards do not render again. */
export function resultsOf(page: SearchPage): readonly SearchResult[] {
  const before = kept.get(page);
  if (before !== undefined) return before;
  const covers = new Map(page.covers?.map((cover) => [cover.petId, cover]));
  const profiles = new Map(page.profiles?.map(({ petId, profile }) => [petId, profile]));
  const items = page.pets.map((pet) => ({ pet, cover: covers.get(pet.id), profile: profiles.get(pet.id) }));
  kept.set(page, items);
  return items;
}

/** @returns 0 for another search, or after a navigation that is neither a reload nor a history step */
function findSavedCount(address: string): number {
  return saved?.address === address ? saved.count : 0;
}

function clearSavedCount(): void {
  saved = undefined;
}

function saveCount(address: string, count: number): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ address, count: Math.min(count, MAX_SAVED) } satisfies SavedCount));
  } catch {
    // Session storage is disabled: the list starts at the top.
  }
}

function readSavedCount(): SavedCount | undefined {
  const [arrival] = performance.getEntriesByType('navigation');
  const isBack = arrival instanceof PerformanceNavigationTiming && ['reload', 'back_forward'].includes(arrival.type);
  if (!isBack) return undefined;
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}
