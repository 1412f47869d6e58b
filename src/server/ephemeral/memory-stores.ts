import { createPhotosInMemory, stagingInMemory, type PhotosInMemory } from '../../storage/memory/photo-store.ts';
import { openSqliteStoresInMemory } from '../sqlite-stores.ts';
import type { Stores } from '../stores.ts';

/** All that a service in memory has at a moment, to begin others with. */
export interface Contents {
  database: Uint8Array;
  photos: PhotosInMemory;
}

export interface MemoryStores extends Stores {
  contents(): Contents;
}

/** Stores of which nothing is on the disk, and nothing is left when they are closed. Several in one process know nothing of each other. */
export function openStoresInMemory(beginning?: Contents): MemoryStores {
  const { contentOf, ...stores } = openSqliteStoresInMemory(beginning?.database);
  const photoStore = beginning?.photos.copy() ?? createPhotosInMemory();
  return {
    ...stores,
    photoStore,
    staging: stagingInMemory,
    isHealthy: () => true,
    contents: () => ({ database: contentOf(), photos: photoStore.copy() }),
  };
}
