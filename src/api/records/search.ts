import { PET_STATUSES, type PetStatus } from '../../domain/pets/pet.ts';
import { STATUS_FILTERS, type StatusFilter } from '../../domain/search/criteria.ts';
import * as Type from './type.ts';
import { count, exactly, int64 } from './fields.ts';
import { Pet } from './pet.ts';
import { PetCover } from './photo.ts';
import { Profile } from './profile.ts';

const WordSynonyms = Type.Object(
  {
    word: Type.String({ minLength: 1, description: 'A word of `text`, in lower case and without accents.' }),
    names: Type.Array(Type.String(), { minItems: 1, description: 'Its synonyms: categories and tags.' }),
  },
  exactly('WordSynonyms'),
);

const ProfileOfPet = Type.Object({ petId: int64('The ID of the pet.'), profile: Profile }, exactly('ProfileOfPet'));
export type ProfileOfPet = Type.Static<typeof ProfileOfPet>;

/** A page of search results. */
export const FoundPets = Type.Object(
  {
    pets: Type.Array(Pet),
    covers: Type.Optional(
      Type.Array(PetCover, {
        description:
          'Only with `covers=true`: the first photos of these pets, in their order, without photos on other ' +
          'servers. They contain the dimensions and placeholders that a page needs before photos are loaded.',
      }),
    ),
    profiles: Type.Optional(
      Type.Array(ProfileOfPet, { description: 'Only with `include`: of those of these pets that have one.' }),
    ),
    total: count('The number of all matching pets, on this page and the others.'),
    correctedText: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'Only if no pet matches a word of `text`, but a similar word: the words that were searched for instead.',
      }),
    ),
    synonyms: Type.Optional(
      Type.Array(WordSynonyms, {
        minItems: 1,
        description:
          'Only if words of `text` have synonyms among the categories and tags of pets. Pets with these match as ' +
          'well, and come last by relevance.',
      }),
    ),
    next: Type.Optional(
      Type.String({ minLength: 1, description: 'The `cursor` of the next page. Absent on the last page.' }),
    ),
  },
  exactly('FoundPets'),
);
export type FoundPets = Type.Static<typeof FoundPets>;

export const LabelCount = Type.Object(
  { name: Type.String(), count: count('The number of pets with it.') },
  exactly('LabelCount'),
);
export type LabelCount = Type.Static<typeof LabelCount>;

const StatusFacet = Type.Object(
  {
    status: Type.Unsafe<StatusFilter>({ type: 'string', enum: [...STATUS_FILTERS] }),
    count: count('The number of pets that would match.'),
  },
  exactly('StatusFacet'),
);

const LabelFacet = Type.Object(
  { name: Type.String(), count: count('The number of pets that would match.') },
  exactly('LabelFacet'),
);

const Facet = Type.Array(LabelFacet);

/** The number of pets for each value of a facet, combined with the other filters of the search. */
export const PetFacets = Type.Object(
  {
    statuses: Type.Array(StatusFacet, { description: 'Each status, then `none`: pets without a status.' }),
    categories: Type.Array(LabelFacet, {
      description: 'The 100 most used ones among all pets, then further ones of the request.',
    }),
    tags: Type.Array(LabelFacet, { description: 'The same for tags.' }),
    breeds: Type.Array(LabelFacet, { description: 'The same for breeds.' }),
    species: Facet,
    sexes: Facet,
    ages: Facet,
    sizes: Facet,
    coats: Facet,
    goodWith: Facet,
    locations: Facet,
    own: Type.Array(Type.Object({ key: Type.String(), values: Facet }, exactly('OwnFacet'))),
    published: Type.Optional(Type.Array(LabelFacet, { description: 'Only for those who may change pets.' })),
  },
  exactly('PetFacets'),
);
export type PetFacets = Type.Static<typeof PetFacets>;

const Suggestion = Type.Object(
  {
    name: Type.String({
      description: 'A word of names, spelled as in one of them; or a label to filter by.',
    }),
    text: Type.String({
      description:
        'The text to search for: `text` with the word of names in place of the last word, or the words that ' +
        'remain beside the filter, if any.',
    }),
    count: count('The number of pets that match: the `total` of this search.'),
  },
  exactly('Suggestion'),
);

/** Searches that complete the last word of a text. */
export const Suggestions = Type.Object(
  {
    names: Type.Array(Suggestion),
    categories: Type.Array(Suggestion),
    tags: Type.Array(Suggestion),
    breeds: Type.Array(Suggestion),
  },
  exactly('Suggestions'),
);
export type Suggestions = Type.Static<typeof Suggestions>;

const Day = Type.Object(
  {
    day: Type.Unsafe<string>({ type: 'string', format: 'date', description: 'The date in UTC.' }),
    added: count('The number of added pets.'),
    changed: count('The number of changes of pets, including restores.'),
    deleted: count('The number of deleted pets.'),
    adopted: count(
      'The number of adoptions: changes to the status `sold`, and pets added with it. The restore of a deleted ' +
        'pet is not an adoption.',
    ),
  },
  exactly('DayStatistics'),
);

export const Statistics = Type.Object(
  {
    total: count('The number of pets.'),
    statuses: Type.Array(
      Type.Object(
        {
          status: Type.Unsafe<PetStatus>({ type: 'string', enum: [...PET_STATUSES] }),
          count: count('The number of pets with it.'),
        },
        exactly('StatusCount'),
      ),
    ),
    withoutStatus: count('The number of pets without a status.'),
    categories: Type.Array(LabelCount, { description: 'The 20 most used ones.' }),
    tags: Type.Array(LabelCount, { description: 'The 20 most used ones.' }),
    photos: Type.Object(
      {
        count: count('The number of uploaded photos in use. A photo of several pets counts once.'),
        bytes: count('Their total size in bytes as stored, without the smaller sizes and without unused photos.'),
      },
      exactly('PhotoStatistics'),
    ),
    days: Type.Array(Day, { description: 'Each day from the first to the last.' }),
  },
  exactly('Statistics'),
);
export type Statistics = Type.Static<typeof Statistics>;
