import { namesOf, readHeader, type ColumnMap, type Header, type Table } from './columns.ts';
import { readCsv } from './csv-reader.ts';
import { unguardFormula } from './csv.ts';
import { findDialect, readDelimiterLine } from './dialect.ts';
import { readJsonRows } from './json-rows.ts';
import type { SourceRow } from './source-row.ts';
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
  /** Whether columns with similar names are imported. */
  takesSimilar?: boolean;
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
  const isJson = options.format === 'ndjson' || (options.format === undefined && /^\s*[[{]/.test(text.beginning));
  if (isJson && (options.map?.size ?? 0) > 0)
    throw new UnusableFile('The file is JSON, which has no columns to map.', 'no-mapped-column');
  let count = 0;
  for await (const row of isJson ? readJsonRows(text, options.table) : readTable(text, options)) {
    count++;
    yield row;
  }
  if (count === 0) throw new UnusableFile('The file has no rows.', 'no-rows');
}

async function* readTable(
  text: TextBeginning,
  { table, map = new Map(), takesSimilar = false, onHeader = () => {} }: RowOptions,
): AsyncGenerator<SourceRow> {
  const { beginning, isWhole } = text;
  const line = readDelimiterLine(beginning);
  const { delimiter, headerRow, rowsAbove } = findDialect(beginning.slice(line?.length ?? 0), {
    isWhole,
    table,
    map,
    delimiter: line?.delimiter,
  });
  let header: Header | undefined;
  let fields: ReadonlySet<string> = new Set();
  for await (const { number, cells } of readCsv(text.from(line?.length ?? 0), delimiter)) {
    if (number < headerRow || cells.every((cell) => cell.trim() === '')) continue;
    if (header === undefined) {
      header = readHeader(namesOf(cells), table, { map, takesSimilar, rowsAbove });
      fields = new Set(header.columns.flatMap((column) => (column === undefined ? [] : [table.fieldOf(column)])));
      onHeader(header);
    } else yield { number, fields, ...readRow(cells, header, table) };
  }
}

function readRow(cells: readonly string[], { columns }: Header, table: Table): Pick<SourceRow, 'value' | 'problems'> {
  const named = columns.flatMap((column, index): [string, string][] =>
    column === undefined ? [] : [[column, unguardFormula(cells[index] ?? '')]],
  );
  const row = table.readCells(new Map(named));
  // Some programs end each row with a delimiter.
  const beyond = cells.slice(columns.length);
  if (cells.length >= columns.length && beyond.every((cell) => cell.trim() === '')) return row;
  const message = `The row has ${cells.length} cells, but the first row has ${columns.length}.`;
  // The values identify the row, which is not imported.
  return { ...row, problems: [{ kind: 'cell-count', message }] };
}
