import type { SentProfile } from '../api/records/profile.ts';
import type { OwnField, OwnFieldChoice } from '../domain/organisation/own-field.ts';
import { isPlainField, PROFILE_DEFINITIONS, SPECIES, type OwnValue, type Profile } from '../domain/pets/profile.ts';
import { entriesOf, listCell, readList, type ListKind } from './list-cells.ts';
import type { Conventions } from './profiles/conventions.ts';
import { birthDateOfAge } from './profiles/profile-ages.ts';
import { isOnlyMix, readBreeds } from './profiles/profile-breeds.ts';
import {
  columnTypeOf,
  isOtherWay,
  isProfileColumn,
  ownColumn,
  ownKeyOf,
  profileFieldOf,
  type CellType,
  type OtherWay,
} from './profiles/profile-columns.ts';
import { readDate, readRoughDate, type DateOrder } from './profiles/profile-dates.ts';
import { isHtml, textOfHtml } from './profiles/profile-html.ts';
import { numberCell, readAmount, readNumber, readWeight } from './profiles/profile-numbers.ts';
import { isRoundedCode, jsonString, readTextCell, textCell } from './profiles/profile-texts.ts';
import { findByName, readSex, readYesNo, valueOfWord, valuesOf } from './profiles/profile-words.ts';
import type { Site } from './profiles/site.ts';
import type { RowProblem, SourceRow } from './source-row.ts';

/* Profiles in the cells of a row. An empty cell means that the value is unknown. */

interface CellContext {
  site: Site;
  conventions: Conventions;
}

/** The cells of a profile, in the order of the columns. */
export function profileCells(profile: Profile, columns: readonly string[]): readonly string[] {
  const { own = {}, ...fields } = profile;
  return columns.map((column) => {
    const key = ownKeyOf(column);
    // A pet without a value is published. An import takes an empty cell for a draft, and a `yes` for no value.
    if (column === 'isPublished') return String(fields.isPublished ?? 'yes');
    return cellOf(column, key === undefined ? fields[column as keyof typeof fields] : own[key]);
  });
}

function cellOf(column: string, value: OwnValue | bigint | Profile['colours'] | Profile['bondedWith']): string {
  if (value === undefined) return '';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number' || typeof value === 'bigint') return numberCell(value);
  if (typeof value === 'string') return textCell(value, column);
  const entries = value.map((entry) => (typeof entry === 'string' ? entry : String(entry.id)));
  return listCell(entries, listKindOf(column));
}

function listKindOf(column: string): ListKind {
  if (column === 'colours') return 'colours';
  return column === 'videoUrls' ? 'urls' : 'names';
}

interface ProfileReading {
  /** By field; null for an empty cell. */
  values: Record<string, unknown>;
  onlyNew: ReadonlySet<string>;
}

/**
 * The values of the columns of a profile. Further fields follow from some cells: a `Neutered Male` is altered, and an
 * age is an estimated birth date.
 */
export function readProfileCells(
  cells: ReadonlyMap<string, string>,
  context: CellContext,
  problems: RowProblem[],
): ProfileReading {
  const values: Record<string, unknown> = {};
  const implied: Record<string, unknown> = {};
  const columns = [...cells.keys()].filter(isProfileColumn);
  for (const column of columns.filter((each) => !isOtherWay(each))) {
    const text = cells.get(column)?.trim() ?? '';
    const read = text === '' ? emptyCell(column) : readCell(column, text, context, problems);
    if (read === undefined) problems.push(unreadableCell(column, text, context.site));
    else values[column] = read.value;
    Object.assign(implied, read?.implied);
  }
  // What a column says itself comes first.
  for (const [field, value] of Object.entries(implied)) values[field] ??= value;
  if (context.conventions.isOfProgram) simplifyBreeds(values);
  const onlyNew = new Set<string>();
  for (const column of columns.filter(isOtherWay)) {
    const field = profileFieldOf(column);
    const text = cells.get(column)?.trim() ?? '';
    values[field] ??= null;
    if (text === '' || values[field] !== null) continue;
    const read = readOtherWay(column, text, { context, species: values['species'] });
    if (read === undefined) problems.push(unreadableCell(column, text, context.site));
    else Object.assign(values, { [field]: read.value }, read.implied);
    if (column === 'estimatedAge') for (const each of [field, 'birthDateIsEstimated']) onlyNew.add(each);
  }
  return { values, onlyNew };
}

/** Programs write a pure breed twice, and a mix of something unknown as a breed. */
function simplifyBreeds(values: Record<string, unknown>): void {
  const { breedPrimary, breedSecondary } = values;
  if (typeof breedSecondary !== 'string') return;
  if (isOnlyMix(breedSecondary)) values['breedIsMixed'] ??= true;
  else if (breedSecondary !== breedPrimary) return;
  values['breedSecondary'] = null;
}

/** An empty cell deletes the value, but does not publish a draft. */
function emptyCell(column: string): CellReading {
  return { value: column === 'isPublished' ? undefined : null };
}

function unreadableCell(column: string, text: string, site: Site): RowProblem {
  const kind = isRoundedCode(column, text) ? 'rounded' : 'invalid';
  return { kind, column, message: kind === 'rounded' ? ROUNDED : ruleOf(column, site), value: text };
}

interface CellReading {
  value: unknown;
  /** Further fields that follow from the cell. */
  implied?: Readonly<Record<string, unknown>> | undefined;
}

/** Null for a published pet; undefined if the cell does not say it. */
function readVisibility(text: string): CellReading | undefined {
  const isPublished = readYesNo(text, 'isPublished');
  if (isPublished === undefined) return undefined;
  return { value: isPublished === true && text !== 'true' ? null : (isPublished ?? undefined) };
}

/** Undefined for a text that the column cannot have. */
function readCell(
  column: string,
  text: string,
  { site, conventions }: CellContext,
  problems: RowProblem[],
): CellReading | undefined {
  const own = site.ownFields.find(({ key }) => key === ownKeyOf(column));
  const order = conventions.dateOrders.get(column);
  if (own !== undefined) return valueRead(readOwnCell(own, text, order));
  if (!isPlainField(column)) return { value: readTextCell(text) };
  switch (PROFILE_DEFINITIONS[column].type) {
    case 'yes-no':
      return column === 'isPublished' ? readVisibility(text) : valueRead(readYesNo(text, column));
    case 'number':
      return column === 'feeAmount' ? readFee(text) : readWeightCell(text, conventions);
    case 'date':
      return column === 'birthDate' ? readBirthDate(text, order) : valueRead(readDate(text, order));
    case 'word':
      return column === 'sex' ? readSexCell(text) : valueRead(valueOfWord(column, text));
    case 'list':
    case 'urls':
      return { value: readList(column, text, problems, listKindOf(column)) };
    case 'pets':
      return { value: entriesOf(text).map((id) => ({ id })) };
    case 'location':
      return valueRead(findByName(site.locations, readTextCell(text), ({ id, name }) => [id, name])?.id);
    case 'breed':
      return readBreedCell(column, text);
    case 'text':
      return { value: jsonString(text) ?? (isHtml(text) ? textOfHtml(text) : text) };
    case 'line':
    case 'currency':
    default:
      return isRoundedCode(column, text) ? undefined : { value: readTextCell(text) };
  }
}

function valueRead(value: unknown): CellReading | undefined {
  return value === undefined ? undefined : { value };
}

/** A column such as `No cats`, or an age. */
function readOtherWay(
  column: OtherWay,
  text: string,
  { context, species }: { context: CellContext; species: unknown },
): CellReading | undefined {
  if (column !== 'estimatedAge') {
    const isNot = readYesNo(text);
    return isNot === undefined ? undefined : { value: isNot === null ? null : !isNot };
  }
  const known = SPECIES.find((each) => each === species);
  const birthDate = birthDateOfAge(text, { species: known, isInMonths: context.conventions.areAgesInMonths });
  return birthDate === undefined ? undefined : { value: birthDate, implied: { birthDateIsEstimated: true } };
}

/** A birth date, or one that is only known roughly. */
function readBirthDate(text: string, order: DateOrder | undefined): CellReading | undefined {
  const exact = readDate(text, order);
  if (exact !== undefined) return { value: exact };
  const rough = readRoughDate(text, order);
  return rough === undefined ? undefined : { value: rough, implied: { birthDateIsEstimated: true } };
}

function readWeightCell(text: string, { weightUnit, isOfProgram }: Conventions): CellReading | undefined {
  if (isOfProgram && readNumber(text) === 0) return { value: null };
  return valueRead(readWeight(text, weightUnit));
}

function readFee(text: string): CellReading | undefined {
  const { amount, currency } = readAmount(text) ?? {};
  return amount === undefined
    ? undefined
    : { value: amount, implied: currency === undefined ? undefined : { feeCurrency: currency } };
}

function readSexCell(text: string): CellReading | undefined {
  const { sex, isAltered } = readSex(text) ?? {};
  return sex === undefined ? undefined : { value: sex, implied: isAltered === undefined ? undefined : { isAltered } };
}

function readBreedCell(column: string, text: string): CellReading {
  const exact = jsonString(text);
  if (exact !== undefined || column === 'breedSecondary') return { value: exact ?? readBreeds(text).primary };
  const { primary, secondary, isMixed } = readBreeds(text);
  return {
    value: primary,
    implied: { ...(secondary && { breedSecondary: secondary }), ...(isMixed && { breedIsMixed: true }) },
  };
}

function readOwnCell({ type, choices = [] }: OwnField, text: string, order: DateOrder | undefined): unknown {
  if (type === 'yes-no-unknown') return readYesNo(text);
  if (type === 'number') return readNumber(text);
  if (type === 'date') return readDate(text, order);
  if (type === 'text') return readTextCell(text);
  return findByName(choices, readTextCell(text), choiceNames)?.value;
}

function choiceNames({ value, labelEn = value, labelDe = value }: OwnFieldChoice): readonly string[] {
  return [value, labelEn, labelDe];
}

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

/** Rules of single columns. */
const COLUMN_RULES: Readonly<Record<string, string>> = {
  weightKg: 'must be a weight such as 12.5 kg; a point or comma before three digits is ambiguous',
  feeAmount: 'must be an amount such as 150.00',
  estimatedAge: 'must be an age such as 2 years 6 months',
};

const ROUNDED =
  'has lost digits in a spreadsheet: format the column as text there, enter the number again, and save the file';

function ruleOf(column: string, site: Site): string {
  const field = site.ownFields.find(({ key }) => key === ownKeyOf(column));
  const type = columnTypeOf(column, site.ownFields);
  const words = field?.choices?.map(({ value }) => value) ?? valuesOf(column);
  const rule = COLUMN_RULES[column];
  if (rule !== undefined) return rule;
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
