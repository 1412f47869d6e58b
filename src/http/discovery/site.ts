import type { AnimalShelter } from 'schema-dts';
import type { LabelNames } from '../../api/words/words.ts';
import type { StoredOrganisation } from '../../domain/organisation/site-records.ts';
import { labelsOf } from '../../api/words/organisation-texts.ts';

/** Who publishes the catalogue, for search engines, link previews and feeds. */
export interface Site {
  name: string;
  /** The names of categories and tags. */
  labels?: LabelNames | undefined;
  /** Undefined if it has no name. */
  organization?: Exclude<AnimalShelter, string>;
}

const DEFAULT_NAME = 'Menagerie';

/**
 * @param stored undefined while the database is unreachable
 * @param base the URL at which the client reaches the service
 */
export function siteOf(stored: StoredOrganisation | undefined, base: string): Site {
  const { organisation = {}, logo } = stored ?? {};
  const { name, contact = {} } = organisation;
  const labels = labelsOf(organisation);
  if (name === undefined) return { name: DEFAULT_NAME, labels };
  const { telephone, email, address, website } = contact;
  const organization: Site['organization'] = {
    '@type': 'AnimalShelter',
    '@id': `${base}/#organisation`,
    name,
    url: website ?? `${base}/`,
    ...(logo !== undefined && { logo: `${base}/v2/photo/${logo.digest}/medium` }),
    ...(telephone !== undefined && { telephone }),
    ...(email !== undefined && { email }),
    ...(address !== undefined && { address }),
  };
  return { name, labels, organization };
}
