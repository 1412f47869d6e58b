import enquire from '../enquiries/texts/en/enquire.json';
import savedSearches from '../saved-searches/texts/en/saved-searches.json';

/** Texts of pages for visitors. */
export const FEATURE_TEXTS = { enquire, savedSearches };
