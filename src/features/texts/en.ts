import savedSearches from '../saved-searches/texts/en/saved-searches.json';

/** What visitors read. */
export const FEATURE_TEXTS = { savedSearches };
