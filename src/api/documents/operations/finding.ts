import { Type } from 'typebox';
import { PET_SORTS, type PetSort } from '../../../domain/search/question.ts';
import { optionalChoice, optionalText, SEARCH_FILTERS, TIME_FORMATS } from '../../find-queries.ts';
import { json, type OperationDescription } from '../format.ts';
import { PAGE } from '../parameters.ts';
import { FoundPets, LabelCount, PetChoices, Statistics } from '../../records/found-pets.ts';

const NAMES = 'Words that begin words of the name, each of them, without regard to case and accents.';

const LABELS = {
  group: 'pet',
  query: { text: optionalText(NAMES), ...PAGE },
  answers: { 200: json(Type.Array(LabelCount), 'The most used first, then by name.', 'Link') },
} as const;

const labelsOf = (label: string) =>
  `Returns each ${label} in use and the number of its pets, the most frequent first, then by name.`;

/** Looking into the catalogue, beyond Petstore's operations. */
export const FINDING_OPERATIONS = {
  findPets: {
    group: 'pet',
    summary: 'Find pets by text, status, tags, category and time',
    description:
      'A pet is found when all that is asked for is so. In pages: a pet that is there, and the same, from the first page to the last is on one of them once, whatever changes meanwhile.',
    query: {
      ...SEARCH_FILTERS,
      sort: optionalChoice<PetSort>(
        PET_SORTS,
        'By `id`; by `name`, without regard to case and accents; `newest` first, by when they were added; or by `relevance`: first whose names have the words whole, then whose names have words that begin so, then the others. Without this by relevance where there is a text, else by id.',
      ),
      covers: Type.Optional(
        Type.Boolean({ description: 'Whether the first pictures of the pets are told with them, in `covers`.' }),
      ),
      ...PAGE,
    },
    answers: { 200: json(FoundPets, 'What was found.', 'Link') },
  },
  countChoices: {
    group: 'pet',
    summary: 'How many pets there would be of each status, category and tag',
    description:
      'For the choices of a search: how many pets each would give together with what else is asked. Statuses and categories, and tags with `tagMatch=any`, stand beside each other: each is counted as if no other of its kind were asked for. With `tagMatch=all` a tag is counted among those that have the others. Of all pets, and of a few hundred, the numbers are exact; of many, only some are looked at, and `exact` says which numbers may be higher.',
    query: SEARCH_FILTERS,
    answers: { 200: json(PetChoices, 'The numbers.') },
  },
  listTags: { ...LABELS, summary: 'The tags that pets have, with their numbers', description: labelsOf('tag') },
  listCategories: {
    ...LABELS,
    summary: 'The categories that pets have, with their numbers',
    description: labelsOf('category'),
  },
  getStatistics: {
    group: 'pet',
    summary: 'How many pets there are, and what happened day by day',
    description:
      'Returns the numbers of pets by status, category and tag, the number and size of photos, and the changes of each day of a period.',
    query: {
      since: optionalText(`The first day, in UTC; 29 days before the last one, without this. ${TIME_FORMATS}`),
      until: optionalText(`The last day, in UTC; today, without this. ${TIME_FORMATS}`),
    },
    answers: { 200: json(Statistics, 'The numbers.') },
  },
} as const satisfies Record<string, OperationDescription>;
