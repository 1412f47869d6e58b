import type { LabelCount, LabelKind } from './counts.ts';
import type { Labels } from './labels.ts';
import { matchesOf, slotsOfWord, type SearchedCriteria } from './matches.ts';
import type { PetIndex } from './pet-index.ts';
import { countOf, intersectionOf, type Slots } from './slots/slots.ts';
import { findSynonyms, type Synonyms } from './synonyms.ts';
import type { Vocabulary } from './vocabulary.ts';
import { hasPrefix, wordsOf } from './words.ts';

/** A word of names, or a label, in place of the last word of a search. */
export interface Completion {
  name: string;
  /** The other words of the search. */
  words: readonly string[];
  count: number;
}

/** A completion by a word that begins with the last one. */
export interface WordCompletion extends Completion {
  /** A match whose name has the word. */
  petId: bigint;
}

/** The best completions of the last word of a search, those with the most matches first. */
export interface Completions {
  names: readonly WordCompletion[];
  categories: readonly Completion[];
  tags: readonly Completion[];
  breeds: readonly Completion[];
}

/** @param criteria with at least one word @param limit the maximum number of completions of each kind */
export function completeLastWord(
  index: PetIndex,
  synonyms: Synonyms,
  criteria: SearchedCriteria,
  limit: number,
): Completions {
  const others = { ...criteria, words: criteria.words.slice(0, -1) };
  const matches = matchesOf(index, others);
  // As in facets, other values of the facet of a label do not count.
  const anyCategory = criteria.categories.length === 0 ? matches : matchesOf(index, { ...others, categories: [] });
  const isAnyTag = criteria.tags.length === 0 || criteria.tagMatch === 'all';
  const anyTag = isAnyTag ? matches : matchesOf(index, { ...others, tags: [] });
  const anyBreed = criteria.breeds.length === 0 ? matches : matchesOf(index, { ...others, breeds: [] });
  return {
    names: completeByWords(index, synonyms, criteria, matches, limit),
    categories: completeByLabels(index, 'category', criteria, anyCategory, limit),
    tags: completeByLabels(index, 'tag', criteria, anyTag, limit),
    breeds: completeByLabels(index, 'breed', criteria, anyBreed, limit),
  };
}

/** @param matches the pets that match the other words; undefined for all */
function completeByWords(
  index: PetIndex,
  synonyms: Synonyms,
  criteria: SearchedCriteria,
  matches: Slots | undefined,
  limit: number,
): readonly WordCompletion[] {
  const { last, others } = splitWords(criteria);
  const { nameWords } = index;
  const among = (slots: Slots) => intersectionOf(matches === undefined ? [slots] : [slots, matches]) ?? slots;
  const words = nameWords.wordsWith(last).filter((word) => !others.includes(word));
  return mostUsed(nameWords, words, matches, limit)
    .map(({ name }) => {
      const [first = 0] = index.orders.id.page(among(nameWords.withWord(name)), () => false, 1);
      // With the words that begin with it, as a search finds them.
      const all = among(
        slotsOfWord(index, findSynonyms(index, synonyms, [name], index.hidden(criteria.published)), name),
      );
      return { name, words: others, count: countOf(all), petId: index.idOf(first) };
    })
    .toSorted(compareUse);
}

/** @param matches as for `completeByWords` */
function completeByLabels(
  index: PetIndex,
  kind: LabelKind,
  criteria: SearchedCriteria,
  matches: Slots | undefined,
  limit: number,
): readonly Completion[] {
  const { last, others } = splitWords(criteria);
  const labels = index.labels[kind];
  const synonymNames = criteria.synonyms.find(({ word }) => word === last)?.names ?? [];
  const names = new Set([...labels.namesWith(last), ...synonymNames]);
  return mostUsed(labels, names, matches, limit).map(({ name, count }) => {
    const own = wordsOf(name);
    // The filter takes the place of the other words that the label has.
    return { name, count, words: others.filter((word) => !hasPrefix(own, word)) };
  });
}

function splitWords({ words }: SearchedCriteria) {
  return { last: words.at(-1) ?? '', others: words.slice(0, -1) };
}

/** The names that most of the matches have. @param names may be there twice */
function mostUsed(
  sets: Labels | Vocabulary,
  names: Iterable<string>,
  matches: Slots | undefined,
  limit: number,
): readonly LabelCount[] {
  const best: LabelCount[] = [];
  const isFurther = (found: LabelCount) => {
    const last = best[limit - 1];
    return found.count === 0 || (last !== undefined && compareUse(found, last) >= 0);
  };
  for (const name of names) {
    // The number of all pets is known, and spares counting the matches for most names.
    if (isFurther({ name, count: sets.countOf(name) }) || best.some((other) => other.name === name)) continue;
    const found = { name, count: sets.countIn(matches, name) };
    if (isFurther(found)) continue;
    best.push(found);
    best.sort(compareUse);
    if (best.length > limit) best.pop();
  }
  return best;
}

/** By count, then by name. */
function compareUse(a: LabelCount, b: LabelCount): number {
  return b.count - a.count || (a.name < b.name ? -1 : a.name === b.name ? 0 : 1);
}
