import { wordsOf } from '../domain/search/words.ts';
import { canonicalText, spellingKey } from '../domain/text.ts';
import { unguardFormula } from './csv.ts';
import { recognize, type Program, type Recognized } from './programs/program.ts';
import type { Conventions } from './profiles/conventions.ts';
import type { CellType } from './profiles/profile-columns.ts';
import type { SourceRow } from './source-row.ts';
import { UnusableFile, type NamedColumns } from './unusable-file.ts';

/** The columns of a kind of records. */
export interface Table {
  columns: readonly string[];
  /** Other names of columns, in English and German: letters and digits in lower case. The first column comes first. */
  aliases: Readonly<Record<string, readonly string[]>>;
  /** The field of the record that a column belongs to. */
  fieldOf: (column: string) => string;
  /** Whether several columns of a file may have entries of this one. */
  isList: (column: string) => boolean;
  /** How its cells are written. */
  typeOf: (column: string) => CellType;
  /** Converts cells to fields. A cell may set more fields than that of its column. */
  /** The programs whose exports are recognized. */
  programs: readonly Program[];
  readCells: (cells: ReadonlyMap<string, string>, conventions: Conventions) => RowContent;
  /** Converts a JSON object as `readCells` converts cells. By default, it sets the fields of all columns. */
  readObject: (value: SourceRow['value']) => RowContent;
}

/** A row without its place. The fields are further ones than those of its columns. */
export type RowContent = Omit<SourceRow, 'number' | 'fields'> & Partial<Pick<SourceRow, 'fields'>>;

/** The known column for a name in the file, by its `spellingKey`; empty for a column that is not imported. */
export type ColumnMap = ReadonlyMap<string, string>;

/** The row with the column names. */
export interface Header extends NamedColumns {
  /** The columns that are read only because their names are similar: known columns by name. */
  similar: ReadonlyMap<string, string>;
  /** The names of the other columns that are not imported, unless the map says so. */
  ignored: readonly string[];
  /** Rows above it that are not blank. They are not imported. */
  rowsAbove: number;
  /** The program that wrote the table, if it is recognized. */
  recognized: Recognized | undefined;
}

/**
 * The column with this name, whatever its case, and with spaces, underscores, hyphens, periods or invisible characters
 * between its words.
 */
function findExact({ columns }: Table, name: string): string | undefined {
  const key = plainKey(name);
  return columns.find((column) => plainKey(column) === key);
}

function plainKey(name: string): string {
  return canonicalText(name)
    .replaceAll(/[\s._\p{Cf}-]+/gu, '')
    .toLowerCase();
}

/** Words beside the name of a column, as in `Name of the pet`. */
const FILL_WORDS = new Set(
  'a an animal animals current das dem den der des die of our pet pets s the tier tiere tieren tieres tiers vom von'.split(
    ' ',
  ),
);

/** The form of the names in `Table.aliases`. */
export function labelKey(name: string): string {
  const [beforeBracket = ''] = name.split(/[([]/, 1);
  const words = wordsOf(beforeBracket.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2'));
  return words.filter((word) => !FILL_WORDS.has(word)).join('');
}

/**
 * The columns with a similar name, perhaps in the other language, and perhaps with a remark in brackets. The best one
 * is the first.
 */
function similarColumns({ columns, aliases, isList }: Table, name: string): readonly string[] {
  const key = labelKey(name);
  // Compounds, such as Tiername.
  const [, rest = key] = /^(?:tier|pet|animal)(.+)$/.exec(key) ?? [];
  const keys = [wordsOf(name).join(''), key, rest];
  // Photo 1, Photo 2.
  const unnumbered = keys.map((each) => each.replace(/\d$/, ''));
  const named = (each: string) => Object.keys(aliases).filter((column) => aliases[column]?.includes(each));
  return [
    ...keys.flatMap(named),
    ...columns.filter((column) => keys.includes(plainKey(column))),
    ...unnumbered.flatMap(named).filter(isList),
  ];
}

/** The column names of a row. */
export function namesOf(cells: readonly string[]): readonly string[] {
  const names = cells.map((cell) => canonicalText(unguardFormula(cell)));
  return names.slice(0, names.findLastIndex((name) => name !== '') + 1);
}

/** How many of these are names of columns: those of the table or the map first, then similar ones. */
export function countNames(names: readonly string[], table: Table, map: ColumnMap): [known: number, similar: number] {
  const isKnown = (name: string) => map.has(spellingKey(name)) || findExact(table, name) !== undefined;
  const others = names.filter((name) => !isKnown(name));
  return [names.length - others.length, others.filter((name) => similarColumns(table, name).length > 0).length];
}

interface HeaderOptions {
  map: ColumnMap;
  rowsAbove: number;
  /** The program that wrote the table, or `none`; by default the one that its columns are of. */
  from: string | undefined;
}

/** @throws UnusableFile */
export function readHeader(names: readonly string[], table: Table, options: HeaderOptions): Header {
  const { map, rowsAbove, from } = options;
  requireMapped(names, map);
  const recognized = from === 'none' ? undefined : recognize(names, table, from);
  const chosen = new Set(map.values());
  const columns = names.map((name) => {
    const ofProgram = recognized?.map.get(spellingKey(name));
    // The user has chosen another column for it.
    const isTaken = ofProgram !== undefined && chosen.has(ofProgram) && !table.isList(ofProgram);
    const mapped = map.get(spellingKey(name)) ?? (isTaken ? '' : ofProgram);
    return mapped === undefined ? findExact(table, name) : mapped;
  });
  const similar = new Map<string, string>();
  for (const [index, name] of names.entries()) {
    const isOpen = columns[index] === undefined && name !== '' && recognized === undefined;
    const found = isOpen ? similarColumns(table, name) : [];
    const column = found.find((each) => !columns.includes(each) || table.isList(each));
    if (column === undefined) continue;
    similar.set(name, column);
    columns[index] = column;
  }
  const known = columns.flatMap((column = '') => (column === '' ? [] : [column]));
  if (known.length === 0) throw noKnownColumn({ names, columns }, table);
  const repeated = known.find((column, index) => known.indexOf(column) !== index && !table.isList(column));
  if (repeated !== undefined) throw repeatedColumn(repeated, { names, columns });
  return {
    names,
    columns: columns.map((column) => (column === '' ? undefined : column)),
    similar,
    ignored: names.flatMap((name, index) => (columns[index] === undefined ? [name || `column ${index + 1}`] : [])),
    rowsAbove,
    recognized,
  };
}

function requireMapped(names: readonly string[], map: ColumnMap): void {
  const keys = new Set(names.map(spellingKey));
  const missing = [...map.keys()].find((key) => !keys.has(key));
  if (missing === undefined) return;
  const message = `The file has no column "${missing}" to map. Its columns are ${quotedList(names)}.`;
  throw new UnusableFile(message, 'no-mapped-column', missing);
}

function noKnownColumn(header: NamedColumns, { columns }: Table): UnusableFile {
  const message = `The first row has none of the columns ${columns.join(', ')}. It has ${quotedList(header.names)}.`;
  return new UnusableFile(message, 'no-known-column', undefined, header);
}

function repeatedColumn(column: string, header: NamedColumns): UnusableFile {
  const names = header.names.filter((_, index) => header.columns[index] === column);
  const message = `The first row has the column ${column} twice: ${quotedList(names)}.`;
  return new UnusableFile(message, 'repeated-column', column, header);
}

function quotedList(names: readonly string[]): string {
  return names.length === 0 ? 'nothing' : names.map((name) => `"${name}"`).join(', ');
}
