import Papa from 'papaparse';
import { UnusableFile } from './unusable-file.ts';

/*
 * CSV according to RFC 4180, in UTF-8.
 */

/** A row as spreadsheets number it: the first row has the number 1, and a cell may have several lines. */
export interface CsvRow {
  number: number;
  cells: readonly string[];
}

/** Excel recognizes UTF-8 only by this mark. */
export const BYTE_ORDER_MARK = '\uFEFF';

const LINE_END = '\r\n';
const DELIMITERS = [',', ';', '\t'] as const;

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
  const guarded = rows.map((cells) => cells.map(guardFormula));
  return rows.length === 0 ? '' : Papa.unparse(guarded, { newline: LINE_END, quotes: needsQuotes }) + LINE_END;
}

/** Numbers and names stay plain. A spreadsheet with another delimiter must not split a cell. */
function needsQuotes(cell: string): boolean {
  return !/^[\w.-]*$/.test(cell);
}

/**
 * Reads rows as the text arrives. Delimiter and line ends are those of the first line.
 *
 * @throws UnusableFile for a malformed or endless quoted cell
 */
export async function* readCsv(chunks: AsyncIterable<string>): AsyncGenerator<CsvRow, void, void> {
  let parser: InstanceType<typeof Papa.Parser> | undefined;
  let rest = '';
  let number = 1;

  function* parse(isLast: boolean): Generator<CsvRow> {
    if (rest === '') return;
    parser ??= parserFor(rest);
    const { data, errors, meta } = parser.parse(rest, 0, !isLast);
    // Beyond the complete rows, the text may end between a quotation mark and the following character.
    const error = errors.find(({ row }) => isLast || row < data.length);
    if (error !== undefined) throw malformedQuotes(number + error.row);
    for (const cells of data) yield { number: number++, cells };
    rest = rest.slice(meta.cursor);
    if (rest.length > MAX_ROW_LENGTH) throw rowTooLong(number);
  }

  for await (const chunk of chunks) {
    rest += chunk;
    // Until the first line is complete, its delimiter is unknown.
    if (parser === undefined && !/[\r\n]./s.test(rest) && rest.length <= MAX_ROW_LENGTH) continue;
    yield* parse(false);
  }
  // A line end at the end of the file does not begin another row.
  rest = rest.replace(/(?:\r\n|\r|\n)$/, '');
  yield* parse(true);
}

function parserFor(text: string) {
  const [firstLine = '', newline = '\n'] = /^([^\r\n]*)(\r\n|\r|\n)?/.exec(text)?.slice(1) ?? [];
  const counts = DELIMITERS.map((delimiter) => firstLine.split(delimiter).length);
  const delimiter = DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
  return new Papa.Parser({ delimiter, newline, quoteChar: '"' });
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
