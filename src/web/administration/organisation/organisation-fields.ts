import { isLanguage } from '../../../api/web/languages.ts';
import type { ArgumentsOf, ResultOf } from '../../../api/documents/operation-types.ts';

export type OrganisationView = ResultOf<'getOrganisation'>;
type Sent = ArgumentsOf<'updateOrganisation'>['body'];

export interface LocationFields {
  id: string;
  name: string;
  address: string;
  place: string;
  latitude: string;
  longitude: string;
}

/** The organisation as a form has it. */
export interface OrganisationFields {
  name: string;
  accentColour: string;
  country: string;
  currency: string;
  about: string;
  telephone: string;
  email: string;
  website: string;
  address: string;
  openingHours: string;
  /** One step on each line. */
  adoptionSteps: string;
  /** The language of these texts; empty if it is not known. */
  language: string;
  translatedAbout: string;
  translatedSteps: string;
  translatedHours: string;
  locations: readonly LocationFields[];
}

export type TextField = Exclude<keyof OrganisationFields, 'locations'>;

export const NEW_LOCATION: LocationFields = { id: '', name: '', address: '', place: '', latitude: '', longitude: '' };

export function fieldsOf({
  contact = {},
  adoptionSteps = [],
  locations = [],
  ...own
}: OrganisationView): OrganisationFields {
  const translated = own.translations?.[otherLanguage(own.language)] ?? {};
  const { telephone = '', email = '', website = '', address = '', openingHours = '' } = contact;
  return {
    name: own.name ?? '',
    accentColour: own.accentColour ?? '',
    country: own.country ?? '',
    currency: own.currency ?? '',
    about: own.about ?? '',
    telephone,
    email,
    website,
    address,
    openingHours,
    adoptionSteps: adoptionSteps.join('\n'),
    language: own.language ?? '',
    translatedAbout: translated.about ?? '',
    translatedSteps: (translated.adoptionSteps ?? []).join('\n'),
    translatedHours: translated.openingHours ?? '',
    locations: locations.map(({ latitude, longitude, ...texts }) => ({
      ...NEW_LOCATION,
      ...texts,
      latitude: latitude?.toString() ?? '',
      longitude: longitude?.toString() ?? '',
    })),
  };
}

/** Empty fields are deleted. */
export function bodyOf(fields: OrganisationFields): Sent {
  const { name, accentColour, country, currency, about, adoptionSteps, locations, ...others } = fields;
  const { language, translatedAbout, translatedSteps, translatedHours, ...contact } = others;
  const translated = { about: translatedAbout, adoptionSteps: stepsIn(translatedSteps), openingHours: translatedHours };
  return {
    name,
    accentColour: accentColour === '' ? null : accentColour,
    country: country === '' ? null : country,
    currency: currency.trim() === '' ? null : currency.trim().toUpperCase(),
    about,
    contact,
    adoptionSteps: stepsIn(adoptionSteps),
    language: isLanguage(language) ? language : null,
    translations: { [otherLanguage(language)]: translated },
    locations: locations.map(({ id, latitude, longitude, ...texts }) => ({
      ...texts,
      id: id === '' ? null : id,
      latitude: degreesOf(latitude),
      longitude: degreesOf(longitude),
    })),
  };
}

function stepsIn(text: string): string[] {
  return text.split('\n').filter((step) => step.trim() !== '');
}

/** The language of the translated texts. */
export function otherLanguage(language: string | undefined): 'en' | 'de' {
  return language === 'de' ? 'en' : 'de';
}

/** With a point or a comma. The service refuses what is no number. */
function degreesOf(text: string): number | null {
  return text.trim() === '' ? null : Number(text.replace(',', '.'));
}

/** The path of each field in the errors of the service. */
export function pathOf(field: TextField): string {
  const isOfContact = ['telephone', 'email', 'website', 'address', 'openingHours'].includes(field);
  if (isOfContact) return `/contact/${field}`;
  return field.startsWith('translated') ? '/translations' : `/${field}`;
}
