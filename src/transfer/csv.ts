import { UnusableFile } from './unusable-file.ts';

/*
 * CSV as in RFC 4180. Files of other programs are read as well: with other delimiters, with any line ends, and with spaces around cells.
 */

/** A row as spreadsheets number it: the first row has the number 1, and a cell may have several lines. */
export interface CsvRow {
  number: number;
  cells: readonly string[];
}

/** Excel recognizes UTF-8 only by this mark. */
export const BYTE_ORDER_MARK = '\uFEFF';

const LINE_END = '\r\n';
const QUOTE = '"';

/** The maximum length of a line of a bulk request. A longer row has a quotation mark that is not closed. */
const MAX_ROW_LENGTH = 1024 * 1024;

/**
 * Spreadsheets execute a cell that begins with one of these characters (https://owasp.org/www-community/attacks/CSV_Injection). Such a text gets an
 * apostrophe, and so does one that already has apostrophes, so that removing one apostrophe always restores the text.
 */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/;

export function guardFormula(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

export function unguardFormula(text: string): string {
  return text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text;
}

/** Rows as CSV. Each row ends with a line end. */
export function csvText(rows: readonly (readonly string[])[]): string {
  return rows.map((cells) => cells.map((cell) => quoted(guardFormula(cell))).join(',') + LINE_END).join('');
}

/** Numbers and names stay plain. A spreadsheet with another delimiter must not split a cell. */
function quoted(cell: string): string {
  return /^[\w.-]*$/.test(cell) ? cell : `"${cell.replaceAll(QUOTE, '""')}"`;
}

/** Reads rows as the text arrives. @throws UnusableFile for a malformed or endless quoted cell */
export async function* readCsv(chunks: AsyncIterable<string>, delimiter: string): AsyncGenerator<CsvRow, void, void> {
  const reader = new CsvReader(delimiter);
  for await (const chunk of chunks) yield* reader.read(chunk);
  yield* reader.end();
}

/** Where the next character of a cell is. `closing`: after a quotation mark, which ends the cell if no other one follows. */
type Place = 'before' | 'plain' | 'quoted' | 'closing' | 'after';

/**
 * Reads rows in parts of a text. Outside quotation marks, CRLF, LF and CR each end a row, also in one file, and spaces around a cell are not part of it. A
 * quotation mark within a plain cell is text.
 */
export class CsvReader {
  readonly #delimiter: string;
  #number = 1;
  #cells: string[] = [];
  #cell = '';
  #place: Place = 'before';
  #length = 0;
  #previous = '';

  constructor(delimiter: string) {
    this.#delimiter = delimiter;
  }

  /** The rows that end in this part of the text. @throws UnusableFile for a malformed or endless quoted cell */
  *read(text: string): Generator<CsvRow, void, void> {
    for (const character of text) {
      const previous = this.#previous;
      this.#previous = character;
      if (++this.#length > MAX_ROW_LENGTH) throw rowTooLong(this.#number);
      if (this.#place === 'quoted' || (character !== '\r' && character !== '\n')) this.#take(character);
      else if (character === '\r' || previous !== '\r') yield this.#endRow();
    }
  }

  /** The last row, if no line end follows it. @throws UnusableFile if a quoted cell is not closed */
  *end(): Generator<CsvRow, void, void> {
    if (this.#place === 'quoted') throw malformedQuotes(this.#number);
    if (this.#cells.length > 0 || this.#place !== 'before') yield this.#endRow();
  }

  #take(character: string): void {
    if (this.#place === 'quoted') {
      if (character === QUOTE) this.#place = 'closing';
      else this.#cell += character;
    } else if (character === this.#delimiter) this.#endCell();
    else if (character === QUOTE && this.#place === 'before') this.#place = 'quoted';
    else if (character === QUOTE && this.#place === 'closing') {
      this.#cell += QUOTE;
      this.#place = 'quoted';
    } else if (this.#place === 'plain') this.#cell += character;
    else if (character.trim() !== '') {
      if (this.#place !== 'before') throw malformedQuotes(this.#number);
      this.#cell = character;
      this.#place = 'plain';
    } else if (this.#place === 'closing') this.#place = 'after';
  }

  #endCell(): void {
    this.#cells.push(this.#place === 'plain' ? this.#cell.trimEnd() : this.#cell);
    this.#cell = '';
    this.#place = 'before';
  }

  #endRow(): CsvRow {
    this.#endCell();
    const row = { number: this.#number++, cells: this.#cells };
    this.#cells = [];
    this.#length = 0;
    return row;
  }
}

function malformedQuotes(row: number): UnusableFile {
  return new UnusableFile(
    `Row ${row} is not valid CSV: a quoted cell is not closed, or a quotation mark in it is not doubled.`,
    'quotes',
    row,
  );
}

function rowTooLong(row: number): UnusableFile {
  return new UnusableFile(
    `Row ${row} has more than ${MAX_ROW_LENGTH} characters: probably a quotation mark is not closed.`,
    'row-too-long',
    row,
  );
}
