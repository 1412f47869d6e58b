import type { SentProfile } from '../api/records/profile.ts';
import type { OwnField, OwnFieldChoice } from '../domain/organisation/own-field.ts';
import type { OwnValue, Profile } from '../domain/pets/profile.ts';
import { spellingKey } from '../domain/text.ts';
import { entriesOf, listCell, readList } from './list-cells.ts';
import { cellTypeOf, isProfileColumn, ownColumn, ownKeyOf, type CellType } from './profiles/profile-columns.ts';
import { numberCell, readDate, readNumber, readTextCell, textCell } from './profiles/profile-values.ts';
import { readYesNo, valueOfWord, valuesOf } from './profiles/profile-words.ts';
import type { RowProblem, SourceRow } from './source-row.ts';

/* Profiles in the cells of a row. An empty cell means that the value is unknown. */

export interface Site {
  ownFields: readonly OwnField[];
  locations: readonly { id: string; name: string }[];
}

export const NO_SITE: Site = { ownFields: [], locations: [] };

/** The cells of a profile, in the order of the columns. */
export function profileCells(profile: Profile, columns: readonly string[]): readonly string[] {
  const { own = {}, ...fields } = profile;
  return columns.map((column) => {
    const key = ownKeyOf(column);
    return cellOf(key === undefined ? fields[column as keyof typeof fields] : own[key]);
  });
}

function cellOf(value: OwnValue | bigint | Profile['colours'] | Profile['bondedWith']): string {
  if (value === undefined) return '';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number' || typeof value === 'bigint') return numberCell(value);
  if (typeof value === 'string') return textCell(value);
  return listCell(value.map((entry) => (typeof entry === 'string' ? entry : String(entry.id))));
}

/** The values of the columns of a profile, by column; null for an empty cell. */
export function readProfileCells(
  cells: ReadonlyMap<string, string>,
  site: Site,
  problems: RowProblem[],
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [column, cell] of cells) {
    if (!isProfileColumn(column)) continue;
    const text = cell.trim();
    const read = text === '' ? null : readCell(column, text, site, problems);
    if (read === undefined) problems.push({ kind: 'invalid', column, message: ruleOf(column, site), value: text });
    else values[column] = read;
  }
  return values;
}

/** Undefined for a text that the column cannot have. */
function readCell(column: string, text: string, site: Site, problems: RowProblem[]): unknown {
  const own = site.ownFields.find(({ key }) => key === ownKeyOf(column));
  if (own !== undefined) return readOwnCell(own, text);
  switch (cellTypeOf(column)) {
    case 'yes-no':
      return readYesNo(text);
    case 'number':
      return readNumber(text);
    case 'date':
      return readDate(text);
    case 'word':
      return valueOfWord(column, text);
    case 'list':
      return readList(column, text, problems);
    case 'pets':
      return entriesOf(text).map((id) => ({ id }));
    case 'location':
      return findByName(site.locations, readTextCell(text), ({ id, name }) => [id, name])?.id;
    case 'text':
    default:
      return readTextCell(text);
  }
}

function readOwnCell({ type, choices = [] }: OwnField, text: string): unknown {
  if (type === 'yes-no-unknown') return readYesNo(text);
  if (type === 'number') return readNumber(text);
  if (type === 'date') return readDate(text);
  if (type === 'text') return readTextCell(text);
  return findByName(choices, readTextCell(text), choiceNames)?.value;
}

function choiceNames({ value, labelEn = value, labelDe = value }: OwnFieldChoice): readonly string[] {
  return [value, labelEn, labelDe];
}

/** The only entry with this name; the first of its names comes before the others. */
function findByName<T>(entries: readonly T[], text: string, namesOf: (entry: T) => readonly string[]): T | undefined {
  const exact = entries.find((entry) => namesOf(entry)[0] === text);
  const key = spellingKey(text);
  const similar = entries.filter((entry) => namesOf(entry).some((name) => spellingKey(name) === key));
  return exact ?? (similar.length === 1 ? similar[0] : undefined);
}

const OWN_TYPES: Readonly<Record<OwnField['type'], CellType>> = {
  text: 'text',
  number: 'number',
  date: 'date',
  'yes-no-unknown': 'yes-no',
  choice: 'word',
};

const RULES: Readonly<Record<CellType, string>> = {
  'yes-no': 'must be yes, no, or empty if it is unknown',
  number: 'must be a number, such as 12.5; a point or comma before three digits is ambiguous',
  date: 'must be a date that exists, such as 2026-11-26; 03/04/2026 is ambiguous',
  list: 'must be a list',
  pets: 'must be a list of the IDs of pets',
  word: 'must be one of',
  location: 'must be the id or the name of a location of the organisation',
  text: 'must be a text',
};

function ruleOf(column: string, site: Site): string {
  const field = site.ownFields.find(({ key }) => key === ownKeyOf(column));
  const type = field === undefined ? cellTypeOf(column) : OWN_TYPES[field.type];
  const words = field?.choices?.map(({ value }) => value) ?? valuesOf(column);
  return type === 'word' ? `${RULES.word} ${words.join(', ')}` : RULES[type];
}

/** The values of a profile in JSON, by column. Other fields are ignored. */
export function profileValues({ own, ...fields }: SourceRow['value']): Record<string, unknown> {
  const isObject = typeof own === 'object' && own !== null && !Array.isArray(own);
  const ofOwn = isObject ? Object.entries(own).map(([key, value]) => [ownColumn({ key }), value] as const) : [];
  return {
    ...Object.fromEntries(Object.entries(fields).filter(([name]) => isProfileColumn(name))),
    ...Object.fromEntries(ofOwn),
    ...(!isObject && own !== undefined && { own }),
  };
}

/** The profile of a row as a merge patch: null for fields without a value. Undefined if the row has none. */
export function profilePatchOf({
  fields,
  value,
}: Pick<SourceRow, 'fields' | 'value'>): Record<string, unknown> | undefined {
  const columns = [...fields].filter((field) => isProfileColumn(field) || field === 'own');
  if (columns.length === 0) return undefined;
  const valueOf = (column: string) => value[column] ?? null;
  const own = columns.flatMap((column) => {
    const key = ownKeyOf(column);
    return key === undefined ? [] : [[key, valueOf(column)] as const];
  });
  const plain = columns.filter((column) => ownKeyOf(column) === undefined);
  return {
    ...(own.length > 0 && { own: Object.fromEntries(own) }),
    ...Object.fromEntries(plain.map((column) => [column, valueOf(column)])),
  };
}

/** The profile of a new pet, without the fields that a patch deletes; undefined if nothing is left. */
export function newProfileOf({ own, ...patch }: SentProfile): SentProfile | undefined {
  const fields = Object.entries(patch).filter(([, value]) => value !== null);
  const ofOwn = Object.entries(own ?? {}).filter(([, value]) => value !== null);
  if (fields.length + ofOwn.length === 0) return undefined;
  return { ...Object.fromEntries(fields), ...(ofOwn.length > 0 && { own: Object.fromEntries(ofOwn) }) };
}

/** The column of a JSON Pointer into a profile. */
export function profileColumnOf(path: string): string {
  const [, field = '', key] = path.split('/');
  return field === 'own' && key !== undefined ? ownColumn({ key }) : field;
}
