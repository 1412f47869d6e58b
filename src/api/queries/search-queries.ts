import { Failure } from '../../domain/failure.ts';
import { COATS, SEXES, SIZES, SPECIES } from '../../domain/pets/profile.ts';
import { AGE_GROUPS } from '../../domain/search/ages.ts';
import {
  PET_SORTS,
  STATUS_FILTERS,
  type OwnValues,
  type PetCriteria,
  type StatusFilter,
} from '../../domain/search/criteria.ts';
import { COMPANIONS, type FactFilter } from '../../domain/search/facts.ts';
import { wordsOf } from '../../domain/search/words.ts';
import { canonicalText } from '../../domain/text.ts';
import {
  choiceOf,
  flagOf,
  readListParameter,
  readRepeatedParameter,
  textOf,
  timeOf,
  type Query,
} from './query-values.ts';
import * as Type from '../records/type.ts';

/* The search of pets: the filters, as OpenAPI describes them and as they are read from a query. */

const SEARCH_LIMITS = { textLength: 200, words: 10, values: 50 } as const;

/** The number of suggestions of each kind. */
export const SUGGESTION_LIMITS = { default: 5, max: 20 } as const;

/** What a search returns beside pets: profiles, or only the facts of them that a card shows. */
export const INCLUDED = ['profile', 'facts'] as const;

const TAG_MATCHES = ['any', 'all'] as const;

export const optionalText = (description: string) => Type.Optional(Type.String({ minLength: 1, description }));

export const optionalChoice = <T extends string>(choices: readonly T[], description: string) =>
  Type.Optional(Type.Unsafe<T>({ type: 'string', enum: [...choices], description }));

const optionalList = <T extends string = string>(description: string, choices?: readonly T[]) =>
  Type.Optional(
    Type.Unsafe<readonly T[]>({
      type: 'array',
      items: { type: 'string', ...(choices !== undefined && { enum: [...choices] }) },
      description,
    }),
  );

export const TIME_FORMATS = 'A time such as 2026-01-31T12:00:00Z, or a day such as 2026-01-31.';

const TEXT =
  'Words or beginnings of words. Each must occur in the name, the category, a tag or a breed; case and accents are ' +
  'ignored. A whole word also matches those that are its synonyms (`kitten`: Cats). A word of ' +
  'at least 4 letters that matches nothing is replaced by the most similar one: 1 typing error is corrected, or ' +
  '2 from 8 letters.';

export const SUGGESTION_TEXT = Type.String({
  minLength: 1,
  description: 'As for `findPets`. The last word is completed.',
});

export const TAG_NAMES = {
  tags: Type.Unsafe<readonly string[]>({
    type: 'array',
    minItems: 1,
    items: { type: 'string', minLength: 1 },
    description:
      'One or more tag names; a pet matches any of them. Repeat the parameter or separate the names by commas. A ' +
      'name that contains a comma cannot be searched.',
  }),
};

/** The filters of `findPets`, `countFacets` and `listSuggestions`. `readPetCriteria` reads each of them. */
export const SEARCH_FILTERS = {
  text: optionalText(TEXT),
  status: Type.Optional(
    Type.Unsafe<readonly StatusFilter[]>({
      type: 'array',
      minItems: 1,
      items: { type: 'string', enum: [...STATUS_FILTERS] },
      description:
        'One or more statuses; a pet matches any of them. `none` matches pets without a status. Repeat the ' +
        'parameter or separate the statuses by commas.',
    }),
  ),
  tags: Type.Optional(TAG_NAMES.tags),
  tagMatch: optionalChoice(
    TAG_MATCHES,
    'Whether a pet must have `any` of the tags, which is the default, or `all` of them.',
  ),
  category: Type.Optional(
    Type.Unsafe<readonly string[]>({
      type: 'array',
      minItems: 1,
      items: { type: 'string', minLength: 1 },
      description:
        'One or more category names; a pet matches any of them. Repeat the parameter for several names: a comma ' +
        'is part of the name.',
    }),
  ),
  species: optionalList('Any of these species.', SPECIES),
  breed: optionalList('Any of these breeds, repeated as `category`.'),
  sex: optionalList('Any of these.', SEXES),
  age: optionalList('Any of these groups, today, by species.', AGE_GROUPS),
  size: optionalList('Any of these.', SIZES),
  coat: optionalList('Any of these.', COATS),
  goodWith: optionalList('All of these.', COMPANIONS),
  location: optionalList('Any of these ids, the first one first with `sort=location`.'),
  own: optionalList('`key:value` of an own field with choices, or with `true` and `false`. Any value of a key.'),
  published: Type.Optional(Type.Boolean({ description: 'False for drafts, only for those who may change pets.' })),
  updatedSince: optionalText(`Only pets that were added or changed at this time or later. ${TIME_FORMATS}`),
} as const;

/** @throws Failure `invalid-input` */
export function readPetCriteria(query: Query): PetCriteria {
  const words = readWords(query);
  const sort = choiceOf(query, 'sort', PET_SORTS) ?? (words.length > 0 ? 'relevance' : 'id');
  if (sort === 'relevance' && words.length === 0) throw new Failure('invalid-input', 'sort=relevance requires text.');
  const facts = readFacts(query);
  if (sort === 'location' && facts.location.length === 0)
    throw new Failure('invalid-input', 'sort=location requires location.');
  return {
    words,
    statuses: readChoices(query, 'status', STATUS_FILTERS),
    categories: readNames('category', readRepeatedParameter(query, 'category')),
    tags: readNames('tags', readListParameter(query, 'tags')),
    tagMatch: choiceOf(query, 'tagMatch', TAG_MATCHES) ?? 'any',
    breeds: readNames('breed', readRepeatedParameter(query, 'breed')),
    facts,
    ages: readChoices(query, 'age', AGE_GROUPS),
    goodWith: readChoices(query, 'goodWith', COMPANIONS),
    own: readOwn(query),
    published: query['published'] === undefined ? undefined : flagOf(query, 'published'),
    updatedSinceMs: timeOf(query, 'updatedSince'),
    sort,
  };
}

/** @throws Failure `invalid-input`, also without `text` */
export function readTextCriteria(query: Query): PetCriteria {
  const criteria = readPetCriteria(query);
  if (criteria.words.length === 0) throw new Failure('invalid-input', 'text is required.');
  return criteria;
}

/** The words of `text`; empty without `text`. @throws Failure `invalid-input` */
export function readWords(query: Query): readonly string[] {
  const text = textOf(query, 'text')?.normalize('NFC');
  if (text === undefined) return [];
  const words = [...new Set(wordsOf(text))];
  const { textLength, words: most } = SEARCH_LIMITS;
  if (text.length > textLength || words.length === 0 || words.length > most)
    throw new Failure('invalid-input', `text must have 1 to ${most} words, and at most ${textLength} characters.`);
  return words;
}

function readChoices<T extends string>(query: Query, name: string, choices: readonly T[]): readonly T[] {
  const values = [...new Set(readListParameter(query, name))];
  const known = choices.filter((choice) => values.includes(choice));
  if (known.length < values.length)
    throw new Failure('invalid-input', `${name} must be one or more of ${choices.join(', ')}.`);
  return known;
}

function readFacts(query: Query): Readonly<Record<FactFilter, readonly string[]>> {
  return {
    species: readChoices(query, 'species', SPECIES),
    sex: readChoices(query, 'sex', SEXES),
    size: readChoices(query, 'size', SIZES),
    coat: readChoices(query, 'coat', COATS),
    location: readNames('location', readListParameter(query, 'location')),
  };
}

/** The values of own fields by their keys. A value may contain colons, but a key does not. */
function readOwn(query: Query): readonly OwnValues[] {
  const pairs = readNames('own', readRepeatedParameter(query, 'own')).map((pair) => {
    const [, key, value] = /^([^:]+):(.+)$/su.exec(pair) ?? [];
    if (key === undefined || value === undefined)
      throw new Failure('invalid-input', 'own must be the key of an own field, a colon, and a value.');
    return { key, value };
  });
  const byKey = Map.groupBy(pairs, ({ key }) => key);
  return Array.from(byKey, ([key, ofKey]) => ({ key, values: ofKey.map(({ value }) => value) }));
}

function readNames(name: string, sent: readonly string[] | undefined): readonly string[] {
  const values = [...new Set(sent?.map(canonicalText))];
  if (values.includes('') || values.length > SEARCH_LIMITS.values)
    throw new Failure('invalid-input', `${name} must have 1 to ${SEARCH_LIMITS.values} names, none of them empty.`);
  return values;
}
