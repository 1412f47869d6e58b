import { isDate } from '../../domain/organisation/own-values.ts';

/*
 * Dates in cells, with or without a time. 03/04/2026 is a day in March or in April: the order follows from the other
 * dates of its column, or is asked for.
 */

export const DATE_ORDERS = ['day-first', 'month-first'] as const;

export type DateOrder = (typeof DATE_ORDERS)[number];

const TIME =
  /(?:,? {1,3}| ?T)\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?: ?[ap]\.?m\.?)?(?: ?(?:Z|UTC|[+-]\d{2}:?\d{2}))?$/i;

const YEAR_FIRST = /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})$/;
const YEAR_LAST = /^(\d{1,2})(\. ?|[-/])(\d{1,2})\2(\d{4}|\d{2})$/;
const NAMED_MONTH =
  /^(?:(\d{1,2})(?:st|nd|rd|th|\.)?[ -]*)?(\p{L}{3,})\.?[ -]*(?:(\d{1,2})(?:st|nd|rd|th)?,?[ -]+)?(\d{4}|\d{2})$/iu;

/** Two digits are a year up to this many years from now. */
const YEARS_AHEAD = 10;

/**
 * The date as `2026-11-26`; undefined for another text, a date that does not exist, and one with two meanings.
 *
 * @param order of the day and the month, if the text does not say it
 */
export function readDate(text: string, order?: DateOrder): string | undefined {
  const date = text.replace(TIME, '');
  const [, year = '', , month = '', day = ''] = YEAR_FIRST.exec(date) ?? [];
  if (year !== '') return dateOf(year, month, day);
  const [dayFirst, monthFirst] = readingsOf(date);
  if (dayFirst === undefined || monthFirst === undefined || dayFirst === monthFirst) {
    return dayFirst ?? monthFirst ?? namedMonthDate(date);
  }
  if (order === undefined) return undefined;
  return order === 'day-first' ? dayFirst : monthFirst;
}

const ROUGHLY = /^(?:ca|circa|approx|about|around|est|etwa|ungefähr|geschätzt|um|~)\.? {0,3}/i;
const MONTH_AND_YEAR = /^(?:(?<month>\d{1,2}) ?[./-] ?)?(?<year>\d{4})$/;
const YEAR_AND_MONTH = /^(?<year>\d{4})-(?<month>\d{1,2})$/;

/** A date such as `ca. 3.4.2024`, `05/2023` or `2020`: the first day of a month, or the middle of a year. */
export function readRoughDate(text: string, order?: DateOrder): string | undefined {
  const date = text.replace(ROUGHLY, '');
  const { month, year } = (MONTH_AND_YEAR.exec(date) ?? YEAR_AND_MONTH.exec(date))?.groups ?? {};
  if (year === undefined) return date === text ? undefined : readDate(date, order);
  if (month !== undefined) return dateOf(year, month, '1');
  const middle = dateOf(year, '7', '1');
  return middle !== undefined && middle > new Date().toISOString() ? dateOf(year, '1', '1') : middle;
}

/** The order in a date; `either` if the date has two meanings; undefined for a text that does not show its order. */
export function orderOf(text: string): DateOrder | 'either' | undefined {
  const [dayFirst, monthFirst] = readingsOf(text.trim().replace(TIME, ''));
  if (dayFirst === monthFirst) return undefined;
  if (dayFirst !== undefined && monthFirst !== undefined) return 'either';
  // With points, no language has the month first.
  return text.includes('.') ? undefined : dayFirst === undefined ? 'month-first' : 'day-first';
}

/** The dates that a text with the year at the end may be. */
function readingsOf(date: string): readonly [dayFirst: string | undefined, monthFirst: string | undefined] {
  const [, one = '', separator = '', other = '', year = ''] = YEAR_LAST.exec(date) ?? [];
  if (year === '') return [undefined, undefined];
  const dayFirst = dateOf(year, other, one);
  return [dayFirst, separator.startsWith('.') ? dayFirst : dateOf(year, one, other)];
}

function namedMonthDate(date: string): string | undefined {
  const [, before, name = '', after, year = ''] = NAMED_MONTH.exec(date) ?? [];
  const month = MONTHS.get(name.toLowerCase());
  const day = before ?? after;
  if (month === undefined || day === undefined || (before !== undefined && after !== undefined)) return undefined;
  return dateOf(year, String(month), day);
}

/** The names of months in English and German, long and short. */
const MONTHS: ReadonlyMap<string, number> = new Map([
  ...['en', 'de'].flatMap((language) =>
    (['long', 'short'] as const).flatMap((length) => {
      const format = new Intl.DateTimeFormat(language, { month: length, timeZone: 'UTC' });
      return Array.from({ length: 12 }, (_, index): [string, number] => [
        format
          .format(Date.UTC(2026, index, 1))
          .replace('.', '')
          .toLowerCase(),
        index + 1,
      ]);
    }),
  ),
  ['sept', 9],
]);

function dateOf(year: string, month: string, day: string): string | undefined {
  const date = `${wholeYear(year)}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  return isDate(date) ? date : undefined;
}

function wholeYear(year: string): string {
  if (year.length === 4) return year;
  const thisYear = new Date().getUTCFullYear();
  const inCentury = thisYear - (thisYear % 100) + Number(year);
  return String(inCentury > thisYear + YEARS_AHEAD ? inCentury - 100 : inCentury);
}
