import { createPhotosInMemory, StagingInMemory, type PhotosInMemory } from '../../storage/memory/photo-store.ts';
import { NO_SYNONYMS, type Synonyms } from '../../domain/search/synonyms.ts';
import { LocalSearch } from '../search/local-search.ts';
import { openInMemory, prepareRow } from '../../storage/sqlite/engine/database.ts';
import { migrate } from '../../storage/sqlite/migrations/migrations.ts';
import { createSqliteStores } from '../../storage/sqlite/stores.ts';
import { createInlineWriter, type DatabaseSpace } from '../../storage/sqlite/writer/write-transactions.ts';
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
  /** Whether the database has changed since it was opened. */
  hasChanges(): boolean;
}

/** The space of a database, and of the index for its search. */
export interface MemorySpace extends DatabaseSpace {
  /** Called before the index is built. @throws Failure if there is not enough */
  takeIndex(): void;
}

interface MemoryOptions {
  synonyms?: Synonyms;
  space?: MemorySpace;
}

/** Stores in memory, lost when they are closed. Several in one process are independent. */
export function openStoresInMemory(
  initial?: Contents,
  { synonyms = NO_SYNONYMS, space }: MemoryOptions = {},
): MemoryStores {
  const db = openInMemory(initial?.database);
  if (initial === undefined) migrate(db);
  const stores = createSqliteStores({ reader: db, scanner: db, writer: createInlineWriter(db, space) });
  const changedRows = prepareRow(db, 'select total_changes()');
  const changedBefore = changedRows()?.[0];
  const countRows = prepareRow(db, 'select count(*) from pet');
  const photoStore = initial?.photos.copy() ?? createPhotosInMemory();
  return {
    ...stores,
    photoStore,
    staging: new StagingInMemory(),
    search: new LocalSearch({
      source: stores.indexSource,
      synonyms,
      async readSaved() {
        space?.takeIndex();
        return undefined;
      },
    }),
    isHealthy: () => true,
    countPets: () => Number(countRows()?.[0]),
    hasChanges: () => changedRows()?.[0] !== changedBefore,
    contents: () => ({ database: db.serialize(), photos: photoStore.copy() }),
  };
}
