import type { PhotoStore } from '../../domain/pets/ports.ts';
import { SIZE_NAMES, type SizeName } from '../../domain/photos/photo.ts';
import { objectHasChanged } from './bucket-troubles.ts';
import { openBucket, readChunks, type BucketOptions } from './bucket.ts';
import type { S3Settings } from './s3-url.ts';

const ORIGINAL = /([0-9a-f]{64})\/original$/;
const SECOND_MS = 1_000;

export interface S3PhotoStore extends PhotoStore {
  /** Closes the connections. What is under way fails. */
  close(): void;
}

/**
 * Photos as objects of a bucket: `<prefix>/ab/abcd.../original`, and beside it the sizes made so far. In the trash they have the same names below
 * `<prefix>/trash`. `<prefix>/installation-id` names the installation that they belong to. Every method throws Failure `unavailable` when the bucket is
 * in trouble, within some seconds.
 *
 * Clocks of others are involved: `listStoredBefore` tells the time by the server's, and leaves out what might have been stored up to two
 * seconds later than it seems.
 *
 * @throws Failure `unavailable` with what to do, when the bucket cannot be used as it is. It is never created here.
 */
export async function openPhotoStore(settings: S3Settings, options?: BucketOptions): Promise<S3PhotoStore> {
  const bucket = await openBucket(settings, options);
  const root = settings.prefix === '' ? '' : `${settings.prefix}/`;
  const trashRoot = `${root}trash/`;
  const idKey = `${root}installation-id`;
  const keyOf = (digest: string, size: SizeName | 'original' = 'original', base = root) =>
    `${base}${digest.slice(0, 2)}/${digest}/${size}`;

  async function* listOriginals(base: string, timeMs: number): AsyncGenerator<string> {
    for await (const page of bucket.list(base)) {
      for (const { key, lastModifiedMs } of page) {
        const digest = ORIGINAL.exec(key)?.[1];
        if (digest === undefined || key !== keyOf(digest, 'original', base)) continue;
        if (lastModifiedMs + SECOND_MS <= timeMs) yield digest;
      }
    }
  }

  return {
    put: (digest, bytes) => bucket.put(keyOf(digest), bytes, mediaTypeOf(bytes)),

    putSize: (digest, size, bytes) => bucket.put(keyOf(digest, size), bytes, `image/${size.split('.')[1] ?? 'webp'}`),

    async open(digest, size) {
      const key = keyOf(digest, size);
      const byteLength = await bucket.findLength(key);
      if (byteLength === undefined) {
        // Sizes are missing every day; an original that is missing may mean that the bucket is.
        if (size === undefined) await bucket.check();
        return undefined;
      }
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
    },

    async read(digest) {
      const found = await bucket.find(keyOf(digest));
      return found && Buffer.concat(await Array.fromAsync(readChunks(found.body)));
    },

    async trash(digest) {
      await Promise.all(SIZE_NAMES.map((size) => bucket.remove(keyOf(digest, size))));
      // Last, because the list goes by it: what was cut off before is found again.
      const isStored = await bucket.copy(keyOf(digest), keyOf(digest, 'original', trashRoot));
      if (isStored) await bucket.remove(keyOf(digest));
    },

    async emptyTrash(beforeMs, isStopping = () => false) {
      for await (const digest of listOriginals(trashRoot, beforeMs)) {
        if (isStopping()) return;
        await bucket.remove(keyOf(digest, 'original', trashRoot));
      }
    },

    listStoredBefore: (timeMs) => listOriginals(root, timeMs),

    async findInstallationId() {
      const found = await bucket.find(idKey);
      return (
        found &&
        Buffer.concat(await Array.fromAsync(readChunks(found.body)))
          .toString()
          .trim()
      );
    },

    setInstallationId: (id) => bucket.put(idKey, Buffer.from(`${id}\n`), 'text/plain'),

    close: bucket.close,
  };
}

/** For whoever looks into the bucket; the service itself goes by what the database says. */
function mediaTypeOf(bytes: Uint8Array): string {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 12)).toString('latin1');
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  return /^RIFF.{4}WEBP/s.test(head) ? 'image/webp' : 'application/octet-stream';
}
