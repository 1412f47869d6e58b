import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { GatheredStores } from '../batching/gathered-stores.ts';
import { Failure } from '../domain/failure.ts';
import type { PhotoStore, UploadStaging } from '../domain/pets/ports.ts';
import type { InstallationStore, Turns } from '../domain/ports.ts';
import { openPhotoStore } from '../local-files/photo-store.ts';
import { openUploadStaging } from '../local-files/upload-staging.ts';
import type { SharedWriter, WriterLink } from '../sqlite/engine/writer.ts';
import type { StorePlaces } from './config.ts';
import type { Logger } from './log.ts';
import { openStoresInMemory } from './ephemeral/memory-stores.ts';
import { pairPhotos } from './photos/pairing.ts';
import { openSqliteStores, openSqliteStoresBesideServer, openSqliteStoresOfWorker } from './sqlite-stores.ts';

/** What the database holds. */
export interface DatabaseStores extends GatheredStores {
  installation: InstallationStore;
  turns: Turns;
  /** Finishes what was asked for, then lets go of everything. */
  close(): Promise<void>;
}

export interface Stores extends DatabaseStores {
  photoStore: PhotoStore;
  staging: UploadStaging;
}

export interface ServerStores extends Stores {
  /** For processes that serve beside this one, where one of them writes for all. */
  sharedWriter: SharedWriter | undefined;
}

/**
 * Opens what a server keeps its data in: the database, brought up to date, and the pictures.
 *
 * @throws Failure `unavailable` with a sentence that says what stands in the way; nothing is harmed
 */
export async function openStores(places: StorePlaces, log?: Logger): Promise<ServerStores> {
  return explaining(places, async () => {
    const stores = await openServerStores(places, log);
    try {
      await pairPhotos(stores, places);
      return stores;
    } catch (error) {
      await stores.close();
      throw error;
    }
  });
}

async function openServerStores(places: StorePlaces, log?: Logger): Promise<ServerStores> {
  if (places.isEphemeral) return { ...openStoresInMemory(), sharedWriter: undefined };
  await claimFolder(places.dataDir);
  const stores =
    places.database === undefined
      ? openSqliteStores(places.dataDir)
      : { ...(await openPostgres(places, log)), sharedWriter: undefined };
  return withPictures(stores, places, places.database === undefined);
}

/** The same for a process that serves beside others. What it writes to an embedded database goes by way of the link. */
export function openStoresOfWorker(places: StorePlaces, link: WriterLink, log: Logger): Promise<Stores> {
  return explaining(places, async () => {
    const stores =
      places.database === undefined ? openSqliteStoresOfWorker(places.dataDir, link) : await openPostgres(places, log);
    return withPictures(stores, places, false);
  });
}

/**
 * Opens the database alone, beside servers that may be running on it.
 *
 * @param isNew whether there may be none yet: then it is made
 * @throws Failure `unavailable`, `not-found` with a sentence that says what stands in the way
 */
export function openStoresBesideServer(places: StorePlaces, isNew: boolean): Promise<DatabaseStores> {
  return explaining(places, async () => {
    if (places.database !== undefined) return openPostgres(places);
    if (isNew) await claimFolder(places.dataDir);
    return openSqliteStoresBesideServer(places.dataDir, isNew);
  });
}

/**
 * Makes the stored photos those of this database, whatever they belonged to before.
 *
 * @throws Failure as `openStoresBesideServer`
 */
export async function adoptPhotos(places: StorePlaces, { installation }: DatabaseStores): Promise<void> {
  await explaining(places, async () => {
    const { photoStore, closePhotos } = await openPhotos(places, false);
    try {
      await photoStore.setInstallationId(await installation.claim(randomUUID()));
    } finally {
      closePhotos();
    }
  });
}

/** Loaded only where it is wanted: the driver takes its time. */
async function openPostgres(places: StorePlaces, log?: Logger): Promise<DatabaseStores> {
  const { openPostgresStores } = await import('./postgres-stores.ts');
  return openPostgresStores(places, log);
}

async function withPictures<S extends DatabaseStores>(
  stores: S,
  places: StorePlaces,
  isAlone: boolean,
): Promise<S & Pick<Stores, 'photoStore' | 'staging'>> {
  try {
    const staging = await openUploadStaging(join(places.dataDir, 'uploads'));
    const { photoStore, closePhotos } = await openPhotos(places, isAlone);
    return {
      ...stores,
      staging,
      photoStore,
      async close() {
        await stores.close();
        closePhotos();
      },
    };
  } catch (error) {
    await stores.close();
    throw error;
  }
}

async function openPhotos({ dataDir, bucket }: StorePlaces, isAlone: boolean) {
  if (bucket === undefined)
    return { photoStore: await openPhotoStore(join(dataDir, 'photos'), isAlone), closePhotos: () => {} };
  const { openPhotoStore: openBucketStore } = await import('../s3/photo-store.ts');
  const photoStore = await openBucketStore(bucket);
  return { photoStore, closePhotos: () => photoStore.close() };
}

async function explaining<T>({ dataDir }: StorePlaces, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    throw explain(error, dataDir);
  }
}

/** The folder may be there, and yet not ours to write: better to learn it now than at the first change. */
async function claimFolder(dataDir: string): Promise<void> {
  await mkdir(dataDir, { recursive: true });
  const probe = join(dataDir, `.write-test-${randomUUID()}`);
  await writeFile(probe, '');
  await rm(probe);
}

/** What the file system or SQLite says of a folder that is not as it should be, as one sentence. Any other error is left unchanged. */
function explain(error: unknown, dataDir: string): unknown {
  if (error instanceof Failure || !(error instanceof Error)) return error;
  const isOfSqlite = 'errcode' in error;
  const reason = isOfSqlite || !('code' in error) ? error.message : String(error.code);
  if (!isOfSqlite && !('syscall' in error)) return error;
  return new Failure(
    'unavailable',
    `The data folder ${dataDir} cannot be used (${reason}). Choose another with --data-dir, or mend its contents and permissions.`,
  );
}
