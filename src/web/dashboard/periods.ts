import type { ResultOf } from '../../api/documents/operation-types.ts';

export type DayNumbers = ResultOf<'getStatistics'>['days'][number];

/** Time spans of the plot, and the number of days in a period: more points could not be distinguished. */
export const SPANS = {
  month: { days: 30, daysPerPeriod: 1 },
  quarter: { days: 91, daysPerPeriod: 7 },
  year: { days: 364, daysPerPeriod: 28 },
} as const;

export type Span = keyof typeof SPANS;

export function isSpan(value: unknown): value is Span {
  return typeof value === 'string' && Object.hasOwn(SPANS, value);
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** The first day of a span that ends today, in UTC, for example `2026-01-31`. */
export function firstDayOf(span: Span, nowMs: number): string {
  return new Date(nowMs - (SPANS[span].days - 1) * DAY_MS).toISOString().slice(0, 10);
}

/** Several days as one point of the plot. */
export interface Period {
  /** The first and the last day, in UTC. */
  from: string;
  until: string;
  added: number;
  adopted: number;
  deleted: number;
}

/** Groups days into periods from the last one backwards, so that the newest period is complete. */
export function periodsOf(days: readonly DayNumbers[], daysPerPeriod: number): readonly Period[] {
  const periods: Period[] = [];
  for (let end = days.length; end > 0; end -= daysPerPeriod) {
    const together = days.slice(Math.max(0, end - daysPerPeriod), end);
    const sum = (pick: (day: DayNumbers) => number) => together.reduce((total, day) => total + pick(day), 0);
    periods.unshift({
      from: together[0]?.day ?? '',
      until: together.at(-1)?.day ?? '',
      added: sum(({ added }) => added),
      adopted: sum(({ adopted }) => adopted),
      deleted: sum(({ deleted }) => deleted),
    });
  }
  return periods;
}

const TICKS = 4;

/** The values at which an axis has a line: from 0, in steps of 1, 2, 5, 10 and so on, to at least the maximum. */
export function axisOf(max: number): readonly number[] {
  const wanted = Math.max(1, max / TICKS);
  const power = 10 ** Math.floor(Math.log10(wanted));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= wanted) ?? 10);
  return Array.from({ length: Math.max(1, Math.ceil(max / step)) + 1 }, (_, index) => index * step);
}
