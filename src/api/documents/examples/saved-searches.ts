import type { Examples } from './example.ts';

export const SAVED_SEARCH_EXAMPLES = {
  listSavedSearches: { parameters: { email: 'ada@example.org' }, response: [] },
  eraseSavedSearches: { body: { email: 'ada@example.org' }, response: { erased: 0 } },
} as const satisfies Examples;
