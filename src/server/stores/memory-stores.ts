import { createPhotosInMemory, stagingInMemory, type PhotosInMemory } from '../../storage/memory/photo-store.ts';
import { NO_SYNONYMS, type Synonyms } from '../../domain/search/synonyms.ts';
import { LocalSearch } from '../search/local-search.ts';
import { openInMemory, prepareRow, readPragma } from '../../storage/sqlite/engine/database.ts';
import { migrate } from '../../storage/sqlite/migrations/migrations.ts';
import { createSqliteStores } from '../../storage/sqlite/stores.ts';
import { createInlineWriter } from '../../storage/sqlite/writer/write-transactions.ts';
import type { Stores } from './stores.ts';

/** A snapshot of a service in memory; others can start with it. */
export interface Contents {
  database: Uint8Array;
  photos: PhotosInMemory;
}

export interface MemoryStores extends Stores {
  photoStore: PhotosInMemory;
  contents(): Contents;
  countPets(): number;
  databaseBytes(): number;
  /** Whether the database has changed since it was opened. */
  hasChanges(): boolean;
}

interface MemoryOptions {
  synonyms?: Synonyms;
  /** Changes beyond it fail as on a full disk. */
  maxDatabaseBytes?: number;
}

/** Stores in memory, lost when they are closed. Several in one process are independent. */
export function openStoresInMemory(
  initial?: Contents,
  { synonyms = NO_SYNONYMS, maxDatabaseBytes }: MemoryOptions = {},
): MemoryStores {
  const db = openInMemory(initial?.database);
  if (maxDatabaseBytes !== undefined)
    db.exec(`pragma max_page_count = ${Math.floor(maxDatabaseBytes / Number(readPragma(db, 'page_size')))}`);
  if (initial === undefined) migrate(db);
  const stores = createSqliteStores({ reader: db, scanner: db, writer: createInlineWriter(db) });
  const changedRows = prepareRow(db, 'select total_changes()');
  const changedBefore = changedRows()?.[0];
  const countRows = prepareRow(db, 'select count(*) from pet');
  const photoStore = initial?.photos.copy() ?? createPhotosInMemory();
  return {
    ...stores,
    photoStore,
    staging: stagingInMemory,
    search: new LocalSearch({ source: stores.indexSource, synonyms }),
    isHealthy: () => true,
    countPets: () => Number(countRows()?.[0]),
    databaseBytes: () => Number(readPragma(db, 'page_count')) * Number(readPragma(db, 'page_size')),
    hasChanges: () => changedRows()?.[0] !== changedBefore,
    contents: () => ({ database: db.serialize(), photos: photoStore.copy() }),
  };
}
