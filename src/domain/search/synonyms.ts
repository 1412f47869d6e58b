import { Failure } from '../failure.ts';
import type { PetIndex } from './pet-index.ts';
import type { Slots } from './slots/slots.ts';
import { hasPrefix, wordsOf } from './words.ts';

/** The synonyms of words: names of categories, tags and breeds. Words and names are normalized. */
export type Synonyms = ReadonlyMap<string, readonly string[]>;

export const NO_SYNONYMS: Synonyms = new Map();

/** A word of a search, and its synonyms among the categories, tags and breeds of the pets. */
export interface WordSynonyms {
  word: string;
  /** As pets have them. Never empty. */
  names: readonly string[];
}

const EXAMPLE = '{"kitten": ["Cats"]}';

/**
 * Reads a list of synonyms: a JSON object with words, and a list of categories, tags and breeds for each.
 *
 * @throws Failure `invalid-input`
 */
export function readSynonyms(text: string): Synonyms {
  const synonyms = new Map<string, readonly string[]>();
  for (const [key, value] of entriesOf(text)) {
    const [word, ...others] = wordsOf(key);
    if (word === undefined || others.length > 0)
      throw invalid(`The list of synonyms has ${JSON.stringify(key)}, which is not one word.`);
    const names = Array.isArray(value) ? value.map(normalizedName) : [];
    if (names.length === 0 || names.includes(''))
      throw invalid(`The list of synonyms must have names for ${JSON.stringify(key)}, as in ${EXAMPLE}.`);
    // Different spellings may be the same word.
    synonyms.set(word, [...(synonyms.get(word) ?? []), ...names]);
  }
  return synonyms;
}

/**
 * The words that have synonyms among the categories, tags and breeds of the pets.
 *
 * @param hidden pets that do not count
 */
export function findSynonyms(
  index: PetIndex,
  synonyms: Synonyms,
  words: readonly string[],
  hidden: Slots | undefined,
): readonly WordSynonyms[] {
  return words
    .map((word) => ({ word, names: namesFor(index, synonyms, word, hidden) }))
    .filter(({ names }) => names.length > 0);
}

function namesFor(index: PetIndex, synonyms: Synonyms, word: string, hidden: Slots | undefined): readonly string[] {
  const names = (synonyms.get(word) ?? []).flatMap((name) => {
    const words = name.split(' ');
    // A label that begins with the word matches without the list.
    if (hasPrefix(words, word)) return [];
    return index
      .allLabels()
      .flatMap((labels) => labels.namesOf(words).filter((label) => labels.countOf(label, hidden) > 0));
  });
  return [...new Set(names)].toSorted();
}

function normalizedName(name: unknown): string {
  return typeof name === 'string' ? wordsOf(name).join(' ') : '';
}

function entriesOf(text: string): readonly (readonly [key: string, value: unknown])[] {
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    list = undefined;
  }
  if (typeof list !== 'object' || list === null || Array.isArray(list))
    throw invalid(`The list of synonyms must be a JSON object such as ${EXAMPLE}.`);
  return Object.entries(list);
}

function invalid(message: string): Failure {
  return new Failure('invalid-input', message);
}
