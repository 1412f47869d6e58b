import { SEXES, SIZES, SPECIES } from '../../domain/pets/profile.ts';
import { AGE_GROUPS } from '../../domain/search/ages.ts';
import { PET_SORTS, STATUS_FILTERS, type PetSort, type StatusFilter } from '../../domain/search/criteria.ts';
import { COMPANIONS } from '../../domain/search/facts.ts';
import { wordsOf } from '../../domain/search/words.ts';
import { canonicalText, spellingKey } from '../../domain/text.ts';
import type { ArgumentsOf } from '../documents/operation-types.ts';

export { canonicalText, SIZES, SPECIES, spellingKey };

/*
 * The query parameters of the catalogue page, and the API requests for them. The service knows them as well, because
 * the page contains the responses to its first requests.
 */

/** The filters by facts of profiles, each with values of the API. */
export const FACT_FILTERS = ['species', 'age', 'size', 'sex', 'goodWith', 'location'] as const;

export type FactFilter = (typeof FACT_FILTERS)[number];

/** The API refuses other values. The organisation defines those of locations. */
const KNOWN_VALUES: Readonly<Record<Exclude<FactFilter, 'location'>, readonly string[]>> = {
  species: SPECIES,
  age: AGE_GROUPS,
  size: SIZES,
  sex: SEXES,
  goodWith: COMPANIONS,
};

/** The filters whose values are texts. */
export const LIST_FILTERS = ['category', 'tag', ...FACT_FILTERS] as const;

/** A search of the catalogue page. Absent fields do not filter. */
export interface CatalogueSearch extends Partial<Record<FactFilter, readonly string[]>> {
  text?: string;
  status?: readonly StatusFilter[];
  category?: readonly string[];
  tag?: readonly string[];
  /** Whether only drafts are shown, which only staff see. */
  published?: 'false';
  /** Whether a pet must have all tags; by default, any of them. */
  match?: 'all';
  /** By default by relevance if there is a text, otherwise the newest first. */
  sort?: PetSort;
}

/** The search in an address. Without a status, it depends on the user (`shownSearch`). */
export interface CatalogueAddress extends Omit<CatalogueSearch, 'status'> {
  status?: readonly (StatusFilter | typeof ANY_STATUS)[];
}

const CATALOGUE_PAGE_SIZE = 24;

/** The status of the pets that visitors see if the address has none. */
const STATUS_FOR_VISITORS: StatusFilter = 'available';

/** In an address: pets of any status, also for visitors. */
const ANY_STATUS = 'any';

/** The limits of the API. */
const MAX_TEXT_LENGTH = 200;
const MAX_NAMES = 50;

/** Reads the query of an address. Invalid parts are ignored, so that truncated and old links still work. */
export function readCatalogueSearch(query: URLSearchParams): CatalogueAddress {
  const typed = query.get('text')?.trim().slice(0, MAX_TEXT_LENGTH) ?? '';
  // The API rejects a text without words.
  const text = wordsOf(typed).length === 0 ? '' : typed;
  const statuses = query.getAll('status');
  const status = statuses.includes(ANY_STATUS)
    ? ([ANY_STATUS] as const)
    : STATUS_FILTERS.filter((each) => statuses.includes(each));
  const hasLocation = namesIn(query, 'location').length > 0;
  const sort = PET_SORTS.find((each) => each === query.get('sort') && (each !== 'location' || hasLocation));
  return {
    ...(text !== '' && { text }),
    ...(status.length > 0 && { status }),
    ...Object.fromEntries(
      LIST_FILTERS.map((name) => [name, namesIn(query, name)] as const).filter(([, values]) => values.length > 0),
    ),
    ...(query.get('published') === 'false' && { published: 'false' as const }),
    ...(query.get('match') === 'all' && { match: 'all' as const }),
    ...(sort !== undefined && sort !== usualSort(text) && (sort !== 'relevance' || text !== '') && { sort }),
  };
}

/** The query of an address, in a fixed order, so that equal searches have equal addresses. */
export function catalogueQuery(search: CatalogueAddress): URLSearchParams {
  const query = new URLSearchParams();
  if (search.text !== undefined) query.set('text', search.text);
  for (const status of search.status ?? []) query.append('status', status);
  for (const name of LIST_FILTERS) for (const value of search[name] ?? []) query.append(name, value);
  if (search.published !== undefined) query.set('published', search.published);
  if (search.match !== undefined) query.set('match', search.match);
  if (search.sort !== undefined) query.set('sort', search.sort);
  return query;
}

/**
 * The search that an address shows. Visitors look for a pet that they can adopt, so they see others only if the address
 * has a status.
 *
 * @param managesPets whether the user may change pets
 */
export function shownSearch(address: CatalogueAddress, managesPets: boolean): CatalogueSearch {
  const { published: _published, ...ofVisitor } = address;
  const read = managesPets ? address : ofVisitor;
  const { status = managesPets ? [] : [STATUS_FOR_VISITORS], ...others } = read;
  const shown = status.filter((each) => each !== ANY_STATUS);
  // In the order of the fields of an address.
  return shown.length === 0 ? others : { ...read, status: shown };
}

/** The address of a search that is shown: the reverse of `shownSearch`. */
export function addressedSearch(search: CatalogueSearch, managesPets: boolean): CatalogueAddress {
  if (managesPets) return search;
  const { status = [ANY_STATUS], ...others } = search;
  const isDefault = status.length === 1 && status[0] === STATUS_FOR_VISITORS;
  return isDefault ? others : readCatalogueSearch(catalogueQuery({ ...others, status }));
}

export function findInputOf(search: CatalogueSearch): ArgumentsOf<'findPets'> {
  const sort = search.sort ?? usualSort(search.text ?? '');
  return { ...countInputOf(search), sort, limit: CATALOGUE_PAGE_SIZE, covers: true, include: 'facts' };
}

/** The arguments of `countFacets`. Unknown values of facts do not filter, but the page names them. */
export function countInputOf(search: CatalogueSearch): ArgumentsOf<'countFacets'> {
  const known = Object.entries(search).map(([name, value]) => [name, knownValues(name, value)] as const);
  return filtersOf(Object.fromEntries(known.filter(([, value]) => value.length > 0)));
}

/** All filters of a search, as parameters of the API, which refuses unknown values of facts. */
export function filtersOf({
  tag,
  match,
  published,
  sort: _order,
  ...same
}: CatalogueSearch): ArgumentsOf<'countFacets'> {
  return {
    ...(same as ArgumentsOf<'countFacets'>),
    ...(tag !== undefined && { tags: tag }),
    ...(match !== undefined && { tagMatch: match }),
    ...(published !== undefined && { published: false }),
  };
}

/** Adds the value, or takes it out if the list has it. */
export function toggle<T>(values: readonly T[] | undefined, value: T): readonly T[] {
  const before = values ?? [];
  return before.includes(value) ? before.filter((each) => each !== value) : [...before, value];
}

export function usualSort(text: string): PetSort {
  return text === '' ? 'newest' : 'relevance';
}

function namesIn(query: URLSearchParams, name: string): readonly string[] {
  return [...new Set(query.getAll(name).map(canonicalText))].filter((each) => each !== '').slice(0, MAX_NAMES);
}

function knownValues(name: string, value: string | readonly string[]): string | readonly string[] {
  const all = name in KNOWN_VALUES ? KNOWN_VALUES[name as keyof typeof KNOWN_VALUES] : undefined;
  return all === undefined || typeof value === 'string' ? value : value.filter((each) => all.includes(each));
}
