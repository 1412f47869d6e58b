import { createPhotosInMemory, stagingInMemory, type PhotosInMemory } from '../../storage/memory/photo-store.ts';
import { NO_SYNONYMS, type Synonyms } from '../../domain/search/synonyms.ts';
import { LocalSearch } from '../search/local-search.ts';
import { openSqliteStoresInMemory } from './sqlite-stores.ts';
import type { Stores } from './stores.ts';

/** A snapshot of a service in memory; others can start with it. */
export interface Contents {
  database: Uint8Array;
  photos: PhotosInMemory;
}

export interface MemoryStores extends Stores {
  contents(): Contents;
}

/** Stores in memory, lost when they are closed. Several in one process are independent. */
export function openStoresInMemory(initial?: Contents, synonyms: Synonyms = NO_SYNONYMS): MemoryStores {
  const { contentOf, ...stores } = openSqliteStoresInMemory(initial?.database);
  const photoStore = initial?.photos.copy() ?? createPhotosInMemory();
  return {
    ...stores,
    photoStore,
    staging: stagingInMemory,
    search: new LocalSearch({ source: stores.indexSource, synonyms }),
    isHealthy: () => true,
    contents: () => ({ database: contentOf(), photos: photoStore.copy() }),
  };
}
