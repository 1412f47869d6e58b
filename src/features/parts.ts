import { SAVED_SEARCH_PARTS } from './saved-searches/web/parts.ts';

/** Not with the pages, which load parts of the core that have these. */
export const FEATURES = [SAVED_SEARCH_PARTS] as const;
