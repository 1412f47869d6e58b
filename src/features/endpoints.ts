import { EMBEDDING_ENDPOINTS } from './embedding/api/endpoints.ts';
import { ENQUIRY_ENDPOINTS } from './enquiries/api/endpoints.ts';
import { LISTING_ENDPOINTS } from './listings/api/endpoints.ts';
import { SAVED_SEARCH_ENDPOINTS } from './saved-searches/api/endpoints.ts';
import { WEBHOOK_ENDPOINTS } from './webhooks/api/endpoints.ts';

export const FEATURE_ENDPOINTS = {
  ...EMBEDDING_ENDPOINTS,
  ...ENQUIRY_ENDPOINTS,
  ...LISTING_ENDPOINTS,
  ...SAVED_SEARCH_ENDPOINTS,
  ...WEBHOOK_ENDPOINTS,
} as const;
