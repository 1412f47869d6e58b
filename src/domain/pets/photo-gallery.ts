import { Failure } from '../failure.ts';
import { PHOTO_SIZES, type PhotoMediaType, type PhotoSize } from './photo.ts';
import type { Clock } from '../ports.ts';
import type { Imaging, PhotoContent, Photos, PhotoStore } from './ports.ts';

export interface PhotoGalleryNeeds {
  photos: Photos;
  photoStore: PhotoStore;
  imaging: Imaging;
  clock: Clock;
  /** How long a picture that no pet refers to is kept. */
  graceMs: number;
}

export interface Picture extends PhotoContent {
  mediaType: PhotoMediaType;
}

/** A node has doomed pictures in hand for so long. Half of it is for removing them; the other half for a removal that has begun to come to its end. */
const CLAIM_MS = 600_000;
const REMOVED_AT_ONCE = 500;

export type PhotoGallery = ReturnType<typeof createPhotoGallery>;

/** The stored pictures: shown in their sizes, and cleared away when nothing refers to them any more. */
export function createPhotoGallery({ photos, photoStore, imaging, clock, graceMs }: PhotoGalleryNeeds) {
  const inTheMaking = new Map<string, Promise<void>>();

  /** Makes a size once, however many ask for it at the same time. */
  function makeSize(digest: string, size: PhotoSize): Promise<void> {
    const key = `${digest}/${size}`;
    const started = inTheMaking.get(key);
    if (started !== undefined) return started;
    const making = resizeAndKeep(digest, size).finally(() => inTheMaking.delete(key));
    inTheMaking.set(key, making);
    return making;
  }

  async function resizeAndKeep(digest: string, size: PhotoSize): Promise<void> {
    const original = await photoStore.read(digest);
    if (original === undefined) throw photoNotFound();
    await photoStore.putSize(digest, size, await imaging.resize(original, PHOTO_SIZES[size]));
  }

  /**
   * Removes what is claimed for this node, while the claim lasts: after it, another node may have removed and forgotten a picture, and somebody
   * may have stored it again.
   */
  async function removeSome(
    beforeMs: number,
    strayDigests: readonly string[],
    isStopping: () => boolean,
  ): Promise<{ removed: number; isDone: boolean }> {
    const nowMs = clock();
    const claim = { nowMs, claimMs: CLAIM_MS, most: REMOVED_AT_ONCE };
    const doomed = await photos.apply({ kind: 'doom', beforeMs, strayDigests, ...claim });
    const removed: string[] = [];
    for (const digest of doomed) {
      if (isStopping() || clock() >= nowMs + CLAIM_MS / 2) break;
      await photoStore.remove(digest);
      removed.push(digest);
    }
    if (removed.length > 0) await photos.apply({ kind: 'forget', digests: removed });
    return { removed: removed.length, isDone: removed.length < REMOVED_AT_ONCE };
  }

  return {
    /** @throws Failure `not-found` */
    async getPicture(digest: string, size?: PhotoSize): Promise<Picture> {
      const photo = await photos.find(digest);
      if (photo === undefined) throw photoNotFound();
      let content = await photoStore.open(digest, size);
      if (content === undefined && size !== undefined) {
        await makeSize(digest, size);
        content = await photoStore.open(digest, size);
      }
      if (content === undefined) throw photoNotFound();
      return { ...content, mediaType: size === undefined ? photo.mediaType : 'image/webp' };
    },

    /**
     * Removes pictures that no pet has referred to for the grace time, and files that an upload left behind when it did not come to its end.
     * Marks, then removes, then forgets: whenever it is cut off, the next run goes on; and an upload of the same picture cannot fall between.
     *
     * @param isStopping asked between the steps; once it says true, no further step is begun
     * @returns how many were removed
     */
    async clearUnused(isStopping: () => boolean = () => false): Promise<number> {
      const beforeMs = clock() - graceMs;
      const strayDigests: string[] = [];
      for await (const digest of photoStore.listStoredBefore(beforeMs)) {
        if (isStopping()) return 0;
        if ((await photos.find(digest)) === undefined) strayDigests.push(digest);
      }
      let count = 0;
      for (let strays = strayDigests; ; strays = []) {
        const { removed, isDone } = await removeSome(beforeMs, strays, isStopping);
        count += removed;
        if (isDone) return count;
      }
    },
  };
}

function photoNotFound(): Failure {
  return new Failure('not-found', 'Picture not found');
}
