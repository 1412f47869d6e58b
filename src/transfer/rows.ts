import { namesOf, readHeader, type ColumnMap, type Header, type RowContent, type Table } from './columns.ts';
import { readCsv, type CsvRow } from './csv-reader.ts';
import { unguardFormula } from './csv.ts';
import { findDialect, readDelimiterLine } from './dialect.ts';
import { leftOutReason, readCells } from './programs/program.ts';
import { SEPARATOR } from './list-cells.ts';
import type { Answers, Conventions, Question } from './profiles/conventions.ts';
import { readJsonRows } from './json-rows.ts';
import type { SourceRow } from './source-row.ts';
import { conventionsOf, Survey } from './survey.ts';
import { TextBeginning, withoutMarks } from './source-text.ts';
import { UnusableFile } from './unusable-file.ts';

export const FILE_FORMATS = ['csv', 'ndjson'] as const;

export type FileFormat = (typeof FILE_FORMATS)[number];

/** The format that the name of a file says; undefined for another ending. */
export function formatOf(fileName: string): FileFormat | undefined {
  const [, ending = ''] = /\.(\w+)$/.exec(fileName.toLowerCase()) ?? [];
  if (ending === 'csv') return 'csv';
  return ['ndjson', 'jsonl'].includes(ending) ? 'ndjson' : undefined;
}

export interface RowOptions {
  /** By default, a file that begins with a bracket is JSON, and any other a table. */
  format?: FileFormat | undefined;
  table: Table;
  map?: ColumnMap | undefined;
  /** The program that wrote the table, or `none`; by default the one that its columns are of. */
  from?: string | undefined;
  /** By default, those that follow from the names of the columns. */
  conventions?: Conventions;
  /** Called with the column names of a table before its first row. */
  onHeader?: (header: Header) => void;
}

/**
 * Reads the rows of a file, except blank ones.
 *
 * @throws UnusableFile
 */
export async function* readRows(
  chunks: AsyncIterable<string>,
  options: RowOptions,
): AsyncGenerator<SourceRow, void, void> {
  const text = await TextBeginning.of(withoutMarks(chunks));
  const isJson = isJsonText(text, options);
  if (isJson && (options.map?.size ?? 0) > 0)
    throw new UnusableFile('The file is JSON, which has no columns to map.', 'no-mapped-column');
  let count = 0;
  for await (const row of isJson ? readJsonRows(text, options.table) : readTable(text, options)) {
    count++;
    yield row;
  }
  if (count === 0) throw new UnusableFile('The file has no rows.', 'no-rows');
}

async function* readTable(text: TextBeginning, options: RowOptions): AsyncGenerator<SourceRow> {
  const { table } = options;
  for await (const { number, cells, header } of tableRows(text, options)) {
    const program = header.recognized?.program;
    const { fields: more = [], ...row } = readRow(program ? readCells(program, header.names, cells) : cells, header, {
      table,
      conventions: options.conventions ?? conventionsOf(header),
    });
    const fields = header.columns.flatMap((column) => (column === undefined ? [] : [table.fieldOf(column)]));
    const isHeader = namesOf(cells).join('\n') === header.names.join('\n');
    const reason = isHeader ? 'header' : program && leftOutReason(program, header.names, cells);
    yield { ...row, number, fields: new Set([...fields, ...more]), leftOut: reason ?? row.leftOut };
  }
}

interface TableRow extends CsvRow {
  header: Header;
}

/** The rows below the column names, except blank ones. */
async function* tableRows(
  text: TextBeginning,
  { table, map = new Map(), from, onHeader = () => {} }: RowOptions,
): AsyncGenerator<TableRow> {
  const { beginning, isWhole } = text;
  const line = readDelimiterLine(beginning);
  const { delimiter, headerRow, rowsAbove } = findDialect(beginning.slice(line?.length ?? 0), {
    isWhole,
    table,
    map,
    delimiter: line?.delimiter,
  });
  let header: Header | undefined;
  for await (const { number, cells } of readCsv(text.from(line?.length ?? 0), delimiter)) {
    if (number < headerRow || cells.every((cell) => cell.trim() === '')) continue;
    if (header !== undefined) yield { number, cells, header };
    else {
      header = readHeader(namesOf(cells), table, { map, rowsAbove, from });
      onHeader(header);
    }
  }
}

function readRow(
  cells: readonly string[],
  { columns }: Header,
  { table, conventions }: { table: Table; conventions: Conventions },
): RowContent {
  const named = new Map<string, string[]>();
  for (const [index, column] of columns.entries())
    if (column !== undefined) named.set(column, [...(named.get(column) ?? []), unguardFormula(cells[index] ?? '')]);
  const row = table.readCells(
    new Map(Array.from(named, ([column, texts]) => [column, joinedCell(texts)])),
    conventions,
  );
  // Some programs end each row with a delimiter.
  const beyond = cells.slice(columns.length);
  if (cells.length >= columns.length && beyond.every((cell) => cell.trim() === '')) return row;
  const message = `The row has ${cells.length} cells, but the first row has ${columns.length}.`;
  // The values identify the row, which is not imported.
  return { ...row, problems: [{ kind: 'cell-count', message }] };
}

/** The cells of several columns with the entries of one list. */
function joinedCell(texts: readonly string[]): string {
  const [only = '', ...others] = texts.filter((text) => text.trim() !== '');
  return others.length === 0 ? only : [only, ...others].join(SEPARATOR);
}

/** Finds the conventions of a file, and questions about others. JSON has exact values. @throws UnusableFile */
export async function surveyRows(
  chunks: AsyncIterable<string>,
  { answers, assumed = {}, ...options }: RowOptions & { answers: Answers; assumed?: Answers | undefined },
): Promise<{ conventions: Conventions; questions: readonly Question[] }> {
  const text = await TextBeginning.of(withoutMarks(chunks));
  const survey = new Survey(options.table, answers, assumed);
  if (!isJsonText(text, options))
    for await (const { header, cells } of tableRows(text, options)) survey.add(header, cells);
  return survey.result();
}

function isJsonText({ beginning }: TextBeginning, { format }: RowOptions): boolean {
  return format === 'ndjson' || (format === undefined && /^\s*[[{]/.test(beginning));
}
