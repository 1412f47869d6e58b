import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { addressedSearch, shownSearch, type CatalogueSearch } from '../../../api/web/catalogue-search.ts';
import { usePermissions } from '../../service/current-user.ts';
import { changeSearch, type SearchChange } from './search-criteria.ts';

/** The search that the address shows, and functions that change it. */
export interface SearchAddress {
  search: CatalogueSearch;
  /** Adds a history entry. */
  change: (change: SearchChange) => void;
  /** Replaces the history entry: for changes with every key. */
  replace: (change: SearchChange) => void;
  clear: () => void;
  /** Shows another search, with a history entry. */
  show: (search: CatalogueSearch) => void;
}

/** @param onGo called on each change; must be a stable function */
export function useSearchAddress(onGo: () => void): SearchAddress {
  const { writePets } = usePermissions();
  const search = useSearch({
    from: '/',
    select: (found) => changeSearch(shownSearch(found, writePets), {}),
    structuralSharing: true,
  });
  const navigate = useNavigate();
  return useMemo(() => {
    const go = (next: CatalogueSearch, replace: boolean) => {
      const search = addressedSearch(next, writePets);
      void navigate({ to: '/', search, replace, resetScroll: false, ...(replace && { state: true }) });
      onGo();
    };
    return {
      search,
      change: (change) => go(changeSearch(search, change), false),
      replace: (change) => go(changeSearch(search, change), true),
      clear: () => go(search.sort === undefined ? {} : changeSearch({}, { sort: search.sort }), false),
      show: (next) => go(next, false),
    };
  }, [search, writePets, navigate, onGo]);
}
