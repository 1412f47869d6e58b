import type { PhotoStore, UploadStaging } from '../domain/pets/ports.ts';
import type { InstallationStore, Turns } from '../domain/ports.ts';
import type { GatheredStores } from '../storage/batching/gathered-stores.ts';
import type { SharedWriter } from '../storage/sqlite/engine/writer.ts';

/** The stores of the database. */
export interface DatabaseStores extends GatheredStores {
  installation: InstallationStore;
  turns: Turns;
  /** Makes a change and rolls it back. @throws Failure `unavailable` when other changes fail as well */
  probeChange(): Promise<void>;
  /** Finishes pending calls, then closes the database. */
  close(): Promise<void>;
}

export interface Stores extends DatabaseStores {
  photoStore: PhotoStore;
  staging: UploadStaging;
  /** False while the service should get no requests: changes have failed for some time, or files are missing or damaged. */
  isHealthy: () => boolean;
}

export interface ServerStores extends Stores {
  /** For processes that serve beside this one, where one of them writes for all. */
  sharedWriter: SharedWriter | undefined;
}
