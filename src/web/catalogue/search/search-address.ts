import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { CatalogueSearch } from '../../../api/web/catalogue-search.ts';
import { changeSearch, type SearchChange } from './search-criteria.ts';

/** The search in the address, and functions that change it. */
export interface SearchAddress {
  search: CatalogueSearch;
  /** Adds a history entry. */
  change: (change: SearchChange) => void;
  /** Replaces the history entry: for changes with every key. */
  replace: (change: SearchChange) => void;
  clear: () => void;
}

/** @param onGo called on each change; must be a stable function */
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
