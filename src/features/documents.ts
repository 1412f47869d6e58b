import { EMBEDDING_EXAMPLES, EMBEDDING_OPERATIONS } from './embedding/api/operations.ts';
import { ENQUIRY_EXAMPLES } from './enquiries/api/examples.ts';
import { ENQUIRY_PARAMETER_NAMES } from './enquiries/api/filter.ts';
import { ENQUIRY_OPERATIONS } from './enquiries/api/operations.ts';
import { SAVED_SEARCH_EXAMPLES, SAVED_SEARCH_OPERATIONS } from './saved-searches/api/operations.ts';

/** The descriptions of the operations of features. */
export const FEATURE_OPERATIONS = {
  ...EMBEDDING_OPERATIONS,
  ...ENQUIRY_OPERATIONS,
  ...SAVED_SEARCH_OPERATIONS,
} as const;

/** They need nothing of each other, so their order is free. */
export const FEATURE_EXAMPLES = { ...EMBEDDING_EXAMPLES, ...ENQUIRY_EXAMPLES, ...SAVED_SEARCH_EXAMPLES } as const;

/** The names of parameters that share theirs with others, in the OpenAPI document. */
export const FEATURE_PARAMETER_NAMES = [...ENQUIRY_PARAMETER_NAMES] as const;
