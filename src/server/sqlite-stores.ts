import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { Failure } from '../domain/failure.ts';
import { LOG_LIMIT_BYTES, openDatabase, openInMemory, openReader } from '../storage/sqlite/engine/database.ts';
import { createInlineWriter } from '../storage/sqlite/engine/write-transactions.ts';
import { FilePlaces } from '../storage/sqlite/engine/files/file-places.ts';
import {
  checkBeforeServing,
  checkpoint,
  hasEndedCleanly,
  noteCleanEnd,
} from '../storage/sqlite/engine/files/maintenance.ts';
import { isUpToDate, migrate } from '../storage/sqlite/engine/migrations.ts';
import { lockForServer } from '../storage/sqlite/engine/server-lock.ts';
import { refuseUnfinishedMove } from '../storage/sqlite/engine/unfinished-move.ts';
import { startWriter, Writer, type OnTrouble, type WriterLink } from '../storage/sqlite/engine/writer.ts';
import { endClaims } from '../storage/sqlite/idempotency-store.ts';
import { openInstallationStore, openInstallationStoreInMemory } from '../storage/sqlite/installation-store.ts';
import type { DatabaseFiles } from './background/storage-health.ts';
import type { DatabaseStores } from '../domain/stores.ts';
import { createSqliteStores, type SqliteConnections } from '../storage/sqlite/stores.ts';

const DATABASE_NAME = 'menagerie.db';

/** Somebody else who has just started may be about to bring a database up to date. */
const PATIENCE_MS = 1000;

export interface SqliteServerStores extends DatabaseStores {
  /** For processes that serve beside this one. */
  sharedWriter: Writer;
  files: DatabaseFiles;
  /** Of a database that did not end cleanly, and is too large to be checked before it is served. */
  uncheckedPath: string | undefined;
}

/**
 * The stores of the embedded database. One server a folder.
 *
 * @throws Failure `unavailable` also for a damaged database
 */
export function openSqliteStores(dataDir: string, onTrouble?: OnTrouble): SqliteServerStores {
  const unlock = lockForServer(join(dataDir, 'server.lock'));
  try {
    const databasePath = join(dataDir, DATABASE_NAME);
    const isUnchecked = !hasEndedCleanly(databasePath) && checkBeforeServing(databasePath);
    bringUpToDate(databasePath, endClaims);
    const sharedWriter = startWriter(databasePath, onTrouble);
    const stores = createSqliteStores(connect(databasePath, sharedWriter));
    const places = new FilePlaces(databasePath);
    return {
      ...stores,
      sharedWriter,
      files: {
        findProblem: () => places.findProblem(),
        logBytes: () => places.logBytes(),
        maxLogBytes: LOG_LIMIT_BYTES,
        waitingMs: () => sharedWriter.waitingMs(),
        checkpoint: () => checkpoint(databasePath),
      },
      uncheckedPath: isUnchecked ? databasePath : undefined,
      async close() {
        await stores.close();
        noteCleanEnd(databasePath);
        unlock();
      },
    };
  } catch (error) {
    unlock();
    throw error;
  }
}

/** Those of a process that serves beside others: what it writes goes by way of the link, to the process that has opened the folder. */
export function openSqliteStoresOfWorker(dataDir: string, link: WriterLink): DatabaseStores {
  return createSqliteStores(connect(join(dataDir, DATABASE_NAME), new Writer({ link })));
}

/**
 * Those of a command beside a server that may be running.
 *
 * @param isNew whether there may be none yet: then they are made
 * @throws Failure `not-found`; `unavailable` where a server of an older version is running
 */
export function openSqliteStoresBesideServer(dataDir: string, isNew: boolean): DatabaseStores {
  const databasePath = join(dataDir, DATABASE_NAME);
  if (!isNew && !existsSync(databasePath)) {
    throw new Failure('not-found', `There is no data of Menagerie in ${dataDir}. Say where it is with --data-dir.`);
  }
  const wasClean = hasEndedCleanly(databasePath);
  bringUpToDateUnlessServed(dataDir);
  const stores = createSqliteStores(connect(databasePath, startWriter(databasePath)));
  return {
    ...stores,
    async close() {
      await stores.close();
      if (wasClean) noteCleanEnd(databasePath);
    },
  };
}

/**
 * Those of a database in memory: nothing of it is on the disk, and it ends when they are closed.
 *
 * @param content the database to begin with, as `contentOf` gave it; a new one without
 */
export function openSqliteStoresInMemory(content?: Uint8Array): DatabaseStores & { contentOf: () => Uint8Array } {
  const db = openInMemory(content);
  if (content === undefined) migrate(db);
  const installation = openInstallationStoreInMemory(db);
  const stores = createSqliteStores({ reader: db, scanner: db, writer: createInlineWriter(db), installation });
  return { ...stores, contentOf: () => db.serialize() };
}

function connect(databasePath: string, writer: Writer): SqliteConnections {
  try {
    const reader = openReader(databasePath);
    const installation = openInstallationStore(reader, databasePath);
    return { reader, scanner: openReader(databasePath), writer, installation };
  } catch (error) {
    // The thread of the writer would keep the process alive.
    void writer.close();
    throw error;
  }
}

/** What a server of an older version writes would not be what this version has to find: none may be running while a database becomes one of this version. */
function bringUpToDateUnlessServed(dataDir: string): void {
  const databasePath = join(dataDir, DATABASE_NAME);
  const unlock = lockWhereBehind(databasePath, join(dataDir, 'server.lock'));
  try {
    bringUpToDate(databasePath);
  } finally {
    unlock?.();
  }
}

/** @returns undefined where there is nothing to bring up to date; whoever starts at this moment may have done it */
function lockWhereBehind(databasePath: string, lockPath: string): (() => void) | undefined {
  const untilMs = Date.now() + PATIENCE_MS;
  while (isBehind(databasePath)) {
    try {
      return lockForServer(lockPath);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (Date.now() > untilMs) throw servedByOlder();
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PATIENCE_MS / 20);
    }
  }
  return undefined;
}

function isBehind(databasePath: string): boolean {
  const db = openDatabase(databasePath);
  try {
    return !isUpToDate(db);
  } finally {
    db.close();
  }
}

function servedByOlder(): Failure {
  return new Failure(
    'unavailable',
    'The server on this data folder is of an older version of Menagerie. Stop it, start the new version, then give the command again.',
  );
}

function bringUpToDate(databasePath: string, andThen: (db: DatabaseSync) => void = () => {}): void {
  const db = openDatabase(databasePath);
  try {
    refuseUnfinishedMove(db);
    migrate(db);
    andThen(db);
  } finally {
    db.close();
  }
}
