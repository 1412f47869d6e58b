/*
 * Tests whether two groups of measurements differ, without assuming a distribution: on a busy machine, durations are
 * not normally distributed.
 */

export interface Difference {
  /** The first median minus the second. */
  difference: number;
  /** The median of all. */
  median: number;
  /** The probability of a difference this large by chance. */
  p: number;
}

const SHUFFLES = 2000;

/** A permutation test of the difference of the medians. */
export function compareMedians(first: readonly number[], second: readonly number[]): Difference {
  const all = [...first, ...second];
  const difference = medianOf(first) - medianOf(second);
  let asLarge = 1;
  for (let count = 0; count < SHUFFLES; count++) {
    const shuffled = shuffle(all);
    const byChance = medianOf(shuffled.slice(0, first.length)) - medianOf(shuffled.slice(first.length));
    if (Math.abs(byChance) >= Math.abs(difference)) asLarge++;
  }
  return { difference, median: medianOf(all), p: asLarge / (SHUFFLES + 1) };
}

/** A uniform random order (Fisher and Yates). */
export function shuffle<T>(values: readonly T[]): T[] {
  const shuffled = [...values];
  for (let last = shuffled.length - 1; last > 0; last--) {
    const chosen = Math.floor(Math.random() * (last + 1));
    [shuffled[last], shuffled[chosen]] = [shuffled[chosen] as T, shuffled[last] as T];
  }
  return shuffled;
}

function medianOf(values: readonly number[]): number {
  const sorted = Float64Array.from(values).toSorted();
  const middle = sorted.length >> 1;
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2;
}
