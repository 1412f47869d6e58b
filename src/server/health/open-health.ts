import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, unusable } from '../../domain/failure.ts';
import type { DatabaseHealth } from '../../domain/health/ports.ts';
import type { PhotoStore } from '../../domain/photos/ports.ts';
import { openPhotoStore } from '../../storage/files/photo-store.ts';
import { DATABASE_NAME } from '../../storage/sqlite/engine/database.ts';
import { SqliteHealth } from '../../storage/sqlite/database-health.ts';
import type { StorePlaces } from '../configuration/config.ts';

/** One for reads, and one for the next batch; repairs are made one after the other. */
const CONNECTIONS = 2;

/** Long, because no request waits for it. */
const STATEMENT_TIMEOUT_MS = 600_000;

/**
 * Opens the database without migrating it. Servers may be running on it.
 *
 * @throws Failure `not-found` if it does not exist; `unavailable` or an error of SQLite if it cannot be opened
 */
export async function openDatabaseHealth({ database, dataDir }: StorePlaces): Promise<DatabaseHealth> {
  if (database === undefined) return openSqlite(dataDir);
  const [{ Connections }, { holdsCatalogue }, { PostgresHealth }] = await Promise.all([
    import('../../storage/postgres/engine/connections.ts'),
    import('../../storage/postgres/dump.ts'),
    import('../../storage/postgres/database-health.ts'),
  ]);
  const connections = new Connections({
    address: database,
    size: CONNECTIONS,
    responseTimeoutMs: STATEMENT_TIMEOUT_MS,
  });
  try {
    if (await holdsCatalogue(connections)) return new PostgresHealth(connections);
  } catch (error) {
    await connections.close();
    throw error;
  }
  await connections.close();
  throw new Failure('not-found', `No Menagerie data found in the database ${database.label}.`);
}

function openSqlite(dataDir: string): DatabaseHealth {
  const path = join(dataDir, DATABASE_NAME);
  if (!existsSync(path))
    throw new Failure('not-found', `No Menagerie data found in ${dataDir}. Set the data folder with --data-dir.`);
  // SQLite would take it for a new database, and discard the log.
  if (statSync(path).size === 0) throw unusable('the file is empty');
  return new SqliteHealth(path);
}

/** Undefined if the folder does not exist. @throws Failure `unavailable` */
export async function openPhotos({
  dataDir,
  bucket,
}: StorePlaces): Promise<{ photoStore: PhotoStore; close(): void } | undefined> {
  const folder = join(dataDir, 'photos');
  if (bucket === undefined)
    return existsSync(folder) ? { photoStore: await openPhotoStore(folder, false), close() {} } : undefined;
  const { openPhotoStore: openBucketStore } = await import('../../storage/s3/photo-store.ts');
  const photoStore = await openBucketStore(bucket);
  return { photoStore, close: () => photoStore.close() };
}
