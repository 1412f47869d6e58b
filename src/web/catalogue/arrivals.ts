import { useState } from 'react';
import { isOwnChange } from '../service/changed-pets.ts';
import type { FoundPage, PetView } from '../service/queries.ts';

export type Cover = NonNullable<FoundPage['covers']>[number];

/** A pet as a card shows it. */
export interface FoundPet {
  pet: PetView;
  cover: Cover | undefined;
}

interface Shown {
  /** The address of the search that found them. */
  answered: string;
  /** All that was found, as it was read last. */
  all: readonly FoundPet[] | undefined;
  found: readonly FoundPet[] | undefined;
  /** Pets that other users added between those shown, and that are not shown yet. */
  arrivals: readonly FoundPet[];
}

/**
 * Holds back new pets of other users until the current user asks for them, because they would move the visible cards. Pets after the last card move nothing and
 * are shown, as are the current user's own changes.
 *
 * @param all the same array for the same response
 */
export function useArrivals(all: readonly FoundPet[] | undefined, answered: string) {
  const [shown, setShown] = useState<Shown>({ answered, all, found: all, arrivals: [] });
  const now = shown.all === all && shown.answered === answered ? shown : next(shown, all, answered);
  if (now !== shown) setShown(now);
  return {
    found: now.found,
    arrivals: now.arrivals.length,
    showArrivals: () => setShown({ ...now, found: now.all, arrivals: [] }),
  };
}

function next(before: Shown, all: readonly FoundPet[] | undefined, answered: string): Shown {
  const unseen = { answered, all, found: all, arrivals: [] };
  if (all === undefined || before.answered !== answered) return unseen;
  const known = new Set(before.found?.map(({ pet }) => pet.id));
  const lastKnown = all.findLastIndex(({ pet }) => known.has(pet.id));
  const isArrival = ({ pet }: FoundPet, place: number) => place < lastKnown && !known.has(pet.id) && !isOwnChange(pet);
  const arrivals = all.filter(isArrival);
  if (arrivals.length === 0) return unseen;
  return { answered, all, found: all.filter((each, place) => !isArrival(each, place)), arrivals };
}
