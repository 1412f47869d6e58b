import type { DatabaseSync } from 'node:sqlite';
import { prepareRows } from './engine/database.ts';
import { isDamage } from './engine/files/troubles.ts';

/* Damage that SQLite itself finds (https://sqlite.org/pragma.html#pragma_integrity_check). */

/** The maximum number of descriptions of damage, which are many in a damaged database. */
const MAX_DESCRIPTIONS = 5;

/** The maximum number of rows missing from indexes. More are missing only if most of an index is damaged. */
const MAX_ROWS = 10_000;

const SOUND = 'ok';

/** A description of the content of an index: "row 5 missing from index pet_by_status". */
const DAMAGED_INDEX = / index (\w+)$/;

/** Descriptions of everything but the contents of indexes. */
export function findDamage(db: DatabaseSync): readonly string[] {
  try {
    return describe(db, `pragma quick_check(${MAX_DESCRIPTIONS})`).filter((description) => description !== SOUND);
  } catch (error) {
    if (isDamage(error)) return [(error as Error).message];
    throw error;
  }
}

/** The names of indexes that do not match their tables. */
export function findInvalidIndexes(db: DatabaseSync): readonly string[] {
  const descriptions = describe(db, `pragma integrity_check(${MAX_ROWS})`);
  return [...new Set(descriptions.flatMap((description) => DAMAGED_INDEX.exec(description)?.slice(1) ?? []))];
}

export function rebuildIndexes(db: DatabaseSync, names: readonly string[]): void {
  for (const name of names) db.exec(`reindex "${name}"`);
}

function describe(db: DatabaseSync, pragma: string): readonly string[] {
  return prepareRows<[description: string]>(db, pragma)().flat();
}
