import type { AnyRouter } from '@tanstack/react-router';
import { readCatalogueSearch, type CatalogueSearch } from '../../api/web/catalogue-search.ts';

/*
 * Where the reader has been, so that "back to the pets" leads to the same place in the same list, and is the browser's own way back where it can be.
 */

/** Under which the router keeps it in the state of an entry. */
export const INDEX = '__TSR_index';

/** The path of each entry of this tab's history, by its number in it, since the document was loaded. */
const paths: string[] = [];
/** The query of the catalogue that the reader left for this document by a link, before the application had started there. */
const queryBefore = findQueryBefore();
let lastSearch: CatalogueSearch = readCatalogueSearch(new URLSearchParams(queryBefore));
let comeBackFrom: string | undefined;

export function followTrail(router: AnyRouter): void {
  router.subscribe('onBeforeLoad', ({ fromLocation, toLocation }) => {
    const isBack = fromLocation !== undefined && toLocation.state[INDEX] < fromLocation.state[INDEX];
    const isToList = isBack && toLocation.pathname === '/';
    comeBackFrom = isToList ? /^\/pets\/(-?\d+)$/.exec(fromLocation.pathname)?.[1] : undefined;
  });
  router.subscribe('onResolved', ({ toLocation }) => {
    paths[toLocation.state[INDEX]] = toLocation.pathname;
    if (toLocation.pathname === '/') lastSearch = readCatalogueSearch(new URLSearchParams(toLocation.searchStr));
  });
}

/** What was looked for last. */
export function lastCatalogueSearch(): CatalogueSearch {
  return lastSearch;
}

/** The pet, by the digits of its id, whose page the reader has just left by the way back to the list. */
export function petComeBackFrom(): string | undefined {
  return comeBackFrom;
}

/** Is the catalogue what the browser's back button leads to? @param index of the present entry */
export function isCatalogueBehind(index: number): boolean {
  return index === 0 ? queryBefore !== undefined : paths[index - 1] === '/';
}

function findQueryBefore(): string | undefined {
  // Not in every browser.
  if (!('navigation' in window)) return undefined;
  const { activation, currentEntry } = navigation;
  const from = activation?.from;
  if (!from?.url || from.index + 1 !== currentEntry?.index) return undefined;
  const { pathname, search } = new URL(from.url);
  return pathname === '/' ? search : undefined;
}
