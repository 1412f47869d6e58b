import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { correctWords } from '../../src/domain/search/corrections.ts';
import { PetIndex } from '../../src/domain/search/pet-index.ts';
import { NO_SYNONYMS } from '../../src/domain/search/synonyms.ts';

/*
 * Words that no pet has, in an index with one distinct word for each pet: random letters, because their beginnings
 * branch more than those of real words. Each word is looked up once.
 */

export interface UnknownWordTimes {
  /**
   * The median for words of seven letters, which may have one error, and of ten, which may have two; the slower one.
   */
  medianMs: number;
  /** For the first word, which builds what the others use. */
  firstMs: number;
  addedMib: number;
}

const [count = '1000000'] = process.argv.slice(2);
const WORDS = 500;
const MIB = 1024 * 1024;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** The same words in each run: a linear congruential generator. */
let state = 1;
function random(below: number): number {
  state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
  return Math.floor(((state >>> 8) / 2 ** 24) * below);
}

function randomWord(length: number): string {
  return Array.from({ length }, () => LETTERS[random(LETTERS.length)]).join('');
}

function usedMib(): number {
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / MIB;
}

function timeOf(index: PetIndex, word: string): number {
  const startMs = performance.now();
  correctWords(index, NO_SYNONYMS, [word], undefined);
  return performance.now() - startMs;
}

function medianOf(index: PetIndex, length: number): number {
  const times = Array.from({ length: WORDS }, () => timeOf(index, randomWord(length)));
  return times.toSorted((a, b) => a - b)[WORDS >> 1] ?? 0;
}

const index = new PetIndex();
for (let number = 0; number < Number(count); number++) {
  const traits = { name: randomWord(6 + random(5)), categoryName: null, tagNames: [], status: null };
  const version = BigInt(number + 1);
  index.append({ id: version, version, addedVersion: version, changedAtMs: 0, traits });
}
await index.complete(async () => {});
const beforeMib = usedMib();
const firstMs = timeOf(index, randomWord(7));
const addedMib = usedMib() - beforeMib;
const medianMs = Math.max(medianOf(index, 7), medianOf(index, 10));
console.log(`RESULT ${JSON.stringify({ medianMs, firstMs, addedMib } satisfies UnknownWordTimes)}`);
