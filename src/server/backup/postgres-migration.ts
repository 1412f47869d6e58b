import { join } from 'node:path';
import { Failure, unusable } from '../../domain/failure.ts';
import { holdsCatalogue, openOlderDump } from '../../storage/postgres/dump.ts';
import type { DatabaseAddress } from '../../storage/postgres/engine/connection-url.ts';
import { Connections } from '../../storage/postgres/engine/connections.ts';
import { whileLocked } from '../../storage/postgres/engine/migration-lock.ts';
import { describePending, migrate } from '../../storage/postgres/migrations/migrations.ts';
import { refuseUnfinishedRestore } from '../../storage/postgres/engine/unfinished-restore.ts';
import { countersText } from '../../storage/rows/dump/dump-tables.ts';
import type { OnMigration } from '../../storage/rows/migration-events.ts';
import type { StorePlaces } from '../configuration/config.ts';
import { labelOfFiles, placesOf, type FilesPlace } from '../configuration/places.ts';
import { explainUnreachable } from '../stores/postgres-stores.ts';
import { explainFailure } from '../log/explain-failure.ts';
import { openBackupFiles } from './backup-files.ts';
import { backUp } from './create-backup.ts';
import { openOlderSource } from './installation.ts';
import { listBackups, readHeader } from './manifest.ts';

/* Of SQLite, the file is copied. Loaded on demand, because loading the driver takes time. */

type PostgresPlaces = StorePlaces & { database: DatabaseAddress };

/** As the copies of SQLite. */
const BEFORE_MIGRATIONS = 'before-migrations';
const KEPT_BACKUPS = 3;

/**
 * Backs up a PostgreSQL database before its first pending migration, and then migrates it. Of several nodes that start
 * together, one does; the others wait. The backup is made in the place of the daily backups; without one, its rows in
 * the data folder.
 *
 * @throws Failure `unavailable`, also if the backup fails: then nothing was changed
 */
export async function migrateWithBackup(places: PostgresPlaces, onMigration: OnMigration = () => {}): Promise<void> {
  const connections = new Connections({ address: places.database, size: 3 });
  try {
    if (!(await isBehind(connections))) return;
    await refuseUnfinishedRestore(connections);
    await whileLocked(connections, async () => {
      // Another node may have done it meanwhile.
      if (!(await isBehind(connections))) return;
      await backUpOnce(places, connections, onMigration);
      await migrate(connections, onMigration);
    });
  } catch (error) {
    throw explainUnreachable(error, places.database);
  } finally {
    await connections.close();
  }
}

/** Whether there is data, migrations are pending, and the connected nodes work with them. */
async function isBehind(connections: Connections): Promise<boolean> {
  if (!(await holdsCatalogue(connections))) return false;
  const { schema, pending, olderNodes } = await describePending(connections.ask);
  return schema > 0 && pending.length > 0 && olderNodes.length === 0;
}

async function backUpOnce(places: PostgresPlaces, connections: Connections, onMigration: OnMigration): Promise<void> {
  const { backup, backupRecipients: recipients = [], dataDir, database } = places;
  const to: FilesPlace = backup?.to ?? { folder: join(dataDir, BEFORE_MIGRATIONS) };
  const startMs = performance.now();
  try {
    const before = await describeState(connections);
    if (await isBackedUp(to, before)) return;
    const source = await openOlderSource(database, backup && placesOf(places).photos);
    // The daily backups are not deleted: a migration that fails at each start must not replace them.
    const keep = backup === undefined ? KEPT_BACKUPS : undefined;
    const watch = { onProgress() {}, signal: new AbortController().signal };
    const { name } = await backUp(source, { to, keep, recipients, before, watch });
    const ms = Math.round(performance.now() - startMs);
    onMigration({ kind: 'backed up', backup: name, place: labelOfFiles(to), ms });
  } catch (error) {
    if (!(error instanceof Failure) && !(error instanceof Error && 'syscall' in error)) throw error;
    throw unusable(
      `The database is backed up before it is migrated, which failed: ${explainFailure(error)} Choose another place with --backup-to, or back up the database yourself and run "menagerie migrate --no-copy". Nothing was changed.`,
    );
  }
}

/** Equal for the same data in the same schema. */
async function describeState(connections: Connections): Promise<string> {
  const { schema } = await describePending(connections.ask);
  return `schema ${schema}, ${countersText(await (await openOlderDump(connections.ask)).readCounters())}`;
}

async function isBackedUp(place: FilesPlace, before: string): Promise<boolean> {
  const files = await openBackupFiles(place, true);
  if (files === undefined) return false;
  try {
    const newest = (await listBackups(files)).at(-1);
    return newest !== undefined && (await readHeader(files, newest)).before === before;
  } finally {
    files.close();
  }
}
