import { existsSync } from 'node:fs';
import { mkdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Backup } from '../../domain/backups.ts';
import { Failure } from '../../domain/failure.ts';
import { copyInto, requireTarget, type RestoreReport, type RestoreWatch } from './copy-to-target.ts';
import { labelOfFiles, type FilesPlace, type InstallationPlace } from '../configuration/places.ts';
import { explaining } from '../stores/open-stores.ts';
import { UNPACKED_FOLDER } from '../stores/sqlite-stores.ts';
import { makeFolder } from '../../storage/files/durable-file.ts';
import { DATABASE_NAME } from '../../storage/sqlite/engine/database.ts';
import { unpackArchive, type ArchiveFile } from './archive-file.ts';
import { BackupDump } from './backup-dump.ts';
import { openBackupFiles, type BackupFiles } from './backup-files.ts';
import { describeBackups } from './backup-status.ts';
import { openBackup } from './encrypted-files.ts';
import { listBackups, readRestorable } from './manifest.ts';

interface RestoreOptions {
  from: FilesPlace;
  /** The name of the backup; by default the newest. */
  backup: string | undefined;
  /** The text of a key file, for an encrypted backup. */
  identity?: string | undefined;
  /** Must be empty, or have an interrupted restore of the same backup. */
  to: InstallationPlace;
  watch: RestoreWatch;
}

interface RestoreArchiveOptions extends Omit<RestoreOptions, 'from'> {
  from: ArchiveFile;
  /** The archive is unpacked into a subfolder first. */
  workFolder: string;
}

/**
 * Copies a backup into an empty installation, then compares both. An interrupted restore is resumed by another call;
 * until then, no server starts on the target.
 *
 * @throws Failure `not-found`, `unavailable`, `conflict`, `invalid-input` if the backup is damaged
 * @throws CopyStopped
 */
export function restoreBackup(options: RestoreOptions): Promise<RestoreReport> {
  return restoreFrom(options.from, labelOfFiles(options.from), options);
}

/** Like `restoreBackup`, from one file. @throws Failure, CopyStopped */
export async function restoreArchive({ from, workFolder, ...options }: RestoreArchiveOptions): Promise<RestoreReport> {
  if (hasDatabase(options.to)) await requireTarget(options.to);
  const folder = join(workFolder, UNPACKED_FOLDER);
  await explaining({ dataDir: workFolder }, async () => {
    await makeFolder(workFolder);
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { mode: 0o700 });
  });
  try {
    await explaining({ dataDir: workFolder }, () => unpackArchive(from, folder, options.watch.signal));
    return await restoreFrom({ folder }, from.path, options);
  } finally {
    await rm(folder, { recursive: true, force: true });
    // It is empty if the target is elsewhere.
    await rmdir(workFolder).catch(() => {});
  }
}

function hasDatabase({ database }: InstallationPlace): boolean {
  return 'dataDir' in database && existsSync(join(database.dataDir, DATABASE_NAME));
}

async function restoreFrom(
  from: FilesPlace,
  placeLabel: string,
  { backup, identity, to, watch }: Omit<RestoreOptions, 'from'>,
): Promise<RestoreReport> {
  const files = await openPlace(from);
  try {
    const name = backup ?? (await newestBackup(files, placeLabel));
    const opened = await openBackup(files, name, identity);
    const manifest = await readRestorable(opened, name);
    const label = `backup ${name} in ${placeLabel}`;
    const { database } = to;
    if ('dataDir' in database) await explaining(database, () => makeFolder(database.dataDir));
    return await copyInto({ dump: new BackupDump(opened, manifest), photos: opened.photos, label }, to, watch);
  } finally {
    files.close();
  }
}

/** All backups of a place, newest first. @throws Failure `not-found`, `unavailable` */
export async function listPlace(place: FilesPlace): Promise<readonly Backup[]> {
  const files = await openPlace(place);
  try {
    return await describeBackups(files);
  } finally {
    files.close();
  }
}

/** @throws Failure `not-found`, `unavailable` */
export async function openPlace(place: FilesPlace): Promise<BackupFiles> {
  const files = await openBackupFiles(place, false);
  if (files === undefined) throw new Failure('not-found', `There is no folder ${labelOfFiles(place)}.`);
  return files;
}

/** @throws Failure `not-found` */
export async function newestBackup(files: BackupFiles, place: string): Promise<string> {
  const newest = (await listBackups(files)).at(-1);
  if (newest === undefined) throw new Failure('not-found', `There is no finished backup in ${place}.`);
  return newest;
}
