import type { Examples } from './example.ts';

export const SAVED_SEARCH_EXAMPLES = {
  listSavedSearches: { parameters: { email: 'ada@example.org' }, response: [] },
  deleteSavedSearches: {
    parameters: { email: 'ada@example.org' },
    response: { code: 200, type: 'unknown', message: '0' },
  },
} as const satisfies Examples;
