import { pack, type Pack } from 'tar-stream';
import { Failure, unusable } from '../../domain/failure.ts';
import type { FilesPlace } from '../configuration/places.ts';
import { livingPhotos, readChunk, readChunkFile } from './backup-dump.ts';
import { openBackupFiles, type BackupFiles } from './backup-files.ts';
import { listSealedPhotos, readSealed } from './encrypted-files.ts';
import {
  damagedBackup,
  manifestName,
  photoName,
  readHeader,
  readManifest,
  sealedPhotoName,
  type BackupManifest,
  type EncryptedManifest,
} from './manifest.ts';

/** The archive has password hashes. */
const MODE = 0o600;

interface TarFile {
  name: string;
  bytes: Uint8Array;
}

/**
 * A finished backup as a tar archive: unpacked, it is a place with this backup.
 * @throws Failure `unavailable`, also if it is damaged
 */
export async function* tarOfBackup(place: FilesPlace, backup: string): AsyncGenerator<Uint8Array> {
  const files = await openBackupFiles(place, false);
  if (files === undefined) throw damagedBackup(manifestName(backup));
  const archive = pack();
  const writing = writeFiles(archive, files, backup).catch((error: unknown) => archive.destroy(explain(error)));
  try {
    yield* archive as AsyncIterable<Uint8Array>;
  } finally {
    // The client may have disconnected.
    archive.destroy();
    await writing;
    files.close();
  }
}

/** Damage is no error of the client. */
function explain(error: unknown): Error {
  if (error instanceof Failure && error.code === 'invalid-input') return unusable(error.message);
  return error as Error;
}

async function writeFiles(archive: Pack, files: BackupFiles, backup: string): Promise<void> {
  const { finishedAtMs, encrypted } = await readHeader(files, backup);
  const mtime = new Date(finishedAtMs);
  const contents =
    encrypted === undefined
      ? filesOf(files, backup, await readManifest(files, backup))
      : encryptedFilesOf(files, backup, encrypted);
  for await (const { name, bytes } of contents) {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    // The callback waits until the client has received enough of the archive.
    archive.entry({ name, mode: MODE, mtime }, bytes, (error) => (error ? reject(error) : resolve()));
    await promise;
  }
  archive.finalize();
}

/** The manifest is the last file: an incomplete archive has no finished backup. */
async function* filesOf(files: BackupFiles, backup: string, { tables }: BackupManifest): AsyncGenerator<TarFile> {
  for (const chunk of tables['photo']?.chunks ?? [])
    for (const digest of livingPhotos(await readChunk(files, 'photo', chunk, tables['photo']?.columns))) {
      const bytes = await files.photos.read(digest);
      // Without missing photos, as the backup itself.
      if (bytes !== undefined) yield { name: photoName(digest), bytes };
    }
  for (const chunk of Object.values(tables).flatMap(({ chunks }) => chunks))
    yield { name: chunk.file, bytes: await readChunkFile(files, chunk) };
  yield await manifestFile(files, backup);
}

/** As they are stored: restoring them needs the identity. */
async function* encryptedFilesOf(
  files: BackupFiles,
  backup: string,
  encrypted: EncryptedManifest,
): AsyncGenerator<TarFile> {
  const photos = await files.openPhotoSet(encrypted.photoSet);
  for (const { digest } of await listSealedPhotos(files, backup, encrypted)) {
    const bytes = await photos.read(digest);
    if (bytes !== undefined) yield { name: sealedPhotoName(encrypted.photoSet, digest), bytes };
  }
  for (const name of Object.keys(encrypted.files)) yield { name, bytes: await readSealed(files, encrypted, name) };
  yield await manifestFile(files, backup);
}

async function manifestFile(files: BackupFiles, backup: string): Promise<TarFile> {
  const name = manifestName(backup);
  const bytes = await files.read(name);
  if (bytes === undefined) throw damagedBackup(name);
  return { name, bytes };
}
