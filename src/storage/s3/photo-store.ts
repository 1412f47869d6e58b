import { createHash, hash } from 'node:crypto';
import type { PhotoContent, PhotoStore, StoredOriginal } from '../../domain/photos/ports.ts';
import { SIZE_NAMES, type SizeName } from '../../domain/photos/photo.ts';
import { objectHasChanged } from './bucket-troubles.ts';
import { Bucket, readChunks, type BucketOptions } from './bucket.ts';
import type { S3Settings } from './s3-url.ts';

const ORIGINAL = /([0-9a-f]{64})\/original$/;
const SECOND_MS = 1_000;

/**
 * Opens the store in an existing bucket.
 * @throws Failure `unavailable` if the bucket cannot be used. Its message tells the operator what to do.
 */
export async function openPhotoStore(settings: S3Settings, options?: BucketOptions): Promise<S3PhotoStore> {
  return new S3PhotoStore(await Bucket.open(settings, options), settings.prefix);
}

/**
 * Photos as objects of a bucket: `<prefix>/ab/abcd.../original`, and next to it the sizes created so far, with their
 * length and digest as metadata. In the trash they have the same names below `<prefix>/trash`.
 * `<prefix>/installation-id` names the installation that they belong to. Every method throws Failure `unavailable`
 * within a few seconds if the bucket is not available.
 *
 * `listStoredBefore` uses the clock of the server, whose times are rounded to whole seconds. It omits objects that may
 * have been stored after the given time.
 */
export class S3PhotoStore implements PhotoStore {
  readonly #bucket: Bucket;
  readonly #root: string;
  readonly #trashRoot: string;
  readonly #idKey: string;

  constructor(bucket: Bucket, prefix: string) {
    this.#bucket = bucket;
    this.#root = prefix === '' ? '' : `${prefix}/`;
    this.#trashRoot = `${this.#root}trash/`;
    this.#idKey = `${this.#root}installation-id`;
  }

  put(digest: string, bytes: Uint8Array): Promise<void> {
    return this.#bucket.put(this.#keyOf(digest), bytes, mediaTypeOf(bytes));
  }

  putSize(digest: string, size: SizeName, bytes: Uint8Array): Promise<void> {
    const metadata = { sha256: hash('sha256', bytes), length: String(bytes.byteLength) };
    return this.#bucket.put(this.#keyOf(digest, size), bytes, `image/${size.split('.')[1] ?? 'webp'}`, metadata);
  }

  async open(digest: string, size?: SizeName): Promise<PhotoContent | undefined> {
    const bucket = this.#bucket;
    const key = this.#keyOf(digest, size);
    const head = await bucket.findHead(key);
    // Missing sizes are normal; for a missing original, the bucket may be missing.
    if (head === undefined && size === undefined) await bucket.check();
    if (head === undefined || (size !== undefined && head.metadata['length'] !== String(head.byteLength)))
      return undefined;
    const { byteLength } = head;
    return {
      byteLength,
      async *chunks() {
        const found = await bucket.find(key);
        if (found?.byteLength !== byteLength) {
          found?.body.destroy();
          throw objectHasChanged();
        }
        yield* readChunks(found.body);
      },
    };
  }

  async findDamagedSizes(digest: string): Promise<readonly string[]> {
    const damaged: string[] = [];
    for await (const page of this.#bucket.list(this.#keyOf(digest).replace(/original$/, ''))) {
      for (const size of SIZE_NAMES) {
        const key = this.#keyOf(digest, size);
        if (page.some((stored) => stored.key === key) && !(await this.#isSound(key))) damaged.push(size);
      }
    }
    return damaged;
  }

  async deleteSizes(digest: string, names: readonly string[]): Promise<void> {
    for (const size of SIZE_NAMES.filter((known) => names.includes(known)))
      await this.#bucket.delete(this.#keyOf(digest, size));
  }

  read(digest: string): Promise<Buffer | undefined> {
    return this.#read(this.#keyOf(digest));
  }

  async trash(digest: string): Promise<void> {
    await Promise.all(SIZE_NAMES.map((size) => this.#bucket.delete(this.#keyOf(digest, size))));
    // Last, because photos are listed by their originals: if this is interrupted, the photo is found again.
    const isStored = await this.#bucket.copy(this.#keyOf(digest), keyIn(this.#trashRoot, digest));
    if (isStored) await this.#bucket.delete(this.#keyOf(digest));
  }

  async setAside(digest: string, subfolder: string): Promise<void> {
    const asideRoot = `${this.#root}aside/${subfolder}/`;
    // The original last: if this is interrupted, the photo is found again.
    for (const size of [...SIZE_NAMES, undefined]) {
      const key = this.#keyOf(digest, size);
      if (await this.#bucket.copy(key, keyIn(asideRoot, digest, size))) await this.#bucket.delete(key);
    }
  }

  async emptyTrash(beforeMs: number, isStopping = () => false): Promise<void> {
    for await (const { digest } of this.#listOriginals(this.#trashRoot, beforeMs)) {
      if (isStopping()) return;
      await this.#bucket.delete(keyIn(this.#trashRoot, digest));
    }
  }

  async *listStoredBefore(timeMs: number): AsyncGenerator<string> {
    for await (const { digest } of this.#listOriginals(this.#root, timeMs)) yield digest;
  }

  listWithSizes(): AsyncIterable<StoredOriginal> {
    return this.#listOriginals(this.#root, Infinity);
  }

  async findInstallationId(): Promise<string | undefined> {
    return (await this.#read(this.#idKey))?.toString().trim();
  }

  setInstallationId(id: string): Promise<void> {
    return this.#bucket.put(this.#idKey, Buffer.from(`${id}\n`), 'text/plain');
  }

  /** Closes the connections. Pending calls fail. */
  close(): void {
    this.#bucket.close();
  }

  /** Whether the content of a size is what was stored. Without metadata, it is stored again before it is served. */
  async #isSound(key: string): Promise<boolean> {
    const found = await this.#bucket.find(key);
    if (found === undefined) return true;
    const { metadata, body } = found;
    const content = createHash('sha256');
    for await (const chunk of readChunks(body)) content.update(chunk);
    return metadata['sha256'] === undefined || metadata['sha256'] === content.digest('hex');
  }

  async #read(key: string): Promise<Buffer | undefined> {
    const found = await this.#bucket.find(key);
    return found && Buffer.concat(await Array.fromAsync(readChunks(found.body)));
  }

  async *#listOriginals(root: string, timeMs: number): AsyncGenerator<StoredOriginal> {
    for await (const page of this.#bucket.list(root)) {
      for (const { key, lastModifiedMs, byteLength } of page) {
        const digest = ORIGINAL.exec(key)?.[1];
        if (digest === undefined || key !== keyIn(root, digest)) continue;
        if (lastModifiedMs + SECOND_MS <= timeMs) yield { digest, byteLength };
      }
    }
  }

  #keyOf(digest: string, size?: SizeName): string {
    return keyIn(this.#root, digest, size);
  }
}

function keyIn(root: string, digest: string, size: SizeName | 'original' = 'original'): string {
  return `${root}${digest.slice(0, 2)}/${digest}/${size}`;
}

/** For users who inspect the bucket. The service itself has the media type in the database. */
function mediaTypeOf(bytes: Uint8Array): string {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 12)).toString('latin1');
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  return /^RIFF.{4}WEBP/s.test(head) ? 'image/webp' : 'application/octet-stream';
}
