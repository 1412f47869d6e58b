import type { PetIndex } from './pet-index.ts';
import { editsToPrefixOf, maxEditsOf } from './spelling.ts';
import { findSynonyms, type Synonyms } from './synonyms.ts';

/** Each correction compares all words, so a search gets only a few. */
const MAX_CORRECTED = 2;
const MAX_LENGTH = 32;

/**
 * Replaces each word that matches no pet, also not as a synonym, by the most similar word: the one with the fewest edits, and among those the one of the most
 * pets, then the shortest. All nodes choose the same word, because the next page may come from another one.
 *
 * @returns the same words if nothing can be corrected
 */
export function correctWords(index: PetIndex, synonyms: Synonyms, words: readonly string[]): readonly string[] {
  const unknown = new Set(words.filter((word) => !isKnown(index, synonyms, word)));
  if (unknown.size > MAX_CORRECTED) return words;
  return words.map((word) => (unknown.has(word) ? (similarWord(index, synonyms, word) ?? word) : word));
}

function isKnown(index: PetIndex, synonyms: Synonyms, word: string): boolean {
  const { nameWords, labels } = index;
  const hasWord = [nameWords, labels.category, labels.tag].some((words) => words.hasPrefix(word));
  return hasWord || findSynonyms(index, synonyms, [word]).length > 0;
}

function similarWord(index: PetIndex, synonyms: Synonyms, typed: string): string | undefined {
  const { nameWords, labels } = index;
  const nearest = nearestWords(index, synonyms, typed);
  const countOf = (word: string) =>
    nameWords.countOf(word) + labels.category.countOfWord(word) + labels.tag.countOfWord(word);
  const [best] = Array.from(nearest, (word) => ({ word, count: countOf(word) }))
    // Then by any order that is the same on all nodes.
    .toSorted((a, b) => b.count - a.count || a.word.length - b.word.length || (a.word < b.word ? -1 : 1));
  if (best === undefined) return undefined;
  // A word that the best one begins with finds the same pets, and more.
  const { word } = best;
  return Array.from({ length: word.length }, (_, place) => word.slice(0, place + 1)).find((beginning) =>
    nearest.has(beginning),
  );
}

/** The words with the fewest edits. */
function nearestWords(index: PetIndex, synonyms: Synonyms, typed: string): ReadonlySet<string> {
  const nearest = new Set<string>();
  let fewest = typed.length > MAX_LENGTH ? 0 : maxEditsOf(typed);
  if (fewest === 0) return nearest;
  const { nameWords, labels } = index;
  const hasSynonyms = (word: string) => findSynonyms(index, synonyms, [word]).length > 0;
  for (const [words, isFound] of [
    ...[nameWords, labels.category, labels.tag].map((each) => [each.words(), () => true] as const),
    [synonyms.keys(), hasSynonyms] as const,
  ])
    for (const word of words) {
      const edits = editsToPrefixOf(word, typed, fewest);
      if (edits > fewest || !isFound(word)) continue;
      if (edits < fewest) nearest.clear();
      fewest = edits;
      nearest.add(word);
    }
  return nearest;
}
