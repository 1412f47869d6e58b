import { useState } from 'react';
import { isOwnChange } from '../service/own-changes.ts';
import type { FoundPet } from './found-pets.ts';

interface Shown {
  /** The address of the search that found them. */
  answered: string;
  /** All that was found, as it was read last. */
  all: readonly FoundPet[] | undefined;
  found: readonly FoundPet[] | undefined;
  /** Pets of others that came in between since the list was read first. */
  arrivals: readonly FoundPet[];
}

/**
 * Holds back new pets of others that would push the cards that are seen out of their places, until they are asked for. What comes after the last card
 * pushes none, and what the viewer changed is expected.
 *
 * @param all always the same list for the same answer
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
