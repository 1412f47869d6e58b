import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { Failure, unusable } from '../../domain/failure.ts';
import {
  DATABASE_NAME,
  LOG_LIMIT_BYTES,
  openDatabase,
  openReader,
  lockForServer,
} from '../../storage/sqlite/engine/database.ts';
import { FilePlaces } from '../../storage/sqlite/engine/files/file-places.ts';
import {
  checkBeforeServing,
  checkpoint,
  lastEndOf,
  noteEnd,
  noteStart,
  noteUse,
} from '../../storage/sqlite/engine/files/maintenance.ts';
import { refuseBegunReplacement, replaceDatabase } from '../../storage/sqlite/engine/files/replaced-database.ts';
import { isUpToDate, migrate, readSchema } from '../../storage/sqlite/migrations/migrations.ts';
import { copyBeforeMigration } from '../../storage/sqlite/engine/files/copy-before-migration.ts';
import type { OnMigration } from '../../storage/rows/migration-events.ts';
import { refuseUnfinishedRestore } from '../../storage/sqlite/engine/unfinished-restore.ts';
import { startWriter, type OnTrouble, type Writer } from '../../storage/sqlite/engine/writer.ts';
import { endClaims } from '../../storage/sqlite/engine/claimed-changes.ts';
import type { DatabaseFiles } from '../background/storage-health.ts';
import type { DatabaseStores } from '../../storage/rows/stores/stores.ts';
import { createSqliteStores, type SqliteConnections } from '../../storage/sqlite/stores.ts';

/** Time for another process that has just started to migrate the database. */
const MIGRATION_WAIT_MS = 1000;

/** Files of the data folder that belong to one database. */
const DERIVED_FILES = ['search-index', 'health.json'];

/** The subfolder into which an archive is unpacked. An interrupted restore leaves it; the next one deletes it. */
export const UNPACKED_FOLDER = 'restoring';

interface SqliteServerStores extends DatabaseStores {
  writer: Writer;
  files: DatabaseFiles;
  /** Set after an unclean shutdown if the database is too large to be checked before the start. */
  uncheckedPath: string | undefined;
  /** Whether the write-ahead log of the last service was missing. */
  hasLostLog: boolean;
}

/**
 * Opens the embedded database for the one server of a data folder.
 *
 * @throws Failure `unavailable`, also for a damaged database
 */
export function openSqliteStores(
  dataDir: string,
  onTrouble?: OnTrouble,
  onMigration?: OnMigration,
): SqliteServerStores {
  const unlock = lockForServer(join(dataDir, 'server.lock'));
  try {
    const databasePath = join(dataDir, DATABASE_NAME);
    replaceDatabase(dataDir, DERIVED_FILES);
    refuseUnpacked(dataDir);
    const end = lastEndOf(databasePath);
    noteStart(databasePath, end);
    const isUnchecked = end !== 'clean' && checkBeforeServing(databasePath);
    migrateDatabase(databasePath, { onMigration, andThen: endClaims });
    const writer = startWriter(databasePath, onTrouble);
    const stores = createSqliteStores(connect(databasePath, writer));
    noteUse(databasePath);
    const places = new FilePlaces(databasePath);
    return {
      ...stores,
      writer,
      files: {
        findProblem: () => places.findProblem(),
        logBytes: () => places.logBytes(),
        maxLogBytes: LOG_LIMIT_BYTES,
        waitingMs: () => writer.waitingMs(),
        checkpoint: () => checkpoint(databasePath),
      },
      activity: () => ({ ...stores.activity(), logBytes: places.logBytes() }),
      uncheckedPath: isUnchecked ? databasePath : undefined,
      hasLostLog: end === 'without log',
      async close() {
        await stores.close();
        noteEnd(databasePath);
        unlock();
      },
    };
  } catch (error) {
    unlock();
    throw error;
  }
}

/**
 * For a command. A server may be running on the same folder.
 *
 * @param isNew whether to create the database if there is none
 * @throws Failure `not-found`; `unavailable` if a server of an older version is running
 */
export function openSqliteStoresBesideServer(dataDir: string, isNew: boolean): DatabaseStores {
  const databasePath = join(dataDir, DATABASE_NAME);
  if (!isNew && !existsSync(databasePath)) {
    throw new Failure('not-found', `No Menagerie data found in ${dataDir}. Set the data folder with --data-dir.`);
  }
  refuseUnpacked(dataDir);
  const before = lastEndOf(databasePath);
  migrateUnlessServed(dataDir);
  const stores = createSqliteStores(connect(databasePath, startWriter(databasePath)));
  return {
    ...stores,
    async close() {
      await stores.close();
      noteEnd(databasePath, before);
    },
  };
}

/** @throws Failure `unavailable` if a restore has not created its database yet, or has begun to replace one */
function refuseUnpacked(dataDir: string): void {
  refuseBegunReplacement(dataDir);
  const unpacked = join(dataDir, UNPACKED_FOLDER);
  if (existsSync(join(dataDir, DATABASE_NAME)) || !existsSync(unpacked)) return;
  throw unusable(
    `A restore into this data folder has not finished. Run the same command again, or delete the folder ${unpacked}.`,
  );
}

function connect(databasePath: string, writer: Writer): SqliteConnections {
  try {
    return { reader: openReader(databasePath), scanner: openReader(databasePath), writer };
  } catch (error) {
    // The writer thread would keep the process alive.
    void writer.close();
    throw error;
  }
}

/**
 * A running server of an older version would write data that this version cannot read, so the migration needs the lock
 * of the server.
 */
export function migrateUnlessServed(dataDir: string, options?: MigrationOptions): void {
  const databasePath = join(dataDir, DATABASE_NAME);
  const unlock = lockWhereBehind(databasePath, join(dataDir, 'server.lock'));
  try {
    migrateDatabase(databasePath, options);
  } finally {
    unlock?.();
  }
}

/** @returns undefined if no migration is needed, also because another process has just done it */
function lockWhereBehind(databasePath: string, lockPath: string): (() => void) | undefined {
  const untilMs = Date.now() + MIGRATION_WAIT_MS;
  while (isBehind(databasePath)) {
    try {
      return lockForServer(lockPath);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (Date.now() > untilMs) throw servedByOlder();
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, MIGRATION_WAIT_MS / 20);
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
  return unusable(
    'The server on this data folder is an older version of Menagerie. Stop it, start the new version, and run ' +
      'the command again.',
  );
}

export interface MigrationOptions {
  onMigration?: OnMigration | undefined;
  /** Whether to keep a copy of the old database. */
  isCopied?: boolean;
  andThen?: (db: DatabaseSync) => void;
}

function migrateDatabase(
  databasePath: string,
  { onMigration = () => {}, isCopied = true, andThen }: MigrationOptions = {},
): void {
  const db = openDatabase(databasePath);
  try {
    refuseUnfinishedRestore(db);
    if (isCopied && !isUpToDate(db) && readSchema(db) > 0) {
      const startMs = performance.now();
      const copy = copyBeforeMigration(db, databasePath);
      onMigration({ kind: 'copied', ...copy, ms: Math.round(performance.now() - startMs) });
    }
    migrate(db, onMigration);
    andThen?.(db);
  } finally {
    db.close();
  }
}
