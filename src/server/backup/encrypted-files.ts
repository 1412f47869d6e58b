import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { zstdCompress } from 'node:zlib';
import { Failure } from '../../domain/failure.ts';
import type { PhotoStore, StoredOriginal } from '../../domain/photos/ports.ts';
import { newKey, Opener, readIdentities, Sealer } from '../../services/age/age.ts';
import { photosIn, readPhotoList, type ListedPhoto } from './backup-dump.ts';
import type { BackupFiles, BackupTarget, ReadableBackup } from './backup-files.ts';
import {
  damagedBackup,
  listBackups,
  manifestName,
  photoListName,
  readHeader,
  statusName,
  tableOfChunk,
  writeManifest,
  type BackupManifest,
  type EncryptedManifest,
} from './manifest.ts';

/*
 * Encrypted backups in a folder or bucket. The service has no identity: it cannot read what it has written. The names
 * and digests of the encrypted files are readable, so that backups can be listed, checked for damage and deleted.
 * Photos are shared by the backups of the same recipients.
 */

const compress = promisify(zstdCompress);

/** A new identity as age-keygen writes it, with its recipient as a comment. */
export async function newKeyFile(nowMs: number): Promise<string> {
  const { identity, recipient } = await newKey();
  return `# created: ${new Date(nowMs).toISOString()}\n# public key: ${recipient}\n${identity}\n`;
}

/** Names the photos that are encrypted to the same recipients. */
function photoSetFor(recipients: readonly string[]): string {
  return hash('sha256', recipients.toSorted().join()).slice(0, 16);
}

/** All sets of encrypted photos in a place. */
export async function listPhotoSets(files: BackupFiles): Promise<readonly string[]> {
  const names = await files.list('sets');
  return names.flatMap((name) => /^sets\/([0-9a-f]{16})\.json$/.exec(name)?.[1] ?? []);
}

/** A place in which a new backup is encrypted. */
export async function openEncryptedTarget(
  files: BackupFiles,
  recipients: readonly string[],
  backup: string,
): Promise<BackupTarget> {
  const photoSet = photoSetFor(recipients);
  await files.write(`sets/${photoSet}.json`, Buffer.from(`${JSON.stringify({ recipients })}\n`));
  const photos = await files.openPhotoSet(photoSet);
  const known = await sealedPhotos(files, photoSet);
  return new EncryptedTarget({ files, photos, photoSet, backup, known, sealer: new Sealer(recipients) });
}

/** The digests of the encrypted photos of a set, by the digests of their content, from the newest backup with them. */
async function sealedPhotos(files: BackupFiles, photoSet: string): Promise<Map<string, string>> {
  for (const backup of (await listBackups(files)).toReversed()) {
    const list = await files.read(photoListName(backup, photoSet));
    // A damaged list only means that the photos are written again.
    const photos = list === undefined ? undefined : await readPhotoList(list).catch(() => undefined);
    if (photos !== undefined)
      return new Map(photos.flatMap(({ digest, sealed }) => (sealed ? [[digest, sealed]] : [])));
  }
  return new Map();
}

interface EncryptedTargetDeps {
  files: BackupFiles;
  photos: PhotoStore;
  photoSet: string;
  backup: string;
  known: Map<string, string>;
  sealer: Sealer;
}

class EncryptedTarget implements BackupTarget {
  readonly photos: BackupTarget['photos'];
  readonly #deps: EncryptedTargetDeps;
  /** The files of this backup, as they are stored. */
  readonly #digests: Record<string, string> = {};
  /** The rows of photos, which a backup reads again. */
  readonly #photoRows = new Map<string, Uint8Array>();

  constructor(deps: EncryptedTargetDeps) {
    this.#deps = deps;
    const { files, photos, known } = deps;
    this.photos = {
      put: (digest, bytes) => this.#putPhoto(digest, bytes),
      listWithSizes: () => this.#listPhotos(),
      findInstallationId: () => files.photos.findInstallationId(),
      setInstallationId: (id) => files.photos.setInstallationId(id),
      async isSound(digest) {
        const sealed = await photos.read(digest);
        return sealed !== undefined && hash('sha256', sealed) === known.get(digest);
      },
    };
  }

  async write(name: string, bytes: Uint8Array): Promise<void> {
    const { files, backup } = this.#deps;
    if (name === statusName(backup)) return files.write(name, bytes);
    if (name === manifestName(backup)) return this.#finish(name, bytes);
    if (tableOfChunk(name) === 'photo') {
      this.#photoRows.set(name, bytes);
      // Before the photos are copied: they must not be deleted meanwhile.
      await this.#writePhotoList();
    }
    await this.#seal(name, bytes);
  }

  async read(name: string): Promise<Uint8Array | undefined> {
    return this.#photoRows.get(name);
  }

  delete(name: string): Promise<void> {
    return this.#deps.files.delete(name);
  }

  async #seal(name: string, bytes: Uint8Array): Promise<void> {
    await this.#store(`${name}.age`, await this.#deps.sealer.seal(bytes));
  }

  async #store(name: string, bytes: Uint8Array): Promise<void> {
    await this.#deps.files.write(name, bytes);
    this.#digests[name] = hash('sha256', bytes);
  }

  async #putPhoto(digest: string, bytes: Uint8Array): Promise<void> {
    const { photos, known, sealer } = this.#deps;
    const sealed = await sealer.seal(bytes);
    await photos.put(digest, sealed);
    known.set(digest, hash('sha256', sealed));
  }

  async *#listPhotos(): AsyncGenerator<StoredOriginal> {
    const { photos, known, sealer } = this.#deps;
    for await (const { digest, byteLength } of photos.listWithSizes())
      if (known.has(digest)) yield { digest, byteLength: await sealer.contentBytes(byteLength) };
  }

  async #writePhotoList(): Promise<void> {
    const { backup, photoSet, known } = this.#deps;
    const digests = (await Promise.all([...this.#photoRows.values()].map(photosIn))).flat();
    const lines = digests.map((digest) => `${JSON.stringify([digest, known.get(digest) ?? null])}\n`);
    await this.#store(photoListName(backup, photoSet), await compress(Buffer.from(lines.join(''))));
  }

  async #finish(name: string, bytes: Uint8Array): Promise<void> {
    const { files, backup, photoSet, sealer } = this.#deps;
    const { tables, photos, ...manifest } = JSON.parse(Buffer.from(bytes).toString()) as BackupManifest;
    await this.#seal(name, bytes);
    await this.#writePhotoList();
    await writeManifest(files, backup, {
      format: 2,
      version: manifest.version,
      startedAt: manifest.startedAt,
      finishedAt: manifest.finishedAt,
      recipients: [...sealer.recipients],
      photoSet,
      rows: Object.fromEntries(Object.entries(tables).map(([table, { rows }]) => [table, rows])),
      photos: { count: photos.count, missing: photos.missing.length, verified: photos.verified === true },
      bytes: manifest.bytes,
      ...(manifest.before !== undefined && { before: manifest.before }),
      files: this.#digests,
    });
  }
}

/**
 * A finished backup, decrypted as it is read.
 *
 * @param identity the text of a key file; not used for a backup that is not encrypted
 * @throws Failure `not-found`, `invalid-input` if it is damaged, or its identity is missing or wrong
 */
export async function openBackup(
  files: BackupFiles,
  backup: string,
  identity: string | undefined,
): Promise<ReadableBackup> {
  const { encrypted } = await readHeader(files, backup);
  if (encrypted === undefined || identity === undefined) return files;
  const opener = new Opener(readIdentities(identity));
  const photos = await files.openPhotoSet(encrypted.photoSet);
  const opened = new OpenedBackup({ files, photos, encrypted, opener });
  const sealed = await readSealed(files, encrypted, `${manifestName(backup)}.age`);
  if ((await opener.open(sealed)) !== undefined) return opened;
  throw new Failure(
    'invalid-input',
    `The identity does not decrypt the backup ${backup}, which is encrypted to ${encrypted.recipients.join(', ')}.`,
  );
}

interface OpenedBackupDeps {
  files: BackupFiles;
  photos: PhotoStore;
  encrypted: EncryptedManifest;
  opener: Opener;
}

class OpenedBackup implements ReadableBackup {
  readonly photos: ReadableBackup['photos'];
  readonly #deps: OpenedBackupDeps;

  constructor(deps: OpenedBackupDeps) {
    this.#deps = deps;
    this.photos = {
      async read(digest) {
        const sealed = await deps.photos.read(digest);
        return sealed && deps.opener.open(sealed);
      },
    };
  }

  async read(name: string): Promise<Uint8Array | undefined> {
    const { files, encrypted, opener } = this.#deps;
    const bytes = await opener.open(await readSealed(files, encrypted, `${name}.age`));
    if (bytes === undefined) throw damagedBackup(`${name}.age`);
    return bytes;
  }
}

/** @throws Failure `invalid-input` for a file that is missing or was changed */
export async function readSealed(
  files: Pick<BackupFiles, 'read'>,
  encrypted: EncryptedManifest,
  name: string,
): Promise<Uint8Array> {
  const bytes = await files.read(name);
  if (bytes === undefined || hash('sha256', bytes) !== encrypted.files[name]) throw damagedBackup(name);
  return bytes;
}

/** The encrypted photos of a backup, with the digests of their files. */
export async function listSealedPhotos(
  files: Pick<BackupFiles, 'read'>,
  backup: string,
  encrypted: EncryptedManifest,
): Promise<readonly ListedPhoto[]> {
  const name = photoListName(backup, encrypted.photoSet);
  const list = await readSealed(files, encrypted, name);
  return readPhotoList(list).catch(() => {
    throw damagedBackup(name);
  });
}
