import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../domain/failure.ts';
import { openPhotoStore } from '../storage/files/photo-store.ts';
import { openUploadStaging } from '../storage/files/upload-staging.ts';
import { checkInBackground } from '../storage/sqlite/engine/files/maintenance.ts';
import type { WriterLink } from '../storage/sqlite/engine/writer.ts';
import { StorageHealth, type DatabaseFiles } from './background/storage-health.ts';
import { watchPhotoStore, watchStaging } from './background/watched-photos.ts';
import type { StorePlaces } from './config.ts';
import type { Logger } from './log.ts';
import { openStoresInMemory } from './ephemeral/memory-stores.ts';
import { pairPhotos } from './photos/pairing.ts';
import type { DatabaseStores } from '../domain/stores.ts';
import type { ServerStores, Stores } from './stores.ts';
import { openSqliteStores, openSqliteStoresBesideServer, openSqliteStoresOfWorker } from './sqlite-stores.ts';

/** As much as a small photo. */
const PROBE_BYTES = 64 * 1024;

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
  const health = new StorageHealth(log);
  if (places.database !== undefined) {
    const stores = await openPostgres(places, log, health);
    return { ...(await withPictures(stores, places, { isAlone: false, health, log })), sharedWriter: undefined };
  }
  const stores = openSqliteStores(places.dataDir, (reason) => health.changesFail(reason));
  const { sharedWriter, files, uncheckedPath } = stores;
  const whole = await withPictures(stores, places, { isAlone: true, health, log, files });
  if (uncheckedPath !== undefined) void checkWhileServing(uncheckedPath, health, log);
  return { ...whole, sharedWriter };
}

/** The same for a process that serves beside others. What it writes to an embedded database goes by way of the link. */
export function openStoresOfWorker(places: StorePlaces, link: WriterLink, log: Logger): Promise<Stores> {
  return explaining(places, async () => {
    const isEmbedded = places.database === undefined;
    const health = new StorageHealth(log);
    const stores = isEmbedded
      ? openSqliteStoresOfWorker(places.dataDir, link)
      : await openPostgres(places, log, health);
    // The process that started this one watches the folders, and says so.
    return withPictures(stores, places, { isAlone: false, health, log, watchesFolders: false });
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
async function openPostgres(places: StorePlaces, log?: Logger, health?: StorageHealth): Promise<DatabaseStores> {
  const { openPostgresStores } = await import('./postgres-stores.ts');
  return openPostgresStores(places, log, health);
}

interface PictureOptions {
  /** No other process has the folders open. */
  isAlone: boolean;
  health: StorageHealth;
  log: Logger | undefined;
  files?: DatabaseFiles;
  watchesFolders?: boolean;
}

async function withPictures(
  stores: DatabaseStores,
  places: StorePlaces,
  { isAlone, health, log, files, watchesFolders = true }: PictureOptions,
): Promise<Stores> {
  const { dataDir, bucket } = places;
  const uploads = join(dataDir, 'uploads');
  const photos = join(dataDir, 'photos');
  try {
    const staging = await openUploadStaging(uploads);
    const { photoStore, closePhotos } = await openPhotos(places, isAlone);
    const folders = bucket === undefined ? [uploads, join(photos, 'incoming')] : [uploads];
    const probePhotos = async () => {
      for (const folder of folders) await probeFolder(folder);
      // No photo has this digest; a missing folder or bucket is a failure.
      await photoStore.open('0'.repeat(64));
    };
    health.watch({
      probeChange: () => stores.probeChange(),
      files,
      folders: watchesFolders ? folders : [],
      probePhotos,
    });
    const onTrouble = (reason: string) => health.photosFail(reason);
    return {
      ...stores,
      staging: watchStaging(staging, onTrouble),
      photoStore: watchPhotoStore(photoStore, onTrouble, log),
      isHealthy: () => health.isGood(),
      async close() {
        health.close();
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
  const { openPhotoStore: openBucketStore } = await import('../storage/s3/photo-store.ts');
  const photoStore = await openBucketStore(bucket);
  return { photoStore, closePhotos: () => photoStore.close() };
}

/** It may take minutes, and much of what the disk can do. */
async function checkWhileServing(databasePath: string, health: StorageHealth, log?: Logger): Promise<void> {
  log?.info({ databasePath }, 'the service did not end cleanly: the database is checked in the background');
  try {
    const problem = await checkInBackground(databasePath);
    if (problem === undefined) log?.info('the database is not damaged');
    else health.isDamaged(problem);
  } catch (error) {
    log?.error({ err: error }, 'the database could not be checked');
  }
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
  await probeFolder(dataDir, 0);
}

/** @throws where a file of this size cannot be written */
async function probeFolder(folder: string, byteLength = PROBE_BYTES): Promise<void> {
  const path = join(folder, `.write-test-${randomUUID()}`);
  try {
    await writeFile(path, Buffer.alloc(byteLength), { flush: true });
  } finally {
    await rm(path, { force: true });
  }
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
