import { store } from '../../../storage/rows/stores/store-entry.ts';
import type { SavedSearchStore } from '../domain/ports.ts';
import { SqlSavedSearchStore, applySavedSearchChange } from './saved-search-store.ts';

export const SAVED_SEARCH_STORES = {
  savedSearches: store((deps): SavedSearchStore => new SqlSavedSearchStore(deps), applySavedSearchChange),
};
