import type { CatalogueSearch } from '../../../api/web/catalogue-search.ts';

/*
 * The columns of the table of pets, and what the browser remembers of it.
 */

/** The fields of a pet, and those of its profile. */
const PET_COLUMNS = ['id', 'status', 'category', 'tags'] as const;
const PROFILE_COLUMNS = [
  ...(['species', 'breedPrimary', 'sex', 'birthDate', 'size'] as const),
  ...(['location', 'unit', 'intakeDate', 'externalId', 'isPublished'] as const),
] as const;

export const COLUMNS = [...PET_COLUMNS, ...PROFILE_COLUMNS] as const;
export type Column = (typeof COLUMNS)[number];

const USUAL: readonly Column[] = ['status', 'category', 'species', 'location', 'isPublished'];

/** The orders of the service, by the column whose header chooses them. The name is always the first column. */
const SORTS = {
  name: 'name',
  id: 'id',
  status: 'status',
  species: 'species',
  intakeDate: 'longest-stay',
} as const satisfies Partial<Record<Column | 'name', CatalogueSearch['sort']>>;

export type Sort = (typeof SORTS)[keyof typeof SORTS];

/** Undefined for a column by which the service does not sort. */
export function sortOf(column: Column | 'name'): Sort | undefined {
  return column in SORTS ? SORTS[column as keyof typeof SORTS] : undefined;
}

const KEY = 'menagerie-table';

interface Remembered {
  isTable: boolean;
  columns: readonly Column[];
}

/** Reads what the user chose. Columns of another version of the application are left out. */
export function readRemembered(text: string | null): Remembered {
  const { isTable, columns } = parsed(text);
  return {
    isTable: isTable === true,
    columns: Array.isArray(columns) ? COLUMNS.filter((column) => columns.includes(column)) : USUAL,
  };
}

function parsed(text: string | null): { isTable?: unknown; columns?: unknown } {
  try {
    return (JSON.parse(text ?? '{}') as object | null) ?? {};
  } catch {
    return {};
  }
}

export function remembered(): Remembered {
  try {
    return readRemembered(localStorage.getItem(KEY));
  } catch {
    return readRemembered(null);
  }
}

export function remember(part: Partial<Remembered>): void {
  try {
    localStorage.setItem(KEY, JSON.stringify({ ...remembered(), ...part }));
  } catch {
    // Local storage is disabled or full: the choice applies until the page is left.
  }
}
