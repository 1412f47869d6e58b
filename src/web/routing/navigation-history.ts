import type { AnyRouter } from '@tanstack/react-router';
import { readCatalogueSearch, type CatalogueAddress } from '../../api/web/catalogue-search.ts';
import { bootstrap } from '../service/bootstrap.ts';

/*
 * Tracks the navigation, so that "back to the pets" leads to the same position in the same list, and goes back in the
 * browser history where possible.
 */

/** The key of the index in the history state of the router. */
export const HISTORY_INDEX = '__TSR_index';

/** The path of each history entry of this tab since the document was loaded, by index. */
const paths: string[] = [];
/**
 * The catalogue query from which the user came to this document, if they left it before the application had started.
 */
const previousQuery = findPreviousQuery();
let lastSearch: CatalogueAddress = readCatalogueSearch(new URLSearchParams(previousQuery));
let returnedFrom: string | undefined;
let isCoverChange = false;

export function trackNavigation(router: AnyRouter): void {
  router.subscribe('onBeforeLoad', ({ fromLocation, toLocation }) => {
    const isBack = fromLocation !== undefined && toLocation.state[HISTORY_INDEX] < fromLocation.state[HISTORY_INDEX];
    isCoverChange = fromLocation !== undefined && fromLocation.state.cover !== toLocation.state.cover;
    const isToList = isBack && toLocation.pathname === '/';
    returnedFrom = isToList ? /^\/pets\/(-?\d+)$/.exec(fromLocation.pathname)?.[1] : undefined;
  });
  router.subscribe('onResolved', ({ toLocation }) => {
    paths[toLocation.state[HISTORY_INDEX]] = toLocation.pathname;
    if (toLocation.pathname === '/') lastSearch = readCatalogueSearch(new URLSearchParams(toLocation.searchStr));
  });
}

/** Whether the scroll position is restored. It stays while something opens or closes over the page. */
export function restoresScroll(): boolean {
  return !isCoverChange;
}

export function lastCatalogueSearch(): CatalogueAddress {
  return lastSearch;
}

/** The ID (digits) of the pet whose page the user has just left by going back to the list. */
export function petReturnedFrom(): string | undefined {
  return returnedFrom;
}

/**
 * Whether the previous history entry is the catalogue.
 *
 * @param index of the current entry
 */
export function isCataloguePrevious(index: number): boolean {
  return index === 0 ? previousQuery !== undefined : paths[index - 1] === '/';
}

function findPreviousQuery(): string | undefined {
  // Not all browsers support it.
  if (!('navigation' in window)) return undefined;
  const { activation, currentEntry } = navigation;
  const from = activation?.from;
  if (!from?.url || from.index + 1 !== currentEntry?.index) return undefined;
  const { pathname, search } = new URL(from.url);
  return pathname === `${bootstrap.basePath}/` ? search : undefined;
}
