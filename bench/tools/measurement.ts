import type { Catalogues } from './catalogue.ts';
import type { Postgres } from './postgres.ts';
import type { Progress } from './progress.ts';
import type { Servers } from './servers.ts';
import { watchStolenTime } from '../../scripts/stolen-time.ts';

/** Sizes of a full or a quick run. */
export interface Scale {
  large: number;
  medium: number;
  small: number;
  /** Number of the deep page, at 50 pets per page. */
  deepPage: number;
  photos: number;
  photosPerRound: number;
  /** Size of the huge catalogue, in PostgreSQL. */
  huge: number;
  /** Size of the catalogue that the huge one is compared with. */
  modest: number;
}

export const FULL: Scale = {
  large: 1_000_000,
  medium: 100_000,
  small: 1000,
  deepPage: 5000,
  photos: 3,
  photosPerRound: 24,
  huge: 10_000_000,
  modest: 10_000,
};

export const QUICK: Scale = {
  large: 100_000,
  medium: 20_000,
  small: 1000,
  deepPage: 500,
  photos: 1,
  photosPerRound: 6,
  huge: 1_000_000,
  modest: 10_000,
};

export interface Bench {
  /** Folder of the measured code: the working tree, or a checkout of another commit. */
  checkout: string;
  /** Folder for the data of this run. */
  root: string;
  scale: Scale;
  rounds: number;
  seconds: number;
  servers: Servers;
  catalogues: Catalogues;
  /** Started on first use. */
  postgres: Postgres;
  progress: Progress;
}

/** The required value, and the target. */
export type Claim = { atLeast: number; reachFor: number } | { atMost: number; reachFor: number };

/** One figure per round and side; only ours if it is absolute. */
export interface Rounds {
  unit: string;
  ours: readonly number[];
  theirs?: readonly number[];
}

interface Described {
  name: string;
  /** The ratio, as `ours / theirs`. */
  title(scale: Scale): string;
  claim?: Claim;
}

/** Also measured by the guard: our side of two commits. Its figures are rates, so more is better. */
export interface GuardedMeasurement extends Described {
  sides(bench: Bench): Promise<Sides>;
}

export type Measurement = GuardedMeasurement | (Described & { run(bench: Bench): Promise<Rounds> });

export interface Sides {
  unit: string;
  /** One round of one side. Measurements by time take `seconds`. */
  ours: (seconds: number) => Promise<number>;
  theirs?: (seconds: number) => Promise<number>;
  seconds?: number;
  rounds?: number;
  /** Both sides start new processes in each round, so there is no warm-up. */
  isFresh?: boolean;
}

const MAX_WARM_UP_SECONDS = 0.3;

/** A round with more stolen time is unreliable, because it may have affected only one side. */
const MAX_STOLEN = 0.03;

/** Limit of repeated rounds, for a machine that is always busy. */
const MAX_ROUNDS_FACTOR = 2;

/**
 * Measures both sides alternately, A B A B, in many short rounds: a slow phase of the machine affects both sides of a
 * pair, and the median of the ratios ignores it. Rounds with too much stolen time are repeated; those with the least
 * count.
 */
export async function inTurn(bench: Bench, sides: Sides): Promise<Rounds> {
  const { unit, ours, theirs, seconds = bench.seconds, rounds = bench.rounds, isFresh = false } = sides;
  if (!isFresh) {
    // Not counted: a server that is warm may see this kind of request for the first time.
    await theirs?.(Math.min(MAX_WARM_UP_SECONDS, seconds));
    await ours(Math.min(MAX_WARM_UP_SECONDS, seconds));
  }
  const taken: { theirs: number | undefined; ours: number; stolen: number }[] = [];
  let calm = 0;
  while (calm < rounds && taken.length < MAX_ROUNDS_FACTOR * rounds) {
    const stolenSince = watchStolenTime();
    const figures = { theirs: await theirs?.(seconds), ours: await ours(seconds) };
    const stolen = stolenSince();
    if (stolen <= MAX_STOLEN) calm++;
    taken.push({ ...figures, stolen });
  }
  const counted = taken.toSorted((one, other) => one.stolen - other.stolen).slice(0, rounds);
  return {
    unit,
    ours: counted.map((round) => round.ours),
    ...(theirs !== undefined && { theirs: counted.flatMap((round) => round.theirs ?? []) }),
  };
}

export function count(value: number): string {
  return value.toLocaleString('en');
}
