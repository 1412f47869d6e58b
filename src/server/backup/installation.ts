import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import type { Dump, DumpTarget } from '../../storage/rows/dump/dump-tables.ts';
import { Failure, unusable } from '../../domain/failure.ts';
import type { PhotoStore } from '../../domain/photos/ports.ts';
import { makeFolder } from '../../storage/files/durable-file.ts';
import { openPhotoStore } from '../../storage/files/photo-store.ts';
import {
  holdsCatalogue,
  openDump as openPostgresDump,
  openOlderDump,
  prepareTarget as prepareDatabase,
} from '../../storage/postgres/dump.ts';
import { COPY_NAME, describeProgram, listPrograms } from '../../storage/postgres/engine/connected-programs.ts';
import { withProgramName, type DatabaseAddress } from '../../storage/postgres/engine/connection-url.ts';
import { Connections } from '../../storage/postgres/engine/connections.ts';
import { retire } from '../../storage/postgres/engine/retired-database.ts';
import type { Ask } from '../../storage/postgres/engine/statements.ts';
import { findMark as findDatabaseMark } from '../../storage/postgres/engine/unfinished-restore.ts';
import { openDump as openSqliteDump, prepareTarget as prepareFile } from '../../storage/sqlite/dump.ts';
import { DATABASE_NAME, lockForServer, openDatabase, openSource } from '../../storage/sqlite/engine/database.ts';
import { lastEndOf, noteEnd } from '../../storage/sqlite/engine/files/maintenance.ts';
import { findMark as findFileMark } from '../../storage/sqlite/engine/unfinished-restore.ts';
import type { InstallationPlace } from '../configuration/places.ts';
import { explainUnreachable } from '../stores/postgres-stores.ts';
import { explainDataFolder } from '../system/system-errors.ts';

/** One batch of rows is read while the previous one is written. */
const CONNECTIONS = 3;

/** Long, because no request waits for it, and the largest tables have to be sorted. */
const STATEMENT_TIMEOUT_MS = 600_000;

/** The server closes the connections of a program that has just ended. */
const CLOSING_MS = 2000;
const CLOSING_POLL_MS = 50;

/** One state of all data of a service, which is copied. */
export interface Source {
  dump: Dump;
  /** Undefined if the folder does not exist. */
  photos: Pick<PhotoStore, 'read'> | undefined;
  /** Names it, without secrets. */
  label: string;
}

/** A source that is open. */
export interface OpenSource extends Source {
  retire?: Installation['retire'];
  close(): Promise<void>;
}

/** All data of a service, opened as the source or target of a copy. */
export interface Installation extends Source {
  dump: DumpTarget;
  photos: PhotoStore | undefined;
  /**
   * Makes the database refuse changes from now on, and servers refuse to start on it. Only of a final source on
   * PostgreSQL: the lock of a data folder keeps servers away.
   *
   * @throws Failure `conflict` if there was a change after this state, `unavailable` while servers use it
   */
  retire?: (() => Promise<void>) | undefined;
  close(): Promise<void>;
}

/** No server uses the target, or the source of a final backup. */
type Side = 'source' | 'final source' | 'target';

type OpenDatabase = Omit<Installation, 'photos'>;

/**
 * @param side a source must exist and is not changed; the target may be new
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
  const isTarget = side === 'target';
  if (!isTarget && !existsSync(path)) throw new Failure('not-found', `No Menagerie data found in ${dataDir}.`);
  if (isTarget) await makeFolder(dataDir);
  const unlock = side === 'source' ? () => {} : lockFolder(dataDir);
  let db: DatabaseSync | undefined;
  try {
    const before = lastEndOf(path);
    db = isTarget ? openDatabase(path) : openSource(path);
    if (isTarget) prepareFile(db);
    else requireUnmarked(findFileMark(db));
    const opened = db;
    const dump = openSqliteDump(db);
    // The first read begins the snapshot.
    if (!isTarget) db.exec('begin; select 1 from sqlite_schema');
    return {
      dump,
      label: dataDir,
      async close() {
        opened.close();
        noteEnd(path, before);
        unlock();
      },
    };
  } catch (error) {
    db?.close();
    unlock();
    throw explainFolder(error, dataDir);
  }
}

function requireUnmarked(mark: string | undefined): void {
  if (mark === undefined) return;
  throw new Failure('conflict', 'The database is the target of an unfinished restore. Finish that first.');
}

function lockFolder(dataDir: string): () => void {
  try {
    return lockForServer(join(dataDir, 'server.lock'));
  } catch (error) {
    if (!(error instanceof Failure)) throw explainFolder(error, dataDir);
    throw unusable(`The data folder ${dataDir} is in use by a server, a restore or a final backup. Stop it first.`);
  }
}

async function openPostgres(address: DatabaseAddress, side: Side): Promise<OpenDatabase> {
  const mayBeInUse = side === 'source';
  const connections = new Connections({
    address: mayBeInUse ? address : withProgramName(address, COPY_NAME),
    size: CONNECTIONS,
    responseTimeoutMs: STATEMENT_TIMEOUT_MS,
  });
  try {
    if (!mayBeInUse) await requireNoPrograms(connections.ask, address);
    if (side === 'target') await prepareDatabase(connections);
    else if (!(await holdsCatalogue(connections)))
      throw new Failure('not-found', `No Menagerie data found in the database ${address.label}.`);
    else requireUnmarked(await findDatabaseMark(connections));
    const snapshot = side === 'target' ? undefined : await openSnapshot(connections);
    const dump = await openPostgresDump(connections, snapshot?.ask);
    return {
      dump,
      label: `PostgreSQL at ${address.label}`,
      retire: side === 'final source' ? () => retireDatabase(connections, dump, address) : undefined,
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

/**
 * A PostgreSQL database before its migration.
 * @param photos undefined to leave them out
 * @throws Failure `unavailable`
 */
export async function openOlderSource(
  address: DatabaseAddress,
  photos: InstallationPlace['photos'] | undefined,
): Promise<OpenSource> {
  const connections = new Connections({ address, size: CONNECTIONS, responseTimeoutMs: STATEMENT_TIMEOUT_MS });
  try {
    const store = photos && (await openPhotos(photos, 'source'));
    const snapshot = await openSnapshot(connections);
    return {
      dump: await openOlderDump(snapshot.ask),
      photos: store?.photos,
      label: `PostgreSQL at ${address.label}`,
      async close() {
        await snapshot.close();
        await connections.close();
        store?.close();
      },
    };
  } catch (error) {
    await connections.close();
    throw explainPostgres(error, address);
  }
}

async function retireDatabase(connections: Connections, snapshot: Dump, address: DatabaseAddress): Promise<void> {
  await requireNoPrograms(connections.ask, address);
  const isRetired = await retire(connections, await snapshot.readCounters()).catch((error: unknown) => {
    throw explainPostgres(error, address);
  });
  if (isRetired) return;
  throw new Failure(
    'conflict',
    'The backup is complete, but the database was changed during it, so it is not final and the database still accepts ' +
      'changes. Stop what changes it, and run the command again.',
  );
}

async function requireNoPrograms(ask: Ask, { label }: DatabaseAddress): Promise<void> {
  const untilMs = performance.now() + CLOSING_MS;
  for (;;) {
    const programs = await listPrograms(ask);
    if (programs.length === 0) return;
    if (performance.now() > untilMs)
      throw unusable(
        `The database ${label} is in use by ${programs.map(describeProgram).join(', ')}. Stop these nodes and commands first.`,
      );
    await delay(CLOSING_POLL_MS);
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
    if (side !== 'target' && !existsSync(place.folder)) return undefined;
    return { photos: await openPhotoStore(place.folder, false), close() {} };
  }
  const { openPhotoStore: openBucketStore } = await import('../../storage/s3/photo-store.ts');
  const photos = await openBucketStore(place.bucket);
  return { photos, close: () => photos.close() };
}

/** Turns errors of the file system and of SQLite into a Failure. Other errors are returned unchanged. */
function explainFolder(error: unknown, dataDir: string): unknown {
  const sentence = error instanceof Failure ? undefined : explainDataFolder(error, dataDir);
  return sentence === undefined ? error : unusable(sentence);
}

function explainPostgres(error: unknown, address: DatabaseAddress): unknown {
  return explainUnreachable(error, address, 'its URL');
}
