import {
  ACCENT_COLOUR,
  LOCATION_ID,
  ORGANISATION_LIMITS,
  TEXT_LANGUAGES,
  type Organisation as DomainOrganisation,
  type OrganisationTexts as DomainTexts,
  type TextLanguage,
} from '../../../domain/organisation/organisation.ts';
import type { Photo } from '../../../domain/photos/photo.ts';
import { absent, countryCode, currencyCode, exactly, nonEmptyText, text } from '../fields.ts';
import { logoView, Logo } from '../photo.ts';
import * as Type from '../type.ts';

/* What a shelter says about itself. Every field is optional: absent in responses, absent or null in requests. */

const LIMITS = ORGANISATION_LIMITS;

const said = (description: string) => Type.Optional(Type.String({ minLength: 1, description }));
const degrees = (description: string, most: number) =>
  Type.Unsafe<number>({
    type: 'number',
    minimum: -most,
    maximum: most,
    description,
    message: `must be a number from -${most} to ${most}`,
  });

const latitude = degrees('In degrees north (WGS 84).', 90);
const longitude = degrees('In degrees east (WGS 84).', 180);
const openingHours = said('The opening hours, also in several lines.');

const country = countryCode(
  'The country (ISO 3166-1 alpha-2). It decides the default currency, and what the web application does not ask of pets.',
);
const currency = currencyCode(
  'The currency of fees that have none of their own (ISO 4217). By default, that of the country.',
);

export const Contact = Type.Object(
  {
    telephone: said('A telephone number.'),
    email: said('An email address.'),
    address: said('The postal address, also in several lines.'),
    website: said('The URL of the website.'),
    openingHours,
  },
  exactly('Contact'),
);

export const Location = Type.Object(
  {
    id: Type.String({ minLength: 1, description: 'Unique. It never changes, unless the administrator changes it.' }),
    name: Type.String({ minLength: 1, description: 'The name of the location.' }),
    address: said('The postal address, also in several lines.'),
    latitude: Type.Optional(latitude),
    longitude: Type.Optional(longitude),
    place: said('The town.'),
  },
  exactly('Location'),
);

const language = Type.Unsafe<TextLanguage>({
  type: 'string',
  enum: [...TEXT_LANGUAGES],
  description: 'The language of `about`, `adoptionSteps` and `contact.openingHours`. Required if they are translated.',
  message: `must be one of ${TEXT_LANGUAGES.join(', ')}`,
});

const aboutHtml = Type.Optional(
  Type.String({ readOnly: true, description: '`about` as safe HTML. Ignored in requests.' }),
);

const LabelName = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      description: 'The name of the category or tag as it was entered.',
    }),
    translation: Type.String({ minLength: 1, description: 'Its name in this language.' }),
  },
  exactly('LabelName'),
);

const summary = said('One sentence about the organisation, for the front page.');

const CommonQuestion = Type.Object({ question: Type.String(), answer: Type.String() }, exactly('CommonQuestion'));

const commonQuestions = Type.Optional(
  Type.Array(CommonQuestion, { description: 'Questions that families ask often, with their answers, in order.' }),
);

export const OrganisationTexts = Type.Object(
  {
    summary,
    about: said('Text about the organisation, as Markdown.'),
    aboutHtml,
    adoptionSteps: Type.Optional(Type.Array(Type.String(), { description: 'The steps of an adoption, in order.' })),
    openingHours,
    labels: Type.Optional(
      Type.Array(LabelName, { description: 'Names of categories and tags. Pages show others as they were entered.' }),
    ),
    commonQuestions,
  },
  exactly('OrganisationTexts'),
);
export type OrganisationTexts = Type.Static<typeof OrganisationTexts>;

export const Organisation = Type.Object(
  {
    name: said('The name, which pages show instead of the name of this software.'),
    logo: Type.Optional(Logo),
    accentColour: Type.Optional(
      Type.String({
        pattern: ACCENT_COLOUR,
        description: 'The accent colour. Pages show the nearest tone that is readable in their theme.',
      }),
    ),
    country: Type.Optional(country),
    currency: Type.Optional(currency),
    summary,
    about: said('Text about the organisation, as Markdown.'),
    aboutHtml,
    contact: Type.Optional(Contact),
    donationUrl: said('The URL of the page on which people give money.'),
    commonQuestions,
    adoptionSteps: Type.Optional(Type.Array(Type.String(), { description: 'The steps of an adoption, in order.' })),
    locations: Type.Optional(Type.Array(Location, { description: 'The places where pets live.' })),
    language: Type.Optional(language),
    translations: Type.Optional(
      Type.Object(
        { en: Type.Optional(OrganisationTexts), de: Type.Optional(OrganisationTexts) },
        {
          ...exactly('OrganisationTranslations'),
          description: 'The texts in the other language. Pages show those in `language` where one is missing.',
        },
      ),
    ),
  },
  exactly('Organisation'),
);
export type Organisation = Type.Static<typeof Organisation>;

/** The response as JSON, without the HTML of texts. @param origin where the client reaches the service */
export function organisationView(
  { name, adoptionSteps, commonQuestions: questions, locations, translations, ...others }: DomainOrganisation,
  logo: Photo | undefined,
  origin: string,
): Organisation {
  const { en, de } = translations ?? {};
  return {
    ...(name !== undefined && { name }),
    ...(logo !== undefined && { logo: logoView(logo, origin) }),
    ...others,
    ...(questions !== undefined && { commonQuestions: [...questions] }),
    ...(adoptionSteps !== undefined && { adoptionSteps: [...adoptionSteps] }),
    ...(locations !== undefined && { locations: [...locations] }),
    ...(translations !== undefined && {
      translations: { ...(en !== undefined && { en: textsView(en) }), ...(de !== undefined && { de: textsView(de) }) },
    }),
  };
}

function textsView({ adoptionSteps, labels, commonQuestions: questions, ...texts }: DomainTexts): OrganisationTexts {
  return {
    ...texts,
    ...(adoptionSteps !== undefined && { adoptionSteps: [...adoptionSteps] }),
    ...(labels !== undefined && { labels: [...labels] }),
    ...(questions !== undefined && { commonQuestions: [...questions] }),
  };
}

const sentSteps = Type.Array(text(LIMITS.stepLength), {
  maxItems: LIMITS.adoptionSteps,
  message: `must be an array of at most ${LIMITS.adoptionSteps} texts`,
});

const SentLabelName = Type.Object(
  { name: nonEmptyText(LIMITS.labelLength), translation: nonEmptyText(LIMITS.labelLength) },
  { title: 'SentLabelName', message: 'must be an object with a name and a translation' },
);

const sentQuestions = Type.Array(
  Type.Object(
    { question: nonEmptyText(LIMITS.questionLength), answer: nonEmptyText(LIMITS.questionAnswerLength) },
    { title: 'SentCommonQuestion', message: 'must be an object with question and answer' },
  ),
  { maxItems: LIMITS.questions, message: `must be an array of at most ${LIMITS.questions} questions` },
);

const SentTexts = Type.Object(
  {
    summary: absent(text(LIMITS.summaryLength)),
    about: absent(text(LIMITS.aboutLength)),
    adoptionSteps: absent(sentSteps),
    openingHours: absent(text(LIMITS.openingHoursLength)),
    labels: absent(
      Type.Array(SentLabelName, {
        maxItems: LIMITS.labels,
        message: `must be an array of at most ${LIMITS.labels} names`,
      }),
    ),
    commonQuestions: absent(sentQuestions),
  },
  { title: 'SentOrganisationTexts', message: 'must be an object' },
);

const SentContact = Type.Object(
  {
    telephone: absent(text(LIMITS.telephoneLength)),
    email: absent(text(LIMITS.emailLength)),
    address: absent(text(LIMITS.addressLength)),
    website: absent(text(LIMITS.urlLength)),
    openingHours: absent(text(LIMITS.openingHoursLength)),
  },
  { title: 'SentContact', message: 'must be an object' },
);

const SentLocation = Type.Object(
  {
    id: absent(
      Type.Unsafe<string>({
        type: 'string',
        pattern: LOCATION_ID,
        description: 'Unique. Without it, one is derived from the name.',
        message: 'must have 1 to 40 characters: a to z, digits, and hyphens between them',
      }),
    ),
    name: nonEmptyText(LIMITS.nameLength),
    address: absent(text(LIMITS.addressLength)),
    latitude: absent(latitude),
    longitude: absent(longitude),
    place: absent(text(LIMITS.placeLength)),
  },
  { title: 'SentLocation', message: 'must be an object with a name' },
);

export const SentOrganisation = Type.Object(
  {
    name: absent(text(LIMITS.nameLength)),
    accentColour: absent(
      Type.Unsafe<string>({
        type: 'string',
        pattern: ACCENT_COLOUR,
        description: 'White or near-black text must have a contrast of at least 4.5 on it.',
        message: 'must be a colour such as #1c6b4a',
      }),
    ),
    country: absent(country),
    currency: absent(currency),
    summary: absent(text(LIMITS.summaryLength)),
    about: absent(text(LIMITS.aboutLength)),
    contact: absent(SentContact),
    donationUrl: absent(text(LIMITS.urlLength)),
    commonQuestions: absent(sentQuestions),
    adoptionSteps: absent(sentSteps),
    locations: absent(
      Type.Array(SentLocation, {
        maxItems: LIMITS.locations,
        message: `must be an array of at most ${LIMITS.locations} locations`,
      }),
    ),
    language: absent(language),
    translations: absent(
      Type.Object(
        { en: absent(SentTexts), de: absent(SentTexts) },
        { title: 'SentOrganisationTranslations', message: 'must be an object' },
      ),
    ),
  },
  { title: 'SentOrganisation', message: 'must be a JSON object' },
);
export type SentOrganisation = Type.Static<typeof SentOrganisation>;

export const SentLogo = Type.Object(
  { file: Type.Unsafe<Blob>({ type: 'string', format: 'binary', description: 'The logo.' }) },
  { title: 'SentLogo' },
);
