import type { Pet } from '../api/records/pet.ts';
import { jsonText } from '../api/records/record-text.ts';
import { canonicalText } from '../domain/text.ts';
import { labelKey, type RowContent, type Table } from './columns.ts';
import { entriesOf, isPlainList, isPlainText, listCell, readJsonCell, readList, SEPARATOR } from './list-cells.ts';
import { profileCells, profileColumnOf, profileValues, readProfileCells } from './profile-cells.ts';
import { NO_SITE, type Site } from './profiles/site.ts';
import {
  exportedColumns,
  isListColumn,
  OTHER_COLUMNS,
  columnTypeOf,
  profileAliases,
  profileFieldOf,
} from './profiles/profile-columns.ts';
import type { ExportedPet, Profile } from '../api/records/profile.ts';
import type { Organisation } from '../domain/organisation/organisation.ts';
import { answersOfCountry } from './profiles/conventions.ts';
import { weightIn } from './profiles/profile-numbers.ts';
import { csvText, type Delimiter } from './csv.ts';
import { writtenColumns, type Program } from './programs/program.ts';
import { PROGRAMS, WRITTEN_PROGRAMS, type WrittenFor } from './programs/programs.ts';
import { readStatus } from './profiles/statuses.ts';
import type { LeftOut } from './profiles/left-out.ts';
import type { RowProblem, SourceRow } from './source-row.ts';

/*
 * Pets as rows. A cell has plain text where that is exact. Other values, such as a tag whose name contains the
 * separator, are JSON.
 */

export const PET_COLUMNS = ['id', 'name', 'category', 'categoryId', 'tags', 'tagIds', 'status', 'photoUrls'] as const;

type PetColumn = (typeof PET_COLUMNS)[number];

const LISTS: readonly string[] = ['tags', 'photoUrls'] satisfies readonly PetColumn[];

const FIELDS: Readonly<Record<string, string>> = { categoryId: 'category', tagIds: 'tags' };

const ALIASES: Readonly<Record<PetColumn, readonly string[]>> = {
  // `Animal ID` is that of another system.
  id: [],
  name: ['rufname'],
  category: ['art', 'categoryname', 'gattung', 'kategorie', 'kategoriename', 'kind', 'type'],
  categoryId: ['categorynumber', 'kategorieid', 'kategorienummer'],
  tags: ['etiketten', 'keywords', 'label', 'labels', 'merkmale', 'schlagworte', 'schlagworter', 'stichworte', 'tag'],
  tagIds: ['tagid'],
  status: ['adoptionstatus', 'availability', 'state', 'verfugbarkeit', 'vermittlung', 'vermittlungsstatus', 'zustand'],
  // Those for pictures in both languages.
  photoUrls:
    'bild bilder foto fotos fotourl fotourls image images imageurl imageurls photo photos photourl picture pictures'.split(
      ' ',
    ),
};

/** The columns of pets and their profiles. @param site what the organisation defines */
export function petTable(site: Site): Table {
  const ofProfile = exportedColumns(site.ownFields, true);
  return {
    columns: [...PET_COLUMNS, ...ofProfile, ...OTHER_COLUMNS],
    // A `Tierart` is a species; beside a column with the species, it is a category.
    aliases: { ...profileAliases(site.ownFields, labelKey), ...ALIASES },
    fieldOf: petFieldOf,
    programs: PROGRAMS,
    isList: (column) => LISTS.includes(column) || isListColumn(column),
    typeOf: (column) => columnTypeOf(column, site.ownFields),
    readCells: (cells, conventions) => {
      const { value, problems, leftOut } = readPetCells(cells);
      const { values, onlyNew } = readProfileCells(cells, { site, conventions }, problems);
      return { value: { ...value, ...values }, fields: new Set(Object.keys(values)), onlyNew, problems, leftOut };
    },
    readObject: (value) => readPetObject(value, ofProfile),
  };
}

/** Without the fields and locations of an organisation. */
export const PET_TABLE = petTable(NO_SITE);

/** A JSON object is a whole pet. Its profile is whole, too, if it has one. */
function readPetObject(sent: SourceRow['value'], ofProfile: readonly string[]): RowContent {
  const { profile, ...all } = sent;
  const fields = new Set(PET_COLUMNS.map(petFieldOf));
  const ofPet = Object.fromEntries(Object.entries(all).filter(([name]) => fields.has(name)));
  const value = typeof all['status'] === 'string' ? withStatus(ofPet, all['status']) : ofPet;
  if (profile === undefined || profile === null) return { value, fields, problems: [] };
  if (typeof profile !== 'object' || Array.isArray(profile))
    return { value, fields, problems: [{ kind: 'not-json', message: 'The profile is not a JSON object.' }] };
  const values = profileValues(profile as SourceRow['value']);
  return {
    // A whole profile that does not say so is not that of a draft.
    value: { ...value, isPublished: null, ...values },
    fields: new Set([...fields, ...ofProfile, ...Object.keys(values)]),
    problems: [],
  };
}

function petFieldOf(column: string): string {
  return FIELDS[column] ?? profileFieldOf(column);
}

/** The column of a JSON Pointer into a pet, or into its profile. */
export function petColumnOf(path: string): string {
  const [, field = '', ...rest] = path.split('/');
  const isId = rest.at(-1) === 'id';
  if (field === 'category' && isId) return 'categoryId';
  return field === 'tags' && isId ? 'tagIds' : profileColumnOf(path);
}

/** The cells of a pet, in the order of `PET_COLUMNS`. */
export function petCells({ id, name, category, tags, status, photoUrls }: Pet): readonly string[] {
  const cells: Record<PetColumn, string> = {
    id: String(id),
    name,
    ...categoryCells(category),
    ...tagCells(tags),
    status: status ?? '',
    photoUrls: listCell(photoUrls, 'urls'),
  };
  return PET_COLUMNS.map((column) => cells[column]);
}

interface CsvForm {
  /** The columns of profiles. */
  columns: readonly string[];
  delimiter?: Delimiter | undefined;
  /** The program that imports the table; its columns replace ours. */
  writtenFor?: WrittenFor | undefined;
  /** The organisation, whose locations such a program knows by their names, and whose country decides its units. */
  organisation?: WrittenOrganisation | undefined;
}

type WrittenOrganisation = Pick<Organisation, 'locations' | 'country'>;

/** Pets as CSV: the row with the column names, and the rows of pets. */
export function petCsv({ columns, delimiter, writtenFor, organisation = {} }: CsvForm): {
  header: string;
  textOf: (pets: readonly ExportedPet[]) => string;
} {
  const known = [...PET_COLUMNS, ...columns];
  const cellsOf = (pet: ExportedPet) => {
    const cells = [...petCells(pet), ...profileCells(pet.profile ?? {}, columns)];
    return delimiter === 'semicolon' ? cells.map((cell, index) => inGerman(cell, known[index] ?? '')) : cells;
  };
  if (writtenFor === undefined)
    return {
      header: csvText([known], delimiter),
      textOf: (pets) => csvText(pets.map(cellsOf), delimiter),
    };
  const program = WRITTEN_PROGRAMS[writtenFor];
  const written = writtenColumns(program).filter(([, column]) => known.includes(column));
  const rowOf = (pet: ExportedPet) => {
    const cells = cellsOf({ ...pet, profile: writtenProfile(pet.profile ?? {}, organisation) });
    return written.map(([, column]) => wordFor(program, column, cells[known.indexOf(column)] ?? ''));
  };
  return {
    header: csvText([written.map(([name]) => name)], delimiter),
    // An adopted pet would be one of the shelter there.
    textOf: (pets) => csvText(pets.filter(({ status }) => status !== 'sold').map(rowOf), delimiter),
  };
}

/** Excel in German takes 4.5 for the fourth of May. */
function inGerman(cell: string, column: string): string {
  return PET_TABLE.typeOf(column) === 'number' ? cell.replace('.', ',') : cell;
}

/** With the name of its location, and its weight in the unit of the country, which other programs use. */
function writtenProfile(
  { location, weightKg, ...profile }: Profile,
  { locations = [], country }: WrittenOrganisation,
): Profile {
  const { name = location } = locations.find(({ id }) => id === location) ?? {};
  const { weights = 'kg' } = answersOfCountry(country);
  return {
    ...profile,
    ...(name !== undefined && { location: name }),
    ...(weightKg !== undefined && { weightKg: weightIn(weights, weightKg) }),
  };
}

/** A cell in the words of another program, which has one photo of a pet. */
function wordFor({ written }: Program, column: string, cell: string): string {
  if (column === 'photoUrls') return entriesOf(cell, 'urls')[0] ?? '';
  if (column === 'colours') return entriesOf(cell, 'colours').join(written?.between);
  return written?.words[column]?.[cell] ?? cell;
}

function categoryCells(category: Pet['category']): Record<'category' | 'categoryId', string> {
  if (category === undefined) return { category: '', categoryId: '' };
  const { id, name } = category;
  const isPlain = name === undefined ? id !== undefined : isPlainText(name, '{');
  if (!isPlain) return { category: jsonText(category), categoryId: '' };
  return { category: name ?? '', categoryId: id === undefined ? '' : String(id) };
}

function tagCells(tags: Pet['tags']): Record<'tags' | 'tagIds', string> {
  const names = tags.map(({ name = '' }) => name);
  if (!isPlainList(names)) return { tags: jsonText(tags), tagIds: '' };
  const ids = tags.map(({ id }) => (id === undefined ? '' : String(id)));
  return { tags: names.join(SEPARATOR), tagIds: ids.every((id) => id === '') ? '' : ids.join(SEPARATOR) };
}

/** Reads the fields of a pet. An empty cell means that the pet does not have the field. */
function readPetCells(cells: ReadonlyMap<string, string>): {
  value: Record<string, unknown>;
  problems: RowProblem[];
  leftOut: LeftOut | undefined;
} {
  const problems: RowProblem[] = [];
  const trimmed = (column: PetColumn) => cells.get(column)?.trim() ?? '';
  const value: Record<string, unknown> = {};
  if (trimmed('id') !== '') value['id'] = trimmed('id');
  if (cells.has('name')) value['name'] = canonicalText(cells.get('name') ?? '');
  value['category'] = readCategory(trimmed('category'), trimmed('categoryId'), problems);
  value['tags'] = readTags(trimmed('tags'), trimmed('tagIds'), problems);
  value['photoUrls'] = readList('photoUrls', trimmed('photoUrls'), problems, 'urls');
  return { value: withStatus(value, trimmed('status')), problems, leftOut: readStatus(trimmed('status')).leftOut };
}

/** An unknown word stays, so that it is reported. */
function withStatus(value: Readonly<Record<string, unknown>>, word: string): Record<string, unknown> {
  const { status } = readStatus(word);
  const read: Record<string, unknown> = { ...value, status };
  if (status === '') delete read['status'];
  return read;
}

function readCategory(name: string, id: string, problems: RowProblem[]): unknown {
  if (name.startsWith('{')) return readJsonCell('category', name, problems);
  if (name === '' && id === '') return undefined;
  return { ...(id !== '' && { id }), ...(name !== '' && { name }) };
}

function readTags(names: string, ids: string, problems: RowProblem[]): unknown {
  const tags = readList('tags', names, problems);
  if (ids === '' || !Array.isArray(tags)) return tags;
  const each = ids.split(SEPARATOR).map((id) => id.trim());
  if (each.length !== tags.length) {
    problems.push({ kind: 'invalid', column: 'tagIds', message: 'must have an entry for each tag' });
    return tags;
  }
  return tags.map((name: unknown, index) => (each[index] === '' ? name : { id: each[index], name }));
}
