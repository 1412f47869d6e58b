import type { Pet } from '../api/records/pet.ts';
import type { ExportedPet } from '../api/records/profile.ts';
import { canonicalText, spellingKey } from '../domain/text.ts';
import { isOfCell, type RowProblem, type SourceRow } from './source-row.ts';
import { UnusableFile } from './unusable-file.ts';

/**
 * The columns by which a row is matched to a stored pet: its ID, here or in another system, or its name, alone or with
 * its category.
 */
export const MATCHES = ['id', 'externalId', 'name', 'name,category', 'none'] as const;

export type Match = (typeof MATCHES)[number];

/** A few pets have the same name by chance: many dogs are called Luna. */
const RENAMES_PER_SAME_NAME = 9;

/** The pets that a key belongs to. */
interface Target {
  /** The first row with this key. */
  row: number;
  /** The name in this row. */
  name: unknown;
  /** At most two stored pets; a second one makes the key ambiguous. */
  ids: bigint[];
}

/** How a row is imported: as a new pet, as a change of an existing one, or not, as an earlier row says all of it. */
type Matched =
  { id: bigint | undefined; morePhotos: readonly unknown[] } | { problem: RowProblem } | { isRepeated: true };

type Keys = Partial<Pick<Pet, 'id' | 'name' | 'category'>> & { externalId?: unknown };

/**
 * Matches the rows of a file to the stored pets, and to each other. It holds the keys of the file and the rows whose
 * keys are repeated, but neither the other rows nor the pets.
 */
export class PetMatching {
  #match: Match | undefined;
  readonly #targets = new Map<string, Target>();
  /** The first row of each ID in another system, which is never that of two pets. */
  readonly #externalIds = new Map<string, number>();
  /** The rows whose keys later rows repeat, and their values when they are known. */
  readonly #repeated = new Map<number, SourceRow['value'] | undefined>();
  /** The rows with photos that repeat the key of an earlier row, by the number of that one. */
  readonly #photoRows = new Map<number, SourceRow[]>();
  /** The last row with a key that only rows without a key and without new values followed. */
  #previous: SourceRow | undefined;
  #keylessRows = 0;
  /** How many matched pets have the name of their row, and how many have another one. */
  #names = { same: 0, other: 0 };

  /** @param match by default by ID, here or in another system, if the file has one */
  constructor(match: Match | undefined) {
    this.#match = match;
  }

  /** After the first row. */
  get match(): Match {
    return this.#match ?? 'id';
  }

  /**
   * The number of matched pets whose names would change, if that is nearly all of them: the IDs are then probably
   * those of other animals. Otherwise 0.
   */
  get renames(): number {
    const { same, other } = this.#names;
    return same * RENAMES_PER_SAME_NAME < other ? other : 0;
  }

  /** Rows without a key, which become new pets each time. */
  get keylessRows(): number {
    return this.#keylessRows;
  }

  /** Whether the stored pets have to be read. */
  get needsPets(): boolean {
    return this.#targets.size > 0;
  }

  /** @throws UnusableFile if the file has no column to match by */
  addRow(row: SourceRow): void {
    const { number, fields, value, problems, leftOut } = row;
    this.#match ??= !fields.has('id') && fields.has('externalId') ? 'externalId' : 'id';
    for (const field of this.#match === 'none' ? [] : this.#match.split(','))
      if (!fields.has(field)) throw noMatchColumn(field);
    if (leftOut === 'header') return;
    const first = this.#firstRowOf(value);
    if (first !== undefined) {
      this.#repeated.set(first.row, undefined);
      if (!isMissing(value['photoUrls']))
        this.#photoRows.set(first.row, [...(this.#photoRows.get(first.row) ?? []), row]);
    }
    const [key, externalId] = [this.#keyOf(value), externalIdOf(value)];
    const isFollowing = this.#follows(row, key ?? externalId);
    // A row that cannot be stored claims its key as well. Otherwise, a later row with fewer values would empty the pet.
    if (key === undefined) this.#keylessRows += problems.length === 0 && leftOut === undefined && !isFollowing ? 1 : 0;
    else if (!this.#targets.has(key))
      this.#targets.set(key, { row: number, name: leftOut === undefined && value['name'], ids: [] });
    if (externalId !== undefined && !this.#externalIds.has(externalId)) this.#externalIds.set(externalId, number);
  }

  addPet(pet: ExportedPet): void {
    const target = this.#targets.get(this.#keyOf({ ...pet, externalId: pet.profile?.externalId }) ?? '');
    if (target === undefined || target.ids.length === 2) return;
    target.ids.push(pet.id);
    if (typeof target.name !== 'string' || target.name === '') return;
    if (spellingKey(target.name) === spellingKey(pet.name)) this.#names.same++;
    else this.#names.other++;
  }

  /** The rows are in their order. */
  find(row: SourceRow): Matched {
    const { number, value } = row;
    const first = this.#firstRowOf(value);
    if (this.#follows(row, first)) return { isRepeated: true };
    if (first === undefined || first.row === number) {
      if (this.#repeated.has(number)) this.#repeated.set(number, value);
      return this.#pet(value, this.#morePhotos(row));
    }
    const before = this.#repeated.get(first.row);
    // Programs write further rows for the vaccinations, tests or photos of a pet.
    if (before !== undefined && hasOnlyPhotos(row, before)) return { isRepeated: true };
    return { problem: { kind: 'repeated', column: first.column, message: `is the same as in row ${first.row}` } };
  }

  /** Whether a row without a key says nothing but what the row with a key above it says. */
  #follows(row: SourceRow, key: unknown): boolean {
    const previous = this.#previous;
    if (key === undefined && previous !== undefined && previous.number < row.number)
      if (hasNothingNew(row, previous.value)) return true;
    this.#previous = key === undefined ? undefined : row;
    return false;
  }

  /** The photos of rows that repeat this one, and have nothing else that is new. */
  #morePhotos({ number, value }: SourceRow): readonly unknown[] {
    const rows = this.#photoRows.get(number) ?? [];
    return rows.filter((row) => hasOnlyPhotos(row, value)).flatMap((row) => listOf(row.value['photoUrls']));
  }

  #pet(value: Keys, morePhotos: readonly unknown[]): Matched {
    const [id, other] = this.#targets.get(this.#keyOf(value) ?? '')?.ids ?? [];
    if (other === undefined) return { id, morePhotos };
    const message = `belongs to several pets (IDs ${id}, ${other}): match by ID`;
    return { problem: { kind: 'ambiguous', column: this.#column, message } };
  }

  /** The first row with a key of this one, and the column of that key. Undefined for a row without a key. */
  #firstRowOf(value: Keys): { row: number; column: string } | undefined {
    const rows = [
      { row: this.#targets.get(this.#keyOf(value) ?? '')?.row, column: this.#column },
      { row: this.#externalIds.get(externalIdOf(value) ?? ''), column: 'externalId' },
    ];
    const known = rows.flatMap(({ row, column }) => (row === undefined ? [] : [{ row, column }]));
    return known.toSorted((a, b) => a.row - b.row)[0];
  }

  get #column(): string {
    return this.match.split(',')[0] ?? '';
  }

  /** Undefined if the pet has no value to match by. */
  #keyOf({ id, name, category, externalId }: Keys): string | undefined {
    if (this.#match === 'none') return undefined;
    if (this.#match === 'externalId') return externalIdOf({ externalId });
    if (this.#match === 'id') return isAssignable(id) ? String(BigInt(String(id))) : undefined;
    if (typeof name !== 'string' || name.trim() === '') return undefined;
    const categoryName: unknown = category?.name;
    const key = canonicalText(name);
    if (this.#match === 'name') return key;
    return JSON.stringify([key, typeof categoryName === 'string' ? canonicalText(categoryName) : null]);
  }
}

function externalIdOf({ externalId }: Keys): string | undefined {
  return typeof externalId === 'string' ? canonicalText(externalId) : undefined;
}

/** Whether each value of the row is missing, or that of an earlier row. */
function hasNothingNew({ fields, value, problems }: SourceRow, before: SourceRow['value']): boolean {
  const isNew = (field: string) => !isMissing(value[field]) && !isDeepEqual(value[field], before[field]);
  return problems.every(isOfCell) && ![...fields].some(isNew);
}

/** Whether nothing in the row is new but photos, which are added to those of the earlier row. */
function hasOnlyPhotos({ fields, ...row }: SourceRow, before: SourceRow['value']): boolean {
  const others = [...fields].filter((field) => field !== 'photoUrls');
  return hasNothingNew({ ...row, fields: new Set(others) }, before);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

/** Values of a file are JSON. */
function isDeepEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/**
 * IDs in a file may be digits, and are not yet checked. For zero and negative IDs, as for none, the service assigns
 * one.
 */
function isAssignable(id: unknown): boolean {
  return /^\d{1,19}$/.test(String(id)) && BigInt(String(id)) > 0n;
}

function noMatchColumn(column: string): UnusableFile {
  const message =
    column === 'id'
      ? 'The file has no column id. Match its rows to pets by name (--match name), or add each as a new pet (--match none).'
      : `The file has no column ${column}, by which rows are matched to pets.`;
  return new UnusableFile(message, 'no-match-column', column);
}
