import type { SizeName } from '../../domain/photos/photo.ts';
import type { PhotoContent, PhotoStore, StagedUpload, UploadStaging } from '../../domain/photos/ports.ts';
import { Failure } from '../../domain/failure.ts';

/** The original of a photo, and the sizes created so far. It is replaced, never changed: copies of a store share it. */
interface StoredPhoto {
  storedAtMs: number;
  files: ReadonlyMap<SizeName | 'original', Uint8Array>;
}

export interface PhotosInMemory extends PhotoStore {
  /** Returns an independent store with the same photos. */
  copy(): PhotosInMemory;
  /** All originals and sizes. */
  files(): Iterable<Uint8Array>;
}

export function createPhotosInMemory(photos = new Map<string, StoredPhoto>(), installationId?: string): PhotosInMemory {
  function store(digest: string, size: SizeName | 'original', bytes: Uint8Array): void {
    const { storedAtMs = 0, files = [] } = photos.get(digest) ?? {};
    photos.set(digest, {
      storedAtMs: size === 'original' ? Date.now() : storedAtMs,
      files: new Map([...files, [size, bytes]]),
    });
  }

  return {
    put: async (digest, bytes) => store(digest, 'original', bytes),
    putSize: async (digest, size, bytes) => store(digest, size, bytes),
    open: async (digest, size) => contentOf(photos.get(digest)?.files.get(size ?? 'original')),
    read: async (digest) => photos.get(digest)?.files.get('original'),
    findDamagedSizes: async () => [],
    deleteSizes: async () => {},
    // A trash in memory would be of no use, so the photo is deleted.
    trash: async (digest) => void photos.delete(digest),
    setAside: async (digest) => void photos.delete(digest),
    emptyTrash: async () => {},

    async *listStoredBefore(timeMs) {
      for (const [digest, { storedAtMs, files }] of photos)
        if (files.has('original') && storedAtMs < timeMs) yield digest;
    },

    async *listWithSizes() {
      for (const [digest, { files }] of photos) {
        const byteLength = files.get('original')?.byteLength;
        if (byteLength !== undefined) yield { digest, byteLength };
      }
    },

    findInstallationId: async () => installationId,
    setInstallationId: async (id) => {
      installationId = id;
    },

    *files() {
      for (const { files } of photos.values()) yield* files.values();
    },

    copy: () => createPhotosInMemory(new Map(photos), installationId),
  };
}

function contentOf(bytes: Uint8Array | undefined): PhotoContent | undefined {
  if (bytes === undefined) return undefined;
  return {
    byteLength: bytes.byteLength,
    async *chunks() {
      yield bytes;
    },
  };
}

/** Keeps uploads in memory until they are checked, up to `maxBytes` per concurrent request. */
export class StagingInMemory implements UploadStaging {
  readonly #take: (bytes: number) => void;

  /** @param take called for more memory, and with a negative number for less. @throws Failure if there is not enough */
  constructor(take: (bytes: number) => void = () => {}) {
    this.#take = take;
  }

  async stage(chunks: AsyncIterable<Uint8Array>, maxBytes: number): Promise<StagedUpload> {
    const received: Uint8Array[] = [];
    let byteLength = 0;
    try {
      for await (const chunk of chunks) {
        if (byteLength + chunk.byteLength > maxBytes)
          throw new Failure('too-large', `A photo may have at most ${maxBytes} bytes.`);
        this.#take(chunk.byteLength);
        byteLength += chunk.byteLength;
        received.push(chunk);
      }
    } catch (error) {
      this.#take(-byteLength);
      throw error;
    }
    return { source: joined(received, byteLength), byteLength, discard: this.#discardOnce(byteLength) };
  }

  #discardOnce(byteLength: number): () => Promise<void> {
    let left = byteLength;
    return async () => {
      this.#take(-left);
      left = 0;
    };
  }
}

function joined(chunks: readonly Uint8Array[], byteLength: number): Uint8Array {
  const bytes = new Uint8Array(byteLength);
  let position = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, position);
    position += chunk.byteLength;
  }
  return bytes;
}
