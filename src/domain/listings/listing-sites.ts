import { ADOPTAPET } from './adoptapet.ts';
import type { ListingSite, SiteId } from './listing-site.ts';
import { OPEN_LISTING } from './open-listing.ts';
import { PETFINDER } from './petfinder.ts';
import { RESCUEGROUPS } from './rescuegroups.ts';

export const LISTING_SITES: Readonly<Record<SiteId, ListingSite>> = {
  petfinder: PETFINDER,
  adoptapet: ADOPTAPET,
  rescuegroups: RESCUEGROUPS,
  open: OPEN_LISTING,
};
