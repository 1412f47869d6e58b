import embedding from '../embedding/texts/en/staff.json';
import enquiries from '../enquiries/texts/en/staff.json';
import listings from '../listings/texts/en/staff.json';
import savedSearches from '../saved-searches/texts/en/staff.json';
import webhooks from '../webhooks/texts/en/staff.json';

/** Texts of pages for staff. */
export const STAFF_TEXTS = [embedding, enquiries, listings, savedSearches, webhooks] as const;
