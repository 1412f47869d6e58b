import savedSearches from '../saved-searches/texts/en/staff.json';

/** What features add to the texts of staff. */
export const STAFF_TEXTS = [savedSearches] as const;
