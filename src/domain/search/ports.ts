import type { DayKind, PhotoCounts } from './counts.ts';

/** The counts that a store maintains with every change. */
export interface StatisticsStore {
  /** The event counts from the first of these days to the last, both inclusive. */
  listDays(
    firstDay: string,
    lastDay: string,
  ): Promise<readonly (readonly [kind: DayKind, day: string, count: number])[]>;
  countPhotos(): Promise<PhotoCounts>;
}
