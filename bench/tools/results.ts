import type { Claim, Rounds } from './measurement.ts';

type Verdict = 'reached' | 'met' | 'MISSED' | 'no claim' | 'skipped' | 'FAILED';

export interface Figure {
  median: number;
  unit: string;
}

export interface Result {
  name: string;
  title: string;
  verdict: Verdict;
  claim?: Claim;
  /**
   * Of the ratios of consecutive figures, or of absolute figures. Undefined if the measurement failed or was skipped.
   */
  measured?: Measured;
  /** Reason of a failed or skipped measurement. */
  reason?: string;
}

export interface Measured {
  isRatio: boolean;
  unit: string;
  median: number;
  min: number;
  max: number;
  rounds: number;
  ours: Figure;
  theirs?: Figure;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

export function summarise({ unit, ours, theirs }: Rounds): Measured {
  const values = theirs === undefined ? ours : ours.map((own, round) => own / (theirs[round] ?? Number.NaN));
  return {
    isRatio: theirs !== undefined,
    unit: theirs === undefined ? unit : '',
    median: median(values),
    min: Math.min(...values),
    max: Math.max(...values),
    rounds: values.length,
    ours: { median: median(ours), unit },
    ...(theirs !== undefined && { theirs: { median: median(theirs), unit } }),
  };
}

export function judge(value: number, claim: Claim | undefined): Verdict {
  // NaN compares as false, and must not count as "met".
  if (!Number.isFinite(value)) return 'FAILED';
  if (claim === undefined) return 'no claim';
  if ('atLeast' in claim) {
    if (value < claim.atLeast) return 'MISSED';
    return value >= claim.reachFor ? 'reached' : 'met';
  }
  if (value >= claim.atMost) return 'MISSED';
  return value < claim.reachFor ? 'reached' : 'met';
}
