import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { Archive, ArchiveTarget } from '../../domain/archive.ts';
import { Failure } from '../../domain/failure.ts';
import type { PhotoStore } from '../../domain/pets/ports.ts';
import { openPhotoStore } from '../../storage/files/photo-store.ts';
import {
  holdsCatalogue,
  openArchive as openPostgresArchive,
  prepareTarget as prepareDatabase,
} from '../../storage/postgres/engine/archive.ts';
import type { DatabaseAddress } from '../../storage/postgres/engine/connection-url.ts';
import { Connections } from '../../storage/postgres/engine/connections.ts';
import type { Ask } from '../../storage/postgres/engine/statements.ts';
import { openArchive as openSqliteArchive, prepareTarget as prepareFile } from '../../storage/sqlite/engine/archive.ts';
import { DATABASE_NAME, openDatabase, openReader } from '../../storage/sqlite/engine/database.ts';
import { lockForServer } from '../../storage/sqlite/engine/server-lock.ts';
import type { InstallationPlace } from './places.ts';

/** One batch of rows is read while the previous one is written. */
const CONNECTIONS = 3;

/** Long, because no request waits for it, and the largest tables have to be sorted. */
const STATEMENT_TIMEOUT_MS = 600_000;

/** All data of a service, opened as the source of a copy. */
export interface SourceInstallation {
  archive: Archive;
  /** Undefined if the folder does not exist. */
  photos: PhotoStore | undefined;
  /** Identifies the database, without secrets. */
  id: string;
  photosId: string;
  /** For messages. */
  label: string;
  close(): Promise<void>;
}

/** One that can be the target as well. */
export interface Installation extends SourceInstallation {
  archive: ArchiveTarget;
}

/** A source and a target of a move are not in use by servers. A snapshot is one state of a database that may be in use. */
type Side = 'from' | 'to' | 'snapshot';

interface OpenDatabase {
  archive: ArchiveTarget;
  id: string;
  label: string;
  close(): Promise<void>;
}

/**
 * @param side the source (`from`, `snapshot`) must exist and is not changed; the target (`to`) may be new
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
  const path = join(dataDir, DATABASE_NAME);
  if (side !== 'to' && !existsSync(path)) throw new Failure('not-found', `No Menagerie data found in ${dataDir}.`);
  if (side === 'to') await mkdir(dataDir, { recursive: true });
  const unlock = side === 'snapshot' ? () => {} : lockFolder(dataDir);
  let db: DatabaseSync | undefined;
  try {
    db = side === 'to' ? openDatabase(path) : openReader(path);
    if (side === 'to') prepareFile(db);
    const opened = db;
    const archive = openSqliteArchive(db);
    // The first read begins the snapshot.
    if (side === 'snapshot') db.exec('begin; select 1 from sqlite_schema');
    return {
      archive,
      id: idOf(`folder ${await realpath(dataDir)}`),
      label: dataDir,
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
    throw new Failure(
      'unavailable',
      `The data folder ${dataDir} is in use by a server, a move or a restore. Stop it first.`,
    );
  }
}

async function openPostgres(address: DatabaseAddress, side: Side): Promise<OpenDatabase> {
  const connections = new Connections({ address, size: CONNECTIONS, answerTimeoutMs: STATEMENT_TIMEOUT_MS });
  try {
    if (side === 'to') await prepareDatabase(connections);
    else if (!(await holdsCatalogue(connections)))
      throw new Failure('not-found', `No Menagerie data found in the database ${address.label}.`);
    const snapshot = side === 'snapshot' ? await openSnapshot(connections) : undefined;
    return {
      archive: await openPostgresArchive(connections, snapshot?.ask),
      id: idOf(`postgres ${address.label}`),
      label: `PostgreSQL at ${address.label}`,
      async close() {
        await snapshot?.close();
        await connections.close();
      },
    };
  } catch (error) {
    await connections.close();
    throw explainPostgres(error, address);
  }
}

async function openSnapshot(connections: Connections): Promise<{ ask: Ask; close(): Promise<void> }> {
  const opened = Promise.withResolvers<Ask>();
  const closing = Promise.withResolvers<void>();
  const snapshot = connections.inSnapshot(async (ask) => {
    opened.resolve(ask);
    await closing.promise;
  });
  snapshot.catch(opened.reject);
  const ask = await opened.promise;
  return {
    ask,
    async close() {
      closing.resolve();
      await snapshot;
    },
  };
}

async function openPhotos(
  place: InstallationPlace['photos'],
  side: Side,
): Promise<{ photos: PhotoStore; close(): void } | undefined> {
  if ('folder' in place) {
    if (side !== 'to' && !existsSync(place.folder)) return undefined;
    return { photos: await openPhotoStore(place.folder, false), close() {} };
  }
  const { openPhotoStore: openBucketStore } = await import('../../storage/s3/photo-store.ts');
  const photos = await openBucketStore(place.bucket);
  return { photos, close: () => photos.close() };
}

/** Turns errors of the file system and of SQLite into a Failure. Other errors are returned unchanged. */
function explainFolder(error: unknown, dataDir: string): unknown {
  if (error instanceof Failure || !(error instanceof Error)) return error;
  if (!('errcode' in error) && !('syscall' in error)) return error;
  const reason = 'errcode' in error || !('code' in error) ? error.message : String(error.code);
  return new Failure('unavailable', `The data folder ${dataDir} cannot be used (${reason}).`);
}

function explainPostgres(error: unknown, { label }: DatabaseAddress): unknown {
  if (!(error instanceof Failure) || !(error.cause instanceof Error)) return error;
  return new Failure('unavailable', `The database ${label} cannot be used (${error.cause.message}).`);
}

function idOfPhotos(place: InstallationPlace['photos']): string {
  if ('folder' in place) return `folder ${place.folder}`;
  const { endpoint = '', bucket, prefix } = place.bucket;
  return `bucket ${endpoint} ${bucket} ${prefix}`;
}

function idOf(text: string): string {
  return hash('sha256', text, 'hex').slice(0, 32);
}
