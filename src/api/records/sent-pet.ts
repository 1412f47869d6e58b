import { PET_LIMITS, PET_STATUSES, type PetStatus } from '../../domain/pets/pet.ts';
import { absent, nonEmptyText, SentInt64, text, tolerantly } from './fields.ts';
import { SentProfile, SentProfilePatch } from './profile.ts';
import * as Type from './type.ts';

/* A pet in requests: as a whole, as a merge patch, and as a form. */

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

const WITH_NAME = {
  id: absent(SentInt64),
  category: absent(SentLabel('SentCategory', 'The kind of animal.')),
  name: SentPetName,
  photoUrls: absent(SentPhotoUrls),
  tags: absent(SentTags),
  status: absent(SentPetStatus),
};

const OPTIONS = tolerantly('SentPet', 'must be a JSON object');

/** The six fields of Petstore, for documents of formats that have no profile. */
export const SentPetFields = Type.Object(WITH_NAME, OPTIONS);

const PROFILE =
  'Stored in the same change: with `isPublished: false`, a new pet is a draft from the beginning. Without it, the ' +
  'profile of an existing pet stays as it is.';

/** A pet in a request, with its profile. */
export const SentPet = Type.Object({ ...WITH_NAME, profile: absent(SentProfile, PROFILE) }, OPTIONS);

export type SentPet = Type.Static<typeof SentPet>;

/** A merge patch of a pet (RFC 7396): omitted fields are unchanged, null deletes a field, except for the profile. */
export const SentPetPatch = Type.Object(
  {
    id: Type.Optional(SentInt64),
    category: absent(SentLabel('SentCategory', 'The kind of animal.')),
    name: Type.Optional(SentPetName),
    photoUrls: absent(SentPhotoUrls),
    tags: absent(SentTags),
    status: absent(SentPetStatus),
    // A null would delete every field, and publish a draft: too much for what may be an empty argument.
    profile: Type.Optional(SentProfilePatch),
  },
  tolerantly('SentPetPatch', 'must be a JSON object'),
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
  tolerantly('SentPetForm', 'must be a form'),
);

export type SentPetForm = Type.Static<typeof SentPetForm>;
