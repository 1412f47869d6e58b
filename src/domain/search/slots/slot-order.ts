import { countOf, hasSlot, listOf, type Slots } from './slots.ts';

const BLOCK_LENGTH = 1024;
/** A block of this length is split when a slot is added. */
const FULL = BLOCK_LENGTH - 1;

/** This many slots are sorted in some ten milliseconds. */
const SORTED_TOGETHER = 16_384;

interface Block {
  /** Has room for `BLOCK_LENGTH`, or is a part of the sorted array of all slots, until a slot is added. */
  slots: Uint32Array;
  count: number;
}

/** Slots sorted by a key. They are stored in blocks, so that adding a slot moves only a few others. */
export class SlotOrder {
  readonly #compare: (a: number, b: number) => number;
  readonly #blocks: Block[] = [];
  #count = 0;

  /** @param compare a total order: different slots are never equal */
  constructor(compare: (a: number, b: number) => number, sorted: Uint32Array = new Uint32Array(0)) {
    this.#compare = compare;
    this.#take(sorted);
  }

  /**
   * Fills the empty order. Adding the slots one after the other would take three times as long.
   *
   * @param unsorted sorted by this call
   * @param compare like that of the order, but faster
   * @param pause called after each step
   */
  async fill(
    unsorted: Uint32Array,
    compare: (a: number, b: number) => number,
    pause: () => Promise<void>,
  ): Promise<void> {
    const count = unsorted.length;
    let slots = unsorted;
    for (let start = 0; start < count; start += SORTED_TOGETHER) {
      slots.subarray(start, start + SORTED_TOGETHER).sort(compare);
      await pause();
    }
    for (let width = SORTED_TOGETHER; width < count; width *= 2) {
      const merged = new Uint32Array(count);
      for (let start = 0; start < count; start += 2 * width) {
        const [middle, end] = [Math.min(start + width, count), Math.min(start + 2 * width, count)];
        merge(slots.subarray(start, middle), slots.subarray(middle, end), compare, merged.subarray(start, end));
        await pause();
      }
      slots = merged;
    }
    this.#take(slots);
  }

  add(slot: number): void {
    if (this.#appended(slot)) return;
    const isBefore = (other: number) => this.#compare(other, slot) < 0;
    const index = Math.max(0, this.#blockOf(isBefore));
    const block = (this.#blocks[index] ??= blockOf(new Uint32Array(0)));
    const place = placeIn(block, isBefore);
    insert(slot, block, place);
    this.#count++;
    if (block.count === BLOCK_LENGTH) this.#split(index, place);
  }

  /** The key of the slot has to be the one that it was added with. */
  delete(slot: number): void {
    const isBefore = (other: number) => this.#compare(other, slot) < 0;
    for (let index = Math.max(0, this.#blockOf(isBefore)); index < this.#blocks.length; index++) {
      const block = this.#blocks[index] as Block;
      const place = placeIn(block, isBefore);
      if (place === block.count) continue;
      block.slots.copyWithin(place, place + 1, block.count);
      block.count--;
      this.#count--;
      if (block.count === 0) this.#blocks.splice(index, 1);
      return;
    }
  }

  /**
   * The first slot for which `isBefore` is false. It must be true for all slots before one place, and false for all
   * others.
   */
  first(isBefore: (slot: number) => boolean): number | undefined {
    for (const slot of this.#from(isBefore)) return slot;
    return undefined;
  }

  /**
   * At most `limit` slots of a set in this order, from the first for which `isBefore` is false. A small set is sorted;
   * for a large one, the order is walked, because it soon has enough members of the set.
   *
   * @param slots undefined for all slots
   */
  page(slots: Slots | undefined, isBefore: (slot: number) => boolean, limit: number): number[] {
    const found: number[] = [];
    const count = slots === undefined ? this.#count : countOf(slots);
    if (slots !== undefined && count * count * 8 < this.#count * limit)
      return [
        ...listOf(slots)
          .filter((slot) => !isBefore(slot))
          .toSorted(this.#compare)
          .subarray(0, limit),
      ];
    for (const slot of this.#from(isBefore)) {
      if (found.length === limit) break;
      if (slots === undefined || hasSlot(slots, slot)) found.push(slot);
    }
    return found;
  }

  toSorted(): Uint32Array {
    const sorted = new Uint32Array(this.#count);
    let length = 0;
    for (const { slots, count } of this.#blocks) {
      sorted.set(slots.subarray(0, count), length);
      length += count;
    }
    return sorted;
  }

  #take(sorted: Uint32Array): void {
    this.#count = sorted.length;
    for (let start = 0; start < sorted.length; start += FULL) {
      const slots = sorted.subarray(start, start + FULL);
      this.#blocks.push({ slots, count: slots.length });
    }
  }

  *#from(isBefore: (slot: number) => boolean): Generator<number> {
    for (let index = Math.max(0, this.#blockOf(isBefore)), isFirst = true; index < this.#blocks.length; index++) {
      const block = this.#blocks[index] as Block;
      for (let place = isFirst ? placeIn(block, isBefore) : 0; place < block.count; place++)
        yield block.slots[place] as number;
      isFirst = false;
    }
  }

  /** New pets come last in the order by id. */
  #appended(slot: number): boolean {
    const block = this.#blocks.at(-1);
    if (block === undefined || this.#compare(block.slots[block.count - 1] as number, slot) > 0) return false;
    if (block.count === FULL) this.#blocks.push(blockOf(Uint32Array.of(slot)));
    else insert(slot, block, block.count);
    this.#count++;
    return true;
  }

  /** The last block that begins before the place; -1 if none does. */
  #blockOf(isBefore: (slot: number) => boolean): number {
    let [start, end] = [0, this.#blocks.length];
    while (start < end) {
      const middle = (start + end) >>> 1;
      if (isBefore((this.#blocks[middle] as Block).slots[0] as number)) start = middle + 1;
      else end = middle;
    }
    return start - 1;
  }

  /** Slots that are added at the beginning leave full blocks behind. */
  #split(index: number, place: number): void {
    const { slots } = this.#blocks[index] as Block;
    const middle = place === 0 ? 1 : BLOCK_LENGTH / 2;
    this.#blocks.splice(index, 1, blockOf(slots.subarray(0, middle)), blockOf(slots.subarray(middle)));
  }
}

function blockOf(sorted: Uint32Array): Block {
  const slots = new Uint32Array(BLOCK_LENGTH);
  slots.set(sorted);
  return { slots, count: sorted.length };
}

function insert(slot: number, block: Block, place: number): void {
  if (block.count === block.slots.length) block.slots = blockOf(block.slots).slots;
  block.slots.copyWithin(place + 1, place, block.count);
  block.slots[place] = slot;
  block.count++;
}

function placeIn({ slots, count }: Block, isBefore: (slot: number) => boolean): number {
  let [start, end] = [0, count];
  while (start < end) {
    const middle = (start + end) >>> 1;
    if (isBefore(slots[middle] as number)) start = middle + 1;
    else end = middle;
  }
  return start;
}

function merge(one: Uint32Array, other: Uint32Array, compare: (a: number, b: number) => number, into: Uint32Array) {
  let [a, b] = [0, 0];
  for (let place = 0; place < into.length; place++) {
    const isOne = b === other.length || (a < one.length && compare(one[a] as number, other[b] as number) <= 0);
    into[place] = (isOne ? one[a++] : other[b++]) as number;
  }
}
