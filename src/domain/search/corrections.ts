import type { PetIndex } from './pet-index.ts';
import { countOf, unionOf } from './slots.ts';
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

function isKnown({ nameWords, otherWords }: PetIndex, word: string): boolean {
  return countOf(unionOf([nameWords.withPrefix(word), otherWords.withPrefix(word)])) > 0;
}

function similarWord(index: PetIndex, typed: string): string | undefined {
  const { nameWords, otherWords } = index;
  const nearest = nearestWords(index, typed);
  let best: { word: string; count: number } | undefined;
  for (const word of nearest) {
    const count = nameWords.countOf(word) + otherWords.countOf(word);
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
function nearestWords({ nameWords, otherWords }: PetIndex, typed: string): ReadonlySet<string> {
  const nearest = new Set<string>();
  let fewest = typed.length > MAX_LENGTH ? 0 : maxEditsOf(typed);
  if (fewest === 0) return nearest;
  for (const vocabulary of [nameWords, otherWords])
    for (const word of vocabulary.words()) {
      const edits = editsToPrefixOf(word, typed, fewest);
      if (edits > fewest) continue;
      if (edits < fewest) nearest.clear();
      fewest = edits;
      nearest.add(word);
    }
  return nearest;
}
