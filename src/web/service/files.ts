/*
 * Files that the page creates: tables as CSV (RFC 4180), downloads, and the object URLs of files.
 */

export type CsvCell = string | number;

/** A spreadsheet executes text that starts with one of these as a formula (OWASP: CSV Injection). */
const FORMULA = /^[=+\-@\t\r]/;

const NEEDS_QUOTES = /[",\r\n]/;

/** Starts with a byte order mark, from which spreadsheets recognize UTF-8. */
export function csvText(rows: readonly (readonly CsvCell[])[]): string {
  return `\uFEFF${rows.map((row) => `${row.map(cellText).join(',')}\r\n`).join('')}`;
}

function cellText(cell: CsvCell): string {
  if (typeof cell === 'number') return String(cell);
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function downloadText(text: string, fileName: string, mediaType: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: mediaType }));
  downloadFrom(address, fileName);
  releaseLater(address);
}

/** @param fileName by default, the one in the response */
export function downloadFrom(address: string, fileName = ''): void {
  const link = document.createElement('a');
  link.href = address;
  link.download = fileName;
  link.click();
}

/** Long enough for a browser that reads the object only when it paints. */
const RELEASE_DELAY_MS = 60_000;

/**
 * Revokes an object URL some time after its last use: a photo that is leaving the screen, or a file that is being
 * saved, may still be read from it.
 */
export function releaseLater(address: string): void {
  setTimeout(() => URL.revokeObjectURL(address), RELEASE_DELAY_MS);
}
