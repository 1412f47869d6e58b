import type { LabelCount } from './counts.ts';
import { SlotSets, type SlotSetsData } from './slots/slot-sets.ts';
import { intersectionOf, listOf, NO_SLOTS, type Slots } from './slots/slots.ts';
import { Vocabulary } from './vocabulary.ts';
import { wordsOf } from './words.ts';

/** The categories, the tags or the breeds, and the slots of the pets that have them. */
export class Labels {
  readonly #sets: SlotSets;
  /**
   * Labels are numbered like pets, so that their words are found in the same way. Pets have no sets for these words:
   * those of their labels suffice.
   */
  readonly #names: string[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #freeNumbers: number[] = [];
  readonly #vocabulary = new Vocabulary();

  constructor(data?: SlotSetsData) {
    this.#sets = new SlotSets(data);
    for (const name of this.#sets.keys()) this.#number(name);
  }

  replace(before: readonly string[], now: readonly string[], slot: number): void {
    const { added, deleted } = this.#sets.replace(before, now, slot);
    for (const name of added) this.#number(name);
    for (const name of deleted) this.#forget(name);
  }

  get(name: string): Slots {
    return this.#sets.get(name);
  }

  withPrefix(prefix: string): Slots {
    return this.#sets.unionOf(this.#namesOf(this.#vocabulary.withPrefix(prefix)));
  }

  /** @param hidden slots that do not count */
  hasPrefix(prefix: string, hidden?: Slots): boolean {
    if (hidden === undefined) return this.#vocabulary.hasPrefix(prefix);
    return this.namesWith(prefix).some((name) => this.#sets.countOf(name, hidden) > 0);
  }

  /** The labels with a word that begins so. */
  namesWith(prefix: string): readonly string[] {
    return this.#namesOf(this.#vocabulary.withPrefix(prefix));
  }

  /** The labels with these words and no others, in this order. */
  namesOf(words: readonly string[]): readonly string[] {
    const withWords = intersectionOf(words.map((word) => this.#vocabulary.withWord(word))) ?? NO_SLOTS;
    return this.#namesOf(withWords).filter((name) => wordsOf(name).join(' ') === words.join(' '));
  }

  countOf(name: string, hidden?: Slots): number {
    return this.#sets.countOf(name, hidden);
  }

  /** The number of these slots with the label. @param slots undefined for all */
  countIn(slots: Slots | undefined, name: string): number {
    return this.#sets.countIn(slots, name);
  }

  /** See `Vocabulary`. */
  words(): readonly string[] {
    return this.#vocabulary.words();
  }

  /** The number of slots with this word. Those with several such labels are counted several times. */
  countOfWord(word: string, hidden?: Slots): number {
    if (!this.#vocabulary.has(word)) return 0;
    const names = this.#namesOf(this.#vocabulary.withWord(word));
    return names.reduce((sum, name) => sum + this.#sets.countOf(name, hidden), 0);
  }

  /**
   * At most `limit` labels, most used first, then by name. They are selected in one pass, because sorting 100,000
   * labels takes twelve times as long.
   *
   * @param words each begins a word of the label
   * @param hidden slots that do not count. A label of only these is not listed.
   */
  list(words: readonly string[], after: LabelCount | undefined, limit: number, hidden?: Slots): readonly LabelCount[] {
    const first: LabelCount[] = [];
    const placeOf = (name: string, count: number) =>
      1 + first.findLastIndex((other) => compare(name, count, other) > 0);
    const select = (name: string, countOfAll: number) => {
      // With fewer slots, it would come even later.
      if (hidden !== undefined && placeOf(name, countOfAll) === limit) return;
      const count = hidden === undefined ? countOfAll : this.#sets.countOf(name, hidden);
      if (count === 0 || (after !== undefined && compare(name, count, after) <= 0)) return;
      const place = placeOf(name, count);
      if (place === limit) return;
      first.splice(place, 0, { name, count });
      if (first.length > limit) first.pop();
    };
    const withWords = intersectionOf(words.map((word) => this.#vocabulary.withPrefix(word)));
    if (withWords === undefined) this.#sets.forEach(select);
    else for (const name of this.#namesOf(withWords)) select(name, this.#sets.countOf(name));
    return first;
  }

  sort(): void {
    this.#vocabulary.sort();
  }

  toData(): SlotSetsData {
    return this.#sets.toData();
  }

  #namesOf(numbers: Slots): readonly string[] {
    return Array.from(listOf(numbers), (number) => this.#names[number] as string);
  }

  #number(name: string): void {
    const number = this.#freeNumbers.pop() ?? this.#names.length;
    this.#names[number] = name;
    this.#numbers.set(name, number);
    this.#vocabulary.replace([], wordsOf(name), number);
  }

  #forget(name: string): void {
    const number = this.#numbers.get(name) as number;
    this.#numbers.delete(name);
    this.#freeNumbers.push(number);
    this.#vocabulary.replace(wordsOf(name), [], number);
  }
}

function compare(name: string, count: number, other: LabelCount): number {
  return other.count - count || (name < other.name ? -1 : name === other.name ? 0 : 1);
}
