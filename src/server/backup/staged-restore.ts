import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Stamp } from '../../domain/audit.ts';
import { unusable } from '../../domain/failure.ts';
import { DUMP_TABLES } from '../../storage/rows/dump/dump-tables.ts';
import { DATABASE_NAME, openDatabase } from '../../storage/sqlite/engine/database.ts';
import { announceStaged, STAGED_FOLDER } from '../../storage/sqlite/engine/files/replaced-database.ts';
import { noteEnd } from '../../storage/sqlite/engine/files/maintenance.ts';
import { applyPresentAccess } from '../../storage/sqlite/engine/restored-access.ts';
import type { FilesPlace, InstallationPlace } from '../configuration/places.ts';
import { checkBackup, type CheckReport } from './check-backup.ts';
import type { RestoreWatch } from './copy-to-target.ts';
import { openInstallation } from './installation.ts';
import { openPlace, restoreBackup } from './restore-backup.ts';
import { readHeader } from './manifest.ts';

/* In the process of a check or restore that an administrator has started on the backups page. */

export interface CheckJob {
  kind: 'check';
  place: FilesPlace;
  backup: string;
  /** Secret. */
  identity: string | undefined;
  installation: InstallationPlace;
}

export interface RestoreJob extends Omit<CheckJob, 'kind'> {
  kind: 'restore';
  dataDir: string;
  stamp: Stamp;
  sessionId: string | null;
  needsAdministrator: boolean;
}

/** The rows of a table, in the service and in the backup. */
export interface TableChange {
  table: string;
  now: number;
  restored: number;
}

export interface CheckEnd extends CheckReport {
  tables: readonly TableChange[];
}

/** @throws Failure as `checkBackup` */
export async function checkForRestore(job: CheckJob, signal: AbortSignal): Promise<CheckEnd> {
  const { place, backup, identity, installation } = job;
  const report = await checkBackup({ place, backup, identity, signal });
  const files = await openPlace(place);
  try {
    const { rows } = await readHeader(files, backup);
    return { ...report, tables: await compareCounts(installation, rows) };
  } finally {
    files.close();
  }
}

async function compareCounts(
  place: InstallationPlace,
  rows: Readonly<Record<string, number>>,
): Promise<readonly TableChange[]> {
  const installation = await openInstallation(place, 'source');
  try {
    const changes: TableChange[] = [];
    for (const { name } of DUMP_TABLES)
      changes.push({ table: name, now: await installation.dump.count(name), restored: rows[name] ?? 0 });
    return changes;
  } finally {
    await installation.close();
  }
}

/**
 * Restores a backup beside the database in use, which the next start then replaces. Photos are only added to the photo
 * store: each is named by its content.
 *
 * @throws Failure, CopyStopped; then nothing was changed but photos
 */
export async function restoreStaged(job: RestoreJob, watch: RestoreWatch): Promise<void> {
  const { place, backup, identity, installation, dataDir, stamp } = job;
  const staged = join(dataDir, STAGED_FOLDER);
  const path = join(staged, DATABASE_NAME);
  await rm(staged, { recursive: true, force: true });
  try {
    const to = { database: { dataDir: staged }, photos: installation.photos };
    const { isFinished } = await restoreBackup({ from: place, backup, identity, to, watch });
    if (!isFinished) throw unusable('The restored database differs from the backup. Check the disk.');
    const db = openDatabase(path);
    try {
      applyPresentAccess(db, join(dataDir, DATABASE_NAME), job);
    } finally {
      db.close();
      noteEnd(path);
    }
    announceStaged(dataDir, { backup, atMs: stamp.atMs });
  } finally {
    await rm(staged, { recursive: true, force: true });
  }
}
