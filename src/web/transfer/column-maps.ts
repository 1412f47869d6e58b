import { spellingKey } from '../../api/web/catalogue-search.ts';
import type { ColumnMap, Table } from '../../transfer/columns.ts';

/*
 * The columns that users chose, by the names in the first row: the next file of the same program is read in the same
 * way. They survive in local storage, if the browser allows it.
 */

const KEY = 'menagerie-import-columns-1';

/** The chosen columns of one kind of tables, by the keys of the names. */
type Choices = Readonly<Record<string, string>>;

/** The latest choice is the last one. */
type Saved = readonly (readonly [names: string, choices: Choices])[];

const MAX_TABLES = 50;

let saved: Saved | undefined;

/** The chosen columns for a table with these names. */
export function findColumnMap({ columns }: Table, names: readonly string[]): ColumnMap {
  const key = keyOf(names);
  const [, choices = {}] = readSaved().find(([each]) => each === key) ?? [];
  const isColumn = (column: string) => column === '' || columns.includes(column);
  return new Map(Object.entries(choices).filter(([, column]) => isColumn(column)));
}

/** @param column empty if the column is not imported */
export function chooseColumn(names: readonly string[], name: string, column: string): void {
  const key = keyOf(names);
  const before = readSaved();
  const [, choices = {}] = before.find(([each]) => each === key) ?? [];
  const now = [key, { ...choices, [spellingKey(name)]: column }] as const;
  saved = [...before.filter(([each]) => each !== key), now].slice(-MAX_TABLES);
  try {
    localStorage.setItem(KEY, JSON.stringify(saved));
  } catch {
    // Local storage is disabled or full.
  }
}

function keyOf(names: readonly string[]): string {
  return JSON.stringify(names.map(spellingKey));
}

function readSaved(): Saved {
  try {
    saved ??= JSON.parse(localStorage.getItem(KEY) ?? '[]') as Saved;
  } catch {
    // Local storage is disabled.
  }
  return Array.isArray(saved) ? saved : (saved = []);
}
