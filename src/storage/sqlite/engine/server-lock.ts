import { DatabaseSync } from 'node:sqlite';
import { Failure } from '../../../domain/failure.ts';
import { isSqliteError, SQLITE_BUSY } from './database.ts';

/**
 * Locks a data folder for one server. It is SQLite's lock on a separate file: the operating system releases it when the
 * process ends in any way, so a killed server leaves nothing to clean up. Commands that work on the data beside the
 * server do not need it.
 *
 * @returns a function that releases the lock
 * @throws Failure `unavailable` while another server holds it
 */
export function lockForServer(path: string): () => void {
  const lock = new DatabaseSync(path, { timeout: 0 });
  try {
    lock.exec('pragma locking_mode = exclusive; begin exclusive');
  } catch (error) {
    lock.close();
    if (isSqliteError(error, SQLITE_BUSY)) {
      throw new Failure(
        'unavailable',
        'Another Menagerie server is using this data folder. Stop it first, or choose another data folder.',
      );
    }
    throw error;
  }
  return () => lock.close();
}
