/*
 * Columns of the index with one value per slot, as typed arrays. Objects and strings would take several times as much
 * memory.
 */

const MAX_UINT32 = 2 ** 32 - 1;

/**
 * Numbers from 0 to 2^53 - 1, with four bytes each as long as all of them fit. A number that was never set is 0, and
 * needs no memory if all after it are 0.
 */
export class Numbers {
  #values: Uint32Array | Float64Array;

  constructor(values: Uint32Array | Float64Array = new Uint32Array(0)) {
    this.#values = values;
  }

  get(slot: number): number {
    return this.#values[slot] ?? 0;
  }

  set(slot: number, value: number): void {
    if (slot >= this.#values.length) {
      if (value === 0) return;
      this.#values = withRoom(this.#values, slot);
    }
    if (value > MAX_UINT32 && this.#values instanceof Uint32Array) this.#values = Float64Array.from(this.#values);
    this.#values[slot] = value;
  }

  toData(): Uint32Array | Float64Array {
    return this.#values;
  }
}

/** IDs of 64 bits, with four bytes each as long as all of them are small: those that the service assigns. */
export class Ids {
  #values: Uint32Array | BigInt64Array;

  constructor(values: Uint32Array | BigInt64Array = new Uint32Array(0)) {
    this.#values = values;
  }

  get(slot: number): bigint {
    return BigInt(this.#values[slot] as number | bigint);
  }

  set(slot: number, id: bigint): void {
    if (slot >= this.#values.length) this.#values = withRoom(this.#values, slot);
    if (this.#values instanceof Uint32Array) {
      const small = Number(BigInt.asUintN(32, id));
      if (BigInt(small) === id) {
        this.#values[slot] = small;
        return;
      }
      this.#values = BigInt64Array.from(this.#values, BigInt);
    }
    this.#values[slot] = id;
  }

  compare(a: number, b: number): number {
    const [left, right] = [this.#values[a] as number | bigint, this.#values[b] as number | bigint];
    return left < right ? -1 : left > right ? 1 : 0;
  }

  toData(): Uint32Array | BigInt64Array {
    return this.#values;
  }
}

export interface TextsData {
  bytes: Uint8Array;
  starts: Uint32Array;
  lengths: Uint16Array;
}

/** The most that fit in a number. */
const BEGINNING_BYTES = 6;

/** Replaced texts are cleaned up from this number of bytes on. */
const MIN_WASTE = 1024 * 1024;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Short texts, compared by their UTF-8 bytes, which is the order of their code points. */
export class Texts {
  #bytes: Uint8Array;
  #starts: Uint32Array;
  #lengths: Uint16Array;
  #end: number;
  /** Bytes of replaced texts. */
  #waste = 0;

  constructor(data?: TextsData) {
    this.#bytes = data?.bytes ?? new Uint8Array(0);
    this.#starts = data?.starts ?? new Uint32Array(0);
    this.#lengths = data?.lengths ?? new Uint16Array(0);
    this.#end = this.#bytes.length;
  }

  get(slot: number): string {
    return decoder.decode(this.#bytesOf(slot));
  }

  set(slot: number, text: string): void {
    if (slot >= this.#starts.length) {
      this.#starts = withRoom(this.#starts, slot);
      this.#lengths = withRoom(this.#lengths, slot);
    }
    this.#waste += this.#lengths[slot] as number;
    // A UTF-16 code unit has at most three bytes.
    const end = this.#end + 3 * text.length;
    if (end > this.#bytes.length) this.#bytes = withRoom(this.#bytes, end);
    const { written } = encoder.encodeInto(text, this.#bytes.subarray(this.#end));
    this.#starts[slot] = this.#end;
    this.#lengths[slot] = written;
    this.#end += written;
    if (this.#waste > Math.max(MIN_WASTE, this.#end >>> 1)) this.#cleanUp();
  }

  compare(a: number, b: number): number {
    return this.#compare(a, this.#bytes, this.#starts[b] as number, this.#lengths[b] as number);
  }

  /** The first bytes of a text as one number: texts are in the order of these numbers, except those with equal ones. */
  beginningOf(slot: number): number {
    const [start, length] = [this.#starts[slot] as number, this.#lengths[slot] as number];
    let number = 0;
    for (let place = 0; place < BEGINNING_BYTES; place++)
      number = number * 256 + (place < length ? (this.#bytes[start + place] as number) : 0);
    return number;
  }

  /** @param bytes as returned by `encode` */
  compareTo(slot: number, bytes: Uint8Array): number {
    return this.#compare(slot, bytes, 0, bytes.length);
  }

  encode(text: string): Uint8Array {
    return encoder.encode(text);
  }

  toData(): TextsData {
    return { bytes: this.#bytes.subarray(0, this.#end), starts: this.#starts, lengths: this.#lengths };
  }

  #compare(slot: number, other: Uint8Array, otherStart: number, otherLength: number): number {
    const [start, length] = [this.#starts[slot] as number, this.#lengths[slot] as number];
    const common = Math.min(length, otherLength);
    for (let place = 0; place < common; place++) {
      const difference = (this.#bytes[start + place] as number) - (other[otherStart + place] as number);
      if (difference !== 0) return difference;
    }
    return length - otherLength;
  }

  #bytesOf(slot: number): Uint8Array {
    const start = this.#starts[slot] as number;
    return this.#bytes.subarray(start, start + (this.#lengths[slot] as number));
  }

  #cleanUp(): void {
    const bytes = new Uint8Array(this.#bytes.length);
    let end = 0;
    for (let slot = 0; slot < this.#starts.length; slot++) {
      bytes.set(this.#bytesOf(slot), end);
      this.#starts[slot] = end;
      end += this.#lengths[slot] as number;
    }
    [this.#bytes, this.#end, this.#waste] = [bytes, end, 0];
  }
}

/** A copy with room for this place, and a sixteenth more. */
function withRoom<A extends Uint8Array | Uint16Array | Uint32Array | Float64Array | BigInt64Array>(
  array: A,
  place: number,
): A {
  const length = Math.max(place + 1, array.length + (array.length >>> 4) + 16);
  const copy = new (array.constructor as new (length: number) => A)(length);
  (copy as Uint8Array).set(array as Uint8Array);
  return copy;
}
