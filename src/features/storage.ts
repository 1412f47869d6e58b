import { ENQUIRY_STORES } from './enquiries/storage/stores.ts';
import {
  ENQUIRY_CHECKS,
  ENQUIRY_REFERENCES,
  ENQUIRY_TABLES,
  renewKeysOfEnquiries,
} from './enquiries/storage/tables.ts';
import { LISTING_STORES } from './listings/storage/stores.ts';
import { LISTING_CHECKS, LISTING_TABLES } from './listings/storage/tables.ts';
import { SAVED_SEARCH_STORES } from './saved-searches/storage/stores.ts';
import { renewKeysOfSearches } from './saved-searches/storage/search-keys.ts';
import { SAVED_SEARCH_REFERENCES, SAVED_SEARCH_TABLES } from './saved-searches/storage/tables.ts';
import { WEBHOOK_STORES } from './webhooks/storage/stores.ts';
import { WEBHOOK_BROKEN_ROWS, WEBHOOK_CHECKS, WEBHOOK_REFERENCES, WEBHOOK_TABLES } from './webhooks/storage/tables.ts';

export const FEATURE_STORES = { ...ENQUIRY_STORES, ...LISTING_STORES, ...SAVED_SEARCH_STORES, ...WEBHOOK_STORES };

/** The tables of features in a dump. They refer to tables of the core and of their own feature only. */
export const FEATURE_TABLES = [
  ...ENQUIRY_TABLES,
  ...LISTING_TABLES,
  ...SAVED_SEARCH_TABLES,
  ...WEBHOOK_TABLES,
] as const;

/** As in `storage/rows/health/row-problems.ts`. */
export const FEATURE_REFERENCES = [...ENQUIRY_REFERENCES, ...SAVED_SEARCH_REFERENCES, ...WEBHOOK_REFERENCES] as const;

/** Rows that refer to something else than a record, as there. */
export const FEATURE_BROKEN_ROWS = [...WEBHOOK_BROKEN_ROWS] as const;

/** The SQL that finds the problems of features, which `names.ts` has. */
export const FEATURE_ROW_CHECKS = { ...ENQUIRY_CHECKS, ...LISTING_CHECKS, ...WEBHOOK_CHECKS } as const;

/** Each brings the keys of persons in its tables to the current form, and returns their number. */
export const FEATURE_PERSON_KEYS = [renewKeysOfEnquiries, renewKeysOfSearches] as const;
