import { createHash } from 'node:crypto';
import { accentStyles } from '../../api/web/accent-styles.ts';
import { DEFAULT_NAME, isDescribed, type Site } from '../../api/web/site.ts';
import { habitsIn } from '../../domain/organisation/country.ts';
import { pixelsIn } from '../../domain/photos/photo.ts';
import type { StoredOrganisation } from '../../domain/organisation/site-records.ts';
import { labelsOf } from '../../api/words/organisation-texts.ts';

export interface PageSite {
  site: Site;
  /** CSS for the head of the page: the tones of the accent colour, if there is one. */
  styles: string | undefined;
}

export const DEFAULT_SITE: PageSite = { site: { name: DEFAULT_NAME }, styles: undefined };

/** The records of the site that pages show. */
export interface StoredSite extends StoredOrganisation {
  /** The names of the features that an administrator has turned on. */
  features: readonly string[];
}

/** @param stored undefined while the database is unreachable */
export function pageSiteOf(stored: StoredSite | undefined, basePath: string): PageSite {
  if (stored === undefined) return DEFAULT_SITE;
  const { organisation, logo, features } = stored;
  const { name = DEFAULT_NAME, accentColour, contact, country, language, locations = [] } = organisation;
  const labels = labelsOf(organisation);
  const hasSteps = [organisation, ...Object.values(organisation.translations ?? {})].some((each) => each.adoptionSteps);
  const src = `${basePath}/v2/photo/${logo?.digest}/small`;
  return {
    site: {
      name,
      ...(logo !== undefined && { logo: { src, ...pixelsIn(logo, 'small') } }),
      ...(contact !== undefined && { contact }),
      ...(isDescribed(organisation) && { isDescribed: true }),
      ...(language !== undefined && { language }),
      ...(labels !== undefined && { labels }),
      ...(hasSteps && { hasAdoptionSteps: true }),
      ...(locations.length > 1 && { places: Object.fromEntries(locations.map((place) => [place.id, place.name])) }),
      ...(features.length > 0 && { features }),
      ...habitsIn(country),
    },
    styles: accentColour === undefined ? undefined : accentStyles(accentColour),
  };
}

/** The source expression of the content security policy for these styles. */
export function styleSource(styles: string): string {
  return `'sha256-${createHash('sha256').update(styles).digest('base64')}'`;
}
