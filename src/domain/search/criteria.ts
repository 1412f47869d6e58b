import { PET_STATUSES, type PetStatus } from '../pets/pet.ts';
import type { AgeGroup } from './ages.ts';
import type { Companion, FactFilter } from './facts.ts';

export const PET_SORTS = [
  'id',
  'name',
  'newest',
  'longest-stay',
  'status',
  'species',
  'location',
  'relevance',
] as const;

export type PetSort = (typeof PET_SORTS)[number];

/** The statuses to filter by. `none` selects pets without a status. */
export const STATUS_FILTERS = [...PET_STATUSES, 'none'] as const;

export type StatusFilter = PetStatus | 'none';

export interface OwnValues {
  key: string;
  values: readonly string[];
}

/** The criteria of a search. Empty fields do not filter. */
export interface PetCriteria {
  /** Each is the prefix of a word in the name, the category, a tag or a breed of the pet. */
  words: readonly string[];
  /** The pet has one of these. Categories likewise. */
  statuses: readonly StatusFilter[];
  categories: readonly string[];
  tags: readonly string[];
  tagMatch: 'any' | 'all';
  /** Each matches the first and the second breed of a mix. */
  breeds: readonly string[];
  /** The pet has one of these values of each fact. */
  facts: Readonly<Record<FactFilter, readonly string[]>>;
  ages: readonly AgeGroup[];
  /** The pet gets along with all of these. */
  goodWith: readonly Companion[];
  /** The pet has one of the values of each of these fields. */
  own: readonly OwnValues[];
  /** False for drafts. */
  published: boolean | undefined;
  /** Pets last changed at this time or later. */
  updatedSinceMs: number | undefined;
  sort: PetSort;
}

export const ALL_PETS: PetCriteria = {
  words: [],
  statuses: [],
  categories: [],
  tags: [],
  tagMatch: 'any',
  breeds: [],
  facts: { species: [], sex: [], size: [], coat: [], location: [] },
  ages: [],
  goodWith: [],
  own: [],
  published: undefined,
  updatedSinceMs: undefined,
  sort: 'id',
};

/** What a search depends on besides its criteria. */
export interface SearchScope {
  /** Whether drafts are found and counted. */
  withDrafts: boolean;
  /** A time on the day for which ages are computed. */
  todayMs: number;
}
