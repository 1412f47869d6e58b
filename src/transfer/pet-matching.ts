import type { Pet } from '../api/records/pet.ts';
import type { ExportedPet } from '../api/records/profile.ts';
import { canonicalText } from '../domain/text.ts';
import type { RowProblem, SourceRow } from './source-row.ts';
import { UnusableFile } from './unusable-file.ts';

/**
 * The columns by which a row is matched to a stored pet: its ID, here or in another system, or its name, alone or with
 * its category.
 */
export const MATCHES = ['id', 'externalId', 'name', 'name,category', 'none'] as const;

export type Match = (typeof MATCHES)[number];

/** The pets that a key belongs to. */
interface Target {
  /** The first row with this key. */
  row: number;
  /** At most two stored pets; a second one makes the key ambiguous. */
  ids: bigint[];
}

/** How a row is imported: as a new pet, or as a change of an existing one. */
type Matched = { id: bigint | undefined } | { problem: RowProblem };

type Keys = Partial<Pick<Pet, 'id' | 'name' | 'category'>> & { externalId?: unknown };

/** Matches the rows of a file to the stored pets. It holds the keys of the file, but neither its rows nor the pets. */
export class PetMatching {
  readonly #match: Match;
  readonly #targets = new Map<string, Target>();
  #keylessRows = 0;

  constructor(match: Match) {
    this.#match = match;
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
  addRow({ number, fields, value, problems }: SourceRow): void {
    for (const field of this.#match === 'none' ? [] : this.#match.split(','))
      if (!fields.has(field)) throw noMatchColumn(field);
    const key = this.#keyOf(value);
    // A row that cannot be stored claims its key as well. Otherwise, a later row with fewer values would empty the pet.
    if (key === undefined) this.#keylessRows += problems.length === 0 ? 1 : 0;
    else if (!this.#targets.has(key)) this.#targets.set(key, { row: number, ids: [] });
  }

  addPet(pet: ExportedPet): void {
    const target = this.#targets.get(this.#keyOf({ ...pet, externalId: pet.profile?.externalId }) ?? '');
    if (target !== undefined && target.ids.length < 2) target.ids.push(pet.id);
  }

  find({ number, value }: SourceRow): Matched {
    const target = this.#targets.get(this.#keyOf(value) ?? '');
    if (target === undefined) return { id: undefined };
    const [column = ''] = this.#match.split(',');
    if (target.row !== number)
      return { problem: { kind: 'repeated', column, message: `is the same as in row ${target.row}` } };
    const [id, other] = target.ids;
    if (other === undefined) return { id };
    const message = `belongs to several pets (IDs ${id}, ${other}): match by ID`;
    return { problem: { kind: 'ambiguous', column, message } };
  }

  /** Undefined if the pet has no value to match by. */
  #keyOf({ id, name, category, externalId }: Keys): string | undefined {
    if (this.#match === 'none') return undefined;
    if (this.#match === 'externalId') return typeof externalId === 'string' ? canonicalText(externalId) : undefined;
    if (this.#match === 'id') return isAssignable(id) ? String(BigInt(String(id))) : undefined;
    if (typeof name !== 'string' || name.trim() === '') return undefined;
    const categoryName: unknown = category?.name;
    const key = canonicalText(name);
    if (this.#match === 'name') return key;
    return JSON.stringify([key, typeof categoryName === 'string' ? canonicalText(categoryName) : null]);
  }
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
