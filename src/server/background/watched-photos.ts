import { subtle } from 'node:crypto';
import type { Logger } from 'pino';
import { Failure } from '../../domain/failure.ts';
import type { PhotoContent, PhotoStore, UploadStaging } from '../../domain/photos/ports.ts';
import type { SizeName } from '../../domain/photos/photo.ts';

/** @returns a function that logs a damaged size */
export function logDamagedSize(log?: Logger): (digest: string, name: string) => void {
  return (digest, name) =>
    log?.warn(
      { digest, name },
      'a stored size of a photo is damaged; it is created again; check the disk or the bucket',
    );
}

/** Called with the reason when a photo cannot be stored or read. */
type OnTrouble = (reason: string) => void;

/** Maximum number of missing and damaged photos that are remembered, and logged once each. */
const MAX_REMEMBERED = 1000;

/** Long, because only an operator can restore the photo. */
const DAMAGED_RETRY_SECONDS = 3600;

interface WatchedPhotoStore extends PhotoStore {
  /** The number of originals that were found missing or damaged, and not yet found intact again. */
  countUnsound(): number;
}

/**
 * Wraps a photo store: reports failures of the disk or the bucket, and refuses damaged originals, whose sizes would be
 * stored, and cached by browsers for a year.
 */
export function watchPhotoStore(store: PhotoStore, onTrouble: OnTrouble, log?: Logger): WatchedPhotoStore {
  const unsound = new Set<string>();
  const onDamagedSize = logDamagedSize(log);

  function remember(digest: string, problem: 'missing' | 'damaged'): void {
    if (unsound.has(digest) || unsound.size >= MAX_REMEMBERED) return;
    unsound.add(digest);
    log?.error(
      { digest },
      `a stored photo is ${problem}; restore its original from a backup, or upload the photo again`,
    );
  }

  async function read(digest: string): Promise<Uint8Array | undefined> {
    const bytes = await store.read(digest);
    if (bytes === undefined) remember(digest, 'missing');
    else if ((await digestOf(bytes)) === digest) unsound.delete(digest);
    else {
      remember(digest, 'damaged');
      throw new Failure('unavailable', 'The stored photo is damaged.', { retryAfterSeconds: DAMAGED_RETRY_SECONDS });
    }
    return bytes;
  }

  async function open(digest: string, size?: SizeName): Promise<PhotoContent | undefined> {
    if (size === undefined && unsound.has(digest)) await read(digest);
    return store.open(digest, size);
  }

  return {
    put: reporting((...photo) => store.put(...photo), onTrouble),
    putSize: reporting((...photo) => store.putSize(...photo), onTrouble),
    open: reporting(open, onTrouble),
    read: reporting(read, onTrouble),
    findDamagedSizes: reporting((digest) => store.findDamagedSizes(digest), onTrouble),
    deleteSizes: reporting(async (digest, names) => {
      for (const name of names) onDamagedSize(digest, name);
      await store.deleteSizes(digest, names);
    }, onTrouble),
    trash: reporting((digest) => store.trash(digest), onTrouble),
    setAside: (...photo) => store.setAside(...photo),
    emptyTrash: (...trash) => store.emptyTrash(...trash),
    listStoredBefore: (timeMs) => store.listStoredBefore(timeMs),
    listWithSizes: () => store.listWithSizes(),
    findInstallationId: () => store.findInstallationId(),
    setInstallationId: (id) => store.setInstallationId(id),
    countUnsound: () => unsound.size,
  };
}

export function watchStaging(staging: UploadStaging, onTrouble: OnTrouble): UploadStaging {
  return { stage: reporting((...upload) => staging.stage(...upload), onTrouble) } satisfies UploadStaging;
}

function reporting<A extends unknown[], R>(work: (...args: A) => Promise<R>, onTrouble: OnTrouble) {
  return async (...args: A): Promise<R> => {
    try {
      return await work(...args);
    } catch (error) {
      // A failure without a reason is caused by the request or the photo, not by the store.
      if (error instanceof Failure && error.reason !== undefined) onTrouble(error.reason);
      throw error;
    }
  };
}

/** In a thread: on the event loop, the digest of a large photo would take some milliseconds. */
async function digestOf(bytes: Uint8Array): Promise<string> {
  return Buffer.from(await subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>)).toString('hex');
}
