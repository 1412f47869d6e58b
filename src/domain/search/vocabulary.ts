import { SlotSets, type SlotSetsData } from './slots/slot-sets.ts';
import type { Slots } from './slots/slots.ts';

/**
 * Prefixes up to this length have a set of their own: a union of thousands of words for each search would take too
 * long.
 */
const MAX_KEPT_PREFIX = 2;

/** New words are looked through one by one up to this number, then sorted into the others. */
const MAX_UNSORTED = 1000;

export interface VocabularyData {
  words: SlotSetsData;
  prefixes: SlotSetsData;
}

/** Words, and the slots whose texts contain them. */
export class Vocabulary {
  readonly #words: SlotSets;
  /** By prefix of a word. */
  readonly #prefixes: SlotSets;
  /** May have words that no text contains any more. */
  #sorted: readonly string[];
  #unsorted: string[] = [];

  constructor(data?: VocabularyData) {
    this.#words = new SlotSets(data?.words);
    this.#prefixes = new SlotSets(data?.prefixes);
    this.#sorted = [...this.#words.keys()].toSorted();
  }

  replace(before: readonly string[], now: readonly string[], slot: number): void {
    for (const word of this.#words.replace(before, now, slot).added) this.#unsorted.push(word);
    this.#prefixes.replace(prefixesOf(before), prefixesOf(now), slot);
  }

  withWord(word: string): Slots {
    return this.#words.get(word);
  }

  withPrefix(prefix: string): Slots {
    return prefix.length > MAX_KEPT_PREFIX ? this.#words.unionOf(this.wordsWith(prefix)) : this.#prefixes.get(prefix);
  }

  /** @param hidden slots that do not count */
  hasPrefix(prefix: string, hidden?: Slots): boolean {
    if (prefix.length <= MAX_KEPT_PREFIX) return this.#prefixes.countOf(prefix, hidden) > 0;
    this.#sortIfMany();
    // Without a list of all words that begin so: usually, the first one is in use.
    for (let place = this.#placeOf(prefix); this.#sorted[place]?.startsWith(prefix) === true; place++)
      if (this.#words.countOf(this.#sorted[place] as string, hidden) > 0) return true;
    return this.#unsorted.some((word) => word.startsWith(prefix) && this.#words.countOf(word, hidden) > 0);
  }

  has(word: string): boolean {
    return this.#words.has(word);
  }

  countOf(word: string, hidden?: Slots): number {
    return this.#words.countOf(word, hidden);
  }

  /** The number of these slots with the word. @param slots undefined for all */
  countIn(slots: Slots | undefined, word: string): number {
    return this.#words.countIn(slots, word);
  }

  /** The words that begin so. May contain duplicates, and words that no text has any more. */
  wordsWith(prefix: string): readonly string[] {
    this.#sortIfMany();
    const found = this.#unsorted.filter((word) => word.startsWith(prefix));
    for (let place = this.#placeOf(prefix); this.#sorted[place]?.startsWith(prefix) === true; place++)
      found.push(this.#sorted[place] as string);
    return found;
  }

  /** All words: nearly sorted, which makes it fast to sort them. Some may be there twice, or in no text any more. */
  words(): readonly string[] {
    return [...this.#sorted, ...this.#unsorted];
  }

  /** Sorts the words that were added. Otherwise, the next search does. */
  sort(): void {
    const words = [...this.#sorted, ...this.#unsorted].toSorted();
    this.#sorted = words.filter((word, place) => word !== words[place - 1] && this.#words.has(word));
    this.#unsorted = [];
  }

  toData(): VocabularyData {
    return { words: this.#words.toData(), prefixes: this.#prefixes.toData() };
  }

  #sortIfMany(): void {
    if (this.#unsorted.length > MAX_UNSORTED) this.sort();
  }

  #placeOf(prefix: string): number {
    let [start, end] = [0, this.#sorted.length];
    while (start < end) {
      const middle = (start + end) >>> 1;
      if ((this.#sorted[middle] as string) < prefix) start = middle + 1;
      else end = middle;
    }
    return start;
  }
}

/** The prefixes of words that have a set of their own. */
function prefixesOf(words: readonly string[]): readonly string[] {
  const prefixes: string[] = [];
  for (const word of words)
    for (let length = 1; length <= MAX_KEPT_PREFIX && length <= word.length; length++)
      prefixes.push(word.slice(0, length));
  return prefixes;
}
