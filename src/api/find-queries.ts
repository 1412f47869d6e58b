import { Type } from 'typebox';
import { Failure } from '../domain/failure.ts';
import { PET_SORTS, STATUS_FILTERS, type PetQuestion, type StatusFilter } from '../domain/search/question.ts';
import { wordsOf } from '../domain/search/words.ts';
import { TAG_NAMES } from './documents/parameters.ts';
import { choiceOf, readListParameter, readRepeatedParameter, textOf, timeOf, type Query } from './query-values.ts';

/* The search of pets: the filters, as OpenAPI describes them and as they are read from a query. */

export const FIND_LIMITS = { textLength: 200, words: 10, values: 50 } as const;

const TAG_MATCHES = ['any', 'all'] as const;

export const optionalText = (description: string) => Type.Optional(Type.String({ minLength: 1, description }));

export const optionalChoice = <T extends string>(choices: readonly T[], description: string) =>
  Type.Optional(Type.Unsafe<T>({ type: 'string', enum: [...choices], description }));

export const TIME_FORMATS = 'A time such as 2026-01-31T12:00:00Z, or a day such as 2026-01-31.';

/** The filters of `findPets` and `countChoices`. `readPetQuestion` reads each of them. */
export const SEARCH_FILTERS = {
  text: optionalText(
    'Words that begin words of the name, the category or the tags, each of them, without regard to case and accents.',
  ),
  status: Type.Optional(
    Type.Unsafe<readonly StatusFilter[]>({
      type: 'array',
      minItems: 1,
      items: { type: 'string', enum: [...STATUS_FILTERS] },
      description:
        'The statuses of which a pet has one; `none` selects pets without a status. For several, repeat the parameter or separate them by commas.',
    }),
  ),
  tags: Type.Optional(TAG_NAMES.tags),
  tagMatch: optionalChoice(TAG_MATCHES, 'Whether one of the tags will do (`any`, without this), or all are wanted.'),
  category: Type.Optional(
    Type.Unsafe<readonly string[]>({
      type: 'array',
      minItems: 1,
      items: { type: 'string', minLength: 1 },
      description:
        'The names of categories of which a pet has one. The parameter is repeated for several: a comma belongs to the name.',
    }),
  ),
  updatedSince: optionalText(`Added or changed then or later. ${TIME_FORMATS}`),
} as const;

/** @throws Failure `invalid-input` */
export function readPetQuestion(query: Query): PetQuestion {
  const words = readWords(query);
  const sort = choiceOf(query, 'sort', PET_SORTS) ?? (words.length > 0 ? 'relevance' : 'id');
  if (sort === 'relevance' && words.length === 0)
    throw new Failure('invalid-input', 'sort=relevance needs a text to be relevant to.');
  return {
    words,
    statuses: readStatuses(query),
    categories: readNames('category', readRepeatedParameter(query, 'category')),
    tags: readNames('tags', readListParameter(query, 'tags')),
    tagMatch: choiceOf(query, 'tagMatch', TAG_MATCHES) ?? 'any',
    updatedSinceMs: timeOf(query, 'updatedSince'),
    sort,
  };
}

/** The words of `text`; none where there is none. @throws Failure `invalid-input` */
export function readWords(query: Query): readonly string[] {
  const text = textOf(query, 'text');
  if (text === undefined) return [];
  const words = [...new Set(wordsOf(text))];
  const { textLength, words: most } = FIND_LIMITS;
  if (text.length > textLength || words.length === 0 || words.length > most)
    throw new Failure('invalid-input', `text must have 1 to ${most} words, and ${textLength} characters at most.`);
  return words;
}

function readStatuses(query: Query): readonly StatusFilter[] {
  const values = [...new Set(readListParameter(query, 'status'))];
  if (!values.every(isStatus))
    throw new Failure('invalid-input', `status must be one or more of ${STATUS_FILTERS.join(', ')}.`);
  return values;
}

function isStatus(value: string): value is StatusFilter {
  return (STATUS_FILTERS as readonly string[]).includes(value);
}

function readNames(name: string, sent: readonly string[] | undefined): readonly string[] {
  const values = [...new Set(sent)];
  if (values.includes('') || values.length > FIND_LIMITS.values)
    throw new Failure('invalid-input', `${name} must be 1 to ${FIND_LIMITS.values} names, none of them empty.`);
  return values;
}
