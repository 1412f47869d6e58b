import type { Pet } from '../api/records/pet.ts';
import { canonicalText, spellingKey } from '../domain/text.ts';
import type { SourceRow } from './source-row.ts';

/** A category or tag in a file that differs from another one only in case or spaces. */
export interface SimilarLabel {
  column: 'category' | 'tags';
  name: string;
  /** The first row with it. */
  row: number;
  other: string;
  /** The first row with the other one; undefined if stored pets have it. */
  otherRow: number | undefined;
}

/** The spellings of one category or tag. */
interface Spellings {
  column: SimilarLabel['column'];
  /** The spellings in the file, with the first row of each. */
  rows: Map<string, number>;
  stored: Set<string>;
}

/** Finds categories and tags of a file that are probably meant to be one: `cats` beside `Cats`. */
export class LabelSpellings {
  readonly #known = new Map<string, Spellings>();

  /** Whether the stored pets have to be read. */
  get needsPets(): boolean {
    return this.#known.size > 0;
  }

  addRow({ number, value }: SourceRow): void {
    for (const { column, name } of labelsOf(value)) {
      const key = keyOf(column, name);
      const spellings = this.#known.get(key) ?? { column, rows: new Map<string, number>(), stored: new Set() };
      if (!spellings.rows.has(name)) spellings.rows.set(name, number);
      this.#known.set(key, spellings);
    }
  }

  addPet(pet: Pet): void {
    for (const { column, name } of labelsOf(pet)) this.#known.get(keyOf(column, name))?.stored.add(name);
  }

  /** The categories that no stored pet has. */
  listNewCategories(): readonly string[] {
    const fresh = [...this.#known.values()].filter(({ column, stored }) => column === 'category' && stored.size === 0);
    return fresh.flatMap(({ rows }) => [...rows.keys()].slice(0, 1));
  }

  /** In the order of the file. */
  listSimilar(): readonly SimilarLabel[] {
    return [...this.#known.values()].flatMap(similarIn).toSorted((a, b) => a.row - b.row);
  }
}

/** Collects the locations that rows name and the organisation does not have. */
export class NewLocations {
  /** The first spelling of each. */
  readonly #names = new Map<string, string>();

  get names(): readonly string[] {
    return [...this.#names.values()];
  }

  addRow({ problems, leftOut }: SourceRow): void {
    if (leftOut !== undefined) return;
    for (const { kind, column, value = '' } of problems) {
      const key = spellingKey(value);
      if (kind === 'invalid' && column === 'location' && !this.#names.has(key))
        this.#names.set(key, canonicalText(value));
    }
  }
}

function similarIn({ column, rows, stored }: Spellings): readonly SimilarLabel[] {
  const [[first, firstRow] = ['', 0]] = rows;
  const [other = first] = stored;
  const otherRow = stored.size > 0 ? undefined : firstRow;
  return Array.from(rows, ([name, row]): SimilarLabel => ({ column, name, row, other, otherRow })).filter(
    ({ name }) => name !== other && !stored.has(name),
  );
}

function keyOf(column: string, name: string): string {
  return `${column} ${spellingKey(name)}`;
}

/** The values of a file are not yet checked. */
function labelsOf({ category, tags }: { category?: unknown; tags?: unknown }) {
  return [...namedLabel('category', category), ...[tags].flat().flatMap((tag) => namedLabel('tags', tag))];
}

function namedLabel(column: SimilarLabel['column'], label: unknown) {
  const name = typeof label === 'object' && label !== null && 'name' in label ? label.name : label;
  return typeof name === 'string' && name.trim() !== '' ? [{ column, name: canonicalText(name) }] : [];
}
