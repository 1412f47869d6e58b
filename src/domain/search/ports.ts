import type { NoOlderThan } from '../ports.ts';
import type { StoredPet } from '../pets/pet.ts';
import type { CountKind, LabelCount, LabelKind } from './counts.ts';
import type { PetSort, Selection } from './question.ts';

/* What finding needs of a store. Everything is read without a transaction of its own, in steps of which none takes long. */

/**
 * Where a pet stands in an order: by class or version (`rank`), then by name, then by id. What an order does not go by is 0 or empty.
 */
export interface Place {
  rank: bigint;
  name: string;
  id: bigint;
}

/** The orders that a store keeps; the others are made of that by id. */
export type KeptOrder = Exclude<PetSort, 'id' | 'relevance'>;

/**
 * The pets by their tokens, their names, and when they were added and changed: as new as the changes themselves, for it is written with them. A pet that
 * is there, and the same, from the beginning of a walk to its end is met once.
 */
export interface PetIndex {
  /** The ids of those selected, ascending, from the first after `afterId`, so many at most. Fewer are all there are. */
  idsOf(selection: Selection, afterId: bigint, most: number): Promise<readonly bigint[]>;
  /** Where these pets stand, in the order, from the first after `after`, so many at most. */
  placesOf(ids: readonly bigint[], order: KeptOrder, after: Place | undefined, most: number): Promise<readonly Place[]>;
  /** Where those selected stand, likewise. Looks at every pet on the way: for a selection of which many are. */
  walk(order: KeptOrder, selection: Selection, after: Place | undefined, most: number): Promise<readonly Place[]>;
  /** Of these pets, those that are (still) selected, in any order. */
  petsOf(ids: readonly bigint[], selection: Selection): Promise<readonly StoredPet[]>;
  /**
   * What those selected have: the tokens of each, in any order; of so many at most, or of as many as are met soon. `isAll` where these are all there are.
   */
  lookAt(selection: Selection, most: number): Promise<{ tokens: readonly (readonly string[])[]; isAll: boolean }>;
  /** The numbers that are kept. 0 for what is not there. */
  countsOf(keys: readonly (readonly [kind: CountKind, name: string])[]): Promise<readonly number[]>;
}

export interface PetFindStore {
  /** What is read through it is no older than this. */
  index(noOlderThan?: NoOlderThan): PetIndex;
  /** The most used first, then by name; from the first after `after`, so many at most. */
  listLabels(kind: LabelKind, after: LabelCount | undefined, limit: number): Promise<readonly LabelCount[]>;
  /** What happened from the first of these days to the last. */
  listDays(
    firstDay: string,
    lastDay: string,
  ): Promise<readonly (readonly [kind: CountKind, day: string, count: number])[]>;
}
