import type { SiteId } from './listing-site.ts';

/** The files that a site reads, as it calls them. */
export const LISTING_FILES = {
  petfinder: ['pets.csv'],
  adoptapet: ['pets.csv', 'import.cfg'],
  rescuegroups: ['pets.csv'],
  open: ['pets.json'],
} as const satisfies Record<SiteId, readonly string[]>;

export type ListingFile = (typeof LISTING_FILES)[SiteId][number];

export function isFileOf(site: SiteId, file: string): file is ListingFile {
  return (LISTING_FILES[site] as readonly string[]).includes(file);
}
