import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { CatalogueSearch } from '../../../api/web/catalogue-search.ts';
import { changeSearch, type SearchChange } from './search-parts.ts';

/** What is looked for, as the address has it, and ways to look for something else. */
export interface SearchAddress {
  search: CatalogueSearch;
  /** A step of its own in the history of the browser. */
  change: (change: SearchChange) => void;
  /** In the place of the step before: for what changes with every key. */
  replace: (change: SearchChange) => void;
  clear: () => void;
}

/** @param onGo called whenever something else is looked for; always the same function */
export function useSearchAddress(onGo: () => void): SearchAddress {
  const search = useSearch({ from: '/', select: (found) => changeSearch(found, {}), structuralSharing: true });
  const navigate = useNavigate();
  return useMemo(() => {
    const go = (next: CatalogueSearch, replace: boolean) => {
      void navigate({ to: '/', search: next, replace, resetScroll: false });
      onGo();
    };
    return {
      search,
      change: (change) => go(changeSearch(search, change), false),
      replace: (change) => go(changeSearch(search, change), true),
      clear: () => go(search.sort === undefined ? {} : changeSearch({}, { sort: search.sort }), false),
    };
  }, [search, navigate, onGo]);
}
