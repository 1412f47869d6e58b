import type { Backup } from '../../domain/backups.ts';
import { Failure } from '../../domain/failure.ts';
import type { SourceInstallation } from '../moving/installation.ts';
import { copyInto, type MoveReport, type MoveWatch } from '../moving/move.ts';
import { labelOfFiles, type FilesPlace, type InstallationPlace } from '../moving/places.ts';
import { BackupArchive } from './backup-archive.ts';
import { openBackupFiles, type BackupFiles } from './backup-files.ts';
import { describeBackups } from './backup-status.ts';
import { listBackups, readManifest } from './manifest.ts';

export interface RestoreOptions {
  from: FilesPlace;
  /** The name of the backup; by default the newest. */
  backup: string | undefined;
  /** Must be empty, or have an interrupted restore of the same backup. */
  to: InstallationPlace;
  watch: MoveWatch;
}

/**
 * Copies a backup into an empty installation, then compares both. An interrupted restore is resumed by another call; until then, no server starts on the
 * target.
 *
 * @throws Failure `not-found`, `unavailable`, `conflict`, `invalid-input` if the backup is damaged
 * @throws MoveStopped
 */
export async function restoreBackup({ from, backup, to, watch }: RestoreOptions): Promise<MoveReport> {
  const files = await openPlace(from);
  try {
    const name = backup ?? (await newestBackup(files, from));
    const manifest = await readManifest(files, name);
    const label = `backup ${name} in ${labelOfFiles(from)}`;
    const source: SourceInstallation = {
      archive: new BackupArchive(files, manifest),
      photos: files.photos,
      id: label,
      photosId: label,
      label,
      close: async () => {},
    };
    return await copyInto(source, to, watch);
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

async function openPlace(place: FilesPlace): Promise<BackupFiles> {
  const files = await openBackupFiles(place, false);
  if (files === undefined) throw new Failure('not-found', `There is no folder ${labelOfFiles(place)}.`);
  return files;
}

async function newestBackup(files: BackupFiles, place: FilesPlace): Promise<string> {
  const newest = (await listBackups(files)).at(-1);
  if (newest === undefined) throw new Failure('not-found', `There is no finished backup in ${labelOfFiles(place)}.`);
  return newest;
}
