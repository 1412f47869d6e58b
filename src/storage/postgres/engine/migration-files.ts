import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MIGRATIONS_FOLDER = fileURLToPath(new URL('../migrations', import.meta.url));

/** In the first line of a migration with which older programs work: `-- Works with programs since schema 11.` */
const WORKS_SINCE = /^-- Works with programs since schema (\d+)\./;

export interface Migration {
  name: string;
  sql: string;
  /**
   * The oldest schema whose programs work with the database after this migration. Without the line, only those that
   * have this migration do.
   */
  worksSince: number;
}

/** The numbered SQL files, in order. */
export function readMigrations(folder = MIGRATIONS_FOLDER): readonly Migration[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.sql'));
  return names.toSorted().map((name, index) => {
    const sql = readFileSync(join(folder, name), 'utf8');
    return { name, sql, worksSince: Number(WORKS_SINCE.exec(sql)?.[1] ?? index + 1) };
  });
}

const MIGRATIONS = readMigrations();

/** The number of migrations of this program. */
export const KNOWN_SCHEMA = MIGRATIONS.length;

/** The oldest schema whose programs may change the database after the migrations of this program. */
export const OLDEST_SCHEMA = MIGRATIONS.at(-1)?.worksSince ?? 0;

/** From this migration on, the row that changes lock has the oldest schema whose programs may change the database. */
export const WRITERS_CHECK_SINCE = 6;

/** Announced to the server, so that a migration finds the programs that do not work with it. */
export const PROGRAM_NAME = `menagerie/${KNOWN_SCHEMA}`;
