import type { DatabaseSync } from 'node:sqlite';
import type { InstallationStore } from '../../../domain/ports.ts';
import { openDatabase, prepare, prepareRow } from '../engine/database.ts';

/** @param path the database file; a claim opens another connection, because it happens before the writer is ready */
export function openInstallationStore(reader: DatabaseSync, path: string): InstallationStore {
  const find = prepareFindInstallation(reader);
  return {
    find: async () => find(),
    async claim(id) {
      const db = openDatabase(path);
      try {
        return claimInstallation(db, id);
      } finally {
        db.close();
      }
    },
  };
}

/** The same for a database with one connection. */
export function openInstallationStoreInMemory(db: DatabaseSync): InstallationStore {
  const find = prepareFindInstallation(db);
  return { find: async () => find(), claim: async (id) => claimInstallation(db, id) };
}

export function prepareFindInstallation(db: DatabaseSync): () => string | undefined {
  const find = prepareRow(db, 'select id from installation where only_row = 1');
  return () => find()?.[0] as string | undefined;
}

function claimInstallation(db: DatabaseSync, id: string): string {
  prepare(db, 'insert into installation (only_row, id) values (1, ?) on conflict do nothing').run(id);
  return prepareFindInstallation(db)() ?? id;
}
