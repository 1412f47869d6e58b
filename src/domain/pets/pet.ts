import { parseExactJson } from '../int64.ts';
import { digestOfOwnPhoto, pathOfOwnPhoto } from '../photos/photo.ts';

export const PET_STATUSES = ['available', 'pending', 'sold'] as const;

export type PetStatus = (typeof PET_STATUSES)[number];

/** A category or a tag: Petstore has both as an id and a name, each optional. */
export interface Label {
  id?: bigint;
  name?: string;
}

/** A pet without its id. Absent stays absent; the lists are always there. A picture of ours is written as in photo.ts. */
export interface PetDetails {
  category?: Label;
  name: string;
  photoUrls: readonly string[];
  tags: readonly Label[];
  status?: PetStatus;
}

export interface Pet extends PetDetails {
  id: bigint;
}

/** A pet as it lies in a store: the JSON text that the wire carries, and its version (the ETag of HTTP). */
export interface StoredPet {
  id: bigint;
  version: bigint;
  text: string;
}

/** What a store writes for a pet: its text but for the id (which the store may have to assign), and what it is found by. */
export interface PetRecord {
  textAfterId: string;
  name: string;
  categoryName: string | null;
  status: PetStatus | null;
  tagNames: readonly string[];
  photoDigests: readonly string[];
}

/** The most that a pet may hold; told to clients by the schemas. */
export const PET_LIMITS = { nameLength: 255, photoUrls: 100, photoUrlLength: 2048, tags: 100, tagLength: 255 } as const;

/** What begins the path of a picture of ours in a stored text. */
const OWN_MARK = '"\\/';

/**
 * Prepares a pet for a store, once, so that reads neither parse nor serialize.
 *
 * A picture of ours is written as `"\/v2/photo/..."`. That is valid JSON, yet `JSON.stringify` never writes `\/`: so the
 * two characters after the quote mark, beyond doubt, the places where an answer puts the address that its client can reach.
 */
export function recordOf(pet: PetDetails): PetRecord {
  const photoDigests = pet.photoUrls.map(digestOfOwnPhoto).filter((digest) => digest !== undefined);
  return {
    textAfterId: textAfterId(pet),
    name: pet.name,
    categoryName: pet.category?.name ?? null,
    status: pet.status ?? null,
    tagNames: tagNamesOf(pet),
    photoDigests: distinct(photoDigests),
  };
}

/** Written out: a list of fields to be joined would take three times as long, and every new pet passes here. */
function textAfterId(pet: PetDetails): string {
  const category = pet.category === undefined ? '' : `,"category":${labelText(pet.category)}`;
  const status = pet.status === undefined ? '' : `,"status":${statusText(pet.status)}`;
  return `${category},"name":${JSON.stringify(pet.name)},"photoUrls":${listText(pet.photoUrls, photoUrlText)},"tags":${listText(pet.tags, labelText)}${status}}`;
}

export type PetField = keyof PetDetails;

/** The fields of a pet that are there, in the order that they have in its text, each as its JSON. */
export function petFields(pet: PetDetails): readonly (readonly [name: PetField, text: string])[] {
  const fields: [PetField, string][] = [];
  if (pet.category !== undefined) fields.push(['category', labelText(pet.category)]);
  fields.push(['name', JSON.stringify(pet.name)]);
  fields.push(['photoUrls', listText(pet.photoUrls, photoUrlText)]);
  fields.push(['tags', listText(pet.tags, labelText)]);
  if (pet.status !== undefined) fields.push(['status', statusText(pet.status)]);
  return fields;
}

/** The different names among the tags of a pet: what it is found by. */
export function tagNamesOf({ tags }: Pick<PetDetails, 'tags'>): readonly string[] {
  return distinct(tags.map(({ name }) => name).filter((name) => name !== undefined));
}

/** The whole text of a pet; it begins with its id. */
export function petText(id: bigint, record: PetRecord): string {
  return `{"id":${id}${record.textAfterId}`;
}

/** Puts the address of the service before the pictures of ours in one or many pets' texts, and leaves all else alone. */
export function withPhotoOrigin(text: string, origin: string): string {
  return text.includes(OWN_MARK) ? text.replaceAll(OWN_MARK, () => `"${origin}/`) : text;
}

/** What the text of a pet that is sold ends with, and of no other: the status is the last field, and a list stands before it. */
export const SOLD_END = ',"status":"sold"}';

/** Is it sold, by its stored text? Not where there is none. */
export function isSold(text: string | null | undefined): boolean {
  return text?.endsWith(SOLD_END) ?? false;
}

/** What stands in the text of a pet between its category and name, and its lists. No string can hold it: in one, the quotes would be escaped. */
export const LISTS_BEGIN = ',"photoUrls":[';

const STATUS_AT_END = /,"status":"\w+"\}$/;

/** The status of a pet, where it has one, is within so many characters of the end of its text. */
export const STATUS_END_LENGTH = ',"status":"available"}'.length;

/**
 * The text of a pet without its pictures and tags, which are all that can be long in it.
 *
 * @param head of the text, as far as `LISTS_BEGIN`
 * @param end of the text, `STATUS_END_LENGTH` characters at least
 */
export function textWithoutLists(head: string, end: string): string {
  return `${head}${STATUS_AT_END.exec(end)?.[0] ?? '}'}`;
}

/** No string can look like it: in one, the quotes would be escaped. */
const FIRST_OWN_PHOTO = /"photoUrls":\["\\\/v2\/photo\/([0-9a-f]{64})/;

/** The digest of the first picture in a stored text, if it is one of ours; found without parsing, for pages of many. */
export function coverDigestIn(text: string): string | undefined {
  return FIRST_OWN_PHOTO.exec(text)?.[1];
}

/** Reads a stored text back. The text is trusted: it was checked before it was stored. */
export function readPetText(text: string): Pet {
  // Back from the mark of the text to the mark of the domain; see photo.ts.
  const raw = parseExactJson(text.includes(OWN_MARK) ? text.replaceAll(OWN_MARK, '"\\u0000/') : text) as RawPet;
  return {
    id: BigInt(raw.id),
    ...(raw.category !== undefined && { category: readLabel(raw.category) }),
    name: raw.name,
    photoUrls: raw.photoUrls,
    tags: raw.tags.map(readLabel),
    ...(raw.status !== undefined && { status: raw.status }),
  };
}

interface RawLabel {
  id?: number | string;
  name?: string;
}

interface RawPet {
  id: number | string;
  category?: RawLabel;
  name: string;
  photoUrls: string[];
  tags: RawLabel[];
  status?: PetStatus;
}

function readLabel({ id, name }: RawLabel): Label {
  return { ...(id !== undefined && { id: BigInt(id) }), ...(name !== undefined && { name }) };
}

function labelText({ id, name }: Label): string {
  if (id === undefined) return name === undefined ? '{}' : `{"name":${JSON.stringify(name)}}`;
  return name === undefined ? `{"id":${id}}` : `{"id":${id},"name":${JSON.stringify(name)}}`;
}

function photoUrlText(url: string): string {
  const path = pathOfOwnPhoto(url);
  return path === undefined ? JSON.stringify(url) : `"\\${path}"`;
}

function statusText(status: PetStatus): string {
  return `"${status}"`;
}

function listText<T>(items: readonly T[], textOf: (item: T) => string): string {
  let text = '';
  for (const item of items) text += text === '' ? textOf(item) : `,${textOf(item)}`;
  return `[${text}]`;
}

function distinct(names: readonly string[]): readonly string[] {
  return names.length < 2 ? names : [...new Set(names)];
}
