import { hash, randomUUID } from 'node:crypto';
import { readdir, readFile, rm, rmdir, writeFile, stat } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { PhotoStore } from '../../domain/photos/ports.ts';
import { unusable } from '../../domain/failure.ts';
import { ifExists, makeFolder, placeDurably } from '../../storage/files/durable-file.ts';
import { openPhotoStore } from '../../storage/files/photo-store.ts';
import type { Bucket } from '../../storage/s3/bucket.ts';
import type { S3Settings } from '../../storage/s3/s3-url.ts';
import type { FilesPlace } from '../configuration/places.ts';
import { adviceFor, reasonInFolder } from '../system/system-errors.ts';

/** The files of a place with backups. Every method throws Failure `unavailable` or `insufficient-storage`. */
export interface BackupFiles {
  /** Resolves when the file is durable. */
  write(name: string, bytes: Uint8Array): Promise<void>;
  read(name: string): Promise<Uint8Array | undefined>;
  /** The names of all files in a folder and its subfolders, in no order. */
  list(folder: string): Promise<readonly string[]>;
  /** A missing file is not an error. */
  delete(name: string): Promise<void>;
  /** The originals of the photos of all backups that are not encrypted. */
  photos: PhotoStore;
  /** The store of the encrypted photos of a set. */
  openPhotoSet(photoSet: string): Promise<PhotoStore>;
  close(): void;
}

/** The methods that a backup needs for itself. */
export interface BackupTarget extends Pick<BackupFiles, 'write' | 'read' | 'delete'> {
  photos: Pick<PhotoStore, 'put' | 'listWithSizes' | 'findInstallationId' | 'setInstallationId'> & {
    /** Whether the content of a photo in the place is what was stored. */
    isSound(digest: string): Promise<boolean>;
  };
}

/** A finished backup that is not encrypted, or was opened with an identity. */
export interface ReadableBackup extends Pick<BackupFiles, 'read'> {
  photos: Pick<PhotoStore, 'read'>;
}

/** A place for backups that are not encrypted. */
export function plainTarget(files: BackupFiles): BackupTarget {
  const { photos } = files;
  return {
    write: (name, bytes) => files.write(name, bytes),
    read: (name) => files.read(name),
    delete: (name) => files.delete(name),
    photos: {
      put: (digest, bytes) => photos.put(digest, bytes),
      listWithSizes: () => photos.listWithSizes(),
      findInstallationId: () => photos.findInstallationId(),
      setInstallationId: (id) => photos.setInstallationId(id),
      async isSound(digest) {
        const bytes = await photos.read(digest);
        return bytes !== undefined && hash('sha256', bytes) === digest;
      },
    },
  };
}

/** @param isNew whether to create the folder, and to delete what killed backups left @throws Failure `unavailable` */
export async function openBackupFiles(place: FilesPlace, isNew: boolean): Promise<BackupFiles | undefined> {
  if ('bucket' in place) return openBucket(place.bucket);
  const { folder } = place;
  return explaining(folder, async () => {
    if (!isNew && (await ifExists(readdir(folder))) === undefined) return undefined;
    await makeFolder(folder);
    if (isNew) await deleteAbandonedFiles(folder, TEMPORARY_PREFIX);
    return new FolderFiles(folder, await openPhotoStore(join(folder, PHOTOS), false));
  });
}

/**
 * Writes a file and deletes it.
 * @throws Failure `unavailable` or `insufficient-storage` if backups cannot be written
 */
export async function probeBackupFiles(place: FilesPlace): Promise<void> {
  const files = await openBackupFiles(place, true);
  try {
    const name = `backups/probe-${randomUUID()}`;
    await files?.write(name, new Uint8Array(1));
    await files?.delete(name);
  } finally {
    files?.close();
  }
}

/** @throws Failure `unavailable` for errors of the file system */
export async function explaining<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const reason = reasonInFolder(error, folder);
    if (reason === undefined) throw error;
    throw unusable(`The folder ${folder} cannot be used for backups (${reason}). ${adviceFor(error)}.`);
  }
}

/** Loaded on demand, because loading the SDK takes time. */
async function openBucket(settings: S3Settings): Promise<BackupFiles> {
  const [{ Bucket }, { openPhotoStore: openBucketStore }] = await Promise.all([
    import('../../storage/s3/bucket.ts'),
    import('../../storage/s3/photo-store.ts'),
  ]);
  const root = settings.prefix === '' ? '' : `${settings.prefix}/`;
  const openPhotos = (name: string) => openBucketStore({ ...settings, prefix: `${root}${name}` });
  const photos = await openPhotos(PHOTOS);
  return new BucketFiles(await Bucket.open(settings), root, photos, openPhotos);
}

const PHOTOS = 'photos';
const ENCRYPTED_PHOTOS = 'encrypted';
const TEMPORARY_PREFIX = '.incoming-';

class FolderFiles implements BackupFiles {
  readonly photos: PhotoStore;
  readonly #root: string;

  constructor(root: string, photos: PhotoStore) {
    this.#root = root;
    this.photos = photos;
  }

  write(name: string, bytes: Uint8Array): Promise<void> {
    const temporaryPath = join(this.#root, `${TEMPORARY_PREFIX}${randomUUID()}`);
    return explaining(this.#root, async () => {
      try {
        await writeFile(temporaryPath, bytes);
        await placeDurably(temporaryPath, join(this.#root, name), this.#root);
      } finally {
        await rm(temporaryPath, { force: true });
      }
    });
  }

  read(name: string): Promise<Uint8Array | undefined> {
    return explaining(this.#root, () => ifExists(readFile(join(this.#root, name))));
  }

  openPhotoSet(photoSet: string): Promise<PhotoStore> {
    return explaining(this.#root, () => openPhotoStore(join(this.#root, ENCRYPTED_PHOTOS, photoSet), false));
  }

  async list(folder: string): Promise<readonly string[]> {
    const options = { recursive: true, withFileTypes: true } as const;
    const entries = await explaining(this.#root, () => ifExists(readdir(join(this.#root, folder), options)));
    return (entries ?? [])
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) =>
        join(parentPath, name)
          .slice(this.#root.length + 1)
          .replaceAll(sep, '/'),
      );
  }

  async delete(name: string): Promise<void> {
    const path = join(this.#root, name);
    await explaining(this.#root, () => rm(path, { force: true }));
    // Removes the folder with its last file.
    await rmdir(dirname(path)).catch(() => {});
  }

  close(): void {}
}

type ClosedStore = PhotoStore & { close(): void };

class BucketFiles implements BackupFiles {
  readonly photos: PhotoStore;
  readonly #bucket: Bucket;
  readonly #root: string;
  readonly #openPhotos: (name: string) => Promise<ClosedStore>;
  readonly #opened: ClosedStore[];

  constructor(bucket: Bucket, root: string, photos: ClosedStore, openPhotos: (name: string) => Promise<ClosedStore>) {
    this.#bucket = bucket;
    this.#root = root;
    this.photos = photos;
    this.#openPhotos = openPhotos;
    this.#opened = [photos];
  }

  async openPhotoSet(photoSet: string): Promise<PhotoStore> {
    const store = await this.#openPhotos(`${ENCRYPTED_PHOTOS}/${photoSet}`);
    this.#opened.push(store);
    return store;
  }

  write(name: string, bytes: Uint8Array): Promise<void> {
    return this.#bucket.put(this.#root + name, bytes, 'application/octet-stream');
  }

  async read(name: string): Promise<Uint8Array | undefined> {
    const found = await this.#bucket.find(this.#root + name);
    return found && buffer(found.body);
  }

  async list(folder: string): Promise<readonly string[]> {
    const names: string[] = [];
    for await (const objects of this.#bucket.list(`${this.#root}${folder}/`))
      names.push(...objects.map(({ key }) => key.slice(this.#root.length)));
    return names;
  }

  delete(name: string): Promise<void> {
    return this.#bucket.delete(this.#root + name);
  }

  close(): void {
    for (const store of this.#opened) store.close();
    this.#bucket.close();
  }
}

/**
 * A temporary file without a newer write belongs to a process that was killed. Longer than a statement of the database
 * may take.
 */
const ABANDONED_MS = 900_000;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Deletes the files of a folder that killed processes left. Their names are the prefix and a UUID. */
export async function deleteAbandonedFiles(folder: string, prefix: string): Promise<void> {
  for (const name of (await ifExists(readdir(folder))) ?? []) {
    if (!name.startsWith(prefix) || !UUID.test(name.slice(prefix.length))) continue;
    const path = join(folder, name);
    // Another process may have finished it meanwhile.
    const file = await ifExists(stat(path));
    if (file !== undefined && file.mtimeMs < Date.now() - ABANDONED_MS) await rm(path, { force: true });
  }
}
