import { countNames, namesOf, type ColumnMap, type Table } from './columns.ts';
import { readFirstRows, type CsvRow } from './csv-reader.ts';

/** How a table is written. */
interface Dialect {
  delimiter: string;
  /** The number of the row with the column names. */
  headerRow: number;
  /** Rows above it that are not blank. */
  rowsAbove: number;
}

const DELIMITERS = [',', ';', '\t', '|'] as const;

/** The column names are in one of the first rows. */
const MAX_ROWS_ABOVE = 20;

/** A first line that names the delimiter, as Excel reads it. */
const DELIMITER_LINE = /^"?sep=([^"\r\n])"?[ ,;\t]*(?:\r\n|\r|\n|$)/i;

/** The delimiter that the first line names, and the length of that line. */
export function readDelimiterLine(text: string): { delimiter: string; length: number } | undefined {
  const [line, delimiter] = DELIMITER_LINE.exec(text) ?? [];
  return line === undefined || delimiter === undefined ? undefined : { delimiter, length: line.length };
}

/**
 * Reads the beginning of a table with each delimiter, and takes the one that gives column names which fit the rows: the
 * most known ones.
 *
 * @param text the beginning, or all @param isWhole whether it is all
 */
export function findDialect(
  text: string,
  {
    isWhole,
    table,
    map,
    delimiter,
  }: { isWhole: boolean; table: Table; map: ColumnMap; delimiter?: string | undefined },
): Dialect {
  const delimiters = delimiter === undefined ? DELIMITERS : [delimiter];
  const readings = delimiters.map((each) => {
    const rows = readFirstRows(text, each, isWhole).filter(({ cells }) => cells.some((cell) => cell.trim() !== ''));
    return rate(each, rows, table, map);
  });
  const [best] = readings.toSorted((a, b) => compareRatings(b.rating, a.rating));
  return best?.dialect ?? { delimiter: ',', headerRow: 1, rowsAbove: 0 };
}

interface Reading {
  dialect: Dialect;
  /** The first number that differs decides. */
  rating: readonly number[];
}

function rate(delimiter: string, rows: readonly CsvRow[], table: Table, map: ColumnMap): Reading {
  const candidates = rows.slice(0, MAX_ROWS_ABOVE).map(({ cells }): Candidate => {
    const names = namesOf(cells).filter((name) => name !== '');
    return { width: names.length, rating: countNames(names, table, map) };
  });
  const rowsAbove = findHeader(candidates);
  const [header, ...below] = rows.slice(rowsAbove);
  const { width = 0, rating = [0, 0] } = candidates[rowsAbove] ?? {};
  const count = header?.cells.length ?? 0;
  // Cells beyond the last column are no cells if they are blank.
  const fitting = below.filter(({ cells }) => cells.length === count || namesOf(cells).length === count);
  const fit = below.length === 0 ? 1 : fitting.length / below.length;
  const isKnown = rating.some((names) => names > 0);
  return {
    dialect: { delimiter, headerRow: header?.number ?? 1, rowsAbove },
    // Column names that the rows do not fit may contain the delimiter.
    rating: [Number(isKnown), Number(fit > 0.5), ...rating, width > 1 || isKnown ? fit : 0, width],
  };
}

interface Candidate {
  /** The number of its cells that are not blank. */
  width: number;
  /** The numbers of known and of similar names. */
  rating: readonly number[];
}

/**
 * The place of the row with the column names: the first one with a known name, otherwise with a similar one. A title
 * may have such a name, too.
 */
function findHeader(rows: readonly Candidate[]): number {
  const hasTable = rows.some(({ rating: [known = 0, similar = 0] }) => known + similar > 1);
  const places = [
    rows.findIndex(({ width, rating: [known = 0] }) => known > 0 && (width > 1 || !hasTable)),
    rows.findIndex(({ width, rating: [, similar = 0] }) => similar > 0 && (width > 1 || !hasTable)),
    rows.findIndex(({ width }) => width > 1),
  ];
  return places.find((place) => place !== -1) ?? 0;
}

function compareRatings(a: readonly number[], b: readonly number[]): number {
  const place = a.findIndex((number, index) => number !== b[index]);
  return place === -1 ? a.length - b.length : (a[place] ?? 0) - (b[place] ?? 0);
}
