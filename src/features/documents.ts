import { EMBEDDING_EXAMPLES, EMBEDDING_OPERATIONS } from './embedding/api/operations.ts';
import { ENQUIRY_EXAMPLES } from './enquiries/api/examples.ts';
import { ENQUIRY_PARAMETER_NAMES } from './enquiries/api/filter.ts';
import { ENQUIRY_OPERATIONS } from './enquiries/api/operations.ts';
import { LISTING_EXAMPLES } from './listings/api/examples.ts';
import { LISTING_OPERATIONS } from './listings/api/operations.ts';
import { SAVED_SEARCH_EXAMPLES, SAVED_SEARCH_OPERATIONS } from './saved-searches/api/operations.ts';
import { WEBHOOK_EXAMPLES, WEBHOOK_LINKS, WEBHOOK_OPERATIONS } from './webhooks/api/operations.ts';
import { WEBHOOK_REQUESTS } from './webhooks/api/sent-requests.ts';

/** The descriptions of the operations of features. */
export const FEATURE_OPERATIONS = {
  ...EMBEDDING_OPERATIONS,
  ...ENQUIRY_OPERATIONS,
  ...LISTING_OPERATIONS,
  ...SAVED_SEARCH_OPERATIONS,
  ...WEBHOOK_OPERATIONS,
} as const;

/** They need nothing of each other, so their order is free. */
export const FEATURE_EXAMPLES = {
  ...EMBEDDING_EXAMPLES,
  ...ENQUIRY_EXAMPLES,
  ...LISTING_EXAMPLES,
  ...SAVED_SEARCH_EXAMPLES,
  ...WEBHOOK_EXAMPLES,
} as const;

/** The names of parameters that share theirs with others, in the OpenAPI document. */
export const FEATURE_PARAMETER_NAMES = [...ENQUIRY_PARAMETER_NAMES] as const;

/** As in `api/documents/links.ts`. */
export const FEATURE_LINKS = { ...WEBHOOK_LINKS } as const;

/** The requests that features send to others. */
export const FEATURE_REQUESTS = [WEBHOOK_REQUESTS] as const;
