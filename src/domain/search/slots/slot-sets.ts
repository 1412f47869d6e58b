import { countCommon, NO_SLOTS, setBit, SlotSet, type Slots } from './slots.ts';

/**
 * A set of one slot, as most words of a large catalogue have, is the slot itself: an object would take ten times as
 * much memory.
 */
type Entry = SlotSet | number;

export type SlotSetsData = readonly (readonly [key: string, slots: Slots | number])[];

/** Sets of slots by key. A key with an empty set does not exist. */
export class SlotSets {
  readonly #entries = new Map<string, Entry>();
  /** No set has a higher slot. */
  #highest = 0;

  constructor(data: SlotSetsData = []) {
    for (const [key, slots] of data) {
      const entry = typeof slots === 'number' ? slots : SlotSet.from(slots);
      this.#entries.set(key, entry);
      this.#highest = Math.max(this.#highest, typeof entry === 'number' ? entry : entry.last);
    }
  }

  /**
   * Moves a slot from the sets of some keys to those of others.
   * @returns the keys that exist since then, and those that do not any more
   */
  replace(
    before: readonly string[],
    now: readonly string[],
    slot: number,
  ): { added: readonly string[]; deleted: readonly string[] } {
    const added: string[] = [];
    const deleted: string[] = [];
    for (const key of now) if (!before.includes(key) && this.#add(key, slot)) added.push(key);
    for (const key of before) if (!now.includes(key) && this.#delete(key, slot)) deleted.push(key);
    return { added, deleted };
  }

  get(key: string): Slots {
    const entry = this.#entries.get(key);
    if (entry === undefined) return NO_SLOTS;
    return typeof entry === 'number' ? { list: Uint32Array.of(entry) } : entry.slots();
  }

  /** The slots of all these keys, without a set for each of them: there may be 100,000. */
  unionOf(keys: readonly string[]): Slots {
    const [only] = keys;
    if (keys.length <= 1) return only === undefined ? NO_SLOTS : this.get(only);
    const bits = new Uint32Array((this.#highest >>> 5) + 1);
    for (const key of keys) {
      const entry = this.#entries.get(key);
      if (typeof entry === 'number') setBit(bits, entry);
      else entry?.addTo(bits);
    }
    return { bits };
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  /** @param hidden slots that do not count */
  countOf(key: string, hidden?: Slots): number {
    const entry = this.#entries.get(key);
    if (entry === undefined) return 0;
    if (hidden !== undefined) return this.countOf(key) - this.countIn(hidden, key);
    return typeof entry === 'number' ? 1 : entry.count;
  }

  /** The number of these slots in the set. @param slots undefined for all */
  countIn(slots: Slots | undefined, key: string): number {
    return slots === undefined ? this.countOf(key) : countCommon(this.get(key), slots);
  }

  forEach(visit: (key: string, count: number) => void): void {
    for (const [key, entry] of this.#entries) visit(key, typeof entry === 'number' ? 1 : entry.count);
  }

  keys(): MapIterator<string> {
    return this.#entries.keys();
  }

  toData(): SlotSetsData {
    return Array.from(this.#entries, ([key, entry]) => [key, typeof entry === 'number' ? entry : entry.slots()]);
  }

  /** @returns whether the key is new */
  #add(key: string, slot: number): boolean {
    if (slot > this.#highest) this.#highest = slot;
    const entry = this.#entries.get(key);
    if (entry instanceof SlotSet) entry.add(slot);
    else this.#entries.set(key, entry === undefined ? slot : SlotSet.of(entry, slot));
    return entry === undefined;
  }

  /** @returns whether the key does not exist any more */
  #delete(key: string, slot: number): boolean {
    const entry = this.#entries.get(key);
    if (entry instanceof SlotSet) entry.delete(slot);
    return (entry === slot || this.countOf(key) === 0) && this.#entries.delete(key);
  }
}
