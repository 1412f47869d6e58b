import {
  COATS,
  ENERGIES,
  isPrivate,
  PROFILE_LIMITS,
  SEXES,
  SIZES,
  SPECIES,
  type FieldOfType,
  type OwnValue,
  type PlainField,
  type Profile as DomainProfile,
} from '../../domain/pets/profile.ts';
import * as Type from './type.ts';
import { absent, currencyCode, exactly, int64, SentInt64, text } from './fields.ts';
import { Category, Tag, type Pet } from './pet.ts';

export { COATS, ENERGIES, PROFILE_LIMITS, SEXES, SIZES, SPECIES };

/*
 * The profile of a pet. A store has the text of the response: `domain/pets/profile.ts`. A field has the same schema in
 * requests and responses, except for ids. `message` is the error message for an invalid value.
 */

const LIMITS = PROFILE_LIMITS;

function word<T extends string>(words: readonly T[], description: string) {
  const message = `must be one of ${words.join(', ')}`;
  return Type.Unsafe<T>({ type: 'string', enum: [...words], description, message });
}

const yesNo = (description: string) =>
  Type.Unsafe<boolean>({ type: 'boolean', description, message: 'must be true, false, or absent if unknown' });

const line = (maxLength: number, description?: string, extra: object = {}) => ({
  ...text(maxLength),
  minLength: 1,
  ...(description !== undefined && { description }),
  message: `must be a string of 1 to ${maxLength} characters, without U+0000 or unpaired surrogates`,
  ...extra,
});

const date = (description: string) =>
  Type.Unsafe<string>({
    type: 'string',
    format: 'date',
    description,
    message: 'must be a date, such as 2026-11-26',
  });

/** Weights are exact to the gram, so that pounds and ounces come back as they were entered. */
const DECIMAL_PLACES: Readonly<Record<FieldOfType<'number'>, number>> = { weightKg: 3, feeAmount: 2 };

/** Why a number has too many digits, which a schema cannot express: 19.99 is no multiple of 0.01 in binary. */
export function decimalProblem(name: string, value: unknown): string | undefined {
  if (typeof value !== 'number') return undefined;
  const places = name === 'weightKg' ? DECIMAL_PLACES.weightKg : DECIMAL_PLACES.feeAmount;
  return Number(value.toFixed(places)) === value ? undefined : `must have at most ${places} decimal places`;
}

const amount = (name: FieldOfType<'number'>, description: string) =>
  Type.Unsafe<number>({
    type: 'number',
    minimum: 0,
    maximum: LIMITS[name],
    description,
    message: `must be a number from 0 to ${LIMITS[name]} with at most ${DECIMAL_PLACES[name]} decimal places`,
  });

const { breed, note, colour, colours, pattern, videoUrl, videoUrls, bondedWith } = LIMITS;

const FIELDS = {
  species: word(SPECIES, 'The species, as listing sites divide them.'),
  breedPrimary: line(breed, 'The breed, or the first one of a mix.', { examples: ['Labrador Retriever'] }),
  breedSecondary: line(breed, 'The second breed of a mix.'),
  breedIsMixed: yesNo('Whether it is a mix of breeds.'),
  sex: word(SEXES, 'The sex.'),
  birthDate: date('The day of birth, from which the age follows. Never in the future.'),
  birthDateIsEstimated: yesNo('Whether `birthDate` is a guess.'),
  size: word(SIZES, 'The size of the grown pet, compared with others of its species.'),
  weightKg: amount('weightKg', 'The weight in kilograms, with at most 3 decimal places.'),
  colours: Type.Array(line(colour), {
    minItems: 1,
    maxItems: colours,
    uniqueItems: true,
    description: 'The colours, most of it first.',
    message: `must be a list of 1 to ${colours} different colours`,
  }),
  pattern: line(pattern, 'The pattern of the coat.', { examples: ['Tabby'] }),
  coat: word(COATS, 'The length of the coat.'),
  isAltered: yesNo('Whether it is spayed or neutered.'),
  vaccinationsAreCurrent: yesNo('Whether the vaccinations are up to date.'),
  isDeclawed: yesNo('Whether the claws were removed.'),
  hasSpecialNeeds: yesNo('Whether it has special needs.'),
  specialNeedsNote: line(note, 'The special needs.'),
  hasSpecialDiet: yesNo('Whether it needs a special diet.'),
  isFivPositive: yesNo('Whether its last test for FIV was positive; false: negative.'),
  isHeartwormPositive: yesNo('Whether its last test for heartworm was positive; false: negative.'),
  microchip: line(LIMITS.microchip, 'The number of the microchip.'),
  medicalNote: line(note, 'Medical notes.'),
  goodWithChildren: yesNo('Whether it gets along with children.'),
  goodWithDogs: yesNo('Whether it gets along with dogs.'),
  goodWithCats: yesNo('Whether it gets along with cats.'),
  goodWithOthers: yesNo('Whether it gets along with other animals.'),
  isHouseTrained: yesNo('Whether it is house-trained.'),
  isCrateTrained: yesNo('Whether it is used to a crate.'),
  isLeashTrained: yesNo('Whether it walks on a leash.'),
  isIndoorOnly: yesNo('Whether it must live indoors.'),
  energy: word(ENERGIES, 'How much activity the pet needs.'),
  intakeDate: date('The day on which the pet came to the organisation. Never in the future.'),
  location: line(LIMITS.location, 'The `id` of a location of the organisation.'),
  isFostered: yesNo('Whether it lives in a foster home.'),
  holdUntil: date('The last day on which the pet is held for its owner or an adopter.'),
  unit: line(LIMITS.unit, 'The kennel, cage or room.'),
  summary: line(LIMITS.summary, 'The pet in one or two sentences.'),
  description: line(LIMITS.description, 'The story of the pet, in Markdown. HTML in it is shown as text.'),
  summaryEn: line(LIMITS.summary, '`summary` for English pages, if it is in another language.'),
  descriptionEn: line(LIMITS.description, '`description` for English pages, if it is in another language.'),
  summaryDe: line(LIMITS.summary, '`summary` for German pages, if it is in another language.'),
  descriptionDe: line(LIMITS.description, '`description` for German pages, if it is in another language.'),
  feeAmount: amount(
    'feeAmount',
    'The adoption fee, in `feeCurrency`. Without a currency, only those who may change pets read it.',
  ),
  feeCurrency: currencyCode('The currency of the fee (ISO 4217). By default, that of the organisation.'),
  feeIsWaived: yesNo('Whether the fee is waived.'),
  videoUrls: Type.Array(
    Type.Unsafe<string>({
      type: 'string',
      maxLength: videoUrl,
      pattern: String.raw`^https?://[^\s\u0000-\u001f]+$`,
      message: `must be an http or https URL of at most ${videoUrl} characters`,
    }),
    {
      minItems: 1,
      maxItems: videoUrls,
      uniqueItems: true,
      description: 'URLs of videos.',
      message: `must be a list of 1 to ${videoUrls} different URLs`,
    },
  ),
  externalId: line(LIMITS.externalId, 'The id of the pet in another system. No two pets have the same.'),
  isPublished: yesNo(
    'False for a draft, which only those who may change pets see. Absent means true, but a draft stays one until it is ' +
      'published with true, or with null in a PATCH.',
  ),
} satisfies Record<Exclude<PlainField, 'bondedWith'>, Type.TSchema>;

const OwnValueSchema = {
  anyOf: [
    { type: 'string', maxLength: LIMITS.ownText, pattern: text(LIMITS.ownText)['pattern' as never] },
    { type: 'number' },
    { type: 'boolean' },
  ],
  message: `must be a string of at most ${LIMITS.ownText} characters, a number, true or false`,
};

const OWN_DESCRIPTION = 'The values of the fields that the organisation defines, by their keys.';

const bonded = (title: string, id: Type.TSchema, description: string) =>
  Type.Array(Type.Object({ id }, { title, message: 'must be an object with the ID of a pet' }), {
    minItems: 1,
    maxItems: bondedWith,
    description,
    message: `must be a list of 1 to ${bondedWith} objects with the ID of a pet`,
  });

const BONDED = 'The pets with which this one must stay together.';

/** The fields in Markdown. */
export const STORY_FIELDS = ['description', 'descriptionEn', 'descriptionDe'] as const;

export type HtmlField = `${(typeof STORY_FIELDS)[number]}Html`;

const htmlOf = (field: string) =>
  Type.Optional(
    Type.String({
      readOnly: true,
      description: `\`${field}\` as safe HTML, in responses of this resource. Ignored in requests.`,
    }),
  );

/** Unknown fields are absent. */
export const Profile = Type.Unsafe<DomainProfile & { [Field in HtmlField]?: string }>(
  Type.Object(
    {
      ...optionally(FIELDS, Type.Optional),
      bondedWith: Type.Optional(bonded('BondedPet', int64('The ID of the pet.'), BONDED)),
      own: Type.Optional(
        Type.Unsafe<Record<string, OwnValue>>({
          type: 'object',
          additionalProperties: OwnValueSchema,
          description: OWN_DESCRIPTION,
        }),
      ),
      descriptionHtml: htmlOf('description'),
      descriptionEnHtml: htmlOf('descriptionEn'),
      descriptionDeHtml: htmlOf('descriptionDe'),
    },
    {
      ...exactly('Profile'),
      description:
        'What is known of a pet beyond its six fields. A field is absent if it is unknown. Private fields are sent only ' +
        'to those who may change pets.',
    },
  ),
);
export type Profile = Type.Static<typeof Profile>;

/** A pet in an export with `include=profile`. The documents describe the fields of a pet once, as those of `Pet`. */
export const ExportedPet = Type.Unsafe<Pet & { profile?: DomainProfile }>(
  Type.Object(
    {
      id: Type.Unsafe<bigint>({ type: 'integer', format: 'int64' }),
      category: Type.Optional(Category),
      name: Type.String(),
      photoUrls: Type.Array(Type.String()),
      tags: Type.Array(Tag),
      status: Type.Optional(Type.String()),
      profile: Type.Optional(Profile),
    },
    exactly('ExportedPet'),
  ),
);
export type ExportedPet = Type.Static<typeof ExportedPet>;

/** A profile in a request, and a merge patch of one (RFC 7396). Null means unknown; in a patch, it deletes a field. */
export const SentProfile = Type.Unsafe<SentProfile>(
  Type.Object(
    {
      ...optionally(FIELDS, absent),
      bondedWith: absent(bonded('SentBondedPet', SentInt64, BONDED)),
      own: absent(
        Type.Unsafe<Record<string, OwnValue | null>>({
          type: 'object',
          maxProperties: 50,
          additionalProperties: { anyOf: [OwnValueSchema, { type: 'null' }], message: OwnValueSchema.message },
          description: OWN_DESCRIPTION,
          message: 'must be an object with the values of own fields',
        }),
      ),
    },
    // The documents describe each field once.
    { title: 'SentProfile', message: 'must be a JSON object', documentedAs: Profile },
  ),
);

/** A merge patch of a profile, in the documents. */
export const ProfilePatch = Type.Unsafe<SentProfile>({
  title: 'ProfilePatch',
  type: 'object',
  description: 'The fields of a `Profile` to change. Null deletes a field.',
});

/** A merge patch of a profile in the body of a pet. */
export const SentProfilePatch = Type.Unsafe<SentProfile>({
  ...SentProfile,
  title: 'SentProfilePatch',
  documentedAs: ProfilePatch,
});

export interface SentProfile extends Nullable<Omit<DomainProfile, 'bondedWith' | 'own'>> {
  bondedWith?: readonly { id: number | string }[] | null;
  own?: Readonly<Record<string, OwnValue | null>> | null;
}

type Nullable<T> = { [Key in keyof T]?: T[Key] | null };

function optionally(
  fields: typeof FIELDS,
  as: (schema: Type.TSchema) => Type.TSchema,
): Record<keyof typeof FIELDS, Type.TSchema> {
  const entries = Object.entries<Described>(fields).map(([name, schema]) => {
    const isForStaff = isPrivate(name as PlainField);
    return [name, as({ ...schema, ...(isForStaff && { description: `${schema.description} Private.` }) })];
  });
  return Object.fromEntries(entries) as Record<keyof typeof FIELDS, Type.TSchema>;
}

type Described = Type.TSchema & { description?: string };
