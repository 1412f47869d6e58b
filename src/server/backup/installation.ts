import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import type { Dump, DumpCounters, DumpTarget } from '../../domain/dump.ts';
import { Failure, unusable } from '../../domain/failure.ts';
import type { PhotoStore } from '../../domain/photos/ports.ts';
import { makeFolder } from '../../storage/files/durable-file.ts';
import { openPhotoStore } from '../../storage/files/photo-store.ts';
import {
  holdsCatalogue,
  openDump as openPostgresDump,
  prepareTarget as prepareDatabase,
} from '../../storage/postgres/dump.ts';
import { describeProgram, listPrograms, MOVE_NAME } from '../../storage/postgres/engine/connected-programs.ts';
import { withProgramName, type DatabaseAddress } from '../../storage/postgres/engine/connection-url.ts';
import { Connections } from '../../storage/postgres/engine/connections.ts';
import { retireSource } from '../../storage/postgres/engine/moved-source.ts';
import type { Ask } from '../../storage/postgres/engine/statements.ts';
import { openDump as openSqliteDump, prepareTarget as prepareFile } from '../../storage/sqlite/dump.ts';
import { DATABASE_NAME, openDatabase, openReader, lockForServer } from '../../storage/sqlite/engine/database.ts';
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

/** All data of a service, opened as the source of a copy. */
export interface SourceInstallation {
  dump: Dump;
  /** Undefined if the folder does not exist. */
  photos: PhotoStore | undefined;
  /** Identifies the database, without secrets. */
  id: string;
  photosId: string;
  /** For messages. */
  label: string;
  /**
   * Makes servers refuse to change it from now on, and to start on it. Undefined on SQLite, whose lock keeps servers
   * away.
   *
   * @returns false if it has changed after these counters
   * @throws Failure `unavailable` while servers use it
   */
  retire?: ((counters: DumpCounters) => Promise<boolean>) | undefined;
  close(): Promise<void>;
}

/** One that can be the target as well. */
export interface Installation extends SourceInstallation {
  dump: DumpTarget;
}

/**
 * A source and a target of a move are not in use by servers. A snapshot is one state of a database that may be in use.
 */
type Side = 'from' | 'to' | 'snapshot';

type OpenDatabase = Omit<Installation, 'photos' | 'photosId'>;

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
  if (side === 'to') await makeFolder(dataDir);
  const unlock = side === 'snapshot' ? () => {} : lockFolder(dataDir);
  let db: DatabaseSync | undefined;
  try {
    db = side === 'to' ? openDatabase(path) : openReader(path);
    if (side === 'to') prepareFile(db);
    const opened = db;
    const dump = openSqliteDump(db);
    // The first read begins the snapshot.
    if (side === 'snapshot') db.exec('begin; select 1 from sqlite_schema');
    return {
      dump,
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
    throw unusable(`The data folder ${dataDir} is in use by a server, a move or a restore. Stop it first.`);
  }
}

async function openPostgres(address: DatabaseAddress, side: Side): Promise<OpenDatabase> {
  const isSnapshot = side === 'snapshot';
  const connections = new Connections({
    address: isSnapshot ? address : withProgramName(address, MOVE_NAME),
    size: CONNECTIONS,
    responseTimeoutMs: STATEMENT_TIMEOUT_MS,
  });
  const requireUnused = () => requireNoPrograms(connections.ask, address);
  try {
    if (!isSnapshot) await requireUnused();
    if (side === 'to') await prepareDatabase(connections);
    else if (!(await holdsCatalogue(connections)))
      throw new Failure('not-found', `No Menagerie data found in the database ${address.label}.`);
    const snapshot = isSnapshot ? await openSnapshot(connections) : undefined;
    return {
      dump: await openPostgresDump(connections, snapshot?.ask),
      id: idOf(`postgres ${address.label}`),
      label: `PostgreSQL at ${address.label}`,
      retire:
        side === 'from'
          ? async (counters) => {
              await requireUnused();
              return retireSource(connections, counters).catch((error: unknown) => {
                throw explainPostgres(error, address);
              });
            }
          : undefined,
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
    if (side !== 'to' && !existsSync(place.folder)) return undefined;
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

function idOfPhotos(place: InstallationPlace['photos']): string {
  if ('folder' in place) return `folder ${place.folder}`;
  const { endpoint = '', bucket, prefix } = place.bucket;
  return `bucket ${endpoint} ${bucket} ${prefix}`;
}

function idOf(text: string): string {
  return hash('sha256', text, 'hex').slice(0, 32);
}
