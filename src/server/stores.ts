import type { PhotoStore, UploadStaging } from '../domain/pets/ports.ts';
import type { DatabaseStores } from '../domain/stores.ts';
import type { Writer } from '../storage/sqlite/engine/writer.ts';

export interface Stores extends DatabaseStores {
  photoStore: PhotoStore;
  staging: UploadStaging;
  /** False while the service should get no requests: changes have failed for some time, or files are missing or damaged. */
  isHealthy: () => boolean;
}

export interface ServerStores extends Stores {
  /** The writer of an embedded database: the worker processes send their changes to it. */
  sharedWriter: Writer | undefined;
}
