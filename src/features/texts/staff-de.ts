import savedSearches from '../saved-searches/texts/de/staff.json';

/** Texts of pages for staff. */
export const STAFF_TEXTS = [savedSearches] as const;
