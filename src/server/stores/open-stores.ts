import { randomUUID } from 'node:crypto';
import { rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unusable } from '../../domain/failure.ts';
import { makeFolder } from '../../storage/files/durable-file.ts';
import { openPhotoStore } from '../../storage/files/photo-store.ts';
import { openUploadStaging } from '../../storage/files/upload-staging.ts';
import { checkInBackground } from '../../storage/sqlite/engine/files/maintenance.ts';
import { StorageHealth, type DatabaseFiles } from '../background/storage-health.ts';
import { logDamagedSize, watchPhotoStore, watchStaging } from '../background/watched-photos.ts';
import type { StorePlaces } from '../configuration/config.ts';
import type { Logger } from '../log/log.ts';
import { logMigrations } from './log-migrations.ts';
import { openStoresInMemory } from './memory-stores.ts';
import { pairPhotos } from './pairing.ts';
import type { DatabaseStores } from '../../storage/rows/stores/stores.ts';
import { NO_SYNONYMS, type Synonyms } from '../../domain/search/synonyms.ts';
import { ThreadedSearch, type ThreadedSearchDeps } from '../search/threaded-search.ts';
import type { ServerStores, Stores } from './stores.ts';
import { explainDataFolder } from '../system/system-errors.ts';
import { openSqliteStores, openSqliteStoresBesideServer } from './sqlite-stores.ts';

/** Size of a small photo. */
const PROBE_BYTES = 64 * 1024;

const LOST_LOG =
  'unclean shutdown, and the write-ahead log of the database is missing: the last changes are lost, unless another ' +
  'program has written it back';

/**
 * Opens the database of a server, migrated, and the photo store.
 *
 * @throws Failure `unavailable` with a message for the operator
 */
export async function openStores(
  places: StorePlaces,
  log?: Logger,
  synonyms: Synonyms = NO_SYNONYMS,
): Promise<ServerStores> {
  return explaining(places, async () => {
    const stores = await openServerStores(places, synonyms, log);
    try {
      await pairPhotos(stores, places);
      return stores;
    } catch (error) {
      await stores.close();
      throw error;
    }
  });
}

async function openServerStores(places: StorePlaces, synonyms: Synonyms, log?: Logger): Promise<ServerStores> {
  if (places.isEphemeral) return { ...openStoresInMemory(undefined, { synonyms }), writer: undefined };
  await claimFolder(places.dataDir);
  const health = new StorageHealth(log);
  if (places.database !== undefined) {
    const stores = await openPostgres(places, log, health);
    const whole = await withPhotos(stores, places, { isAlone: false, health, log });
    return { ...withSearchThread(whole, { places, synonyms, log }), writer: undefined };
  }
  const stores = openSqliteStores(places.dataDir, (reason) => health.changesFail(reason), log && logMigrations(log));
  const { writer, files, uncheckedPath, hasLostLog } = stores;
  if (hasLostLog) log?.error({ dataDir: places.dataDir }, LOST_LOG);
  const whole = await withPhotos(stores, places, { isAlone: true, health, log, files });
  if (uncheckedPath !== undefined) void checkWhileServing(uncheckedPath, health, log);
  return { ...withSearchThread(whole, { places, synonyms, log }), writer };
}

function withSearchThread(stores: StoresWithPhotos, deps: ThreadedSearchDeps): Stores {
  const search = new ThreadedSearch(deps);
  return {
    ...stores,
    search,
    searchActivity: () => search.activity(),
    async close() {
      await search.close();
      await stores.close();
    },
  };
}

/**
 * Opens the database only. Servers may be running on it.
 *
 * @param isNew whether to create the database if there is none
 * @throws Failure `unavailable`, `not-found` with a message for the operator
 */
export function openStoresBesideServer(places: StorePlaces, isNew: boolean): Promise<DatabaseStores> {
  return explaining(places, async () => {
    if (places.database !== undefined) return openPostgres(places);
    if (isNew) await claimFolder(places.dataDir);
    return openSqliteStoresBesideServer(places.dataDir, isNew);
  });
}

/**
 * Assigns the stored photos to this database.
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

/** Loaded on demand, because loading the driver takes time. */
async function openPostgres(places: StorePlaces, log?: Logger, health?: StorageHealth): Promise<DatabaseStores> {
  const { openPostgresStores } = await import('./postgres-stores.ts');
  return openPostgresStores(places, log, health);
}

type StoresWithPhotos = Omit<Stores, 'search'>;

interface PhotoOptions {
  /** Whether no other process uses the folders. */
  isAlone: boolean;
  health: StorageHealth;
  log: Logger | undefined;
  files?: DatabaseFiles;
}

async function withPhotos(
  stores: DatabaseStores,
  places: StorePlaces,
  { isAlone, health, log, files }: PhotoOptions,
): Promise<StoresWithPhotos> {
  const { dataDir, bucket } = places;
  const uploads = join(dataDir, 'uploads');
  const photos = join(dataDir, 'photos');
  try {
    const staging = await openUploadStaging(uploads);
    const { photoStore, closePhotos } = await openPhotos(places, isAlone, log);
    const folders = bucket === undefined ? [uploads, join(photos, 'incoming')] : [uploads];
    const probePhotos = async () => {
      for (const folder of folders) await probeFolder(folder);
      // No photo has this digest, but a missing folder or bucket is an error.
      await photoStore.open('0'.repeat(64));
    };
    health.watch({ probeChange: () => stores.probeChange(), files, folders, probePhotos });
    const onTrouble = (reason: string) => health.photosFail(reason);
    const watched = watchPhotoStore(photoStore, onTrouble, log);
    return {
      ...stores,
      staging: watchStaging(staging, onTrouble),
      photoStore: watched,
      countUnsoundPhotos: () => watched.countUnsound(),
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

async function openPhotos({ dataDir, bucket }: StorePlaces, isAlone: boolean, log?: Logger) {
  if (bucket === undefined) {
    const photoStore = await openPhotoStore(join(dataDir, 'photos'), isAlone, logDamagedSize(log));
    return { photoStore, closePhotos: () => {} };
  }
  const { openPhotoStore: openBucketStore } = await import('../../storage/s3/photo-store.ts');
  const photoStore = await openBucketStore(bucket);
  return { photoStore, closePhotos: () => photoStore.close() };
}

/** Takes minutes for a large database, and loads the disk. */
async function checkWhileServing(databasePath: string, health: StorageHealth, log?: Logger): Promise<void> {
  log?.info({ databasePath }, 'unclean shutdown; checking the database in the background');
  try {
    const problem = await checkInBackground(databasePath);
    if (problem === undefined) log?.info('database check passed');
    else health.isDamaged(problem);
  } catch (error) {
    log?.error({ err: error }, 'the database check did not complete');
  }
}

/** @throws Failure `unavailable` instead of an error of the file system or of SQLite */
export async function explaining<T>({ dataDir }: StorePlaces, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    throw explain(error, dataDir);
  }
}

/** Checks that the folder is writable, which would otherwise fail at the first change. */
async function claimFolder(dataDir: string): Promise<void> {
  await makeFolder(dataDir);
  await probeFolder(dataDir, 0);
}

/** Checks that a folder exists or can be created. A new one is deleted again. @throws Error of the file system */
export async function requireFolder(folder: string): Promise<void> {
  for (const made of (await makeFolder(folder)).toReversed()) await rmdir(made);
}

/** @throws if a file of this size cannot be written */
async function probeFolder(folder: string, byteLength = PROBE_BYTES): Promise<void> {
  const path = join(folder, `.write-test-${randomUUID()}`);
  try {
    await writeFile(path, Buffer.alloc(byteLength), { flush: true });
  } finally {
    await rm(path, { force: true });
  }
}

/** Turns errors of the file system and of SQLite into a Failure. Other errors are returned unchanged. */
function explain(error: unknown, dataDir: string): unknown {
  const sentence = explainDataFolder(error, dataDir);
  return sentence === undefined ? error : unusable(sentence);
}
