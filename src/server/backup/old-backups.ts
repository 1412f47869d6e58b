import type { PhotoStore } from '../../domain/photos/ports.ts';
import { photosIn } from './backup-dump.ts';
import type { BackupFiles } from './backup-files.ts';
import { listPhotoSets } from './encrypted-files.ts';
import { isFinished, listBackupFiles, manifestName, photoSetOf, startOfBackup, tableOfChunk } from './manifest.ts';

const DAY_MS = 86_400_000;

/** An unfinished backup may be in progress until it is this old. */
const UNFINISHED_MS = DAY_MS;

/** Photos are checked against the other backups again after so many deletions. */
const PHOTOS_PER_CHECK = 1000;

/**
 * Deletes all finished backups but the newest, unfinished ones of more than a day ago, and the photos that no other
 * backup has. Deleted photos stay in the trash of the place for a day.
 *
 * @param current is never deleted
 * @returns the names of the deleted backups
 */
export async function deleteOldBackups(files: BackupFiles, keep: number, current: string): Promise<readonly string[]> {
  const all = await listBackupFiles(files);
  const finished = [...all].filter(([name, of]) => isFinished(name, of)).map(([name]) => name);
  const old = finished.slice(0, -keep).filter((name) => name !== current);
  const isAbandoned = (name: string) => !finished.includes(name) && startOfBackup(name) < Date.now() - UNFINISHED_MS;
  const deleted = [...all.keys()].filter((name) => old.includes(name) || (isAbandoned(name) && name !== current));
  for (const name of deleted) {
    // First: without it, the rest is an unfinished backup.
    await files.delete(manifestName(name));
    for (const file of all.get(name) ?? []) await files.delete(file);
  }
  const stores = [{ photos: files.photos, photoSet: undefined }, ...(await openPhotoSets(files))];
  for (const { photos, photoSet } of stores) {
    if (deleted.length > 0) await trashUnusedPhotos(files, photos, photoSet);
    await photos.emptyTrash(Date.now() - DAY_MS);
  }
  return deleted;
}

async function openPhotoSets(files: BackupFiles): Promise<{ photos: PhotoStore; photoSet: string }[]> {
  const sets: { photos: PhotoStore; photoSet: string }[] = [];
  for (const photoSet of await listPhotoSets(files))
    sets.push({ photos: await files.openPhotoSet(photoSet), photoSet });
  return sets;
}

async function trashUnusedPhotos(files: BackupFiles, photos: PhotoStore, photoSet: string | undefined): Promise<void> {
  let used = await usedPhotos(files, photoSet);
  let trashed = 0;
  for await (const digest of photos.listStoredBefore(Number.MAX_SAFE_INTEGER)) {
    if (used.has(digest)) continue;
    await photos.trash(digest);
    // Another backup may have begun meanwhile. It lists its photos before it looks for those that are stored already.
    if (++trashed % PHOTOS_PER_CHECK === 0) used = await usedPhotos(files, photoSet);
  }
}

/**
 * The photos of all backups, also of those in progress, and of other versions. Those that were being deleted are kept
 * as well.
 *
 * @param photoSet of encrypted photos; by default those that are not encrypted
 */
async function usedPhotos(files: BackupFiles, photoSet: string | undefined): Promise<ReadonlySet<string>> {
  const used = new Set<string>();
  for (const file of [...(await listBackupFiles(files)).values()].flat()) {
    if (photoSet === undefined ? tableOfChunk(file) !== 'photo' : photoSetOf(file) !== photoSet) continue;
    const bytes = await files.read(file);
    // Deleted by another process meanwhile.
    if (bytes === undefined) continue;
    for (const digest of await photosIn(bytes)) used.add(digest);
  }
  return used;
}
