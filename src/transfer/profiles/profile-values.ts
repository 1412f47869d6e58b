import { isDate } from '../../domain/organisation/own-values.ts';

/*
 * Numbers, dates and texts in cells. What people write in different ways is read only if it has one meaning: 03/04/2026
 * is a day in March or in April, and 1.250 is a fraction or thousands.
 */

const NUMBER = /^[+-]?\d+(?:[.,]\d+)?(?:e[+-]?\d+)?$/i;
const PERHAPS_THOUSANDS = /^[+-]?[1-9]\d{0,2}[.,]\d{3}$/;

export function numberCell(value: number | bigint): string {
  const text = String(value);
  return PERHAPS_THOUSANDS.test(text) ? `${text}0` : text;
}

/** Undefined for another text, and an ambiguous one. */
export function readNumber(text: string): number | undefined {
  return NUMBER.test(text) && !PERHAPS_THOUSANDS.test(text) ? Number(text.replace(',', '.')) : undefined;
}

/** Spreadsheets add a time to dates. */
const YEAR_FIRST = /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?:[T ]00:00(?::00(?:\.0+)?)?)?$/;
/** No language that separates dates with points has the month first. */
const DAY_FIRST = /^(\d{1,2})\. ?(\d{1,2})\. ?(\d{4})$/;
const ANY_ORDER = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/;

/** The date as `2026-11-26`; undefined for another text, a date that does not exist, and an ambiguous one. */
export function readDate(text: string): string | undefined {
  const [, year = '', , month = '', day = ''] = YEAR_FIRST.exec(text) ?? [];
  if (year !== '') return dateOf(year, month, day);
  const [, dayFirst = '', monthThen = '', yearLast = ''] = DAY_FIRST.exec(text) ?? [];
  if (yearLast !== '') return dateOf(yearLast, monthThen, dayFirst);
  const [, one = '', other = '', yearAtEnd = ''] = ANY_ORDER.exec(text) ?? [];
  const dates = [dateOf(yearAtEnd, one, other), dateOf(yearAtEnd, other, one)].filter((date) => date !== undefined);
  return new Set(dates).size === 1 ? dates[0] : undefined;
}

function dateOf(year: string, month: string, day: string): string | undefined {
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  return isDate(date) ? date : undefined;
}

/** A text that would not come back exactly is a JSON string. */
export function textCell(text: string): string {
  const isPlain = text !== '' && text === text.trim() && jsonString(text) === undefined;
  return isPlain ? text : JSON.stringify(text);
}

export function readTextCell(cell: string): string {
  return jsonString(cell) ?? cell;
}

function jsonString(text: string): string | undefined {
  if (!text.startsWith('"')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}
