import { subtle } from 'node:crypto';
import type { Logger } from 'pino';
import { Failure } from '../../domain/failure.ts';
import type { PhotoStore, UploadStaging } from '../../domain/pets/ports.ts';

/** Called with the reason when a photo cannot be stored or read. */
type OnTrouble = (reason: string) => void;

/** Maximum number of damaged photos that are logged, once each. */
const MAX_LOGGED_DIGESTS = 1000;

/** Long, because only an operator can restore the photo. */
const DAMAGED_RETRY_SECONDS = 3600;

/**
 * Wraps a photo store: reports failures of the disk or the bucket, and refuses damaged originals, whose sizes would be stored, and cached by browsers
 * for a year.
 */
export function watchPhotoStore(store: PhotoStore, onTrouble: OnTrouble, log?: Logger): PhotoStore {
  const logged = new Set<string>();

  function logDamage(digest: string): void {
    if (logged.has(digest) || logged.size >= MAX_LOGGED_DIGESTS) return;
    logged.add(digest);
    log?.error({ digest }, 'a stored photo is damaged; restore its original from a backup, or upload the photo again');
  }

  async function read(digest: string): Promise<Uint8Array | undefined> {
    const bytes = await store.read(digest);
    if (bytes === undefined || (await digestOf(bytes)) === digest) return bytes;
    logDamage(digest);
    throw new Failure('unavailable', 'The stored photo is damaged.', { retryAfterSeconds: DAMAGED_RETRY_SECONDS });
  }

  return {
    put: reporting((...photo) => store.put(...photo), onTrouble),
    putSize: reporting((...photo) => store.putSize(...photo), onTrouble),
    open: reporting((...photo) => store.open(...photo), onTrouble),
    read: reporting(read, onTrouble),
    trash: reporting((digest) => store.trash(digest), onTrouble),
    setAside: (...photo) => store.setAside(...photo),
    emptyTrash: (...trash) => store.emptyTrash(...trash),
    listStoredBefore: (timeMs) => store.listStoredBefore(timeMs),
    listWithSizes: () => store.listWithSizes(),
    findInstallationId: () => store.findInstallationId(),
    setInstallationId: (id) => store.setInstallationId(id),
  } satisfies PhotoStore;
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
