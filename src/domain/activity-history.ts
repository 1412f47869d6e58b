/* The work of a node in each minute of the last day, kept in memory. */

export const ACTIVITY_SERIES = [
  'requests',
  'errors',
  'p99Ms',
  'memoryBytes',
  'waitingChanges',
  'waitingPhotos',
  'waitingPasswords',
  'waitingSearches',
] as const;
export type ActivitySeries = (typeof ACTIVITY_SERIES)[number];

export const ACTIVITY_MINUTES = 24 * 60;

export interface ActivityHistory {
  /** The beginning of the first minute. */
  sinceMs: number;
  /** The values of complete minutes, the oldest first. Null for a minute without a value, such as a percentile. */
  series: Readonly<Record<ActivitySeries, readonly (number | null)[]>>;
}
