import type { SearchService } from '../../src/domain/search/search-engine.ts';
import type { PetCriteria } from '../../src/domain/search/criteria.ts';
import { readSynonyms } from '../../src/domain/search/synonyms.ts';
import { PetSearch } from '../../src/domain/search/pet-search.ts';
import type { DatabaseStores } from '../../src/domain/stores/stores.ts';
import { LocalSearch } from '../../src/server/search/local-search.ts';

/** Criteria that match all pets. */
export const ALL_PETS: PetCriteria = {
  words: [],
  statuses: [],
  categories: [],
  tags: [],
  tagMatch: 'any',
  updatedSinceMs: undefined,
  sort: 'id',
};

/** Words that pets of tests do not have, and one that some have. */
export const SYNONYMS = readSynonyms(
  '{"Kitten": ["cats", "CAT"], "bunny": ["Zoo animals", "Rabbits"], "zo": ["Éclair"]}',
);

/** On a busy machine, an index needs more than the default time to follow thousands of changes. */
const MAX_WAIT_MS = 60_000;

const searches = new WeakMap<DatabaseStores, SearchService>();

/** Search in these stores. Later calls return the same service, whose index follows the changes. */
export function searchIn(stores: DatabaseStores): SearchService {
  const known = searches.get(stores);
  if (known !== undefined) return known;
  const search = new LocalSearch({ source: stores.indexSource, synonyms: SYNONYMS, maxWaitMs: MAX_WAIT_MS });
  searches.set(stores, search);
  return search;
}

/** The use case on these stores. */
export function petSearchIn(stores: DatabaseStores, clock: () => number = Date.now): PetSearch {
  return new PetSearch({ ...stores, search: searchIn(stores), clock });
}
