import { CsvError, parse } from 'csv-parse/sync';
import { UnusableFile } from './unusable-file.ts';

/*
 * Reads CSV as in RFC 4180, and as other programs write it: with other delimiters, with CRLF, LF and CR in one file,
 * and with spaces around cells. A quotation mark within a plain cell is text.
 */

/** A row as spreadsheets number it: the first row has the number 1, and a cell may have several lines. */
export interface CsvRow {
  number: number;
  cells: readonly string[];
}

interface Part {
  rows: readonly (readonly string[])[];
  /** Where the text begins that belongs to none of these rows. */
  end: number;
  error: CsvError | undefined;
}

/** The maximum size of a line of a bulk request. A longer row has a quotation mark that is not closed. */
const MAX_ROW_LENGTH = 1024 * 1024;

const PART_LENGTH = 64 * 1024;

const HIGH_SURROGATE = /[\uD800-\uDBFF]$/;

/**
 * Reads rows as the text arrives, in parts of at least this length. csv-parse reads in parts only with Node's streams,
 * which its build for browsers would have to include.
 *
 * @throws UnusableFile for a malformed or endless quoted cell
 */
export async function* readCsv(
  chunks: AsyncIterable<string>,
  delimiter: string,
  partLength = PART_LENGTH,
): AsyncGenerator<CsvRow, void, void> {
  const [encoder, decoder] = [new TextEncoder(), new TextDecoder('utf-8', { ignoreBOM: true })];
  let count = 0;
  let text = '';
  let wanted = partLength;
  for await (const chunk of chunks) {
    text += chunk;
    if (text.length < wanted || HIGH_SURROGATE.test(text)) continue;
    const bytes = encoder.encode(text);
    const { rows, end, error } = readPart(bytes, delimiter, false);
    for (const cells of rows) yield { number: ++count, cells };
    if (error !== undefined) throw unusable(error, count + 1);
    text = decoder.decode(bytes.subarray(end));
    // A long row is not read again with each chunk.
    wanted = Math.max(partLength, 2 * text.length);
  }
  const { rows, error } = readPart(encoder.encode(text), delimiter, true);
  for (const cells of rows) yield { number: ++count, cells };
  if (error !== undefined) throw unusable(error, count + 1);
}

/** The rows at the beginning of a text, as far as they are complete and well-formed. */
export function readFirstRows(text: string, delimiter: string, isWhole: boolean): readonly CsvRow[] {
  const { rows } = readPart(new TextEncoder().encode(text), delimiter, isWhole);
  return rows.map((cells, index) => ({ number: index + 1, cells }));
}

/** @param isLast otherwise, more text may continue the last row */
function readPart(bytes: Uint8Array, delimiter: string, isLast: boolean): Part {
  const rows: (readonly string[])[] = [];
  const ends: number[] = [];
  const add = (cells: readonly string[], { bytes: end }: { bytes: number }) => {
    rows.push(cells);
    ends.push(end);
    return null;
  };
  let error = parseRows(bytes, delimiter, add);
  if (!isLast && error?.code === 'CSV_QUOTE_NOT_CLOSED') error = undefined;
  else if (!isLast && error === undefined) rows.pop();
  return { rows, end: ends[rows.length - 1] ?? 0, error };
}

type AddRow = (cells: readonly string[], info: { bytes: number }) => null;

/** Rows before an error are added as well. The build for browsers fails for an empty text. */
function parseRows(bytes: Uint8Array, delimiter: string, add: AddRow): CsvError | undefined {
  if (bytes.length === 0) return undefined;
  try {
    parse(bytes, {
      delimiter,
      record_delimiter: ['\r\n', '\n', '\r'],
      trim: true,
      // Quotation marks in plain cells. Text after a quoted cell is refused because of `trim`.
      relax_quotes: true,
      relax_column_count: true,
      max_record_size: MAX_ROW_LENGTH,
      on_record: add,
    });
    return undefined;
  } catch (error) {
    if (error instanceof CsvError) return error;
    throw error;
  }
}

function unusable({ code }: CsvError, row: number): UnusableFile {
  return code === 'CSV_MAX_RECORD_SIZE'
    ? new UnusableFile(
        `Row ${row} has more than ${MAX_ROW_LENGTH} characters: probably a quotation mark is not closed.`,
        'row-too-long',
        row,
      )
    : new UnusableFile(
        `Row ${row} is not valid CSV: a quoted cell is not closed, or a quotation mark in it is not doubled.`,
        'quotes',
        row,
      );
}
