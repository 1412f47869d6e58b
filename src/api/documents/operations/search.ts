import { PET_SORTS, type PetSort } from '../../../domain/search/criteria.ts';
import {
  INCLUDED,
  optionalChoice,
  optionalText,
  SEARCH_FILTERS,
  SUGGESTION_LIMITS,
  SUGGESTION_TEXT,
  TIME_FORMATS,
} from '../../queries/search-queries.ts';
import * as Type from '../../records/type.ts';
import { json, type OperationDescription } from '../parts/format.ts';
import { LABEL_FILTER, PAGE } from '../parts/parameters.ts';
import { FoundPets, LabelCount, PetFacets, Statistics, Suggestions } from '../../records/search.ts';

const LABELS = {
  group: 'pet',
  query: { ...LABEL_FILTER, ...PAGE },
  responses: { 200: json(Type.Array(LabelCount), 'The most frequent first, then by name.', 'Link') },
} as const;

const labelsOf = (label: string) =>
  `Returns each ${label} in use and the number of its pets, the most frequent first, then by name.`;

/** Search and statistics, beyond the operations of Petstore. */
export const SEARCH_OPERATIONS = {
  findPets: {
    group: 'pet',
    summary: 'Search pets',
    description:
      'Returns the pets that match all given filters, in pages. A pet that does not change while you read the ' +
      'pages occurs exactly once, whatever else changes.',
    query: {
      ...SEARCH_FILTERS,
      sort: optionalChoice<PetSort>(
        PET_SORTS,
        '`id`; `name`, ignoring case and accents; `newest`, the last added or published first; `longest-stay`, by intake date; ' +
          '`status` or `species`, in the order of their values, then by name; pets without a value come last; `location`, in ' +
          'the order of `location`, such as by distance, then the newest first; or ' +
          '`relevance`: first pets whose names contain the whole words, then those whose names contain words that ' +
          'begin with them, then the others, those that match by synonyms last. By default `relevance` with `text`, ' +
          'otherwise `id`.',
      ),
      covers: Type.Optional(
        Type.Boolean({ description: 'Whether to return the first photos of the pets in `covers`.' }),
      ),
      include: optionalChoice(
        INCLUDED,
        'Whether to return `profiles`; with `facts` only breed, sex, birth date, and whether it is a draft.',
      ),
      ...PAGE,
    },
    responses: { 200: json(FoundPets, 'A page of matching pets.', 'Link') },
  },
  countFacets: {
    group: 'pet',
    summary: 'Count pets by facet',
    description:
      'Returns, for each value of a facet, the number of pets that match it and the other filters. Values that are ' +
      'alternatives are counted as if no other value of their facet were selected; the others, `goodWith` and tags ' +
      'with `tagMatch=all`, among the pets that have the selected ones.',
    query: SEARCH_FILTERS,
    responses: { 200: json(PetFacets, 'The numbers of pets.') },
  },
  listSuggestions: {
    group: 'pet',
    summary: 'List suggestions',
    description:
      'Completes the last word of a text while a user types it: returns words of names, and labels ' +
      'with a word that begins so, the most pets first. A suggestion is counted with the other words and ' +
      'filters, in place of other values of its facet; with `tagMatch=all`, a tag is counted among the pets that ' +
      'have the other tags.',
    query: {
      ...SEARCH_FILTERS,
      text: SUGGESTION_TEXT,
      limit: Type.Optional(
        Type.Unsafe<number>({
          type: 'integer',
          format: 'int32',
          minimum: 1,
          maximum: SUGGESTION_LIMITS.max,
          default: SUGGESTION_LIMITS.default,
          description: 'The maximum number of suggestions of each kind.',
        }),
      ),
    },
    responses: { 200: json(Suggestions, 'The suggestions.') },
  },
  listTags: { ...LABELS, summary: 'List tags', description: labelsOf('tag') },
  listCategories: {
    ...LABELS,
    summary: 'List categories',
    description: labelsOf('category'),
  },
  getStatistics: {
    group: 'pet',
    summary: 'Get statistics',
    description:
      'Returns the numbers of pets by status, category and tag, the number and size of photos, and the changes ' +
      'of each day of a period. Only those who may change pets get changes of drafts: for others, a draft is added ' +
      'when it is published.',
    query: {
      since: optionalText(`The first day, in UTC. By default 29 days before the last one. ${TIME_FORMATS}`),
      until: optionalText(`The last day, in UTC. By default today. ${TIME_FORMATS}`),
    },
    responses: { 200: json(Statistics, 'The statistics.') },
  },
} as const satisfies Record<string, OperationDescription>;
