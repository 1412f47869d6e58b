import embedding from '../embedding/texts/en/staff.json';
import enquiries from '../enquiries/texts/en/staff.json';
import savedSearches from '../saved-searches/texts/en/staff.json';

/** Texts of pages for staff. */
export const STAFF_TEXTS = [embedding, enquiries, savedSearches] as const;
