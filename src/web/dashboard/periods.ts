import type { ResultOf } from '../../api/operation-types.ts';

export type DayNumbers = ResultOf<'getStatistics'>['days'][number];

/** How far back the plot over time goes, and into what days are put together: more points than these nobody can tell apart. */
export const SPANS = {
  month: { days: 30, daysTogether: 1 },
  quarter: { days: 91, daysTogether: 7 },
  year: { days: 364, daysTogether: 28 },
} as const;

export type Span = keyof typeof SPANS;

export function isSpan(value: unknown): value is Span {
  return typeof value === 'string' && Object.hasOwn(SPANS, value);
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** The first day of a span that ends today, in UTC, as `2026-01-31`. */
export function firstDayOf(span: Span, nowMs: number): string {
  return new Date(nowMs - (SPANS[span].days - 1) * DAY_MS).toISOString().slice(0, 10);
}

/** Days that are put together. */
export interface Period {
  /** The first and the last of its days, in UTC. */
  from: string;
  until: string;
  added: number;
  adopted: number;
  removed: number;
}

/** Puts days together from the last one backwards, so that the newest period is whole; the oldest may be shorter. */
export function periodsOf(days: readonly DayNumbers[], daysTogether: number): readonly Period[] {
  const periods: Period[] = [];
  for (let end = days.length; end > 0; end -= daysTogether) {
    const together = days.slice(Math.max(0, end - daysTogether), end);
    const sum = (pick: (day: DayNumbers) => number) => together.reduce((total, day) => total + pick(day), 0);
    periods.unshift({
      from: together[0]?.day ?? '',
      until: together.at(-1)?.day ?? '',
      added: sum(({ added }) => added),
      adopted: sum(({ adopted }) => adopted),
      removed: sum(({ removed }) => removed),
    });
  }
  return periods;
}
