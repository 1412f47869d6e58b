import type { Catalogues } from '../catalogue.ts';
import type { Postgres } from '../postgres.ts';
import type { Progress } from '../progress.ts';
import type { Servers } from '../servers.ts';
import { watchStolenTime } from '../../scripts/stolen-time.ts';

/** How large everything is: full, or quick. */
export interface Scale {
  large: number;
  medium: number;
  small: number;
  /** Which page is a late one, at 50 pets a page. */
  deepPage: number;
  photos: number;
  photosPerRound: number;
  /** In PostgreSQL. */
  huge: number;
  /** The catalogue that the huge one is compared with. */
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

/** What a measurement works with. */
export interface Bench {
  scale: Scale;
  rounds: number;
  seconds: number;
  servers: Servers;
  catalogues: Catalogues;
  /** Started when it is first asked for. */
  postgres: Postgres;
  progress: Progress;
}

/** What is promised, and what is hoped for. */
export type Claim = { atLeast: number; reachFor: number } | { atMost: number; reachFor: number };

/** One figure for each round, of both sides; or of ours alone, where it stands for itself. */
export interface Rounds {
  unit: string;
  ours: readonly number[];
  theirs?: readonly number[];
}

export interface Measurement {
  name: string;
  /** What over what. */
  title(scale: Scale): string;
  claim?: Claim;
  run(bench: Bench): Promise<Rounds>;
}

/** Thrown where a measurement makes no sense here; the message says why. */
export class Skipped extends Error {}

interface Sides {
  unit: string;
  /** One round of one side, so many seconds long where it is measured by time. */
  ours: (seconds: number) => Promise<number>;
  theirs: (seconds: number) => Promise<number>;
  seconds?: number;
  rounds?: number;
  /** Both sides are processes of their own for each round: there is nothing to warm up. */
  isFresh?: boolean;
}

const MOST_WARM_UP_SECONDS = 0.3;

/** Of a round in which others took more of the machine than this, nobody knows which side they took it from. */
const MOST_STOLEN = 0.03;

/** On a machine that is never calm, twice the rounds are enough. */
const MOST_TIMES_THE_ROUNDS = 2;

/**
 * Both sides in turn, A B A B, in many short rounds rather than a few long ones: a machine that is slow for a while is so for both of a pair, and
 * the median of the ratios passes it over. Rounds in which the machine was not ours are taken again; of those there are, the calmest count.
 */
export async function inTurn(bench: Bench, sides: Sides): Promise<Rounds> {
  const { unit, ours, theirs, seconds = bench.seconds, rounds = bench.rounds, isFresh = false } = sides;
  if (!isFresh) {
    // Not counted: a server that has been loaded before may yet see this kind of request for the first time.
    await theirs(Math.min(MOST_WARM_UP_SECONDS, seconds));
    await ours(Math.min(MOST_WARM_UP_SECONDS, seconds));
  }
  const taken: { theirs: number; ours: number; stolen: number }[] = [];
  let calm = 0;
  while (calm < rounds && taken.length < MOST_TIMES_THE_ROUNDS * rounds) {
    const stolenSince = watchStolenTime();
    const figures = { theirs: await theirs(seconds), ours: await ours(seconds) };
    const stolen = stolenSince();
    if (stolen <= MOST_STOLEN) calm++;
    taken.push({ ...figures, stolen });
  }
  const counted = taken.toSorted((one, other) => one.stolen - other.stolen).slice(0, rounds);
  return { unit, ours: counted.map((round) => round.ours), theirs: counted.map((round) => round.theirs) };
}

export function count(value: number): string {
  return value.toLocaleString('en');
}
