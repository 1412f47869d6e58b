const ASCII = 128;

/** A run of words in a tree: those from `first` to before `end`. */
interface WordRange {
  tree: WordTree;
  first: number;
  end: number;
}

/**
 * Sorted words as a tree of their common beginnings, in arrays: about 11 bytes for each node, and at most two nodes for
 * each word. The nodes have the order of their levels, so that the children of a node are neighbours, and those of the
 * next node follow.
 */
export class WordTree {
  readonly words: readonly string[];
  /** The number of pets with each word. A word of no pet is not found. */
  readonly counts: Uint32Array;
  /** The lengths of words, which have at most 64 letters (`words.ts`). */
  readonly #lengths: Uint8Array;
  /** By node: the letter after the beginning that the siblings share. */
  readonly #letters: Uint16Array;
  /** By node: the length of the beginning that its words share. */
  readonly #depths: Uint8Array;
  /** By node: its first word. */
  readonly #firsts: Uint32Array;
  /** By node: its first child. */
  readonly #children: Uint32Array;

  /** @param words sorted, each once, and not empty @param counts the number of pets with each */
  constructor(words: readonly string[], counts: Uint32Array) {
    this.words = words;
    this.counts = counts;
    this.#lengths = new Uint8Array(words.length);
    for (let place = 0; place < words.length; place++) this.#lengths[place] = (words[place] as string).length;
    const maxNodes = 2 * words.length + 1;
    const letters = new Uint16Array(maxNodes);
    const depths = new Uint8Array(maxNodes);
    const firsts = new Uint32Array(maxNodes);
    const ends = new Uint32Array(maxNodes);
    const children = new Uint32Array(maxNodes + 1);
    let count = 0;
    const add = (letter: number, first: number, end: number, depth: number) => {
      letters[count] = letter;
      firsts[count] = first;
      ends[count] = end;
      depths[count] = sharedLength(words[first] as string, words[end - 1] as string, depth);
      count++;
    };
    if (words.length > 0) add((words[0] as string).charCodeAt(0), 0, words.length, 0);
    for (let node = 0; node < count; node++) {
      children[node] = count;
      const depth = depths[node] as number;
      const end = ends[node] as number;
      let first = firsts[node] as number;
      // The beginning may be a word itself.
      if (this.#lengths[first] === depth) first++;
      while (first < end) {
        const letter = (words[first] as string).charCodeAt(depth);
        let next = first + 1;
        while (next < end && (words[next] as string).charCodeAt(depth) === letter) next++;
        add(letter, first, next, depth + 1);
        first = next;
      }
    }
    children[count] = count;
    this.#letters = letters.slice(0, count);
    this.#depths = depths.slice(0, count);
    this.#firsts = firsts.slice(0, count);
    this.#children = children.slice(0, count + 1);
  }

  /** The place of a word; undefined if it is not in the tree. */
  find(word: string): number | undefined {
    let [start, end] = [0, this.words.length];
    while (start < end) {
      const middle = (start + end) >>> 1;
      if ((this.words[middle] as string) < word) start = middle + 1;
      else end = middle;
    }
    return this.words[start] === word ? start : undefined;
  }

  /** The best of these words: the one of the most pets, then the shortest, then the first. */
  bestOf(first: number, end: number): number {
    const { counts } = this;
    let best = first;
    for (let place = first + 1; place < end; place++) {
      const difference = (counts[place] as number) - (counts[best] as number);
      if (difference < 0) continue;
      if (difference > 0 || (this.#lengths[place] as number) < (this.#lengths[best] as number)) best = place;
    }
    return best;
  }

  /** Adds the words of this tree that are as near as the nearest so far, or nearer. */
  addTo(nearest: NearestWords): void {
    if (this.words.length > 0) this.#visit(nearest, 0, this.words.length, 0, nearest.edits);
  }

  /**
   * @param end of the words of the node
   * @param depth the letters before it are compared
   * @param limit more edits are too many
   */
  #visit(nearest: NearestWords, node: number, end: number, depth: number, limit: number): void {
    const first = this.#firsts[node] as number;
    const stop = this.#depths[node] as number;
    let most = Math.min(limit, nearest.edits);
    for (let length = depth; length < stop; length++) {
      // Most nodes end here, without access to their words.
      const letter =
        length === depth ? (this.#letters[node] as number) : (this.words[first] as string).charCodeAt(length);
      const edits = nearest.compare(length, letter, most);
      if (edits === undefined) return;
      if (edits > most) continue;
      if (!this.#isUsed(first, end)) return;
      nearest.add({ tree: this, first, end }, edits);
      // More letters of these words may need fewer edits.
      most = edits - 1;
    }
    const needed = nearest.neededAfter(stop, most);
    const stopChild = this.#children[node + 1] as number;
    for (let child = this.#children[node] as number; child < stopChild; child++) {
      if (needed !== undefined && (nearest.maskOf(this.#letters[child] as number) & needed) === 0) continue;
      this.#visit(nearest, child, child + 1 < stopChild ? (this.#firsts[child + 1] as number) : end, stop, most);
    }
  }

  /** Whether a pet has one of these words. */
  #isUsed(first: number, end: number): boolean {
    for (let place = first; place < end; place++) if (this.counts[place] !== 0) return true;
    return false;
  }
}

/**
 * The words with the fewest edits between a typed word and their beginnings, as `editsToPrefixOf` counts them, at most
 * two. For a beginning, a set of bits has the lengths of the beginnings of the typed word that are within 0, 1 and 2
 * edits of it (Wu and Manber, Fast text searching allowing errors, 1992; with exchanged neighbours). The plain
 * alternative, a row of a table for each letter as in `editsToPrefixOf`, takes 1.7 times as long, and has no such check
 * as `neededAfter`.
 */
export class NearestWords {
  /** More edits are too many. */
  edits: number;
  ranges: WordRange[] = [];
  readonly #end: number;
  /** By letter: its places in the typed word. */
  readonly #masksOfAscii = new Int32Array(ASCII);
  readonly #masksOfOthers = new Map<number, number>();
  /**
   * By the length of a beginning: the lengths (bit 0 for 1) within 0, 1 and 2 edits, and the mask of its last letter.
   * Length 0 has as many edits as letters.
   */
  readonly #within: readonly [Int32Array, Int32Array, Int32Array];
  readonly #masks: Int32Array;

  /** @param typed has at most 32 letters */
  constructor(typed: string, maxEdits: number) {
    this.edits = maxEdits;
    this.#end = 1 << (typed.length - 1);
    const rows = typed.length + maxEdits + 1;
    this.#within = [new Int32Array(rows), new Int32Array(rows), new Int32Array(rows)];
    this.#within[1][0] = 0b01;
    this.#within[2][0] = 0b11;
    this.#masks = new Int32Array(rows);
    for (let place = 0; place < typed.length; place++) {
      const letter = typed.charCodeAt(place);
      const mask = this.maskOf(letter) | (1 << place);
      if (letter < ASCII) this.#masksOfAscii[letter] = mask;
      else this.#masksOfOthers.set(letter, mask);
    }
  }

  maskOf(letter: number): number {
    return letter < ASCII ? (this.#masksOfAscii[letter] as number) : (this.#masksOfOthers.get(letter) ?? 0);
  }

  /**
   * After a beginning that has as many edits as possible already, the next letter must be one of a few: those with a
   * common bit. Without this check, a search among 1,000,000 words for two edits compared 132,000 beginnings instead of
   * 18,500, and took 2.7 times as long.
   *
   * @returns undefined if it may be any letter
   */
  neededAfter(length: number, most: number): number | undefined {
    if (most === 0) return next(this.#within[0][length] as number, length === 0);
    const fewer = this.#within[most - 1] as Int32Array;
    if ((fewer[length] as number) !== 0 || length < most) return undefined;
    const same = next((this.#within[most] as Int32Array)[length] as number, length <= most);
    const swapped = (this.#masks[length] as number) & next(next(fewer[length - 1] as number, length <= most), false);
    return same | (swapped >>> 1);
  }

  add(range: WordRange, edits: number): void {
    if (edits < this.edits) this.ranges = [];
    this.edits = edits;
    this.ranges.push(range);
  }

  /**
   * Adds a letter to a beginning of this length, whose letters were compared before.
   *
   * @returns the edits between it and the typed word, or more than `most`; undefined if every word that begins so needs
   *   more than `most`
   */
  compare(length: number, letter: number, most: number): number | undefined {
    const [none, one, two] = this.#within;
    const row = length + 1;
    if (row >= none.length) return undefined;
    const mask = this.maskOf(letter);
    this.#masks[row] = mask;
    const swapped = length === 0 ? 0 : (this.#masks[length] as number) & (mask << 1);
    const [none0, one0, two0] = [none[length] as number, one[length] as number, two[length] as number];
    const none1 = next(none0, length <= 0) & mask;
    none[row] = none1;
    let one1 = (next(one0, length <= 1) & mask) | none0 | next(none0, length <= 0) | next(none1, false);
    if (swapped !== 0) one1 |= swapped & next(next(none[length - 1] as number, length <= 1), false);
    one[row] = one1;
    let two1 = 0;
    if (most === 2) {
      two1 = (next(two0, length <= 2) & mask) | one0 | next(one0, length <= 1) | next(one1, row <= 1);
      if (swapped !== 0) two1 |= swapped & next(next(one[length - 1] as number, length <= 2), false);
      two[row] = two1;
    }
    const isNear = most === 2 ? two1 !== 0 || row <= 2 : most === 1 ? one1 !== 0 || row <= 1 : none1 !== 0;
    if (!isNear) return undefined;
    if ((none1 & this.#end) !== 0) return 0;
    if ((one1 & this.#end) !== 0) return 1;
    return (two1 & this.#end) !== 0 ? 2 : most + 1;
  }
}

/** Lengths that are one greater. @param hasZero whether length 0, which has no bit, becomes 1 */
function next(lengths: number, hasZero: boolean): number {
  return (lengths << 1) | (hasZero ? 1 : 0);
}

/** The length of the beginning that two words share, from a length that they share in any case. */
function sharedLength(one: string, other: string, known: number): number {
  let length = known;
  while (length < one.length && one.charCodeAt(length) === other.charCodeAt(length)) length++;
  return length;
}
