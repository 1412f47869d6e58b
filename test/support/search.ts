import type { SearchService } from '../../src/domain/search/search-engine.ts';
import { createAccess, permissionOf, type Actor } from '../../src/domain/access.ts';
import { ALL_PETS, type SearchScope } from '../../src/domain/search/criteria.ts';
import { PetProfiles } from '../../src/domain/pets/pet-profiles.ts';
import { readSynonyms } from '../../src/domain/search/synonyms.ts';
import { PetSearch } from '../../src/domain/search/pet-search.ts';
import type { DatabaseStores } from '../../src/storage/rows/stores/stores.ts';
import { LocalSearch } from '../../src/server/search/local-search.ts';

export { ALL_PETS };

/** The day of tests. */
export const TODAY_MS = Date.parse('2026-08-31T12:00:00Z');

/** The scopes of searches: of those who may change pets, and of everyone. */
export const STAFF_SCOPE: SearchScope = { withDrafts: true, todayMs: TODAY_MS };
export const PUBLIC_SCOPE: SearchScope = { ...STAFF_SCOPE, withDrafts: false };

export const STAFF: Actor = { kind: 'operator', name: 'tester' };
export const ANYONE: Actor = { kind: 'anonymous', address: '127.0.0.1' };

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

/** The use case on these stores, in secured access. */
export function petSearchIn(stores: DatabaseStores, clock: () => number = () => TODAY_MS): PetSearch {
  const access = createAccess({ mode: 'secured', signUp: false });
  const deps = { ...stores, access, may: permissionOf(access), clock };
  return new PetSearch({ ...deps, profiles: new PetProfiles(deps), search: searchIn(stores) });
}
