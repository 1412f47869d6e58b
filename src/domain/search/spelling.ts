/** Words of this length are corrected by one edit, and by two from twice the length. */
const MIN_LENGTH = 4;

/**
 * The number of typing errors that are corrected in a word: insertions, deletions, replacements, and exchanges of
 * neighbours.
 */
export function maxEditsOf(word: string): number {
  return Math.min(2, Math.floor(word.length / MIN_LENGTH));
}

/** Words of this length are corrected if two neighbours are swapped. */
const SWAP_LENGTH = 3;

const LETTERS = /^\p{L}+$/u;

/** The words of which a short one may be a typing error. A word with a digit may be a number: it is not corrected. */
export function swapsOf(word: string): readonly string[] {
  const letters = Array.from(word);
  if (letters.length !== SWAP_LENGTH || !LETTERS.test(word)) return [];
  const [first, second, third] = letters as [string, string, string];
  return [second + first + third, first + third + second].filter((swapped) => swapped !== word);
}

/**
 * The edits between a typed word and the beginning of another one: people search before they have typed a word to its
 * end. This is the optimal string alignment distance (no part is edited twice) to the nearest prefix.
 *
 * @returns a number greater than `maxEdits` if there are more
 */
export function editsToPrefixOf(candidate: string, typed: string, maxEdits: number): number {
  if (candidate.length < typed.length - maxEdits) return maxEdits + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: typed.length + 1 }, (_, place) => place);
  let best = typed.length;
  const end = Math.min(candidate.length, typed.length + maxEdits);
  for (let row = 1; row <= end; row++) {
    const current = [row];
    let smallest = row;
    for (let column = 1; column <= typed.length; column++) {
      const isEqual = candidate[row - 1] === typed[column - 1];
      let edits = Math.min(
        (last[column] as number) + 1,
        (current[column - 1] as number) + 1,
        (last[column - 1] as number) + (isEqual ? 0 : 1),
      );
      if (candidate[row - 2] === typed[column - 1] && candidate[row - 1] === typed[column - 2])
        edits = Math.min(edits, (beforeLast[column - 2] ?? Infinity) + 1);
      current.push(edits);
      smallest = Math.min(smallest, edits);
    }
    best = Math.min(best, current[typed.length] as number);
    if (smallest > maxEdits) break;
    [beforeLast, last] = [last, current];
  }
  return best;
}
