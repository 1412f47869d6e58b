import type { AnimalShelter, Organization } from 'schema-dts';

/** Who publishes the catalogue, for search engines, link previews and feeds. */
export interface Site {
  name: string;
  /** Of this installation; undefined if it has none. */
  organization?: Exclude<AnimalShelter | Organization, string>;
}

export const SITE: Site = { name: 'Menagerie' };
