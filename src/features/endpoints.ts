import { EMBEDDING_ENDPOINTS } from './embedding/api/endpoints.ts';
import { SAVED_SEARCH_ENDPOINTS } from './saved-searches/api/endpoints.ts';

export const FEATURE_ENDPOINTS = { ...EMBEDDING_ENDPOINTS, ...SAVED_SEARCH_ENDPOINTS } as const;
