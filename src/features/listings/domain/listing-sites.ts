import { ADOPTAPET } from './adoptapet.ts';
import { type ListingSite, Problems, type SiteId } from './listing-site.ts';
import { PETFINDER } from './petfinder.ts';
import { RESCUEGROUPS } from './rescuegroups.ts';

/**
 * The open feed has the whole public profile, so it misses nothing. `api/records/listings/listing-feed.ts` has its
 * format.
 */
const OPEN_LISTING: ListingSite = {
  columns: [],
  statuses: ['available', 'pending'],
  rowOf({ status }) {
    const problems = new Problems();
    if (status !== 'available' && status !== 'pending') problems.refuse('status-not-listed');
    return { cells: [], problems: problems.all };
  },
};

export const LISTING_SITES: Readonly<Record<SiteId, ListingSite>> = {
  petfinder: PETFINDER,
  adoptapet: ADOPTAPET,
  rescuegroups: RESCUEGROUPS,
  open: OPEN_LISTING,
};
