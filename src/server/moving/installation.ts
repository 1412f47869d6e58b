import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { ArchiveTarget } from '../../domain/archive.ts';
import { Failure } from '../../domain/failure.ts';
import type { PhotoStore } from '../../domain/pets/ports.ts';
import { openPhotoStore } from '../../storage/files/photo-store.ts';
import { holdsCatalogue, openArchive as openPostgresArchive } from '../../storage/postgres/engine/archive.ts';
import type { DatabaseAddress } from '../../storage/postgres/engine/connection-url.ts';
import { Connections } from '../../storage/postgres/engine/connections.ts';
import { migrate as migratePostgres } from '../../storage/postgres/engine/migrations.ts';
import { openArchive as openSqliteArchive } from '../../storage/sqlite/engine/archive.ts';
import { openDatabase, openReader, readPragma } from '../../storage/sqlite/engine/database.ts';
import { migrate as migrateSqlite } from '../../storage/sqlite/engine/migrations.ts';
import { lockForServer } from '../../storage/sqlite/engine/server-lock.ts';
import type { InstallationPlace } from './places.ts';

/** Of rows, one part is read while the one before is written. */
const CONNECTIONS = 3;

/** Nobody waits for an answer to a request, and the largest tables are read in one order. */
const STATEMENT_TIMEOUT_MS = 600_000;

/** All that a service keeps, open to be moved from or into. */
export interface Installation {
  archive: ArchiveTarget;
  /** Undefined where there is no such folder. */
  photos: PhotoStore | undefined;
  /** Another for each database, and without a secret. */
  id: string;
  photosId: string;
  /** For people. */
  told: string;
  close(): Promise<void>;
}

type Side = 'from' | 'to';

interface OpenDatabase {
  archive: ArchiveTarget;
  id: string;
  told: string;
  close(): Promise<void>;
}

/**
 * @param side whether it is moved from, and so nothing is made or changed, or into, and so it may be new
 * @throws Failure `not-found`, `unavailable`
 */
export async function openInstallation({ database, photos }: InstallationPlace, side: Side): Promise<Installation> {
  const open =
    'dataDir' in database ? await openFolder(database.dataDir, side) : await openPostgres(database.address, side);
  try {
    const store = await openPhotos(photos, side);
    return {
      ...open,
      photos: store?.photos,
      photosId: idOfPhotos(photos),
      async close() {
        await open.close();
        store?.close();
      },
    };
  } catch (error) {
    await open.close();
    throw error;
  }
}

async function openFolder(dataDir: string, side: Side): Promise<OpenDatabase> {
  const path = join(dataDir, 'menagerie.db');
  if (side === 'from' && !existsSync(path))
    throw new Failure('not-found', `There is no data of Menagerie in ${dataDir}.`);
  if (side === 'to') await mkdir(dataDir, { recursive: true });
  const unlock = lockFolder(dataDir);
  let db: DatabaseSync | undefined;
  try {
    db = side === 'from' ? openReader(path) : openDatabase(path);
    if (side === 'to' && readPragma(db, 'user_version') === 0) migrateSqlite(db);
    const opened = db;
    return {
      archive: openSqliteArchive(db),
      id: idOf(`folder ${await realpath(dataDir)}`),
      told: dataDir,
      async close() {
        opened.close();
        unlock();
      },
    };
  } catch (error) {
    db?.close();
    unlock();
    throw explainFolder(error, dataDir);
  }
}

function lockFolder(dataDir: string): () => void {
  try {
    return lockForServer(join(dataDir, 'server.lock'));
  } catch (error) {
    if (!(error instanceof Failure)) throw explainFolder(error, dataDir);
    throw new Failure('unavailable', `A server or a move is at work on the data folder ${dataDir}. Stop it first.`);
  }
}

async function openPostgres(address: DatabaseAddress, side: Side): Promise<OpenDatabase> {
  const connections = new Connections({ address, size: CONNECTIONS, answerTimeoutMs: STATEMENT_TIMEOUT_MS });
  try {
    // What is there already is refused as it is, unless it is empty: so it is not brought up to date before.
    if (!(await holdsCatalogue(connections))) {
      if (side === 'from')
        throw new Failure('not-found', `There is no data of Menagerie in the database ${address.told}.`);
      await migratePostgres(connections);
    }
    return {
      archive: await openPostgresArchive(connections),
      id: idOf(`postgres ${address.told}`),
      told: `PostgreSQL at ${address.told}`,
      close: () => connections.close(),
    };
  } catch (error) {
    await connections.close();
    throw explainPostgres(error, address);
  }
}

async function openPhotos(
  place: InstallationPlace['photos'],
  side: Side,
): Promise<{ photos: PhotoStore; close(): void } | undefined> {
  if ('folder' in place) {
    if (side === 'from' && !existsSync(place.folder)) return undefined;
    return { photos: await openPhotoStore(place.folder, false), close() {} };
  }
  const { openPhotoStore: openBucketStore } = await import('../../storage/s3/photo-store.ts');
  const photos = await openBucketStore(place.bucket);
  return { photos, close: () => photos.close() };
}

/** What the file system or SQLite says, as one sentence. Any other error is left unchanged. */
function explainFolder(error: unknown, dataDir: string): unknown {
  if (error instanceof Failure || !(error instanceof Error)) return error;
  if (!('errcode' in error) && !('syscall' in error)) return error;
  const reason = 'errcode' in error || !('code' in error) ? error.message : String(error.code);
  return new Failure('unavailable', `The data folder ${dataDir} cannot be used (${reason}).`);
}

function explainPostgres(error: unknown, { told }: DatabaseAddress): unknown {
  if (!(error instanceof Failure) || !(error.cause instanceof Error)) return error;
  return new Failure('unavailable', `The database ${told} cannot be used (${error.cause.message}).`);
}

function idOfPhotos(place: InstallationPlace['photos']): string {
  if ('folder' in place) return `folder ${place.folder}`;
  const { endpoint = '', bucket, prefix } = place.bucket;
  return `bucket ${endpoint} ${bucket} ${prefix}`;
}

function idOf(text: string): string {
  return hash('sha256', text, 'hex').slice(0, 32);
}
