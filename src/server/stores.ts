import type { PhotoStore, UploadStaging } from '../domain/pets/ports.ts';
import type { InstallationStore, Turns } from '../domain/ports.ts';
import type { GatheredStores } from '../storage/batching/gathered-stores.ts';
import type { SharedWriter } from '../storage/sqlite/engine/writer.ts';

/** What the database holds. */
export interface DatabaseStores extends GatheredStores {
  installation: InstallationStore;
  turns: Turns;
  /** Makes a change and undoes it in the same transaction. @throws Failure `unavailable` when other changes fail as well */
  probeChange(): Promise<void>;
  /** Finishes what was asked for, then lets go of everything. */
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
