import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../domain/failure.ts';
import type { OnMigration } from '../../storage/rows/migration-events.ts';
import { DATABASE_NAME, openReader } from '../../storage/sqlite/engine/database.ts';
import { measureCopy, type CopySpace } from '../../storage/sqlite/engine/files/copy-before-migration.ts';
import { lastEndOf, noteEnd } from '../../storage/sqlite/engine/files/maintenance.ts';
import { countMigrations, listPending, readSchema, refuseNewer } from '../../storage/sqlite/migrations/migrations.ts';
import type { StorePlaces } from '../configuration/config.ts';
import { explaining } from './open-stores.ts';
import { migrateUnlessServed, type MigrationOptions } from './sqlite-stores.ts';

export type { MigrationEvent } from '../../storage/rows/migration-events.ts';

/** Assumes a disk that writes 100 MB/s, twice: the copy and the largest migration so far reach 430 and 125 MB/s. */
const BYTES_PER_SECOND = 50_000_000;

interface PendingMigration {
  name: string;
  /**
   * Whether the nodes of the previous version can continue meanwhile. Always false for SQLite, which has one server.
   */
  isRolling: boolean;
}

export interface MigrationPlan {
  /** The number of migrations of the database, and of this program. */
  schema: number;
  knownSchema: number;
  pending: readonly PendingMigration[];
  databaseBytes: number;
  roughSeconds: number;
  /** The space for the copy that is made of an embedded database. */
  space: CopySpace | undefined;
  /** The machines of running nodes that prevent the migration. */
  olderNodes: readonly string[];
}

/**
 * Describes the migrations that this version would make. Changes nothing.
 *
 * @param isCopied whether a copy of an embedded database would be kept
 * @throws Failure `not-found`, `unavailable`
 */
export function planMigration(places: StorePlaces, isCopied: boolean): Promise<MigrationPlan> {
  return explaining(places, async () => {
    if (places.database === undefined) return planOfSqlite(places.dataDir, isCopied);
    const { planOfPostgres } = await import('./migrate-postgres.ts');
    return withTime(await planOfPostgres(places.database));
  });
}

/**
 * Migrates the database without serving.
 *
 * @param isCopied whether to keep a copy of an embedded database
 * @throws Failure `not-found`; `unavailable` also while a server uses an embedded database that has to be migrated
 */
export function migrateDatabase(
  places: StorePlaces,
  { isCopied, onMigration }: { isCopied: boolean; onMigration: OnMigration },
): Promise<void> {
  return explaining(places, async () => {
    if (places.database === undefined) return migrateFolder(places.dataDir, { isCopied, onMigration });
    const { migratePostgres } = await import('./migrate-postgres.ts');
    return migratePostgres(places.database, onMigration);
  });
}

function migrateFolder(dataDir: string, options: MigrationOptions): void {
  const databasePath = requireDatabase(dataDir);
  const before = lastEndOf(databasePath);
  migrateUnlessServed(dataDir, options);
  noteEnd(databasePath, before);
}

function planOfSqlite(dataDir: string, isCopied: boolean): MigrationPlan {
  const databasePath = requireDatabase(dataDir);
  const before = lastEndOf(databasePath);
  const db = openReader(databasePath);
  try {
    refuseNewer(db);
    return withTime({
      schema: readSchema(db),
      knownSchema: countMigrations(),
      pending: listPending(db).map((name) => ({ name, isRolling: false })),
      databaseBytes: statSync(databasePath).size,
      space: isCopied ? measureCopy(db, databasePath) : undefined,
      olderNodes: [],
    });
  } finally {
    db.close();
    noteEnd(databasePath, before);
  }
}

function requireDatabase(dataDir: string): string {
  const databasePath = join(dataDir, DATABASE_NAME);
  if (existsSync(databasePath)) return databasePath;
  throw new Failure('not-found', `No Menagerie data found in ${dataDir}. Set the data folder with --data-dir.`);
}

function withTime(plan: Omit<MigrationPlan, 'roughSeconds'>): MigrationPlan {
  const seconds = plan.pending.length === 0 ? 0 : Math.ceil(plan.databaseBytes / BYTES_PER_SECOND);
  return { ...plan, roughSeconds: seconds };
}
