/* Writes CSV as in RFC 4180. */

/** Excel recognizes UTF-8 only by this mark. */
export const BYTE_ORDER_MARK = '\uFEFF';

const LINE_END = '\r\n';
const QUOTE = '"';

/**
 * Spreadsheets execute a cell that begins with one of these characters
 * (https://owasp.org/www-community/attacks/CSV_Injection). Such a text gets an apostrophe, and so does one that already
 * has apostrophes, so that removing one apostrophe always restores the text.
 */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/;

function guardFormula(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

export function unguardFormula(text: string): string {
  return text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text;
}

/** The delimiters of tables that are written. Excel in German expects semicolons. */
export const DELIMITERS = { comma: ',', semicolon: ';' } as const;

export type Delimiter = keyof typeof DELIMITERS;

/** Rows as CSV. Each row ends with a line end. */
export function csvText(rows: readonly (readonly string[])[], delimiter: Delimiter = 'comma'): string {
  const between = DELIMITERS[delimiter];
  return rows.map((cells) => cells.map((cell) => quoted(guardFormula(cell))).join(between) + LINE_END).join('');
}

/**
 * Rows for programs that are no spreadsheets: every cell in quotation marks, and no apostrophe before formulas, which
 * would be a part of the text.
 */
export function quotedCsvText(rows: readonly (readonly string[])[]): string {
  return rows.map((cells) => cells.map((cell) => `"${cell.replaceAll(QUOTE, '""')}"`).join(',') + LINE_END).join('');
}

/** Numbers and names stay plain. A spreadsheet with another delimiter must not split a cell. */
function quoted(cell: string): string {
  return /^[\w.-]*$/.test(cell) ? cell : `"${cell.replaceAll(QUOTE, '""')}"`;
}
