import enquire from '../enquiries/texts/de/enquire.json';
import savedSearches from '../saved-searches/texts/de/saved-searches.json';

/** Texts of pages for visitors. */
export const FEATURE_TEXTS = { enquire, savedSearches };
