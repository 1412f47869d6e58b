import {
  ACCENT_COLOUR,
  LOCATION_ID,
  ORGANISATION_LIMITS,
  type Organisation as DomainOrganisation,
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
    about: said('Text about the organisation, as Markdown.'),
    aboutHtml: Type.Optional(
      Type.String({ readOnly: true, description: '`about` as safe HTML. Ignored in requests.' }),
    ),
    contact: Type.Optional(Contact),
    adoptionSteps: Type.Optional(Type.Array(Type.String(), { description: 'The steps of an adoption, in order.' })),
    locations: Type.Optional(Type.Array(Location, { description: 'The places where pets live.' })),
  },
  exactly('Organisation'),
);
export type Organisation = Type.Static<typeof Organisation>;

/** As JSON, the response. @param origin where the client reaches the service */
export function organisationView(
  { name, adoptionSteps, locations, ...others }: DomainOrganisation,
  logo: Photo | undefined,
  origin: string,
): Organisation {
  return {
    ...(name !== undefined && { name }),
    ...(logo !== undefined && { logo: logoView(logo, origin) }),
    ...others,
    ...(adoptionSteps !== undefined && { adoptionSteps: [...adoptionSteps] }),
    ...(locations !== undefined && { locations: [...locations] }),
  };
}

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
    about: absent(text(LIMITS.aboutLength)),
    contact: absent(SentContact),
    adoptionSteps: absent(
      Type.Array(text(LIMITS.stepLength), {
        maxItems: LIMITS.adoptionSteps,
        message: `must be an array of at most ${LIMITS.adoptionSteps} texts`,
      }),
    ),
    locations: absent(
      Type.Array(SentLocation, {
        maxItems: LIMITS.locations,
        message: `must be an array of at most ${LIMITS.locations} locations`,
      }),
    ),
  },
  { title: 'SentOrganisation', message: 'must be a JSON object' },
);
export type SentOrganisation = Type.Static<typeof SentOrganisation>;

export const SentLogo = Type.Object(
  { file: Type.Unsafe<Blob>({ type: 'string', format: 'binary', description: 'The logo.' }) },
  { title: 'SentLogo' },
);
