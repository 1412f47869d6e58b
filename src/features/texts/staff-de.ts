import embedding from '../embedding/texts/de/staff.json';
import enquiries from '../enquiries/texts/de/staff.json';
import listings from '../listings/texts/de/staff.json';
import savedSearches from '../saved-searches/texts/de/staff.json';
import webhooks from '../webhooks/texts/de/staff.json';

/** Texts of pages for staff. */
export const STAFF_TEXTS = [embedding, enquiries, listings, savedSearches, webhooks] as const;
