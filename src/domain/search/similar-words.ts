import { NearestWords, WordTree } from './word-tree.ts';

interface SimilarWord {
  word: string;
  /** The edits between the typed word and the beginning of this one. */
  edits: number;
  /** The number of pets with the word. */
  count: number;
}

interface SimilarWordsDeps {
  /** All words of pets. May contain duplicates, and words that no pet has any more. */
  words: () => readonly string[];
  countOf: (word: string) => number;
}

/** Applied together, so that changed words need little memory. */
const MAX_CHANGED = 10_000;

/**
 * Finds the words that are most similar to a misspelled one without comparing it with all words: trees of the words are
 * searched for beginnings within a few edits. They are built for the first misspelled word. Words that are added later
 * form small trees, which are united when there are several of about the same size, so that a new word does not build a
 * large tree.
 */
export class SimilarWords {
  readonly #deps: SimilarWordsDeps;
  /** The largest first. Undefined until the first search. */
  #trees: WordTree[] | undefined;
  readonly #changed = new Set<string>();

  constructor(deps: SimilarWordsDeps) {
    this.#deps = deps;
  }

  /** Whether changes have to be reported. */
  get isInUse(): boolean {
    return this.#trees !== undefined;
  }

  /** Reports words whose number of pets has changed. */
  change(words: Iterable<string>): void {
    for (const word of words) this.#changed.add(word);
    if (this.#changed.size > MAX_CHANGED) this.#follow();
  }

  /** The word with the fewest edits, and among those the one of the most pets, then the shortest, then the first. */
  find(typed: string, maxEdits: number): SimilarWord | undefined {
    if (this.#trees === undefined) this.#trees = [this.#treeOf(this.#deps.words().toSorted())];
    else this.#follow();
    // Most words have one error. The search for two takes thirty times as long.
    for (let most = 1; most <= maxEdits; most++) {
      const nearest = new NearestWords(typed, most);
      for (const tree of this.#trees) tree.addTo(nearest);
      let best: SimilarWord | undefined;
      for (const { tree, first, end } of nearest.ranges) {
        const place = tree.bestOf(first, end);
        const found = { word: tree.words[place] as string, edits: nearest.edits, count: tree.counts[place] as number };
        if (best === undefined || compareSimilar(found, best) < 0) best = found;
      }
      if (best !== undefined) return best;
    }
    return undefined;
  }

  /** Applies the reported changes. */
  #follow(): void {
    const trees = (this.#trees ??= []);
    const added: string[] = [];
    for (const word of this.#changed) {
      const count = this.#deps.countOf(word);
      const tree = trees.find((each) => each.find(word) !== undefined);
      const place = tree?.find(word);
      if (tree !== undefined && place !== undefined) tree.counts[place] = count;
      else if (count > 0) added.push(word);
    }
    this.#changed.clear();
    if (added.length === 0) return;
    let words: readonly string[] = added.toSorted();
    for (let last = trees.at(-1); last !== undefined && last.words.length < 2 * words.length; last = trees.at(-1)) {
      trees.pop();
      // Both are sorted already, which makes this fast.
      words = [...last.words, ...words].toSorted();
    }
    trees.push(this.#treeOf(words));
  }

  /** @param words sorted */
  #treeOf(words: readonly string[]): WordTree {
    const used: string[] = [];
    const counts: number[] = [];
    let last = '';
    for (const word of words) {
      if (word === last) continue;
      last = word;
      const count = this.#deps.countOf(word);
      if (count === 0) continue;
      used.push(word);
      counts.push(count);
    }
    return new WordTree(used, Uint32Array.from(counts));
  }
}

/** Fewer edits first, then more pets, then the shorter word. Then any order that is the same on all nodes. */
export function compareSimilar(a: SimilarWord, b: SimilarWord): number {
  return (
    a.edits - b.edits ||
    b.count - a.count ||
    a.word.length - b.word.length ||
    (a.word < b.word ? -1 : Number(a.word > b.word))
  );
}
