import type { FieldProblem } from '../domain/failure.ts';
import { parseExactJson } from '../domain/int64.ts';
import { BYTE_ORDER_MARK, readCsv, unguardFormula } from './csv.ts';
import type { PhotoFault } from './photo-source.ts';
import { UnusableFile } from './unusable-file.ts';

export const FILE_FORMATS = ['csv', 'ndjson'] as const;

export type FileFormat = (typeof FILE_FORMATS)[number];

export type ProblemKind =
  /** The value breaks a rule of its column. */
  | 'invalid'
  | 'cell-count'
  | 'not-json'
  /** An earlier row of the file has the same key. */
  | 'repeated'
  /** Several stored records have the key. */
  | 'ambiguous'
  /** The record is new, but the file has no column for a required field. */
  | 'column-missing'
  | 'photo'
  /** The service refused the row. */
  | 'refused';

/** A reason why a row is not imported. */
export interface RowProblem {
  kind: ProblemKind;
  /** Undefined if the problem concerns the whole row. */
  column?: string | undefined;
  /** A predicate of the column, or a sentence about the row. */
  message: string;
  /** For the kind `photo`. */
  photo?: { name: string; fault: PhotoFault };
}

/** A row of a file as the fields of a record, as a request would have them. */
export interface SourceRow {
  /** As in a spreadsheet or an editor: the first row, or line, has the number 1. */
  number: number;
  /** The fields that the file sets. Other fields of an existing record stay unchanged. */
  fields: ReadonlySet<string>;
  value: Readonly<Record<string, unknown>>;
  problems: readonly RowProblem[];
}

/** The columns of a kind of records. */
export interface Table {
  columns: readonly string[];
  /** The field of the record that a column belongs to. */
  fieldOf: (column: string) => string;
  readCells: (cells: ReadonlyMap<string, string>) => Pick<SourceRow, 'value' | 'problems'>;
}

/** The first row of a CSV file. */
export interface Header {
  /** The known column at each position; undefined for an unknown one. */
  columns: readonly (string | undefined)[];
  /** The names of the unknown columns, which are ignored. */
  ignored: readonly string[];
}

/** The format that the name of a file says; undefined for another ending. */
export function formatOf(fileName: string): FileFormat | undefined {
  const [, ending = ''] = /\.(\w+)$/.exec(fileName.toLowerCase()) ?? [];
  if (ending === 'csv') return 'csv';
  return ['ndjson', 'jsonl'].includes(ending) ? 'ndjson' : undefined;
}

/**
 * Reads the rows of a file, except blank ones.
 *
 * @param onHeader called with the header of a CSV file before its first row
 * @throws UnusableFile
 */
export async function* readRows(
  chunks: AsyncIterable<string>,
  { format, table, onHeader = () => {} }: { format: FileFormat; table: Table; onHeader?: (header: Header) => void },
): AsyncGenerator<SourceRow, void, void> {
  let count = 0;
  const rows = format === 'csv' ? readCsvRows(chunks, table, onHeader) : readLines(chunks, table);
  for await (const row of rows) {
    count++;
    yield row;
  }
  if (count === 0) throw new UnusableFile('The file has no rows.', 'no-rows');
}

async function* readCsvRows(
  chunks: AsyncIterable<string>,
  table: Table,
  onHeader: (header: Header) => void,
): AsyncGenerator<SourceRow> {
  let header: Header | undefined;
  let fields: ReadonlySet<string> = new Set();
  for await (const { number, cells } of readCsv(withoutMark(chunks))) {
    if (cells.every((cell) => cell.trim() === '')) continue;
    if (header === undefined) {
      header = readHeader(cells, table);
      fields = new Set(header.columns.flatMap((column) => (column === undefined ? [] : [table.fieldOf(column)])));
      onHeader(header);
    } else yield { number, fields, ...readRow(cells, header, table) };
  }
}

function readHeader(cells: readonly string[], table: Table): Header {
  const byName = new Map(table.columns.map((column) => [column.toLowerCase(), column]));
  const names = cells.map((cell) => unguardFormula(cell).trim());
  const columns = names.map((name) => byName.get(name.toLowerCase()));
  const known = columns.filter((column) => column !== undefined);
  if (known.length === 0) {
    const message = `The first row has none of the columns ${table.columns.join(', ')}.`;
    throw new UnusableFile(message, 'no-known-column');
  }
  const repeated = known.find((column, index) => known.indexOf(column) !== index);
  if (repeated !== undefined)
    throw new UnusableFile(`The first row has the column ${repeated} twice.`, 'repeated-column', repeated);
  return { columns, ignored: names.filter((name, index) => columns[index] === undefined && name !== '') };
}

function readRow(cells: readonly string[], { columns }: Header, table: Table): Pick<SourceRow, 'value' | 'problems'> {
  if (cells.length !== columns.length) {
    const message = `The row has ${cells.length} cells, but the first row has ${columns.length}.`;
    return { value: {}, problems: [{ kind: 'cell-count', message }] };
  }
  const named = columns.flatMap((column, index): [string, string][] =>
    column === undefined ? [] : [[column, unguardFormula(cells[index] ?? '')]],
  );
  return table.readCells(new Map(named));
}

async function* readLines(chunks: AsyncIterable<string>, { columns, fieldOf }: Table): AsyncGenerator<SourceRow> {
  const fields = new Set(columns.map(fieldOf));
  let number = 0;
  for await (const line of linesIn(withoutMark(chunks))) {
    number++;
    if (line.trim() !== '') yield { number, fields, ...readLine(line) };
  }
}

function readLine(line: string): Pick<SourceRow, 'value' | 'problems'> {
  const notJson = { value: {}, problems: [{ kind: 'not-json', message: 'The line is not a JSON object.' }] } as const;
  try {
    const value = parseExactJson(line);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? { value: value as SourceRow['value'], problems: [] } : notJson;
  } catch (error) {
    if (error instanceof SyntaxError) return notJson;
    throw error;
  }
}

async function* linesIn(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest: string[] = [];
  for await (const chunk of chunks) {
    const [first = '', ...others] = chunk.split('\n');
    rest.push(first);
    for (const line of others) {
      yield rest.join('');
      rest = [line];
    }
  }
  yield rest.join('');
}

async function* withoutMark(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let isFirst = true;
  for await (const chunk of chunks) {
    yield isFirst && chunk.startsWith(BYTE_ORDER_MARK) ? chunk.slice(1) : chunk;
    if (chunk !== '') isFirst = false;
  }
}

/** Decodes a file. @throws UnusableFile if it is not UTF-8 */
export async function* decode(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  try {
    for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true });
    yield decoder.decode();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UnusableFile('The file is not UTF-8. Save it as "CSV UTF-8".', 'encoding');
  }
}

/** The problems of a record that failed its schema, by column. */
export function invalidFields(problems: readonly FieldProblem[], columnOf: (path: string) => string): RowProblem[] {
  return problems.map(({ path, message }) => ({ kind: 'invalid', column: columnOf(path), message }));
}
