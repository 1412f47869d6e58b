import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gatherStores, type GatheredStores } from '../batching/gathered-stores.ts';
import { gatherTurns } from '../batching/turns.ts';
import { Failure } from '../domain/failure.ts';
import type { PhotoStore, UploadStaging } from '../domain/pets/ports.ts';
import type { Turns } from '../domain/ports.ts';
import { openPhotoStore } from '../local-files/photo-store.ts';
import { openUploadStaging } from '../local-files/upload-staging.ts';
import { openAuditStore } from '../sqlite/audit-store.ts';
import { openKeyStore } from '../sqlite/key-store.ts';
import { openLimitStore } from '../sqlite/limit-store.ts';
import { openDatabase, openReader } from '../sqlite/engine/database.ts';
import { migrate } from '../sqlite/engine/migrations.ts';
import { openPetStore } from '../sqlite/pet-store.ts';
import { openPhotoIndex } from '../sqlite/photo-index.ts';
import { lockForServer } from '../sqlite/engine/server-lock.ts';
import { createSnapshots } from '../sqlite/engine/snapshots.ts';
import { openSessionStore } from '../sqlite/session-store.ts';
import { openUserStore } from '../sqlite/user-store.ts';
import { createWriter, startWriter, type SharedWriter, type Writer, type WriterLink } from '../sqlite/engine/writer.ts';

/** What the database holds. */
export interface DatabaseStores extends GatheredStores {
  turns: Turns;
  /** Finishes what was asked for, then lets go of everything. */
  close(): Promise<void>;
}

export interface Stores extends DatabaseStores {
  photoStore: PhotoStore;
  staging: UploadStaging;
}

/** With the writer, for processes that serve beside this one. */
export interface SharedStores extends Stores {
  writer: SharedWriter;
}

const DATABASE_NAME = 'menagerie.db';

/**
 * Opens the data folder: the database, brought up to date, and the pictures. One server a folder.
 *
 * @throws Failure `unavailable` with a sentence that says what stands in the way; nothing is harmed
 */
export async function openStores(dataDir: string): Promise<SharedStores> {
  try {
    await claimFolder(dataDir);
    const unlock = lockForServer(join(dataDir, 'server.lock'));
    try {
      return await openClaimed(dataDir, unlock);
    } catch (error) {
      unlock();
      throw error;
    }
  } catch (error) {
    throw explain(error, dataDir);
  }
}

async function openClaimed(dataDir: string, unlock: () => void): Promise<SharedStores> {
  const databasePath = join(dataDir, DATABASE_NAME);
  bringUpToDate(databasePath);
  const files = await openFiles(dataDir, true);
  const writer = startWriter(databasePath);
  const stores = openDatabaseStores(databasePath, writer);
  return {
    ...stores,
    ...files,
    writer,
    async close() {
      await stores.close();
      unlock();
    },
  };
}

/** The stores of a process that serves beside others: what it writes goes by way of the link, to the process that has opened the folder. */
export async function openStoresOfWorker(dataDir: string, link: WriterLink): Promise<Stores> {
  const stores = openDatabaseStores(join(dataDir, DATABASE_NAME), createWriter(link));
  return { ...stores, ...(await openFiles(dataDir, false)) };
}

async function openFiles(dataDir: string, isFirst: boolean): Promise<Pick<Stores, 'photoStore' | 'staging'>> {
  const photoStore = await openPhotoStore(join(dataDir, 'photos'), isFirst);
  return { photoStore, staging: await openUploadStaging(join(dataDir, 'uploads')) };
}

/**
 * Opens the database alone, beside a server that may be running on it.
 *
 * @param isNew whether there may be none yet: then it is made
 * @throws Failure `unavailable` with a sentence that says what stands in the way
 */
export async function openStoresBesideServer(dataDir: string, isNew: boolean): Promise<DatabaseStores> {
  const databasePath = join(dataDir, DATABASE_NAME);
  if (!isNew && !existsSync(databasePath)) {
    throw new Failure('not-found', `There is no data of Menagerie in ${dataDir}. Say where it is with --data-dir.`);
  }
  try {
    await claimFolder(dataDir);
    bringUpToDate(databasePath);
    return openDatabaseStores(databasePath, startWriter(databasePath));
  } catch (error) {
    throw explain(error, dataDir);
  }
}

function openDatabaseStores(databasePath: string, writer: Writer): DatabaseStores {
  const reader = openReader(databasePath);
  // Lists have a connection of their own: what they leaf through once does not take the place of what is read often.
  const scanner = openReader(databasePath);
  const snapshots = createSnapshots(reader);
  const gathered = gatherStores({
    petStore: openPetStore(reader, writer, scanner),
    userStore: openUserStore(reader, writer),
    sessionStore: openSessionStore(reader, writer, snapshots),
    keyStore: openKeyStore(reader, writer),
    limitStore: openLimitStore(reader, writer),
    auditStore: openAuditStore(reader, writer),
    photoIndex: openPhotoIndex(reader, writer),
  });
  return {
    ...gathered,
    turns: gatherTurns(snapshots.inSnapshot),
    async close() {
      await writer.close();
      reader.close();
      scanner.close();
    },
  };
}

function bringUpToDate(databasePath: string): void {
  const db = openDatabase(databasePath);
  try {
    migrate(db);
  } finally {
    db.close();
  }
}

/** The folder may be there, and yet not ours to write: better to learn it now than at the first change. */
async function claimFolder(dataDir: string): Promise<void> {
  await mkdir(dataDir, { recursive: true });
  const probe = join(dataDir, `.write-test-${process.pid}`);
  await writeFile(probe, '');
  await rm(probe);
}

/** What the file system or SQLite says of a folder that is not as it should be, as one sentence. A bug stays what it is. */
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
