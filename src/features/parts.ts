import { EMBEDDING_PARTS } from './embedding/web/parts.ts';
import { SAVED_SEARCH_PARTS } from './saved-searches/web/parts.ts';

/** Not with the pages, which load parts of the core that have these. */
export const FEATURES = [EMBEDDING_PARTS, SAVED_SEARCH_PARTS] as const;
