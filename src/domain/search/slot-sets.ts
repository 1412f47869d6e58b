import { NO_SLOTS, SlotSet, type Slots } from './slots.ts';

/** A set of one slot, as most words of a large catalogue have, is the slot itself: an object would take ten times as much memory. */
type Entry = SlotSet | number;

export type SlotSetsData = readonly (readonly [key: string, slots: Slots | number])[];

/** Sets of slots by key. A key with an empty set does not exist. */
export class SlotSets {
  readonly #entries: Map<string, Entry>;

  constructor(data: SlotSetsData = []) {
    this.#entries = new Map(data.map(([key, slots]) => [key, typeof slots === 'number' ? slots : SlotSet.from(slots)]));
  }

  /** Moves a slot from the sets of some keys to those of others. @returns the keys that are new */
  replace(before: readonly string[], now: readonly string[], slot: number): readonly string[] {
    const added: string[] = [];
    for (const key of now) if (!before.includes(key) && this.#add(key, slot)) added.push(key);
    for (const key of before) if (!now.includes(key)) this.#delete(key, slot);
    return added;
  }

  get(key: string): Slots {
    const entry = this.#entries.get(key);
    if (entry === undefined) return NO_SLOTS;
    return typeof entry === 'number' ? { list: Uint32Array.of(entry) } : entry.slots();
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  countOf(key: string): number {
    const entry = this.#entries.get(key);
    if (entry === undefined) return 0;
    return typeof entry === 'number' ? 1 : entry.count;
  }

  keys(): MapIterator<string> {
    return this.#entries.keys();
  }

  toData(): SlotSetsData {
    return Array.from(this.#entries, ([key, entry]) => [key, typeof entry === 'number' ? entry : entry.slots()]);
  }

  /** @returns whether the key is new */
  #add(key: string, slot: number): boolean {
    const entry = this.#entries.get(key);
    if (entry instanceof SlotSet) entry.add(slot);
    else this.#entries.set(key, entry === undefined ? slot : SlotSet.of(entry, slot));
    return entry === undefined;
  }

  #delete(key: string, slot: number): void {
    const entry = this.#entries.get(key);
    if (entry instanceof SlotSet) entry.delete(slot);
    if (entry === slot || this.countOf(key) === 0) this.#entries.delete(key);
  }
}
