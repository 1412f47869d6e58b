import { hash } from 'node:crypto';
import { DUMP_TABLES } from '../../storage/rows/dump/dump-tables.ts';
import { labelOfFiles, type FilesPlace } from '../configuration/places.ts';
import { livingPhotos, readChunk } from './backup-dump.ts';
import type { BackupFiles, ReadableBackup } from './backup-files.ts';
import { listSealedPhotos, openBackup, readSealed } from './encrypted-files.ts';
import { damagedBackup, readHeader, readRestorable, type EncryptedManifest } from './manifest.ts';
import { CopyStopped } from './copy-to-target.ts';
import { newestBackup, openPlace } from './restore-backup.ts';

export interface CheckReport {
  name: string;
  /** The version of Menagerie that made it. */
  version: string;
  /** Whether rows and photos were read as a restore does. Without an identity, only the stored files are compared. */
  isRead: boolean;
  rows: number;
  photos: number;
  /** Digests of photos of the backup that are missing or damaged in the place. */
  damagedPhotos: readonly string[];
}

interface CheckOptions {
  place: FilesPlace;
  /** The name of the backup; by default the newest. */
  backup: string | undefined;
  /** The text of a key file, for an encrypted backup. */
  identity: string | undefined;
  signal: AbortSignal;
}

/**
 * Reads a whole backup, as a restore does, and changes nothing.
 * @throws Failure `not-found`, `unavailable`, `invalid-input` if it cannot be restored; CopyStopped
 */
export async function checkBackup({ place, backup, identity, signal }: CheckOptions): Promise<CheckReport> {
  const files = await openPlace(place);
  try {
    const name = backup ?? (await newestBackup(files, labelOfFiles(place)));
    const { version, rows, encrypted } = await readHeader(files, name);
    const isRead = encrypted === undefined || identity !== undefined;
    const checked = isRead
      ? await readAll(await openBackup(files, name, identity), name, signal)
      : await compareFiles(files, name, encrypted, signal);
    return { name, version, isRead, rows: Object.values(rows).reduce((sum, count) => sum + count, 0), ...checked };
  } finally {
    files.close();
  }
}

type CheckedPhotos = Pick<CheckReport, 'photos' | 'damagedPhotos'>;

async function readAll(backup: ReadableBackup, name: string, signal: AbortSignal): Promise<CheckedPhotos> {
  const { tables, photos } = await readRestorable(backup, name);
  const expected: string[] = [];
  for (const { name: table } of DUMP_TABLES) {
    const { chunks = [], columns } = tables[table] ?? {};
    for (const chunk of chunks) {
      requireNotStopped(signal);
      const rows = await readChunk(backup, table, chunk, columns);
      if (rows.length !== chunk.rows) throw damagedBackup(chunk.file);
      if (table === 'photo') expected.push(...livingPhotos(rows));
    }
  }
  const missing = new Set(photos.missing);
  const present = photos.omitted === true ? [] : expected.filter((digest) => !missing.has(digest));
  return comparePhotos(present, (digest) => backup.photos.read(digest), signal);
}

async function compareFiles(
  files: BackupFiles,
  name: string,
  encrypted: EncryptedManifest,
  signal: AbortSignal,
): Promise<CheckedPhotos> {
  for (const file of Object.keys(encrypted.files)) {
    requireNotStopped(signal);
    await readSealed(files, encrypted, file);
  }
  const store = await files.openPhotoSet(encrypted.photoSet);
  const listed = await listSealedPhotos(files, name, encrypted);
  const sealed = new Map(listed.flatMap(({ digest, sealed: of }) => (of === undefined ? [] : [[of, digest] as const])));
  const { photos, damagedPhotos } = await comparePhotos(
    [...sealed.keys()],
    (digest) => store.read(sealed.get(digest) ?? ''),
    signal,
  );
  return { photos, damagedPhotos: damagedPhotos.map((digest) => sealed.get(digest) ?? '') };
}

async function comparePhotos(
  digests: readonly string[],
  read: (digest: string) => Promise<Uint8Array | undefined>,
  signal: AbortSignal,
): Promise<CheckedPhotos> {
  const damagedPhotos: string[] = [];
  for (const digest of digests) {
    requireNotStopped(signal);
    const bytes = await read(digest);
    if (bytes === undefined || hash('sha256', bytes) !== digest) damagedPhotos.push(digest);
  }
  return { photos: digests.length - damagedPhotos.length, damagedPhotos };
}

function requireNotStopped(signal: AbortSignal): void {
  if (signal.aborted) throw new CopyStopped();
}
