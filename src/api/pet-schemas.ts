import { Type } from 'typebox';
import { PET_LIMITS, PET_STATUSES, type PetStatus } from '../domain/pets/pet.ts';

export { PET_LIMITS };

/*
 * How pets look on the wire. `message` is what a person is told where the value does not fit, `title` the name of the schema in the documents.
 */

const { nameLength, photoUrls, photoUrlLength, tags, tagLength } = PET_LIMITS;

/** U+0000 and lone surrogates: JSON can carry them, but no database and no other program agrees on what they are (RFC 7493, section 2.1). */
export const PLAIN_TEXT = String.raw`^(?:[^\u0000\uD800-\uDFFF]|[\uD800-\uDBFF][\uDC00-\uDFFF])*$`;

/** All of these patterns as one: generators of clients take several for a record made of parts. */
export function allOfPatterns(...patterns: readonly string[]): string {
  return `^${patterns.map((pattern) => `(?=${pattern.startsWith('^') ? '' : String.raw`[\s\S]*`}${pattern})`).join('')}`;
}

/** An int64 as clients send it: a number, or a string of digits where the client's numbers are too small for it. */
export const SentInt64 = Type.Unsafe<number | string>({
  anyOf: [
    { type: 'integer', format: 'int64' },
    { type: 'string', pattern: '^-?[0-9]+$' },
  ],
  message: 'must be a whole number of 64 bits, or a string of its digits',
});

/** What may be null as well as absent: both mean that it is not there. */
export function absent<T extends Type.TSchema>(schema: T) {
  const { message } = schema as { message?: string };
  return Type.Optional(
    Type.Unsafe<Type.Static<T> | null>({
      anyOf: [schema, { type: 'null' }],
      ...(message !== undefined && { message }),
    }),
  );
}

/** A string that every database and every program agrees on. */
export function text(maxLength: number) {
  return Type.Unsafe<string>({
    type: 'string',
    maxLength,
    pattern: PLAIN_TEXT,
    message: `must be a string of at most ${maxLength} characters, without U+0000 or half a surrogate pair`,
  });
}

const SentLabel = (title: string, description: string) =>
  Type.Object(
    { id: absent(SentInt64), name: absent(text(tagLength)) },
    { title, description, message: 'must be an object with an id and a name' },
  );

const nameRule = `must be a string of 1 to ${nameLength} characters with one that is no space`;
const statusRule = `must be one of ${PET_STATUSES.join(', ')}`;

const SentPetName = Type.Unsafe<string>({
  type: 'string',
  minLength: 1,
  maxLength: nameLength,
  pattern: allOfPatterns(PLAIN_TEXT, String.raw`\S`),
  message: nameRule,
});

const SentPetStatus = Type.Unsafe<PetStatus>({ type: 'string', enum: [...PET_STATUSES], message: statusRule });

const SentPhotoUrls = Type.Array(text(photoUrlLength), {
  maxItems: photoUrls,
  message: `must be an array of at most ${photoUrls} addresses`,
});

const SentTags = Type.Array(
  Type.Unsafe<string | Type.Static<ReturnType<typeof SentLabel>>>({
    anyOf: [text(tagLength), SentLabel('SentTag', 'A tag.')],
    message: `must be an object with an id and a name, or a string of at most ${tagLength} characters`,
  }),
  { maxItems: tags, message: `must be an array of at most ${tags} tags` },
);

/** A pet as a client sends it. */
export const SentPet = Type.Object(
  {
    id: absent(SentInt64),
    category: absent(SentLabel('SentCategory', 'What kind of animal it is.')),
    name: SentPetName,
    photoUrls: absent(SentPhotoUrls),
    tags: absent(SentTags),
    status: absent(SentPetStatus),
  },
  { title: 'SentPet', message: 'must be a JSON object' },
);

export type SentPet = Type.Static<typeof SentPet>;

/** A merge patch of a pet (RFC 7396): what is left out stays as it is, null removes. */
export const SentPetPatch = Type.Object(
  {
    id: Type.Optional(SentInt64),
    category: absent(SentLabel('SentCategory', 'What kind of animal it is.')),
    name: Type.Optional(SentPetName),
    photoUrls: absent(SentPhotoUrls),
    tags: absent(SentTags),
    status: absent(SentPetStatus),
  },
  { title: 'SentPetPatch', message: 'must be a JSON object' },
);

export type SentPetPatch = Type.Static<typeof SentPetPatch>;

/** A field of a form that may be left empty, which means the same as left out. */
function orEmpty<T>(schema: Type.TSchema, message: string) {
  return Type.Optional(Type.Unsafe<T | ''>({ anyOf: [{ const: '' }, schema], message }));
}

/** The fields of operation 6, as a form has them. */
export const SentPetForm = Type.Object(
  {
    name: orEmpty<string>(SentPetName, nameRule),
    status: orEmpty<PetStatus>(SentPetStatus, statusRule),
  },
  { title: 'SentPetForm', message: 'must be a form' },
);

export type SentPetForm = Type.Static<typeof SentPetForm>;
