import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const MIGRATIONS_FOLDER = join(import.meta.dirname, 'migrations');

export interface Migration {
  name: string;
  sql: string;
}

/** The numbered SQL files, in order. */
export function readMigrations(): readonly Migration[] {
  const names = readdirSync(MIGRATIONS_FOLDER).filter((name) => name.endsWith('.sql'));
  return names.toSorted().map((name) => ({ name, sql: readFileSync(join(MIGRATIONS_FOLDER, name), 'utf8') }));
}
