import { invalidInput, type FieldProblem } from '../failure.ts';
import { textOn } from './accent.ts';
import { currencyOf, isCountry } from './country.ts';
import type { SiteRecord } from './ports.ts';

/** Lengths are in characters. */
export const ORGANISATION_LIMITS = {
  nameLength: 100,
  aboutLength: 10_000,
  telephoneLength: 50,
  emailLength: 254,
  addressLength: 500,
  urlLength: 1000,
  openingHoursLength: 1000,
  adoptionSteps: 20,
  stepLength: 500,
  summaryLength: 200,
  questions: 20,
  questionLength: 200,
  questionAnswerLength: 2000,
  locations: 100,
  placeLength: 100,
  labels: 200,
  labelLength: 100,
} as const;

export const ACCENT_COLOUR = '^#[0-9a-fA-F]{6}$';

/** Ids of locations are in the addresses of pages. */
export const LOCATION_ID = '^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$';

export interface Contact {
  telephone?: string;
  email?: string;
  address?: string;
  website?: string;
  /** Free text, also with several lines. */
  openingHours?: string;
}

/** A site of the organisation, where pets live. */
export interface Location {
  /** Unique. Derived from the name if the administrator gives none. */
  id: string;
  name: string;
  address?: string;
  /** In degrees (WGS 84), together with the longitude. */
  latitude?: number;
  longitude?: number;
  /** The town. */
  place?: string;
}

export const TEXT_LANGUAGES = ['en', 'de'] as const;
export type TextLanguage = (typeof TEXT_LANGUAGES)[number];

export interface CommonQuestion {
  question: string;
  answer: string;
}

export interface OrganisationTexts {
  /** One sentence. */
  summary?: string;
  /** Markdown. */
  about?: string;
  commonQuestions?: readonly CommonQuestion[];
  adoptionSteps?: readonly string[];
  openingHours?: string;
  labels?: readonly LabelName[];
}

/** The name of categories and tags in another language than they were entered in. */
export interface LabelName {
  name: string;
  translation: string;
}

/** What a shelter says about itself. Its logo is stored beside this record (`SiteRecord.photo`). */
export interface Organisation {
  name?: string;
  accentColour?: string;
  /** ISO 3166-1 alpha-2. */
  country?: string;
  /** The currency of fees that have none of their own (ISO 4217); by default that of the country. */
  currency?: string;
  /** One sentence, for the front page. */
  summary?: string;
  /** Markdown. */
  about?: string;
  contact?: Contact;
  /** The page on which people give money. */
  donationUrl?: string;
  commonQuestions?: readonly CommonQuestion[];
  adoptionSteps?: readonly string[];
  locations?: readonly Location[];
  /** The language of the texts above; undefined if the administrator has not said it. */
  language?: TextLanguage;
  translations?: Readonly<Partial<Record<TextLanguage, OrganisationTexts>>>;
}

/** A record in which every field may be missing. */
type Sent<T> = { [K in keyof T]?: T[K] | null | undefined };

type SentLocation = Sent<Location> & Pick<Location, 'name'>;

export interface SentOrganisation extends Sent<Omit<Organisation, 'contact' | 'locations' | 'translations'>> {
  contact?: Sent<Contact> | null | undefined;
  locations?: readonly SentLocation[] | null | undefined;
  translations?: { [Language in TextLanguage]?: Sent<OrganisationTexts> | null | undefined } | null | undefined;
}

export function organisationIn(record: SiteRecord | undefined): Organisation {
  return record === undefined ? {} : (JSON.parse(record.text) as Organisation);
}

/**
 * The organisation as it is stored: empty texts are left out, and every location has an id.
 *
 * @throws Failure `invalid-input`, naming every wrong field
 */
export function organisationOf(sent: SentOrganisation): Organisation {
  const organisation = withoutEmpty<Organisation>({
    name: sent.name,
    accentColour: sent.accentColour?.toLowerCase(),
    country: sent.country,
    currency: sent.currency,
    summary: sent.summary,
    about: sent.about,
    contact: contactOf(sent.contact ?? {}),
    donationUrl: sent.donationUrl,
    commonQuestions: questionsOf(sent.commonQuestions),
    adoptionSteps: sent.adoptionSteps,
    locations: locationsOf(sent.locations ?? []),
    language: sent.language,
    translations: translationsOf(sent.translations ?? {}),
  });
  const problems = [
    ...accentProblems(organisation.accentColour),
    ...countryProblems(organisation.country),
    ...currencyProblems(organisation.currency),
    ...contactProblems(organisation.contact),
    ...donationProblems(organisation.donationUrl),
    ...(organisation.locations ?? []).flatMap(locationProblems),
    ...translationProblems(organisation),
  ];
  if (problems.length > 0) throw invalidInput(problems);
  return organisation;
}

function accentProblems(accentColour: string | undefined): readonly FieldProblem[] {
  if (accentColour === undefined || textOn(accentColour) !== undefined) return [];
  const message = 'must be lighter or darker: neither white nor black text is readable on it (contrast 4.5)';
  return [{ path: '/accentColour', message }];
}

function countryProblems(country: string | undefined): readonly FieldProblem[] {
  if (country === undefined || isCountry(country)) return [];
  return [{ path: '/country', message: 'must be the code of a country, such as DE' }];
}

function currencyProblems(currency: string | undefined): readonly FieldProblem[] {
  if (currency === undefined || isCurrency(currency)) return [];
  return [{ path: '/currency', message: 'must be the code of a currency, such as EUR' }];
}

/** The currency of fees that have none of their own. */
export function feeCurrencyOf({ currency, country }: Organisation): string | undefined {
  return currency ?? (country === undefined ? undefined : currencyOf(country));
}

/** The language of clients that name none, such as search engines: that of the texts, or else of the country. */
export function languageOfSite({ language, country }: Organisation): TextLanguage | undefined {
  if (language !== undefined || country === undefined) return language;
  const { language: spoken } = new Intl.Locale(`und-${country}`).maximize();
  return TEXT_LANGUAGES.find((each) => each === spoken);
}

/** @param code of ISO 4217, in capital letters */
export function isCurrency(code: string): boolean {
  return Intl.supportedValuesOf('currency').includes(code);
}

/** One @, a domain with a dot, and no spaces: only a message shows whether an address exists. */
const EMAIL = /^[^\s@<>]+@[^\s@<>.]+(?:\.[^\s@<>.]+)+$/;

function contactProblems(contact: Contact | undefined): readonly FieldProblem[] {
  const { telephone, email, website } = contact ?? {};
  const problems: FieldProblem[] = [];
  if (telephone !== undefined && !/\d/.test(telephone))
    problems.push({ path: '/contact/telephone', message: 'must contain a digit' });
  if (email !== undefined && !EMAIL.test(email))
    problems.push({ path: '/contact/email', message: 'must be an email address, such as office@example.org' });
  if (website !== undefined && !isWebAddress(website))
    problems.push({ path: '/contact/website', message: WEB_ADDRESS_RULE });
  return problems;
}

function donationProblems(donationUrl: string | undefined): readonly FieldProblem[] {
  if (donationUrl === undefined || isWebAddress(donationUrl)) return [];
  return [{ path: '/donationUrl', message: WEB_ADDRESS_RULE }];
}

const WEB_ADDRESS_RULE = 'must be a URL that begins with https:// or http://';

function questionsOf(sent: readonly CommonQuestion[] | null | undefined): readonly CommonQuestion[] {
  return (sent ?? []).map(({ question, answer }) => ({
    question: question.trim().normalize('NFC'),
    answer: answer.trim().normalize('NFC'),
  }));
}

function isWebAddress(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:\/\//i.test(text) && url.username === '' && url.password === '';
}

function locationProblems(
  { id, latitude, longitude }: Location,
  index: number,
  all: readonly Location[],
): readonly FieldProblem[] {
  const path = `/locations/${index}`;
  const problems: FieldProblem[] = [];
  if (all.findIndex((other) => other.id === id) < index)
    problems.push({ path: `${path}/id`, message: 'is the id of another location' });
  if ((latitude === undefined) !== (longitude === undefined))
    problems.push({ path, message: 'must have both latitude and longitude, or neither' });
  return problems;
}

function contactOf({ telephone, email, address, website, openingHours }: Sent<Contact>): Contact {
  return withoutEmpty<Contact>({ telephone, email, address, website, openingHours });
}

function translationsOf(sent: NonNullable<SentOrganisation['translations']>): Organisation['translations'] {
  const texts = TEXT_LANGUAGES.map((language) => {
    const { summary, about, adoptionSteps, openingHours, labels, commonQuestions } = sent[language] ?? {};
    const names = labels?.map(({ name, translation }) => withoutEmpty<LabelName>({ name, translation }));
    const lists = { labels: names, commonQuestions: questionsOf(commonQuestions) };
    return [language, withoutEmpty<OrganisationTexts>({ summary, about, adoptionSteps, openingHours, ...lists })];
  });
  return withoutEmpty<NonNullable<Organisation['translations']>>(Object.fromEntries(texts));
}

function translationProblems({ language, translations = {} }: Organisation): readonly FieldProblem[] {
  if (language === undefined && Object.keys(translations).length > 0)
    return [{ path: '/language', message: 'must be the language of the texts that are translated' }];
  if (language === undefined || translations[language] === undefined) return [];
  return [{ path: `/translations/${language}`, message: 'must be in another language than the texts themselves' }];
}

const MAX_ID_LENGTH = 30;

/** A location without an id gets one from its name, such as `am-see` or `am-see-2`. */
function locationsOf(sent: readonly SentLocation[]): readonly Location[] {
  const taken = new Set(sent.map(({ id }) => id));
  return sent.map(({ id, name, address, latitude, longitude, place }) =>
    withoutEmpty<Location>({ id: id ?? newId(name, taken), name, address, latitude, longitude, place }),
  );
}

function newId(name: string, taken: Set<unknown>): string {
  const base = slugOf(name);
  let id = base;
  for (let number = 2; taken.has(id); number++) id = `${base}-${number}`;
  taken.add(id);
  return id;
}

function slugOf(name: string): string {
  const letters = name.normalize('NFKD').replaceAll('ß', 'ss').toLowerCase().replaceAll(/\p{M}/gu, '');
  const slug = letters.replaceAll(/[^a-z0-9]+/g, '-').slice(0, MAX_ID_LENGTH);
  return slug.replaceAll(/^-|-$/g, '') || 'location';
}

/** Without the fields that are undefined, empty texts, empty lists and empty records. Texts are trimmed and in NFC. */
function withoutEmpty<T extends object>(record: Sent<T>): T {
  const entries = Object.entries(record).map(([key, value]) => [key, tidied(value)] as const);
  return Object.fromEntries(entries.filter(([, value]) => !isEmpty(value))) as T;
}

function tidied(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidied).filter((item) => !isEmpty(item));
  return typeof value === 'string' ? value.trim().normalize('NFC') : value;
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
