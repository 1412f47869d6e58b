import { PET_STATUSES, type PetStatus } from '../pets/pet.ts';
import type { PetTraits } from './tokens.ts';

/*
 * What is counted as it changes, so that no answer has to count it: pets, by status, by category and by tag, and what happened day by day. A store keeps
 * one number for each, and writes it once a transaction.
 */

/** Categories and tags: people have as many of them as they like, and want to see the most used first. */
export type LabelKind = 'category' | 'tag';

/**
 * What happens to pets on a day. A pet is adopted when it gets the status `sold`, from another one or none, or is added with it. The restore of a deleted
 * pet is a change: neither an addition nor an adoption.
 */
export type DayKind = 'added' | 'changed' | 'removed' | 'adopted';

/** Of pictures, there is one number of each kind: how many some pet refers to, and how many bytes their originals have. */
export type CountKind = LabelKind | DayKind | 'total' | 'status' | 'picture' | 'picture-bytes';

export const DAY_MS = 86_400_000;

const LAST_DAY = 2_932_896;

/** By how much numbers change. */
export interface Tally {
  /** What was nothing is something now, something else, or the other way around. */
  replace(before: PetTraits | undefined, now: PetTraits | undefined): void;
  /** One more thing that happened on this day. */
  happened(kind: DayKind, atMs: number, times?: number): void;
  /** So many pictures more (or fewer) that some pet refers to, with so many bytes together. */
  pictures(by: number, bytes: number): void;
  /** What comes to nothing is left out. */
  changes(): readonly (readonly [kind: CountKind, name: string, by: number])[];
}

export function createTally(): Tally {
  const numbers = new Map<CountKind, Map<string, number>>();
  let [lastDay, nameOfLastDay]: [day: number, name: string | undefined] = [-1, undefined];

  function add(kind: CountKind, name: string, by: number): void {
    let ofKind = numbers.get(kind);
    if (ofKind === undefined) numbers.set(kind, (ofKind = new Map()));
    ofKind.set(name, (ofKind.get(name) ?? 0) + by);
  }

  function addPet({ categoryName, tagNames, status }: PetTraits, by: number): void {
    add('total', '', by);
    if (status !== null) add('status', status, by);
    if (categoryName !== null) add('category', categoryName, by);
    for (const name of tagNames) add('tag', name, by);
  }

  return {
    replace(before, now) {
      if (before !== undefined) addPet(before, -1);
      if (now !== undefined) addPet(now, 1);
    },
    happened(kind, atMs, times = 1) {
      // What happens together happens on the same day, nearly always.
      const day = Math.floor(atMs / DAY_MS);
      if (day !== lastDay) [lastDay, nameOfLastDay] = [day, dayOf(atMs)];
      if (nameOfLastDay !== undefined) add(kind, nameOfLastDay, times);
    },
    pictures(by, bytes) {
      add('picture', '', by);
      add('picture-bytes', '', bytes);
    },
    changes: () =>
      [...numbers].flatMap(([kind, ofKind]) =>
        [...ofKind].filter(([, by]) => by !== 0).map(([name, by]) => [kind, name, by] as const),
      ),
  };
}

/** The day of a time in UTC, `2026-01-31`; undefined beyond what has four digits. */
export function dayOf(atMs: number): string | undefined {
  const day = Math.floor(atMs / DAY_MS);
  return day >= 0 && day <= LAST_DAY ? new Date(day * DAY_MS).toISOString().slice(0, 10) : undefined;
}

export function isLabelKind(kind: CountKind): kind is LabelKind {
  return kind === 'category' || kind === 'tag';
}

/** How many there are of what was asked for; where it is not exact, at least so many. */
export interface Total {
  count: number;
  exact: boolean;
}

/** How many pets have a category or a tag. */
export interface LabelCount {
  name: string;
  count: number;
}

export interface DayCounts extends Readonly<Record<DayKind, number>> {
  day: string;
}

/** The pictures of ours that some pet refers to: each once, however many pets do. */
export interface PictureCounts {
  count: number;
  /** Of the originals; the sizes that are made of them are not counted. */
  bytes: number;
}

export interface Statistics {
  total: number;
  statuses: readonly { status: PetStatus; count: number }[];
  withoutStatus: number;
  categories: readonly LabelCount[];
  tags: readonly LabelCount[];
  pictures: PictureCounts;
  days: readonly DayCounts[];
}

/** The numbers of some days, in their order; days on which nothing happened too. */
export function daysBetween(
  firstMs: number,
  lastMs: number,
  counts: readonly (readonly [kind: CountKind, day: string, count: number])[],
): readonly DayCounts[] {
  const known = new Map(counts.map(([kind, day, count]) => [`${kind} ${day}`, count]));
  const length = Math.floor(lastMs / DAY_MS) - Math.floor(firstMs / DAY_MS) + 1;
  return Array.from({ length }, (_, index) => dayOf(firstMs + index * DAY_MS))
    .filter((day) => day !== undefined)
    .map((day) => {
      const of = (kind: CountKind) => known.get(`${kind} ${day}`) ?? 0;
      return { day, added: of('added'), changed: of('changed'), removed: of('removed'), adopted: of('adopted') };
    });
}

/** The numbers of every status, none left out. */
export function statusCounts(counts: Readonly<Record<PetStatus, number>>): Statistics['statuses'] {
  return PET_STATUSES.map((status) => ({ status, count: counts[status] }));
}
