/*
 * Sets of slots. The index gives each pet a slot, a small number, so the pets with a tag are a set of small numbers. A
 * set with few members is a sorted list; one with many is a bitmap, of which 32 slots are intersected or counted by a
 * few instructions. A bitmap takes no more memory than the list.
 */

/** An immutable set: the result of an operation, or the members of a `SlotSet` until its next change. */
export type Slots = { list: Uint32Array; bits?: undefined } | { bits: Uint32Array; list?: undefined };

export const NO_SLOTS: Slots = { list: new Uint32Array(0) };

/** A list of fewer slots than this is never a bitmap, which would have to grow with each new pet. */
const MIN_BITMAP_COUNT = 128;

/** A mutable set. */
export class SlotSet {
  /** Sorted; undefined for a bitmap. Both have room for more. */
  #list: Uint32Array | undefined = new Uint32Array(2);
  #bits: Uint32Array = new Uint32Array(0);
  #count = 0;

  static of(...slots: readonly number[]): SlotSet {
    const set = new SlotSet();
    for (const slot of slots) set.add(slot);
    return set;
  }

  static from(slots: Slots): SlotSet {
    const set = new SlotSet();
    set.#list = slots.list;
    if (slots.bits !== undefined) set.#bits = slots.bits;
    set.#count = countOf(slots);
    return set;
  }

  get count(): number {
    return this.#count;
  }

  /** No member is higher. */
  get last(): number {
    return this.#list === undefined ? this.#bits.length * 32 - 1 : (this.#list[this.#count - 1] ?? 0);
  }

  slots(): Slots {
    return this.#list === undefined ? { bits: this.#bits } : { list: this.#list.subarray(0, this.#count) };
  }

  add(slot: number): void {
    if (this.#list === undefined) this.#addBit(slot);
    else this.#addToList(this.#list, slot);
  }

  /** Sets the bits of the members. The bitmap has to be large enough for all of them. */
  addTo(bits: Uint32Array): void {
    const list = this.#list;
    if (list === undefined) unite(bits, this.#bits);
    else for (let place = 0; place < this.#count; place++) setBit(bits, list[place] as number);
  }

  delete(slot: number): void {
    if (this.#list === undefined) {
      if (!hasBit(this.#bits, slot)) return;
      this.#bits[slot >>> 5] = (this.#bits[slot >>> 5] as number) & ~(1 << (slot & 31));
    } else {
      const place = placeOf(slot, this.#list, this.#count);
      if (place === this.#count || this.#list[place] !== slot) return;
      this.#list.copyWithin(place, place + 1, this.#count);
    }
    this.#count--;
  }

  #addBit(slot: number): void {
    const word = slot >>> 5;
    if (word >= this.#bits.length) this.#bits = grown(this.#bits, word + 1);
    const before = this.#bits[word] as number;
    this.#bits[word] = before | (1 << (slot & 31));
    if (this.#bits[word] !== before) this.#count++;
  }

  #addToList(known: Uint32Array, slot: number): void {
    const place = placeOf(slot, known, this.#count);
    if (place < this.#count && known[place] === slot) return;
    const list = this.#count === known.length ? grown(known, this.#count + 1) : known;
    list.copyWithin(place + 1, place, this.#count);
    list[place] = slot;
    this.#list = list;
    this.#count++;
    const last = list[this.#count - 1] as number;
    if (this.#count <= Math.max(MIN_BITMAP_COUNT, last >>> 5)) return;
    this.#bits = new Uint32Array((last >>> 5) + 1);
    setBits(this.#bits, list.subarray(0, this.#count));
    this.#list = undefined;
  }
}

export function hasSlot(slots: Slots, slot: number): boolean {
  return slots.bits === undefined ? isListed(slots.list, slot) : hasBit(slots.bits, slot);
}

function isListed(list: Uint32Array, slot: number): boolean {
  return list[placeOf(slot, list, list.length)] === slot;
}

export function countOf({ list, bits }: Slots): number {
  if (bits === undefined) return list.length;
  let count = 0;
  // An iterator takes six times as long.
  for (let word = 0; word < bits.length; word++) count += onesIn(bits[word] as number);
  return count;
}

/** The slots that are in all sets; undefined if there are no sets, which is no condition. */
export function intersectionOf(sets: readonly Slots[]): Slots | undefined {
  // Lists first, because then only their members are looked up.
  const [first, ...others] = sets.toSorted((a, b) => sizeOf(a) - sizeOf(b));
  return first === undefined ? undefined : others.reduce(intersect, first);
}

export function unionOf(all: readonly Slots[]): Slots {
  const sets = all.filter((set) => sizeOf(set) > 0);
  const [only = NO_SLOTS] = sets;
  if (sets.length <= 1) return only;
  const bits = new Uint32Array(sets.reduce((most, set) => Math.max(most, wordsIn(set)), 0));
  for (const set of sets)
    if (set.bits === undefined) setBits(bits, set.list);
    else unite(bits, set.bits);
  return { bits };
}

export function difference(slots: Slots, without: Slots): Slots {
  if (slots.bits === undefined) return { list: slots.list.filter((slot) => !hasSlot(without, slot)) };
  const bits = slots.bits.slice();
  if (without.bits === undefined) {
    for (const slot of without.list)
      if (slot >>> 5 < bits.length) bits[slot >>> 5] = (bits[slot >>> 5] as number) & ~(1 << (slot & 31));
  } else {
    const end = Math.min(bits.length, without.bits.length);
    for (let word = 0; word < end; word++) bits[word] = (bits[word] as number) & ~(without.bits[word] as number);
  }
  return { bits };
}

/** Counts the common slots of two sets, without making a set of them. */
export function countCommon(a: Slots, b: Slots): number {
  if (a.bits === undefined) return b.bits === undefined ? countInList(a.list, b.list) : countInBits(a.list, b.bits);
  return b.bits === undefined ? countInBits(b.list, a.bits) : countCommonBits(a.bits, b.bits);
}

/*
 * Loops over arrays that are parameters, because a property of a set is read again in each step: it took 1.5 times as
 * long to count the facets of 400,000 pets.
 */

function countCommonBits(a: Uint32Array, b: Uint32Array): number {
  let count = 0;
  const end = Math.min(a.length, b.length);
  for (let word = 0; word < end; word++) count += onesIn((a[word] as number) & (b[word] as number));
  return count;
}

function countInBits(list: Uint32Array, bits: Uint32Array): number {
  let count = 0;
  for (let place = 0; place < list.length; place++) if (hasBit(bits, list[place] as number)) count++;
  return count;
}

function countInList(list: Uint32Array, other: Uint32Array): number {
  let count = 0;
  for (let place = 0; place < list.length; place++) if (isListed(other, list[place] as number)) count++;
  return count;
}

/** The slots in ascending order. */
export function listOf(slots: Slots): Uint32Array {
  if (slots.bits === undefined) return slots.list;
  const list = new Uint32Array(countOf(slots));
  let length = 0;
  for (let word = 0; word < slots.bits.length; word++)
    for (let rest = slots.bits[word] as number; rest !== 0; rest &= rest - 1)
      list[length++] = word * 32 + 31 - Math.clz32(rest & -rest);
  return list;
}

/** The same slots, as a list if it is shorter than the bitmap: then they are counted faster in other sets. */
export function compact(slots: Slots): Slots {
  return slots.bits === undefined || countOf(slots) > slots.bits.length ? slots : { list: listOf(slots) };
}

function intersect(a: Slots, b: Slots): Slots {
  if (a.bits === undefined) return { list: a.list.filter((slot) => hasSlot(b, slot)) };
  return b.bits === undefined ? intersect(b, a) : { bits: commonBits(a.bits, b.bits) };
}

function commonBits(a: Uint32Array, b: Uint32Array): Uint32Array {
  const bits = new Uint32Array(Math.min(a.length, b.length));
  for (let word = 0; word < bits.length; word++) bits[word] = (a[word] as number) & (b[word] as number);
  return bits;
}

/** The place of a slot in a sorted list, or the place at which it would be inserted. */
function placeOf(slot: number, list: Uint32Array, count: number): number {
  // New pets get the highest slot.
  if (count === 0 || (list[count - 1] as number) < slot) return count;
  let [start, end] = [0, count];
  while (start < end) {
    const middle = (start + end) >>> 1;
    if ((list[middle] as number) < slot) start = middle + 1;
    else end = middle;
  }
  return start;
}

function hasBit(bits: Uint32Array, slot: number): boolean {
  return (((bits[slot >>> 5] ?? 0) >>> (slot & 31)) & 1) === 1;
}

function setBits(bits: Uint32Array, list: Uint32Array): void {
  for (const slot of list) setBit(bits, slot);
}

export function setBit(bits: Uint32Array, slot: number): void {
  bits[slot >>> 5] = (bits[slot >>> 5] as number) | (1 << (slot & 31));
}

/** Others that do not fit are not set: a bitmap has room for more slots than there are. */
function unite(bits: Uint32Array, others: Uint32Array): void {
  const end = Math.min(bits.length, others.length);
  for (let word = 0; word < end; word++) bits[word] = (bits[word] as number) | (others[word] as number);
}

/** Number of set bits: counts of pairs, of groups of four, of eight, summed by a multiplication. */
function onesIn(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

function sizeOf(slots: Slots): number {
  return slots.list?.length ?? Infinity;
}

function wordsIn({ list, bits }: Slots): number {
  if (bits !== undefined) return bits.length;
  const last = list.at(-1);
  return last === undefined ? 0 : (last >>> 5) + 1;
}

/** A copy with room for this length, and an eighth more. */
function grown(array: Uint32Array, length: number): Uint32Array {
  const copy = new Uint32Array(Math.max(length, array.length + Math.max(2, array.length >>> 3)));
  copy.set(array);
  return copy;
}
