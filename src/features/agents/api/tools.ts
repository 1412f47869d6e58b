import type { Action } from '../../../domain/access.ts';
import { PET_LIMITS, PET_STATUSES } from '../../../domain/pets/pet.ts';
import { PET_SORTS } from '../../../domain/search/criteria.ts';
import { ALT_LENGTH } from '../../../domain/photos/photo.ts';
import type { OperationId } from '../../../api/endpoints.ts';
import { optionalChoice, optionalText, SEARCH_FILTERS, TIME_FORMATS } from '../../../api/queries/search-queries.ts';
import { exactly, int64, SentInt64, text } from '../../../api/records/fields.ts';
import { Pet } from '../../../api/records/pet.ts';
import { HistoryEntry } from '../../../api/records/pet-version.ts';
import { Profile } from '../../../api/records/profile.ts';
import { FoundPets, Statistics } from '../../../api/records/search.ts';
import { SentPet, SentPetPatch } from '../../../api/records/sent-pet.ts';
import * as Type from '../../../api/records/type.ts';

/*
 * The tools that agents call with the Model Context Protocol (MCP). Their descriptions are for models: what a tool
 * does, when to use it, and what comes back.
 */

export interface Tool {
  title: string;
  description: string;
  /** The operation of the API with the same use case. */
  operation: OperationId;
  input: Type.TSchema;
  output: Type.TSchema;
  /** Required to call it. Credentials without it do not see the tool. Undefined for everyone. */
  permission: Action | undefined;
  changes: boolean;
  /** Whether a change may overwrite or delete data. */
  isDestructive: boolean;
  isIdempotent: boolean;
  callsOthers: boolean;
}

export const SEARCH_PAGE = { default: 20, max: 100 } as const;
export const HISTORY_PAGE = { default: 20, max: 100 } as const;

const MAX_ADDRESS_LENGTH = 2048;

function described<T extends Type.TSchema>(schema: T, description: string): T {
  const copy = { ...schema, description };
  return Type.isOptional(schema) ? Type.Optional(copy) : copy;
}

/** Models give one name as a text instead of a list. */
function oneOrList(schema: Type.TSchema, description: string) {
  const { items, message } = schema as { items?: object; message?: string };
  return Type.Optional(
    Type.Unsafe<string | readonly string[]>({
      anyOf: [{ type: 'array', minItems: 1, items }, items],
      description,
      message: message ?? 'must be a text that is not empty, or a list of such texts',
    }),
  );
}

/** A category by its name, or as the API has it. */
function nameOrLabel<T extends Type.TSchema>(schema: T, description: string) {
  return Type.Optional(
    Type.Unsafe<Type.Static<T> | string>({
      anyOf: [text(PET_LIMITS.tagLength), schema],
      description,
      message: `must be a string of at most ${PET_LIMITS.tagLength} characters, or an object with an ID and a name`,
    }),
  );
}

const PetId = described(SentInt64, 'The ID of the pet, as a string of digits.');

/** Without a version, a change applies to the current pet. */
const IfVersion = Type.Optional(
  described(SentInt64, 'The `version` that `get_pet` returned. If the pet has changed since then, nothing happens.'),
);

const pageSize = ({ default: usual, max }: { default: number; max: number }) =>
  Type.Optional(
    Type.Unsafe<number>({
      type: 'integer',
      minimum: 1,
      maximum: max,
      description: `Maximum number; ${usual} by default.`,
      message: `must be an integer from 1 to ${max}`,
    }),
  );

const { text: words, tagMatch, species, sex, age, size, coat, goodWith, updatedSince } = SEARCH_FILTERS;

/** Parameters of a query are repeated; arguments of a tool are texts or lists. */
const LISTS = {
  status: oneOrList(SEARCH_FILTERS.status, 'Any of these statuses; `none` matches pets without one.'),
  tags: oneOrList(SEARCH_FILTERS.tags, 'These tags, by their names.'),
  category: oneOrList(SEARCH_FILTERS.category, 'Any of these categories, by their names, such as Dogs.'),
  breed: oneOrList(SEARCH_FILTERS.breed, 'Any of these breeds.'),
};

const SearchInput = Type.Object(
  {
    text: words,
    ...LISTS,
    tagMatch,
    species,
    sex,
    age,
    size,
    coat,
    goodWith,
    updatedSince,
    sort: optionalChoice(
      PET_SORTS.filter((sort) => sort !== 'location'),
      'The order: `relevance` with `text`, otherwise `id`.',
    ),
    limit: pageSize(SEARCH_PAGE),
    cursor: optionalText('`next` of the page before, with the same other arguments.'),
  },
  { additionalProperties: false },
);

const { pets, total, correctedText, synonyms, next } = FoundPets.properties;

const FoundPet = Type.Object(
  {
    pet: Pet,
    version: int64('Changes with each change of the pet: for `ifVersion`.'),
    profile: Type.Optional(Profile),
    page: Type.String({ description: 'The address of its page for people.' }),
  },
  exactly('FoundPet'),
);

const ChangedPet = Type.Object(
  { pet: Pet, version: int64('The version after the change: for `ifVersion`.') },
  exactly('ChangedPet'),
);

/** The schema of each value would be a third of all descriptions. */
const AnyValue = Type.Optional(Type.Unsafe({}));

const HistoryOutput = Type.Object(
  {
    entries: Type.Array(
      Type.Object({
        ...HistoryEntry.properties,
        changes: Type.Array(Type.Object({ field: Type.String(), before: AnyValue, after: AnyValue })),
      }),
    ),
    next: Type.Optional(int64('For `before`. Absent on the last page.')),
  },
  exactly('History'),
);

const sent = SentPet.properties;
const patched = SentPetPatch.properties;

const OF_PET = {
  category: 'The kind of animal, such as `Dogs`. Look at other pets first, to use the same names.',
  photoUrls: 'Addresses of photos on other servers. To upload photos, use `add_pet_photo`.',
  tags: 'Labels, such as `["friendly"]`.',
  status: `${PET_STATUSES.join(', ')}; a pet that is sold was adopted.`,
  profile:
    'What is known of the pet beyond that. Omit what is unknown. With `"isPublished": false` it is a draft, which only ' +
    'staff see.',
} as const;

/** How a change treats fields. */
const PATCH = 'Omit it to keep it; null deletes it.';

const usual = {
  permission: undefined,
  changes: false,
  isDestructive: false,
  isIdempotent: true,
  callsOthers: false,
} as const;

const change = { ...usual, permission: 'write pets', changes: true } as const;

export const TOOLS = {
  search_pets: {
    ...usual,
    operation: 'findPets',
    title: 'Search pets',
    description:
      'Finds pets by words and filters, all of which must match; without arguments, lists all. Returns a page of pets ' +
      'with their IDs, the total number, and `next` if there are more. Use it first, to find the ID of a pet.',
    input: SearchInput,
    output: Type.Object({ pets, total, correctedText, synonyms, next }, exactly('FoundPets')),
  },
  get_pet: {
    ...usual,
    operation: 'getPetById',
    title: 'Get a pet',
    description:
      'Reads one pet by its ID: the pet, its version, and its profile (breed, age, size, what it gets along with, its ' +
      'story). Read a pet before you change it.',
    input: Type.Object({ id: PetId }, { additionalProperties: false }),
    output: FoundPet,
  },
  get_statistics: {
    ...usual,
    operation: 'getStatistics',
    title: 'Get statistics',
    description:
      'Counts the pets: in total, by status, category and tag, and for each day how many were added, changed, deleted ' +
      'and adopted. By default the last 30 days, at most a year.',
    input: Type.Object(
      {
        since: optionalText(`The first day. ${TIME_FORMATS}`),
        until: optionalText(`The last day. ${TIME_FORMATS}`),
      },
      { additionalProperties: false },
    ),
    output: Statistics,
  },
  get_pet_history: {
    ...usual,
    permission: 'write pets',
    operation: 'listPetHistory',
    title: 'Get the history of a pet',
    description:
      'Lists the changes of a pet, newest first: when, by whom, and each field before and after. Also works for a ' +
      'deleted pet.',
    input: Type.Object(
      {
        id: PetId,
        limit: pageSize(HISTORY_PAGE),
        before: Type.Optional(described(SentInt64, '`next` of the page before.')),
      },
      { additionalProperties: false },
    ),
    output: HistoryOutput,
  },
  add_pet: {
    ...change,
    isIdempotent: false,
    operation: 'addPet',
    title: 'Add a pet',
    description:
      'Adds a new pet with its profile, and returns it with its ID. Each call adds one more, so search first whether it ' +
      'exists already.',
    input: Type.Object(
      {
        name: described(sent.name, 'The name.'),
        category: nameOrLabel(sent.category, OF_PET.category),
        photoUrls: described(sent.photoUrls, OF_PET.photoUrls),
        tags: described(sent.tags, OF_PET.tags),
        status: described(sent.status, OF_PET.status),
        profile: described(sent.profile, OF_PET.profile),
      },
      { additionalProperties: false },
    ),
    output: ChangedPet,
  },
  update_pet: {
    ...change,
    isDestructive: true,
    operation: 'patchPet',
    title: 'Update a pet',
    description:
      'Changes the given fields of a pet, and keeps the others. A list replaces the whole list: to add a tag, send all ' +
      'tags. The earlier version stays in the history.',
    input: Type.Object(
      {
        id: PetId,
        name: described(patched.name, 'The name. Omit it to keep it.'),
        category: nameOrLabel(patched.category, `${OF_PET.category} ${PATCH}`),
        photoUrls: described(patched.photoUrls, `All photos, in their order, as \`get_pet\` returns them. ${PATCH}`),
        tags: described(patched.tags, `All tags. ${PATCH}`),
        status: described(patched.status, `${OF_PET.status} ${PATCH}`),
        profile: described(patched.profile, 'The fields of the profile to change. Null deletes a field.'),
        ifVersion: IfVersion,
      },
      { additionalProperties: false },
    ),
    output: ChangedPet,
  },
  delete_pet: {
    ...change,
    isDestructive: true,
    operation: 'deletePet',
    title: 'Delete a pet',
    description:
      'Deletes a pet by its ID. People can restore it later on the page of deleted pets. Ask the user before you call it.',
    input: Type.Object({ id: PetId, ifVersion: IfVersion }, { additionalProperties: false }),
    output: Type.Object({ id: int64('The ID of the deleted pet.') }, exactly('DeletedPet')),
  },
  add_pet_photo: {
    ...change,
    callsOthers: true,
    operation: 'uploadFile',
    title: 'Add a photo by its address',
    description:
      'Downloads a photo (JPEG, PNG, WebP, GIF or AVIF) from a public http or https address, stores it, and appends it ' +
      'to the photos of a pet.',
    input: Type.Object(
      {
        id: PetId,
        url: described(text(MAX_ADDRESS_LENGTH), 'The address of the photo itself, not of a page that shows it.'),
        alt: Type.Optional(
          described(
            text(ALT_LENGTH),
            'What the photo shows, in a sentence, for people who do not see it (alternative text).',
          ),
        ),
        ifVersion: IfVersion,
      },
      { additionalProperties: false },
    ),
    output: ChangedPet,
  },
} as const satisfies Record<string, Tool>;

export type ToolName = keyof typeof TOOLS;

export const TOOL_NAMES = Object.keys(TOOLS) as readonly ToolName[];

export function isToolName(name: string): name is ToolName {
  return Object.hasOwn(TOOLS, name);
}

export type ToolInput<Name extends ToolName> = Type.Static<(typeof TOOLS)[Name]['input']>;
