import { Problems, type ListingSite } from './listing-site.ts';

/**
 * The open feed has the whole public profile, so it misses nothing. `api/records/listings/listing-feed.ts` has its
 * format.
 */
export const OPEN_LISTING: ListingSite = {
  columns: [],
  statuses: ['available', 'pending'],
  rowOf({ status }) {
    const problems = new Problems();
    if (status !== 'available' && status !== 'pending') problems.refuse('status-not-listed');
    return { cells: [], problems: problems.all };
  },
};
