import { EMBEDDING_PAGES } from './embedding/web/pages.ts';
import { ENQUIRY_PAGES } from './enquiries/web/pages.ts';
import { LISTING_PAGES } from './listings/web/pages.ts';
import { SAVED_SEARCH_PAGES } from './saved-searches/web/pages.ts';
import { WEBHOOK_PAGES } from './webhooks/web/pages.ts';

export const FEATURE_PAGE_COMPONENTS = {
  ...EMBEDDING_PAGES,
  ...ENQUIRY_PAGES,
  ...LISTING_PAGES,
  ...SAVED_SEARCH_PAGES,
  ...WEBHOOK_PAGES,
} as const;
