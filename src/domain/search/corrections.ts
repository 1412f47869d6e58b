import type { PetIndex } from './pet-index.ts';
import { editsToPrefixOf, maxEditsOf, swapsOf } from './spelling.ts';
import { compareSimilar } from './similar-words.ts';
import type { Slots } from './slots/slots.ts';
import { findSynonyms, type Synonyms } from './synonyms.ts';

/** Each correction takes up to a few milliseconds, so a search gets only a few. */
const MAX_CORRECTED = 2;
const MAX_LENGTH = 32;

/**
 * Replaces each word that matches no pet, also not as a synonym, by the most similar word: the one with the fewest
 * edits, and among those the one of the most pets, then the shortest. All nodes choose the same word, because the next
 * page may come from another one. A word is never replaced by one that only drafts have.
 *
 * @param hidden pets that the author of the search does not see: their words are unknown
 * @returns the same words if nothing can be corrected
 */
export function correctWords(
  index: PetIndex,
  synonyms: Synonyms,
  words: readonly string[],
  hidden: Slots | undefined,
): readonly string[] {
  const unknown = new Set(words.filter((word) => !isKnown(index, synonyms, word, hidden)));
  if (unknown.size > MAX_CORRECTED) return words;
  return words.map((word) => (unknown.has(word) ? (similarWord(index, synonyms, word) ?? word) : word));
}

function isKnown(index: PetIndex, synonyms: Synonyms, word: string, hidden: Slots | undefined): boolean {
  const hasWord = index.vocabularies().some((words) => words.hasPrefix(word, hidden));
  return hasWord || findSynonyms(index, synonyms, [word], hidden).length > 0;
}

/** In a short word, only two swapped letters are corrected: with any other edit, most words would be similar. */
function swappedWord(index: PetIndex, synonyms: Synonyms, typed: string): string | undefined {
  const drafts = index.hidden(true);
  const [best] = swapsOf(typed)
    .filter((word) => isKnown(index, synonyms, word, drafts))
    .map((word) => ({ word, edits: 1, count: index.countOfWord(word, drafts) }))
    .toSorted(compareSimilar);
  return best?.word;
}

function similarWord(index: PetIndex, synonyms: Synonyms, typed: string): string | undefined {
  const maxEdits = typed.length > MAX_LENGTH ? 0 : maxEditsOf(typed);
  if (maxEdits === 0) return swappedWord(index, synonyms, typed);
  const similar = index.similarWords.find(typed, maxEdits);
  const most = similar?.edits ?? maxEdits;
  const drafts = index.hidden(true);
  const hasSynonyms = (word: string) => findSynonyms(index, synonyms, [word], drafts).length > 0;
  // The list of synonyms is short.
  const others = Array.from(synonyms.keys(), (word) => ({ word, edits: editsToPrefixOf(word, typed, most) }))
    .filter(({ word, edits }) => edits <= most && hasSynonyms(word))
    .map((each) => ({ ...each, count: index.countOfWord(each.word, drafts) }));
  const [best] = [...(similar === undefined ? [] : [similar]), ...others].toSorted(compareSimilar);
  if (best === undefined) return undefined;
  // A word that the best one begins with finds the same pets, and more.
  const { word, edits } = best;
  return Array.from({ length: word.length }, (_, place) => word.slice(0, place + 1)).find(
    (beginning) =>
      editsToPrefixOf(beginning, typed, edits) === edits &&
      (index.countOfWord(beginning, drafts) > 0 || hasSynonyms(beginning)),
  );
}
