import { namesInBoth } from '../german-words/german-words.ts';
import type { Synonyms } from './synonyms.ts';
import { wordsOf } from './words.ts';

/** A word of more names, such as `dog`, says too little, and each of its names would be looked up in each search. */
const MAX_NAMES = 40;
const MIN_WORD_LENGTH = 3;

/**
 * Adds the words of breeds, categories and tags in one language as synonyms of the names in the other one, so that
 * `Schäferhund` also finds a pet whose breed was entered as German Shepherd Dog.
 */
export function withGermanNames(synonyms: Synonyms): Synonyms {
  const all = new Map(synonyms);
  for (const [word, names] of namesByWord())
    if (names.size <= MAX_NAMES) all.set(word, [...new Set([...(all.get(word) ?? []), ...names])]);
  return all;
}

function namesByWord(): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const pair of namesInBoth()) {
    const [english, german] = pair.map(wordsOf);
    if (english === undefined || german === undefined) continue;
    for (const [words, other] of [
      [english, german],
      [german, english],
    ] as const)
      for (const word of words) {
        if (word.length < MIN_WORD_LENGTH) continue;
        found.set(word, (found.get(word) ?? new Set()).add(other.join(' ')));
      }
  }
  return found;
}
