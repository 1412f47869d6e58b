import savedSearches from '../saved-searches/texts/de/saved-searches.json';

/** What visitors read. */
export const FEATURE_TEXTS = { savedSearches };
