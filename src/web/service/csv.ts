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

/** Has the browser save a text as a file. */
export function downloadText(text: string, fileName: string, mediaType: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: mediaType }));
  const link = document.createElement('a');
  link.href = address;
  link.download = fileName;
  link.click();
  // Not at once: some browsers begin to read only afterwards.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
