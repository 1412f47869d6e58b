import type { FieldProblem } from '../domain/failure.ts';
import type { PhotoFault } from './photo-source.ts';
import type { LeftOut } from './profiles/left-out.ts';

type ProblemKind =
  /** The value breaks a rule of its column. */
  | 'invalid'
  /** A spreadsheet has rounded a number whose digits all matter. */
  | 'rounded'
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
  | 'refused'
  /** The import ended with the request of the row. */
  | 'stopped';

/** A reason why a row is not imported. */
export interface RowProblem {
  kind: ProblemKind;
  /** Undefined if the problem concerns the whole row. */
  column?: string | undefined;
  /** A predicate of the column, or a sentence about the row. */
  message: string;
  /** The value in the file, which may be cut. */
  value?: string;
  /** Only for the kind `photo`. The reason is a predicate of the photo. */
  photo?: { name: string; fault: PhotoFault; reason: string };
}

/** Whether the problem is that of one cell, without which the row can be stored. */
export function isOfCell({ kind }: RowProblem): boolean {
  return kind === 'invalid' || kind === 'rounded';
}

/** A row of a file as the fields of a record, as a request would have them. */
export interface SourceRow {
  /** As in a spreadsheet or an editor: the first row, or line, has the number 1. */
  number: number;
  /** The fields that the file sets. Other fields of an existing record stay unchanged. */
  fields: ReadonlySet<string>;
  value: Readonly<Record<string, unknown>>;
  /** The fields that only a new record gets: an age would move the birth date with each import. */
  onlyNew?: ReadonlySet<string>;
  /** Undefined if the row is imported. */
  leftOut?: LeftOut | undefined;
  problems: readonly RowProblem[];
}

/** Longer values are cut in messages. */
const MAX_SHOWN_VALUE = 60;

/** The problems of a record that failed its schema, by column. */
export function invalidFields(
  problems: readonly FieldProblem[],
  columnOf: (path: string) => string,
  record: SourceRow['value'],
): RowProblem[] {
  return problems.map(({ path, message }) => {
    const column = columnOf(path);
    const value = column === 'password' ? undefined : shownValue(record, path);
    return { kind: 'invalid', column, message, ...(value !== undefined && { value }) };
  });
}

/**
 * The value at a JSON Pointer as text; undefined if there is none. A tag may be a text where the pointer expects an
 * object.
 */
function shownValue(record: unknown, path: string): string | undefined {
  let value = record;
  for (const key of path.split('/').slice(1))
    if (typeof value === 'object' && value !== null) value = (value as Record<string, unknown>)[key];
  if (!['string', 'number', 'bigint', 'boolean'].includes(typeof value)) return undefined;
  const text = String(value);
  return text.length > MAX_SHOWN_VALUE ? `${text.slice(0, MAX_SHOWN_VALUE).toWellFormed()}…` : text;
}

/** A problem as a part of a sentence in English. */
export function problemText({ column, message, value }: RowProblem): string {
  const text = column === undefined || column === '' ? message : `column ${column} ${message}`;
  return value === undefined ? text : `${text} (found "${value}")`;
}
