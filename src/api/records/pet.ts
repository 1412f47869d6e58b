import { PET_LIMITS, PET_STATUSES, type PetStatus } from '../../domain/pets/pet.ts';
import * as Type from './type.ts';
import { absent, exactly, int64, nonEmptyText, SentInt64, text } from './fields.ts';

export { PET_LIMITS };

/*
 * A pet in responses and in requests. A store has the text of the response: `domain/pets/pet.ts`. `xml` says how it is
 * written in XML, in Petstore's words.
 */

const label = (title: string, description: string) =>
  Type.Object(
    { id: Type.Optional(int64('Chosen by the client.')), name: Type.Optional(Type.String()) },
    { ...exactly(title), description, xml: { name: title.toLowerCase() } },
  );

export const Category = label('Category', 'The kind of animal.');
export type Category = Type.Static<typeof Category>;

export const Tag = label('Tag', 'A label of the pet, such as `friendly`.');
export type Tag = Type.Static<typeof Tag>;

export const Pet = Type.Object(
  {
    id: int64('Never assigned twice.'),
    category: Type.Optional(Category),
    name: Type.String({ minLength: 1, examples: ['doggie'] }),
    photoUrls: Type.Array(Type.String({ xml: { name: 'photoUrl' } }), {
      description: 'URLs of photos. Those of uploaded photos are absolute.',
      xml: { wrapped: true },
    }),
    tags: Type.Array(Tag, { xml: { wrapped: true } }),
    status: Type.Optional(
      Type.Unsafe<PetStatus>({
        type: 'string',
        enum: [...PET_STATUSES],
        description: 'The status of the pet in the store.',
      }),
    ),
  },
  { ...exactly('Pet'), xml: { name: 'Pet' } },
);
export type Pet = Type.Static<typeof Pet>;

export const Pets = Type.Array(Pet, { xml: { name: 'pets', wrapped: true } });

const { nameLength, photoUrls, photoUrlLength, tags, tagLength } = PET_LIMITS;

const SentLabel = (title: string, description: string) =>
  Type.Object(
    { id: absent(SentInt64), name: absent(text(tagLength)) },
    { title, description, message: 'must be an object with an ID and a name' },
  );

const nameRule = `must be a string of 1 to ${nameLength} characters with one that is no space`;
const statusRule = `must be one of ${PET_STATUSES.join(', ')}`;

const SentPetName = nonEmptyText(nameLength);

const SentPetStatus = Type.Unsafe<PetStatus>({ type: 'string', enum: [...PET_STATUSES], message: statusRule });

const SentPhotoUrls = Type.Array(text(photoUrlLength), {
  maxItems: photoUrls,
  message: `must be an array of at most ${photoUrls} URLs`,
});

const SentTags = Type.Array(
  Type.Unsafe<string | Type.Static<ReturnType<typeof SentLabel>>>({
    anyOf: [text(tagLength), SentLabel('SentTag', 'A tag.')],
    message: `must be an object with an ID and a name, or a string of at most ${tagLength} characters`,
  }),
  { maxItems: tags, message: `must be an array of at most ${tags} tags` },
);

/** A pet in a request. */
export const SentPet = Type.Object(
  {
    id: absent(SentInt64),
    category: absent(SentLabel('SentCategory', 'The kind of animal.')),
    name: SentPetName,
    photoUrls: absent(SentPhotoUrls),
    tags: absent(SentTags),
    status: absent(SentPetStatus),
  },
  { title: 'SentPet', message: 'must be a JSON object' },
);

export type SentPet = Type.Static<typeof SentPet>;

/** A merge patch of a pet (RFC 7396): omitted fields are unchanged, null deletes a field. */
export const SentPetPatch = Type.Object(
  {
    id: Type.Optional(SentInt64),
    category: absent(SentLabel('SentCategory', 'The kind of animal.')),
    name: Type.Optional(SentPetName),
    photoUrls: absent(SentPhotoUrls),
    tags: absent(SentTags),
    status: absent(SentPetStatus),
  },
  { title: 'SentPetPatch', message: 'must be a JSON object' },
);

export type SentPetPatch = Type.Static<typeof SentPetPatch>;

/** A form field that may be empty, which means the same as omitted. */
function orEmpty<T>(schema: Type.TSchema, message: string) {
  return Type.Optional(Type.Unsafe<T | ''>({ anyOf: [{ const: '' }, schema], message }));
}

/** The form of `updatePetWithForm`. */
export const SentPetForm = Type.Object(
  {
    name: orEmpty<string>(SentPetName, nameRule),
    status: orEmpty<PetStatus>(SentPetStatus, statusRule),
  },
  { title: 'SentPetForm', message: 'must be a form' },
);

export type SentPetForm = Type.Static<typeof SentPetForm>;
