import { SAVED_SEARCH_ENDPOINTS } from './saved-searches/api/endpoints.ts';

export const FEATURE_ENDPOINTS = { ...SAVED_SEARCH_ENDPOINTS } as const;
