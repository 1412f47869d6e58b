/*
 * Tables for spreadsheets: comma-separated values (RFC 4180).
 */

export type CsvCell = string | number;

/** A spreadsheet takes what begins so for a formula, and runs it (OWASP: CSV Injection). */
const FORMULA = /^[=+\-@\t\r]/;

const NEEDS_QUOTES = /[",\r\n]/;

/** In UTF-8 with a mark, by which spreadsheets know that it is. */
export function csvText(rows: readonly (readonly CsvCell[])[]): string {
  return `\uFEFF${rows.map((row) => `${row.map(cellText).join(',')}\r\n`).join('')}`;
}

function cellText(cell: CsvCell): string {
  if (typeof cell === 'number') return String(cell);
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
