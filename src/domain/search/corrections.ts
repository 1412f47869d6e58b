import type { PetIndex } from './pet-index.ts';
import { editsToPrefixOf, maxEditsOf } from './spelling.ts';

/** Each correction compares all words, so a search gets only a few. */
const MAX_CORRECTED = 2;
const MAX_LENGTH = 32;

/**
 * Replaces each word that matches no pet by the most similar word: the one with the fewest edits, and among those the one of the most pets. All nodes choose the
 * same word, because the next page may come from another one.
 *
 * @returns the same words if nothing can be corrected
 */
export function correctWords(index: PetIndex, words: readonly string[]): readonly string[] {
  const unknown = new Set(words.filter((word) => !isKnown(index, word)));
  if (unknown.size > MAX_CORRECTED) return words;
  return words.map((word) => (unknown.has(word) ? (similarWord(index, word) ?? word) : word));
}

function isKnown({ nameWords, labels }: PetIndex, word: string): boolean {
  return [nameWords, labels.category, labels.tag].some((words) => words.hasPrefix(word));
}

function similarWord(index: PetIndex, typed: string): string | undefined {
  const { nameWords, labels } = index;
  const nearest = nearestWords(index, typed);
  let best: { word: string; count: number } | undefined;
  for (const word of nearest) {
    const count = nameWords.countOf(word) + labels.category.countOfWord(word) + labels.tag.countOfWord(word);
    if (best === undefined || count > best.count || (count === best.count && word < best.word)) best = { word, count };
  }
  if (best === undefined) return undefined;
  // A word that the best one begins with finds the same pets, and more.
  const { word } = best;
  return Array.from({ length: word.length }, (_, place) => word.slice(0, place + 1)).find((beginning) =>
    nearest.has(beginning),
  );
}

/** The words with the fewest edits. */
function nearestWords({ nameWords, labels }: PetIndex, typed: string): ReadonlySet<string> {
  const nearest = new Set<string>();
  let fewest = typed.length > MAX_LENGTH ? 0 : maxEditsOf(typed);
  if (fewest === 0) return nearest;
  for (const vocabulary of [nameWords, labels.category, labels.tag])
    for (const word of vocabulary.words()) {
      const edits = editsToPrefixOf(word, typed, fewest);
      if (edits > fewest) continue;
      if (edits < fewest) nearest.clear();
      fewest = edits;
      nearest.add(word);
    }
  return nearest;
}
