import savedSearches from '../saved-searches/texts/de/saved-searches.json';

/** Texts of pages for visitors. */
export const FEATURE_TEXTS = { savedSearches };
