import type { SizeName } from '../../domain/photos/photo.ts';
import type { PhotoContent, PhotoStore, UploadStaging } from '../../domain/pets/ports.ts';
import { Failure } from '../../domain/failure.ts';

/** A photo: the original and the sizes made so far. */
interface HeldPhoto {
  storedAtMs: number;
  files: Map<SizeName | 'original', Uint8Array>;
}

export interface PhotosInMemory extends PhotoStore {
  /** Returns an independent store with the same originals. */
  copy(): PhotosInMemory;
}

/** Photos in memory. */
export function createPhotosInMemory(photos = new Map<string, HeldPhoto>(), installationId?: string): PhotosInMemory {
  function keep(digest: string, size: SizeName | 'original', bytes: Uint8Array): void {
    const held = photos.get(digest) ?? { storedAtMs: 0, files: new Map() };
    if (size === 'original') held.storedAtMs = Date.now();
    held.files.set(size, bytes);
    photos.set(digest, held);
  }

  return {
    put: async (digest, bytes) => keep(digest, 'original', bytes),
    putSize: async (digest, size, bytes) => keep(digest, size, bytes),
    open: async (digest, size) => contentOf(photos.get(digest)?.files.get(size ?? 'original')),
    read: async (digest) => photos.get(digest)?.files.get('original'),
    // Nothing could be restored from a trash in memory, so the photo is deleted.
    trash: async (digest) => void photos.delete(digest),
    emptyTrash: async () => {},

    async *listStoredBefore(timeMs) {
      for (const [digest, { storedAtMs, files }] of photos)
        if (files.has('original') && storedAtMs < timeMs) yield digest;
    },

    findInstallationId: async () => installationId,
    setInstallationId: async (id) => {
      installationId = id;
    },

    copy: () =>
      createPhotosInMemory(
        new Map([...photos].map(([digest, { storedAtMs, files }]) => [digest, { storedAtMs, files: new Map(files) }])),
        installationId,
      ),
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

/** Holds uploads in memory until they are checked: up to `maxBytes` for each concurrent request. */
export const stagingInMemory: UploadStaging = {
  async stage(chunks, maxBytes) {
    const held: Uint8Array[] = [];
    let byteLength = 0;
    for await (const chunk of chunks) {
      byteLength += chunk.byteLength;
      if (byteLength > maxBytes) throw new Failure('too-large', `A picture may have at most ${maxBytes} bytes.`);
      held.push(chunk);
    }
    return { source: joined(held, byteLength), byteLength, discard: () => Promise.resolve() };
  },
};

function joined(chunks: readonly Uint8Array[], byteLength: number): Uint8Array {
  const bytes = new Uint8Array(byteLength);
  let position = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, position);
    position += chunk.byteLength;
  }
  return bytes;
}
