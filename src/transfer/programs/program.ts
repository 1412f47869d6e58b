import { spellingKey } from '../../domain/text.ts';
import type { LeftOut } from '../profiles/left-out.ts';

/** A program whose exports are recognized, as data. Names of columns may have any case. */
export interface Program {
  name: string;
  /** Columns that no other program has. An export has one of them. */
  signature: readonly string[];
  /** The columns that are imported, by their names in the export. Of two for one value, the first one is. */
  columns: Readonly<Record<string, string>>;
  /** The other columns of the export, which no pet has room for. */
  others: readonly string[];
  /** Columns that say that an animal is not to be adopted: with any value but zero and no, or with these values. */
  leftOut?: Readonly<Record<string, LeftOut>>;
  /** How the cells of a column are read, by its name. Such columns are not written. */
  readings?: Readonly<Record<string, (cell: string) => string>>;
  /** The words of the program for values, by column, if it imports pets from us. Lists are written with `between`. */
  written?: { words: Readonly<Record<string, Readonly<Record<string, string>>>>; between: string };
}

export interface Recognized {
  program: Program;
  /** The number of names that are known, of all. */
  known: number;
  total: number;
  /** The known columns by the keys of the names; empty for columns that are not imported. */
  map: ReadonlyMap<string, string>;
}

/** The program that wrote a table with these column names; undefined for none. @param wanted the only candidate */
export function recognize(
  names: readonly string[],
  { programs, isList }: { programs: readonly Program[]; isList: (column: string) => boolean },
  wanted?: string,
): Recognized | undefined {
  const keys = new Set(names.filter((name) => name !== '').map(spellingKey));
  const found = programs
    .filter(({ name, signature }) =>
      wanted === undefined ? signature.some((each) => keys.has(spellingKey(each))) : name.toLowerCase() === wanted,
    )
    .map((program) => readingOf(program, keys, isList))
    .toSorted((a, b) => b.known - a.known);
  const [best] = found;
  return best !== undefined && (wanted !== undefined || best.known * 2 > best.total) ? best : undefined;
}

/** The columns of a table for a program, by their names there. The first name of a column is the one of its values. */
export function writtenColumns({
  columns,
  readings = {},
}: Program): readonly (readonly [name: string, column: string])[] {
  return Object.entries(columns)
    .filter(([, column], index, all) => all.findIndex(([, each]) => each === column) === index)
    .filter(([name]) => readings[name] === undefined);
}

/** The cells of a row as other programs write them. */
export function readCells({ readings = {} }: Program, names: readonly string[], cells: readonly string[]): string[] {
  const known = new Map(Object.entries(readings).map(([name, reading]) => [spellingKey(name), reading]));
  return cells.map((cell, index) => known.get(spellingKey(names[index] ?? ''))?.(cell.trim()) ?? cell);
}

function readingOf(program: Program, keys: ReadonlySet<string>, isList: (column: string) => boolean): Recognized {
  const all = [
    ...Object.entries(program.columns),
    ...[...program.others, ...Object.keys(program.leftOut ?? {})].map((name) => [name, ''] as const),
  ];
  const map = new Map(
    all.map(([name, column]) => [spellingKey(name), column] as const).filter(([key]) => keys.has(key)),
  );
  const columns = [...map.values()];
  for (const [index, [key, column]] of [...map].entries())
    if (columns.indexOf(column) < index && !isList(column)) map.set(key, '');
  return { program, known: map.size, total: keys.size, map };
}

/** Why the animal of a row is not to be adopted; undefined if it may be. */
export function leftOutReason(
  { leftOut = {} }: Program,
  names: readonly string[],
  cells: readonly string[],
): LeftOut | undefined {
  const reasons = new Map(Object.entries(leftOut).map(([name, reason]) => [spellingKey(name), reason]));
  return names
    .map((name, index) => ({ reason: reasons.get(spellingKey(name)), cell: spellingKey(cells[index] ?? '') }))
    .find(({ reason, cell }) => reason !== undefined && !['', '0', 'no', 'n', 'false', 'none'].includes(cell))?.reason;
}
