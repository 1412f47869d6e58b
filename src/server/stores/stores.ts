import type { SearchActivity } from '../../domain/activity.ts';
import type { PhotoStore, UploadStaging } from '../../domain/photos/ports.ts';
import type { DatabaseStores } from '../../storage/rows/stores/stores.ts';
import type { SearchService } from '../../domain/search/search-engine.ts';
import type { Writer } from '../../storage/sqlite/engine/writer.ts';

export interface Stores extends DatabaseStores {
  photoStore: PhotoStore;
  /** The number of photos that were found missing or damaged. */
  countUnsoundPhotos?: () => number;
  staging: UploadStaging;
  search: SearchService;
  /** Undefined if searches are made in this thread. */
  searchActivity?: () => SearchActivity;
  /** False if changes have failed for some time, or files are missing or damaged. The service is then not ready. */
  isHealthy: () => boolean;
}

export interface ServerStores extends Stores {
  /** The writer of an embedded database in a file. */
  writer: Writer | undefined;
}
