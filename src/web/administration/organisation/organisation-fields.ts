import { isLanguage } from '../../../api/web/languages.ts';
import { withScheme } from '../../design/fields/web-address.ts';
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
  /** One sentence. */
  summary: string;
  about: string;
  /** Empty lines separate them. The first line of each is the question. */
  commonQuestions: string;
  donationUrl: string;
  telephone: string;
  email: string;
  website: string;
  address: string;
  openingHours: string;
  /** One step on each line. */
  adoptionSteps: string;
  /** The language of these texts; empty if it is not known. */
  language: string;
  translatedSummary: string;
  translatedAbout: string;
  translatedQuestions: string;
  translatedSteps: string;
  translatedHours: string;
  /** The name of a category or a tag, an equals sign and its translation on each line. */
  translatedLabels: string;
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
    summary: own.summary ?? '',
    about: own.about ?? '',
    commonQuestions: questionsText(own.commonQuestions),
    donationUrl: own.donationUrl ?? '',
    telephone,
    email,
    website,
    address,
    openingHours,
    adoptionSteps: adoptionSteps.join('\n'),
    language: own.language ?? '',
    translatedSummary: translated.summary ?? '',
    translatedAbout: translated.about ?? '',
    translatedQuestions: questionsText(translated.commonQuestions),
    translatedSteps: (translated.adoptionSteps ?? []).join('\n'),
    translatedHours: translated.openingHours ?? '',
    translatedLabels: (translated.labels ?? []).map(({ name, translation }) => `${name} = ${translation}`).join('\n'),
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
  const { name, accentColour, country, currency, adoptionSteps, locations, summary, about, ...others } = fields;
  const { commonQuestions, donationUrl, language, ...texts } = others;
  const { translatedSummary, translatedAbout, translatedSteps, translatedHours, ...more } = texts;
  const { translatedQuestions, translatedLabels, ...contact } = more;
  const translated = {
    summary: translatedSummary,
    about: translatedAbout,
    adoptionSteps: linesIn(translatedSteps),
    openingHours: translatedHours,
    commonQuestions: questionsIn(translatedQuestions),
    labels: linesIn(translatedLabels).map(labelIn),
  };
  return {
    name,
    accentColour: accentColour === '' ? null : accentColour,
    country: country === '' ? null : country,
    currency: currency.trim() === '' ? null : currency.trim().toUpperCase(),
    summary,
    about,
    // Enter sends a form before the field completes it.
    contact: { ...contact, website: withScheme(contact.website) },
    donationUrl: withScheme(donationUrl),
    commonQuestions: questionsIn(commonQuestions),
    adoptionSteps: linesIn(adoptionSteps),
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

export function linesIn(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '');
}

/** The service refuses a line without a translation. */
function labelIn(line: string): { name: string; translation: string } {
  const [name = '', ...translation] = line.split('=');
  return { name: name.trim(), translation: translation.join('=').trim() };
}

function questionsText(questions: OrganisationView['commonQuestions'] = []): string {
  return questions.map(({ question, answer }) => `${question}\n${answer.replaceAll(/\n\s*\n/g, '\n')}`).join('\n\n');
}

/** A question without an answer is sent, so that the service refuses it: it must not be lost. */
export function questionsIn(text: string): NonNullable<OrganisationView['commonQuestions']> {
  const parts = text.split(/\n\s*\n/).filter((part) => part.trim() !== '');
  return parts.map((part) => {
    const [question = '', ...answer] = part.trim().split('\n');
    return { question, answer: answer.join('\n') };
  });
}

/** The language of the translated texts. */
export function otherLanguage(language: string | undefined): 'en' | 'de' {
  return language === 'de' ? 'en' : 'de';
}

/** With a point or a comma. The service refuses what is no number. */
function degreesOf(text: string): number | null {
  return text.trim() === '' ? null : Number(text.replace(',', '.'));
}

const TRANSLATED = {
  translatedAbout: '/about',
  translatedSteps: '/adoptionSteps',
  translatedHours: '/openingHours',
  translatedLabels: '/labels',
} as const;

/** The path of each field in the errors of the service. @param language that of the texts */
export function pathOf(field: TextField, language: string): string {
  if (field in TRANSLATED)
    return `/translations/${otherLanguage(language)}${TRANSLATED[field as keyof typeof TRANSLATED]}`;
  const isOfContact = ['telephone', 'email', 'website', 'address', 'openingHours'].includes(field);
  return isOfContact ? `/contact/${field}` : `/${field}`;
}
