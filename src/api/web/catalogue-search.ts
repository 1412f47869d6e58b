import { PET_SORTS, STATUS_FILTERS, type PetSort, type StatusFilter } from '../../domain/search/question.ts';
import { wordsOf } from '../../domain/search/words.ts';
import type { ArgumentsOf } from '../operation-types.ts';

/*
 * What stands in the address of the catalogue's page, and what is asked of the interface for it. The service knows it as well as the page, so that the
 * first pets come with the page.
 */

/** What is looked for. Left out is what is not asked about. */
export interface CatalogueSearch {
  text?: string;
  status?: readonly StatusFilter[];
  category?: readonly string[];
  tag?: readonly string[];
  /** All of the tags are wanted; else one of them will do. */
  match?: 'all';
  /** Other than the usual order: by relevance where there is a text, else the newest first. */
  sort?: PetSort;
}

/** So many pets come at a time. */
export const CATALOGUE_PAGE_SIZE = 24;

const QUICK_KINDS = 8;

/** As the interface allows. */
const MAX_TEXT_LENGTH = 200;
const MAX_NAMES = 50;

/** Reads an address. What cannot be meant is passed over: a link that was cut off or is old shows what it can. */
export function readCatalogueSearch(query: URLSearchParams): CatalogueSearch {
  const typed = query.get('text')?.trim().slice(0, MAX_TEXT_LENGTH) ?? '';
  // Signs alone are no words to look for: the interface would refuse them.
  const text = wordsOf(typed).length === 0 ? '' : typed;
  const status = STATUS_FILTERS.filter((each) => query.getAll('status').includes(each));
  const category = namesIn(query, 'category');
  const tag = namesIn(query, 'tag');
  const sort = PET_SORTS.find((each) => each === query.get('sort'));
  return {
    ...(text !== '' && { text }),
    ...(status.length > 0 && { status }),
    ...(category.length > 0 && { category }),
    ...(tag.length > 0 && { tag }),
    ...(query.get('match') === 'all' && { match: 'all' as const }),
    ...(sort !== undefined && sort !== usualSort(text) && (sort !== 'relevance' || text !== '') && { sort }),
  };
}

/** The same as an address has it, in one order, so that the same search has the same address. */
export function catalogueQuery(search: CatalogueSearch): URLSearchParams {
  const query = new URLSearchParams();
  if (search.text !== undefined) query.set('text', search.text);
  for (const status of search.status ?? []) query.append('status', status);
  for (const category of search.category ?? []) query.append('category', category);
  for (const tag of search.tag ?? []) query.append('tag', tag);
  if (search.match !== undefined) query.set('match', search.match);
  if (search.sort !== undefined) query.set('sort', search.sort);
  return query;
}

/** What `findPets` is asked. */
export function findInputOf(search: CatalogueSearch): ArgumentsOf<'findPets'> {
  const sort = search.sort ?? usualSort(search.text ?? '');
  return { ...countInputOf(search), sort, limit: CATALOGUE_PAGE_SIZE, covers: true };
}

/** What `countChoices` is asked. */
export function countInputOf({ text, status, category, tag, match }: CatalogueSearch): ArgumentsOf<'countChoices'> {
  return {
    ...(text !== undefined && { text }),
    ...(status !== undefined && { status }),
    ...(category !== undefined && { category }),
    ...(tag !== undefined && { tags: tag }),
    ...(match !== undefined && { tagMatch: match }),
  };
}

/** With the value, or without it where it was there. */
export function toggle<T>(values: readonly T[] | undefined, value: T): readonly T[] {
  const before = values ?? [];
  return before.includes(value) ? before.filter((each) => each !== value) : [...before, value];
}

/** Of the kinds of pets, the most used first, those that are one tap away: the first of them, and what is chosen. */
export function quickKinds(kinds: readonly string[], { category = [] }: CatalogueSearch): readonly string[] {
  const missing = category.filter((name) => !kinds.includes(name));
  return [...kinds.filter((name, place) => place < QUICK_KINDS || category.includes(name)), ...missing];
}

export function usualSort(text: string): PetSort {
  return text === '' ? 'newest' : 'relevance';
}

function namesIn(query: URLSearchParams, name: string): readonly string[] {
  return [...new Set(query.getAll(name))].filter((each) => each !== '').slice(0, MAX_NAMES);
}
