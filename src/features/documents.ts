import { EMBEDDING_EXAMPLES, EMBEDDING_OPERATIONS } from './embedding/api/operations.ts';
import { SAVED_SEARCH_EXAMPLES, SAVED_SEARCH_OPERATIONS } from './saved-searches/api/operations.ts';

/** The descriptions of the operations of features. */
export const FEATURE_OPERATIONS = { ...EMBEDDING_OPERATIONS, ...SAVED_SEARCH_OPERATIONS } as const;

/** They need nothing of each other, so their order is free. */
export const FEATURE_EXAMPLES = { ...EMBEDDING_EXAMPLES, ...SAVED_SEARCH_EXAMPLES } as const;
