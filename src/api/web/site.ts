import type { UnaskedField } from '../../domain/organisation/country.ts';
import type { Contact, Organisation, TextLanguage } from '../../domain/organisation/organisation.ts';

import type { LabelNames } from '../words/words.ts';

export type { Contact };

/** The name of a site whose organisation has none. */
export const DEFAULT_NAME = 'Menagerie';

/** What every page shows of the organisation. */
export interface Site {
  name: string;
  /** The logo in the smallest size; its path begins with the path of the service. */
  logo?: { src: string; width: number; height: number };
  contact?: Contact;
  isDescribed?: true;
  /** The language of texts that have no other one. */
  language?: TextLanguage;
  /** The names of categories and tags, in each language that has any. */
  labels?: LabelNames;
  /** Whether that page says how an adoption works. */
  hasAdoptionSteps?: true;
  /** The names of the locations by their IDs, if there is more than one. */
  places?: Readonly<Record<string, string>>;
  /** The names of the features that an administrator has turned on. Absent if there are none. */
  features?: readonly string[];
  /** Fields of profiles that are neither asked nor shown in the country of the organisation. */
  unasked?: readonly UnaskedField[];
  /** Whether weights are in pounds and ounces; otherwise in kilograms. */
  weighsInPounds?: true;
}

/** Whether the page of the organisation has anything to show. */
export function isDescribed(organisation: Organisation): boolean {
  const { about, summary, contact, adoptionSteps, commonQuestions, donationUrl, locations, translations } =
    organisation;
  const parts = [about, summary, contact, adoptionSteps, commonQuestions, donationUrl, locations, translations];
  return parts.some((part) => part !== undefined);
}

/** The link for a telephone number as people write it (RFC 3966 allows no spaces). */
export function telephoneLink(telephone: string): string {
  return `tel:${telephone.replaceAll(/(?!^\+)[^\d]/g, '')}`;
}
