import { useState } from 'react';
import { isOwnChange } from '../service/own-changes.ts';
import type { SearchPage, PetView } from '../service/queries.ts';

export type Profile = NonNullable<SearchPage['profiles']>[number]['profile'];
export type Cover = NonNullable<SearchPage['covers']>[number];

/** A pet with its cover photo. */
export interface SearchResult {
  pet: PetView;
  cover: Cover | undefined;
  profile: Profile | undefined;
}

interface Shown {
  /** The address of the search that the results belong to. */
  resultsAddress: string;
  /** All loaded results. */
  all: readonly SearchResult[] | undefined;
  items: readonly SearchResult[] | undefined;
  /** Pets that other users added among the visible ones, and that are not shown yet. */
  arrivals: readonly SearchResult[];
}

/**
 * Holds back new pets of other users until the current user asks for them, because they would move the visible cards.
 * Pets after the last card move nothing and are shown, as are the current user's own changes.
 *
 * @param all the same array for the same response
 */
export function useArrivals(all: readonly SearchResult[] | undefined, resultsAddress: string) {
  const [shown, setShown] = useState<Shown>({ resultsAddress, all, items: all, arrivals: [] });
  const now = shown.all === all && shown.resultsAddress === resultsAddress ? shown : next(shown, all, resultsAddress);
  if (now !== shown) setShown(now);
  return {
    items: now.items,
    arrivals: now.arrivals.length,
    showArrivals: () => setShown({ ...now, items: now.all, arrivals: [] }),
  };
}

function next(before: Shown, all: readonly SearchResult[] | undefined, resultsAddress: string): Shown {
  const unseen = { resultsAddress, all, items: all, arrivals: [] };
  if (all === undefined || before.resultsAddress !== resultsAddress) return unseen;
  const known = new Set(before.items?.map(({ pet }) => pet.id));
  const lastKnown = all.findLastIndex(({ pet }) => known.has(pet.id));
  const isArrival = ({ pet }: SearchResult, index: number) =>
    index < lastKnown && !known.has(pet.id) && !isOwnChange(pet);
  const arrivals = all.filter(isArrival);
  if (arrivals.length === 0) return unseen;
  return { resultsAddress, all, items: all.filter((each, index) => !isArrival(each, index)), arrivals };
}
