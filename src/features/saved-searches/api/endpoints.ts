import { endpoint, OF_ADMIN, OF_VISITORS } from '../../../api/endpoint.ts';

export const SAVED_SEARCH_ENDPOINTS = {
  createSavedSearch: endpoint('POST', 'saved-searches', 'json', OF_VISITORS),
  confirmSavedSearch: endpoint('POST', 'saved-searches/confirm', 'json', OF_VISITORS),
  stopSavedSearch: endpoint('POST', 'saved-searches/{token}/stop', 'none', OF_VISITORS),
  listSavedSearches: endpoint('GET', 'saved-searches', 'none', { ...OF_ADMIN, isPrivate: true }),
  eraseSavedSearches: endpoint('POST', 'saved-searches/erase', 'json', { ...OF_ADMIN, isPrivate: true }),
} as const;
