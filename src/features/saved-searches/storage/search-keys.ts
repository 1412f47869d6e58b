import { outdatedKeysOf, renewable } from '../../../storage/rows/person-keys.ts';
import { statement } from '../../../storage/rows/statements.ts';
import { ask, send, type Steps } from '../../../storage/rows/steps.ts';

const outdatedKeysOfSearches = outdatedKeysOf('saved_search');
const searchesOf = statement('select id, search, confirmed_at_ms from saved_search where email_key = $1');
const sameSearch = statement('select id, confirmed_at_ms from saved_search where email_key = $1 and search = $2');
const setKeyOfSearch = statement('update saved_search set email_key = $2 where id = $1');
const moveLinks = statement('update saved_search_link set search_id = $2 where search_id = $1');
const deleteSearch = statement('delete from saved_search where id = $1');

type SearchRow = [id: string, search: string, confirmedAtMs: bigint | null];

/** @returns the number of renewed keys */
export function* renewKeysOfSearches(): Steps<number> {
  const keys = yield* renewable(outdatedKeysOfSearches);
  for (const [outdated, key] of keys)
    for (const search of yield* ask<SearchRow>(searchesOf, outdated)) yield* renewKeyOfSearch(search, key);
  return keys.length;
}

/** A person may have saved a search under both forms of a domain: one stays, with the links of both. */
function* renewKeyOfSearch([id, search, confirmedAtMs]: SearchRow, key: string): Steps<void> {
  const [other] = yield* ask<[id: string, confirmedAtMs: bigint | null]>(sameSearch, key, search);
  if (other === undefined) {
    yield* send(setKeyOfSearch, id, key);
    return;
  }
  const [kept, dropped] = confirmedAtMs !== null && other[1] === null ? [id, other[0]] : [other[0], id];
  yield* send(moveLinks, dropped, kept);
  yield* send(deleteSearch, dropped);
  if (kept === id) yield* send(setKeyOfSearch, id, key);
}
