import { PET_STATUSES, type PetStatus } from '../pets/pet.ts';

export const PET_SORTS = ['id', 'name', 'newest', 'relevance'] as const;

export type PetSort = (typeof PET_SORTS)[number];

/** The statuses to filter by. `none` selects pets without a status. */
export const STATUS_FILTERS = [...PET_STATUSES, 'none'] as const;

export type StatusFilter = PetStatus | 'none';

/** The criteria of a search. Empty fields do not filter. */
export interface PetCriteria {
  /** Each is the prefix of a word in the name, the category or a tag of the pet. */
  words: readonly string[];
  /** The pet has one of these, as for `categories`. */
  statuses: readonly StatusFilter[];
  categories: readonly string[];
  tags: readonly string[];
  tagMatch: 'any' | 'all';
  /** Pets last changed at this time or later. */
  updatedSinceMs: number | undefined;
  sort: PetSort;
}
