import { publicAction } from '../events/change-event.ts';
import type { PetAction, PetState } from '../pets/pet-change.ts';
import { isSold, PET_STATUSES, type PetStatus } from '../pets/pet.ts';

/*
 * Counts that stores maintain with every change, because no response could count rows: events per day, and photos. A
 * store has one row per count, and writes it once per transaction. The search index counts pets.
 */

/** Labels: their number is unlimited, so they are listed by use, most used first. */
export type LabelKind = 'category' | 'tag' | 'breed';

/**
 * The events that are counted per day. A pet is adopted when its status becomes `sold`, or when it is added with that
 * status. Restoring a deleted pet counts as a change, not as an addition or an adoption.
 */
export type DayKind = 'added' | 'changed' | 'deleted' | 'adopted';

/**
 * How many more events of a kind those count who see drafts than everyone, who counts public events. Less than 0 where
 * everyone counts another kind: a draft that is published is changed for the former, and added for everyone.
 */
type HiddenKind = `hidden-${DayKind}`;

/** A row of the stored counts of days. */
export type DayCount = readonly [kind: DayKind | HiddenKind, day: string, count: number];

/** `picture` is the number of photos in use, and `picture-bytes` the total size of their originals. */
type CountKind = DayCount[0] | 'picture' | 'picture-bytes';

/** A change of a pet with the pet before and after it; undefined if it does not exist. */
interface CountedChange {
  action: PetAction;
  atMs: number;
  before: CountedPet | undefined;
  after: CountedPet | undefined;
}

type CountedPet = Pick<PetState, 'text' | 'isDraft'>;

export const DAY_MS = 86_400_000;

/** 9999-12-31, in days since 1970. */
const LAST_DAY = 2_932_896;

/** Collects changes of counts. */
export interface Tally {
  /** Counts what a change of a pet is for those who see drafts, and what it is for everyone, on the day of its time. */
  countChange(change: CountedChange, times?: number): void;
  /** Adds to the number of photos in use and to their total size; negative for photos that became unused. */
  countPhotos(by: number, bytes: number): void;
  /** The collected changes, without those that add up to 0. */
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

  function countEvent(kind: DayCount[0], atMs: number, times: number): void {
    // Events of one transaction are nearly always on the same day.
    const day = Math.floor(atMs / DAY_MS);
    if (day !== lastDay) [lastDay, nameOfLastDay] = [day, dayOf(atMs)];
    if (nameOfLastDay !== undefined) add(kind, nameOfLastDay, times);
  }

  return {
    countChange({ action, atMs, before, after }, times = 1) {
      const all = kindsOf(action, before, after);
      for (const kind of all) countEvent(kind, atMs, times);
      if (before?.isDraft !== true && after?.isDraft !== true) return;
      for (const kind of all) countEvent(`hidden-${kind}`, atMs, times);
      for (const kind of publicKindsOf(action, before, after)) countEvent(`hidden-${kind}`, atMs, -times);
    },
    countPhotos(by, bytes) {
      add('picture', '', by);
      add('picture-bytes', '', bytes);
    },
    changes: () =>
      [...numbers].flatMap(([kind, ofKind]) =>
        [...ofKind].filter(([, by]) => by !== 0).map(([name, by]) => [kind, name, by] as const),
      ),
  };
}

function kindsOf(action: PetAction, before: CountedPet | undefined, after: CountedPet | undefined): readonly DayKind[] {
  const kind = action === 'added' || action === 'deleted' ? action : 'changed';
  const isRestoreOfDeleted = action === 'restored' && before === undefined;
  const isAdopted = isSold(after?.text) && !isSold(before?.text) && !isRestoreOfDeleted;
  return isAdopted ? [kind, 'adopted'] : [kind];
}

/** The kinds of a change for everyone, for whom a draft does not exist. */
function publicKindsOf(
  action: PetAction,
  before: CountedPet | undefined,
  after: CountedPet | undefined,
): readonly DayKind[] {
  const isDraft = after?.isDraft ?? false;
  // A deleted pet that is restored as a draft was not there before.
  const wasDraft = before?.isDraft ?? (isDraft && action === 'restored');
  const visible = publicAction({ action, isDraft, wasDraft, text: after?.text ?? null });
  if (visible === undefined) return [];
  return kindsOf(visible, wasDraft ? undefined : before, isDraft ? undefined : after);
}

/** The day of a time in UTC, such as `2026-01-31`; undefined before 1970 and after the year 9999. */
export function dayOf(atMs: number): string | undefined {
  const day = Math.floor(atMs / DAY_MS);
  return day >= 0 && day <= LAST_DAY ? new Date(day * DAY_MS).toISOString().slice(0, 10) : undefined;
}

/** The number of pets with a label, or with another value of a facet. */
export interface LabelCount {
  name: string;
  count: number;
}

interface DayCounts extends Readonly<Record<DayKind, number>> {
  day: string;
}

/** The stored photos in use. A photo of several pets is counted once. */
export interface PhotoCounts {
  count: number;
  /** The total size of the originals, without their derived sizes. */
  bytes: number;
}

export interface Statistics {
  total: number;
  statuses: readonly { status: PetStatus; count: number }[];
  withoutStatus: number;
  categories: readonly LabelCount[];
  tags: readonly LabelCount[];
  photos: PhotoCounts;
  days: readonly DayCounts[];
}

/**
 * The counts of each day in the range, including days without events.
 * @param withDrafts whether to count changes that only those see who see drafts
 */
export function daysBetween(
  firstMs: number,
  lastMs: number,
  counts: readonly DayCount[],
  withDrafts: boolean,
): readonly DayCounts[] {
  const countOf = new Map(counts.map(([kind, day, count]) => [`${kind} ${day}`, count]));
  const length = Math.floor(lastMs / DAY_MS) - Math.floor(firstMs / DAY_MS) + 1;
  return Array.from({ length }, (_, index) => dayOf(firstMs + index * DAY_MS))
    .filter((day) => day !== undefined)
    .map((day) => {
      const stored = (kind: DayCount[0]) => countOf.get(`${kind} ${day}`) ?? 0;
      const of = (kind: DayKind) => stored(kind) - (withDrafts ? 0 : stored(`hidden-${kind}`));
      return { day, added: of('added'), changed: of('changed'), deleted: of('deleted'), adopted: of('adopted') };
    });
}

/** The counts in the order of `PET_STATUSES`. */
export function statusCounts(counts: Readonly<Record<PetStatus, number>>): Statistics['statuses'] {
  return PET_STATUSES.map((status) => ({ status, count: counts[status] }));
}

/** The counts that a store maintains with every change. */
export interface StatisticsStore {
  /** The event counts from the first of these days to the last, both inclusive. */
  listDays(firstDay: string, lastDay: string): Promise<readonly DayCount[]>;
  countPhotos(): Promise<PhotoCounts>;
}
