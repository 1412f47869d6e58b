import { createHash, hash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { rm, stat, statfs, utimes } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress, createZstdDecompress } from 'node:zlib';
import { extract, pack, type Extract } from 'tar-stream';
import { Failure, unusable } from '../../domain/failure.ts';
import type { StoredOriginal } from '../../domain/photos/ports.ts';
import { makeFolder, placeDurably } from '../../storage/files/durable-file.ts';
import { CopyStopped } from './copy-to-target.ts';
import { deleteAbandonedFiles, explaining, type BackupTarget } from './backup-files.ts';
import { requireReadable } from '../system/system-errors.ts';
import { photoName, statusName, tableOfChunk } from './manifest.ts';

/*
 * A backup in one file: a tar archive of a place with one backup. It may be compressed with zstd (`.tar.zst`), and
 * encrypted with a passphrase in the format of age (`.tar.age`, `.tar.zst.age`).
 */

export interface ArchiveFile {
  path: string;
  /** Undefined for an archive that is not encrypted. */
  passphrase: string | undefined;
}

type Bytes = AsyncIterable<Uint8Array>;

/** The archive has password hashes. */
const MODE = 0o600;

/** Files of a place. An archive by another program may begin each name with `./`. */
const KNOWN_FILE =
  /^(?:\.\/)?(backups\/[\w-]+\/[\w-]+\.[\w.]+|(?:photos|encrypted\/[0-9a-f]{16})\/[0-9a-f]{2}\/[0-9a-f]{64}\/original)$/;

/** Whether a path is that of an archive, and whether it is encrypted. */
export function archiveKind(path: string): { isEncrypted: boolean } | undefined {
  const name = /\.tar(?:\.zst)?(\.age)?$/.exec(path);
  return name === null ? undefined : { isEncrypted: name[1] !== undefined };
}

function temporaryPrefix({ path }: ArchiveFile): string {
  return `.${basename(path)}.`;
}

function isCompressed({ path }: ArchiveFile): boolean {
  return /\.zst(?:\.age)?$/.test(path);
}

/** A temporary file is touched this often, because a backup may read for long before it writes again. */
const TOUCH_MS = 60_000;

/** Writes a backup to a temporary file, which `finish` moves to its path. */
export class ArchiveWriter implements BackupTarget {
  readonly photos: BackupTarget['photos'];
  readonly #file: ArchiveFile;
  readonly #temporaryPath: string;
  readonly #archive = pack();
  readonly #writing: Promise<void>;
  readonly #touching: NodeJS.Timeout;
  readonly #photos = new Map<string, number>();
  /** SHA-256 of each file in the archive, by name. */
  readonly #digests = new Map<string, string>();
  /** The lists of photos, which a backup reads again. */
  readonly #lists = new Map<string, Uint8Array>();

  /**
   * Also deletes what earlier, killed backups to this file left.
   * @throws Failure `conflict` if the file exists, `unavailable`
   */
  static async open(file: ArchiveFile): Promise<ArchiveWriter> {
    const folder = dirname(file.path);
    await explaining(folder, () => deleteAbandonedFiles(folder, temporaryPrefix(file)));
    return new ArchiveWriter(file);
  }

  private constructor(file: ArchiveFile) {
    if (existsSync(file.path)) throw new Failure('conflict', `The file ${file.path} exists. Choose another name.`);
    this.#file = file;
    this.#temporaryPath = join(dirname(file.path), `${temporaryPrefix(file)}${randomUUID()}`);
    let bytes: Bytes = this.#archive as Bytes;
    if (isCompressed(file)) bytes = compress(bytes);
    if (file.passphrase !== undefined) bytes = encrypt(bytes, file.passphrase);
    this.#writing = pipeline(bytes, createWriteStream(this.#temporaryPath, { mode: MODE }));
    // Reported by the next write.
    this.#writing.catch(() => {});
    this.#touching = setInterval(() => void this.#touch(), TOUCH_MS).unref();
    this.photos = {
      put: (digest, photo) => this.#putPhoto(digest, photo),
      // It is compared as a whole.
      isSound: async () => false,
      listWithSizes: () => this.#listPhotos(),
      findInstallationId: async () => undefined,
      // The manifest has it.
      setInstallationId: async () => {},
    };
  }

  async write(name: string, bytes: Uint8Array): Promise<void> {
    if (name.endsWith(basename(statusName('')))) return;
    if (tableOfChunk(name) === 'photo') this.#lists.set(name, bytes);
    await this.#add(name, bytes, hash('sha256', bytes));
  }

  async #add(name: string, bytes: Uint8Array, digest: string): Promise<void> {
    this.#digests.set(name, digest);
    const written = new Promise<void>((resolve, reject) => {
      const onEnd = (error?: Error | null) => (error ? reject(error) : resolve());
      // An error event without a listener would end the process.
      this.#archive.entry({ name, mode: MODE }, bytes, onEnd).on('error', reject);
    });
    // A failure of the file destroys the archive, which then has no reason.
    await this.#explaining(Promise.race([written.catch(() => this.#writing), this.#writing]));
  }

  async read(name: string): Promise<Uint8Array | undefined> {
    return this.#lists.get(name);
  }

  async delete(): Promise<void> {}

  /** Reads the archive back before it gets its name. @throws Failure `unavailable` if it is damaged; CopyStopped */
  async finish(signal: AbortSignal): Promise<void> {
    const { path } = this.#file;
    this.#archive.finalize();
    await this.#explaining(
      this.#writing.then(async () => {
        await this.#verify(signal);
        await placeDurably(this.#temporaryPath, path, dirname(path));
      }),
    );
  }

  async close(): Promise<void> {
    clearInterval(this.#touching);
    this.#archive.destroy();
    await this.#writing.catch(() => {});
    await rm(this.#temporaryPath, { force: true });
  }

  async #putPhoto(digest: string, photo: Uint8Array): Promise<void> {
    await this.#add(photoName(digest), photo, digest);
    this.#photos.set(digest, photo.byteLength);
  }

  async #verify(signal: AbortSignal): Promise<void> {
    const verify = (entries: Extract) => compareEntries(entries, this.#digests);
    await readArchive(this.#file, this.#temporaryPath, verify, signal).catch((error: unknown) => {
      if (!(error instanceof Failure)) throw error;
      const message = `The archive ${this.#file.path} was damaged while it was written, and is deleted. Check the disk.`;
      throw unusable(message);
    });
  }

  async #touch(): Promise<void> {
    const now = new Date();
    // A failure of the file is reported by the next write.
    await utimes(this.#temporaryPath, now, now).catch(() => {});
  }

  async *#listPhotos(): AsyncGenerator<StoredOriginal> {
    for (const [digest, byteLength] of this.#photos) yield { digest, byteLength };
  }

  #explaining<T>(work: Promise<T>): Promise<T> {
    return explaining(dirname(this.#file.path), () => work);
  }
}

/**
 * Unpacks the backups and photos of an archive into a folder.
 * @throws Failure `not-found`, `invalid-input`; CopyStopped
 */
export async function unpackArchive(file: ArchiveFile, folder: string, signal: AbortSignal): Promise<void> {
  await requireReadable(file.path);
  const limit = await unpackedLimit(file, folder);
  await readArchive(file, file.path, (entries) => writeEntries(entries, folder), signal, limit);
}

/** @param path may be that of the temporary file */
async function readArchive(
  file: ArchiveFile,
  path: string,
  read: (entries: Extract) => Promise<void>,
  signal: AbortSignal,
  limit?: UnpackedLimit,
): Promise<void> {
  let bytes: Bytes = createReadStream(path);
  if (file.passphrase !== undefined) bytes = decrypt(bytes, file.passphrase);
  if (isCompressed(file)) bytes = decompress(bytes);
  if (limit !== undefined) bytes = limited(bytes, limit);
  try {
    const archive = extract();
    await Promise.all([pipeline(bytes, archive, { signal }), read(archive)]);
  } catch (error) {
    if (signal.aborted) throw new CopyStopped();
    if (!(error instanceof Error) || 'syscall' in error || error instanceof Failure) throw error;
    throw new Failure('invalid-input', `The file ${file.path} is damaged, incomplete or not a backup.`);
  }
}

/** @throws Error if the archive has other files than these */
async function compareEntries(entries: Extract, digests: ReadonlyMap<string, string>): Promise<void> {
  let count = 0;
  for await (const entry of entries) {
    const content = createHash('sha256');
    for await (const chunk of entry as Bytes) content.update(chunk);
    if (content.digest('hex') !== digests.get(entry.header.name)) throw new Error(`${entry.header.name} differs`);
    count++;
  }
  if (count !== digests.size) throw new Error('The archive is incomplete');
}

/** The files of a backup are compressed already, so an archive of it is about as large as they are. */
const MAX_GROWTH = 20;
const SMALL_BYTES = 64 * 1024 * 1024;

/** Part of the free space that an archive may fill. */
const MAX_FILLED = 0.9;

interface UnpackedLimit {
  bytes: number;
  /** Thrown if the archive unpacks to more. */
  failure: Failure;
}

/** An archive of a few kilobytes could otherwise fill the disk before its manifest is read, which is its last file. */
async function unpackedLimit({ path }: ArchiveFile, folder: string): Promise<UnpackedLimit> {
  const [{ size }, { bavail, bsize }] = await Promise.all([stat(path), statfs(folder)]);
  const [grown, free] = [size * MAX_GROWTH + SMALL_BYTES, Math.floor(bavail * bsize * MAX_FILLED)];
  return grown < free
    ? {
        bytes: grown,
        failure: new Failure('invalid-input', `The file ${path} has much more data than a backup of its size.`),
      }
    : {
        bytes: free,
        failure: new Failure('insufficient-storage', `The folder ${folder} has too little space for the archive.`),
      };
}

async function* limited(bytes: Bytes, { bytes: max, failure }: UnpackedLimit): Bytes {
  let left = max;
  for await (const chunk of bytes) {
    left -= chunk.byteLength;
    if (left < 0) throw failure;
    yield chunk;
  }
}

async function writeEntries(entries: Extract, folder: string): Promise<void> {
  for await (const entry of entries) {
    const name = entry.header.type === 'file' ? KNOWN_FILE.exec(entry.header.name)?.[1] : undefined;
    if (name === undefined) entry.resume();
    else {
      const path = join(folder, name);
      await makeFolder(dirname(path));
      await pipeline(entry as Bytes, createWriteStream(path, { mode: MODE }));
    }
  }
}

async function* compress(bytes: Bytes): Bytes {
  const zstd = createZstdCompress();
  // A failure ends the stream as well.
  pipeline(bytes, zstd).catch(() => {});
  yield* zstd as Bytes;
}

async function* decompress(bytes: Bytes): Bytes {
  const zstd = createZstdDecompress();
  pipeline(bytes, zstd).catch(() => {});
  yield* zstd as Bytes;
}

async function* encrypt(bytes: Bytes, passphrase: string): Bytes {
  const { Encrypter } = await import('age-encryption');
  const encrypter = new Encrypter();
  encrypter.setPassphrase(passphrase);
  yield* await encrypter.encrypt(webStreamOf(bytes));
}

async function* decrypt(bytes: Bytes, passphrase: string): Bytes {
  const { Decrypter } = await import('age-encryption');
  const decrypter = new Decrypter();
  decrypter.addPassphrase(passphrase);
  yield* await decrypter.decrypt(webStreamOf(bytes)).catch((error: unknown) => {
    if (!/no identity/.test(String(error))) throw error;
    throw new Failure('invalid-input', 'The passphrase is wrong.');
  });
}

function webStreamOf(bytes: Bytes): ReadableStream<Uint8Array> {
  return Readable.toWeb(Readable.from(bytes)) as ReadableStream<Uint8Array>;
}
