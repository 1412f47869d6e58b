import { parentPort, workerData } from 'node:worker_threads';
import { openDatabase, prepareRows } from '../database.ts';
import type { MaintenanceJob } from './maintenance.ts';
import { isDamage, reasonOf } from './troubles.ts';

/*
 * Runs one long pragma on a separate connection, so that it blocks neither the event loop nor the writer.
 */

const { databasePath, pragma } = workerData as MaintenanceJob;
parentPort?.postMessage(run());

function run() {
  try {
    const db = openDatabase(databasePath);
    try {
      return { rows: prepareRows(db, `pragma ${pragma}`)() };
    } finally {
      db.close();
    }
  } catch (error) {
    return { failure: reasonOf(error), isDamage: isDamage(error) };
  }
}
