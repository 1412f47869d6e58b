import type { Pet } from '../api/records/pet.ts';
import { jsonText } from '../api/records/record-text.ts';
import { canonicalText, spellingKey } from '../domain/text.ts';
import { labelKey, type Table } from './columns.ts';
import { isPlainList, isPlainText, listCell, readJsonCell, readList, SEPARATOR } from './list-cells.ts';
import { NO_SITE, profileColumnOf, profileValues, readProfileCells, type Site } from './profile-cells.ts';
import { exportedColumns, profileAliases } from './profiles/profile-columns.ts';
import type { RowProblem, SourceRow } from './source-row.ts';
import type { PetStatus } from '../domain/pets/pet.ts';

/*
 * Pets as rows. A cell has plain text where that is exact. Other values, such as a tag whose name contains the
 * separator, are JSON.
 */

export const PET_COLUMNS = ['id', 'name', 'category', 'categoryId', 'tags', 'tagIds', 'status', 'photoUrls'] as const;

type PetColumn = (typeof PET_COLUMNS)[number];

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
    columns: [...PET_COLUMNS, ...ofProfile],
    aliases: { ...ALIASES, ...profileAliases(site.ownFields, labelKey) },
    fieldOf: petFieldOf,
    readCells: (cells) => {
      const { value, problems } = readPetCells(cells);
      return { value: { ...value, ...readProfileCells(cells, site, problems) }, problems };
    },
    readObject: (value) => readPetObject(value, ofProfile),
  };
}

/** Without the fields and locations of an organisation. */
export const PET_TABLE = petTable(NO_SITE);

/** A JSON object is a whole pet. Its profile is whole, too, if it has one. */
function readPetObject(
  sent: SourceRow['value'],
  ofProfile: readonly string[],
): Pick<SourceRow, 'value' | 'problems' | 'fields'> {
  const { profile, ...all } = sent;
  const fields = new Set(PET_COLUMNS.map(petFieldOf));
  const ofPet = Object.fromEntries(Object.entries(all).filter(([name]) => fields.has(name)));
  const value = typeof all['status'] === 'string' ? withStatus(ofPet, all['status']) : ofPet;
  if (profile === undefined || profile === null) return { value, fields, problems: [] };
  if (typeof profile !== 'object' || Array.isArray(profile))
    return { value, fields, problems: [{ kind: 'not-json', message: 'The profile is not a JSON object.' }] };
  const values = profileValues(profile as SourceRow['value']);
  return {
    value: { ...value, ...values },
    fields: new Set([...fields, ...ofProfile, ...Object.keys(values)]),
    problems: [],
  };
}

function petFieldOf(column: string): string {
  return FIELDS[column] ?? column;
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
    photoUrls: listCell(photoUrls),
  };
  return PET_COLUMNS.map((column) => cells[column]);
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
} {
  const problems: RowProblem[] = [];
  const trimmed = (column: PetColumn) => cells.get(column)?.trim() ?? '';
  const value: Record<string, unknown> = {};
  if (trimmed('id') !== '') value['id'] = trimmed('id');
  if (cells.has('name')) value['name'] = canonicalText(cells.get('name') ?? '');
  value['category'] = readCategory(trimmed('category'), trimmed('categoryId'), problems);
  value['tags'] = readTags(trimmed('tags'), trimmed('tagIds'), problems);
  value['photoUrls'] = readList('photoUrls', trimmed('photoUrls'), problems);
  return { value: withStatus(value, trimmed('status')), problems };
}

/** An unknown word stays, so that it is reported. */
function withStatus(value: Readonly<Record<string, unknown>>, word: string): Record<string, unknown> {
  const status = statusOf(word);
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

/** The words for each status in the API and on pages, in English and German. */
const WORDS: Readonly<Record<PetStatus | '', readonly string[]>> = {
  available: ['available', 'looking for a home', 'zu vermitteln', 'sucht ein zuhause', 'verfügbar'],
  pending: ['pending', 'adoption in progress', 'reserved', 'reserviert', 'vermittlung läuft'],
  sold: ['sold', 'adopted', 'living in a new home', 'vermittelt', 'hat ein neues zuhause', 'verkauft'],
  '': ['no status', 'no status set', 'kein status', 'kein status festgelegt'],
};

const STATUSES: ReadonlyMap<string, string> = new Map(
  Object.entries(WORDS).flatMap(([status, words]) => words.map((word) => [word, status])),
);

/** The status that a word means, in any case; empty for none. An unknown word is returned unchanged. */
export function statusOf(word: string): string {
  return STATUSES.get(spellingKey(word)) ?? word;
}
