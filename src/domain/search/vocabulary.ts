import { SlotSets, type SlotSetsData } from './slot-sets.ts';
import { unionOf, type Slots } from './slots.ts';

/** Prefixes up to this length have a set of their own: a union of thousands of words for each search would take too long. */
const MAX_KEPT_PREFIX = 2;

/** Marks the key of such a set. No word contains it. */
const PREFIX_MARK = '*';

/** New words are looked through one by one up to this number, then sorted into the others. */
const MAX_UNSORTED = 1000;

/** Words, and the slots whose texts contain them. */
export class Vocabulary {
  readonly #sets: SlotSets;
  #sorted: readonly string[];
  #unsorted: string[] = [];

  constructor(data?: SlotSetsData) {
    this.#sets = new SlotSets(data);
    this.#sorted = [...this.words()].toSorted();
  }

  /** Replaces the words of a slot. */
  replace(before: readonly string[], now: readonly string[], slot: number): void {
    const added = this.#sets.replace(keysOf(before), keysOf(now), slot);
    this.#unsorted.push(...added.filter(isWord));
  }

  withWord(word: string): Slots {
    return this.#sets.get(word);
  }

  withPrefix(prefix: string): Slots {
    if (prefix.length <= MAX_KEPT_PREFIX) return this.#sets.get(prefix + PREFIX_MARK);
    return unionOf(this.wordsWith(prefix).map((word) => this.withWord(word)));
  }

  /** The words that begin so, in no order. */
  wordsWith(prefix: string): readonly string[] {
    if (this.#unsorted.length > MAX_UNSORTED) this.#sort();
    const found = new Set<string>();
    for (let place = this.#placeOf(prefix); this.#sorted[place]?.startsWith(prefix) === true; place++)
      found.add(this.#sorted[place] as string);
    for (const word of this.#unsorted) if (word.startsWith(prefix)) found.add(word);
    return [...found].filter((word) => this.#sets.has(word));
  }

  countOf(word: string): number {
    return this.#sets.countOf(word);
  }

  words(): IteratorObject<string> {
    return this.#sets.keys().filter(isWord);
  }

  toData(): SlotSetsData {
    return this.#sets.toData();
  }

  /** Merges the new words into the others, and drops words that no pet has any more. */
  #sort(): void {
    const added = this.#unsorted.toSorted();
    const merged: string[] = [];
    let next = 0;
    for (const word of this.#sorted) {
      while (next < added.length && (added[next] as string) <= word) merged.push(added[next++] as string);
      merged.push(word);
    }
    // Not by `push`: a newly built index has more words than a call may have arguments.
    const all = merged.concat(added.slice(next));
    this.#sorted = all.filter((word, place) => word !== all[place - 1] && this.#sets.has(word));
    this.#unsorted = [];
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

/** The words, and their short prefixes. */
function keysOf(words: readonly string[]): readonly string[] {
  const keys: string[] = [];
  for (const word of words) {
    keys.push(word);
    for (let length = 1; length <= MAX_KEPT_PREFIX && length <= word.length; length++)
      keys.push(word.slice(0, length) + PREFIX_MARK);
  }
  return keys;
}

function isWord(key: string): boolean {
  return !key.endsWith(PREFIX_MARK);
}
