import type { OnMigration } from '../../storage/rows/migration-events.ts';
import type { StorePlaces } from '../configuration/config.ts';

/**
 * Backs up and migrates a database on PostgreSQL, if migrations are pending. That of a data folder is copied when it is
 * opened. The driver is loaded on demand, because that takes time.
 *
 * @throws Failure `unavailable`
 */
export async function backUpBeforeMigration(places: StorePlaces, onMigration?: OnMigration): Promise<void> {
  const { database } = places;
  if (database === undefined || places.isEphemeral === true) return;
  const { migrateWithBackup } = await import('./postgres-migration.ts');
  await migrateWithBackup({ ...places, database }, onMigration);
}
