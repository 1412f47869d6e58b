import { Failure } from '../failure.ts';
import { pixelsIn, sizeName, type Photo, type PhotoFormat, type PhotoMediaType, type PhotoSize } from './photo.ts';
import type { Clock, InstallationStore } from '../ports.ts';
import type { Imaging, PhotoContent, PhotoIndex, PhotoStore } from '../pets/ports.ts';

export interface PhotoGalleryNeeds {
  photos: PhotoIndex;
  photoStore: PhotoStore;
  installation: Pick<InstallationStore, 'find'>;
  imaging: Imaging;
  clock: Clock;
  /** How long a picture that no pet refers to is kept. */
  graceMs: number;
}

export interface Picture extends PhotoContent {
  mediaType: PhotoMediaType | `image/${PhotoFormat}`;
}

/** One of the sizes of a picture, in one of its formats. */
export interface PhotoVariant {
  size: PhotoSize;
  format: PhotoFormat;
}

/** A file that is younger may belong to an upload whose entry is not written yet. */
const SETTLED_MS = 3_600_000;

/** How long the trash keeps a photo. */
export const TRASH_MS = 7 * 24 * 3_600_000;

/** A node has doomed pictures in hand for so long. Half of it is for removing them; the other half for a removal that has begun to come to its end. */
const CLAIM_MS = 600_000;
const REMOVED_AT_ONCE = 500;

/**
 * Is somebody about to remove this picture? Then an upload of it has to wait. A claim that ends much further ahead than any does was made by a clock
 * that was wrong: nobody is to wait for that.
 */
export function isInHand(claimedUntilMs: number | null | undefined, nowMs: number): boolean {
  const restMs = (claimedUntilMs ?? 0) - nowMs;
  return restMs > 0 && restMs <= 2 * CLAIM_MS;
}

export type PhotoGallery = ReturnType<typeof createPhotoGallery>;

/** The stored pictures: shown in their sizes, and cleared away when nothing refers to them any more. */
export function createPhotoGallery({ photos, photoStore, installation, imaging, clock, graceMs }: PhotoGalleryNeeds) {
  const inTheMaking = new Map<string, Promise<void>>();

  /** Makes a size in a format once, however many ask for it at the same time. */
  function makeSize(photo: Photo, variant: PhotoVariant): Promise<void> {
    const key = `${photo.digest}/${sizeName(variant.size, variant.format)}`;
    const started = inTheMaking.get(key);
    if (started !== undefined) return started;
    const making = resizeAndKeep(photo, variant).finally(() => inTheMaking.delete(key));
    inTheMaking.set(key, making);
    return making;
  }

  async function resizeAndKeep(photo: Photo, { size, format }: PhotoVariant): Promise<void> {
    if (!(await imaging.accepts(photo))) throw new Failure('not-found', 'Photo is too large to be resized');
    const original = await photoStore.read(photo.digest);
    if (original === undefined) throw photoNotFound();
    const bytes = await imaging.resize(original, pixelsIn(photo, size), format);
    await photoStore.putSize(photo.digest, sizeName(size, format), bytes);
  }

  /** A folder may be unmounted or replaced while the service runs, and a host name may lead to another database. */
  async function requireOwnPhotos(): Promise<void> {
    const [ofDatabase, ofPhotos] = await Promise.all([installation.find(), photoStore.findInstallationId()]);
    if (ofDatabase !== undefined && ofDatabase === ofPhotos) return;
    throw new Failure(
      'unavailable',
      'The stored photos are missing or belong to another database, so unused ones are not cleared.',
    );
  }

  /**
   * Removes what is claimed for this node, while the claim lasts: after it, another node may have removed and forgotten a picture, and somebody
   * may have stored it again. Whatever cuts it off, what is removed is forgotten, and what nothing was removed of is given back. A picture whose
   * removal failed stays claimed: a storage that did not answer may still remove it.
   */
  async function removeSome(
    beforeMs: number,
    strayDigests: readonly string[],
    isStopping: () => boolean,
  ): Promise<{ removed: number; isDone: boolean }> {
    await requireOwnPhotos();
    const nowMs = clock();
    const claim = { nowMs, claimMs: CLAIM_MS, most: REMOVED_AT_ONCE };
    const doomed = await photos.apply({ kind: 'doom', beforeMs, strayDigests, ...claim });
    const left = [...doomed];
    const removed: string[] = [];
    try {
      while (left.length > 0 && !isStopping() && isEarlyIn(nowMs)) {
        const digest = left.shift() ?? '';
        await photoStore.trash(digest);
        removed.push(digest);
      }
    } finally {
      const claimedUntilMs = nowMs + CLAIM_MS;
      await Promise.all([
        removed.length > 0 && photos.apply({ kind: 'forget', digests: removed, claimedUntilMs }),
        left.length > 0 && photos.apply({ kind: 'release', digests: left, claimedUntilMs }),
      ]);
    }
    const isAll = left.length === 0 && doomed.length < REMOVED_AT_ONCE;
    return { removed: removed.length, isDone: isAll || removed.length === 0 };
  }

  /** A clock that was set back tells nothing of how long the claim has lasted. */
  function isEarlyIn(claimedAtMs: number): boolean {
    const agoMs = clock() - claimedAtMs;
    return agoMs >= 0 && agoMs < CLAIM_MS / 2;
  }

  /** Files without an entry, some at a time. */
  async function* strays(): AsyncGenerator<readonly string[], void> {
    let digests: string[] = [];
    for await (const digest of photoStore.listStoredBefore(clock() - SETTLED_MS)) {
      digests.push(digest);
      if (digests.length < REMOVED_AT_ONCE) continue;
      yield await withoutEntry(digests);
      digests = [];
    }
    yield await withoutEntry(digests);
  }

  async function withoutEntry(digests: readonly string[]): Promise<readonly string[]> {
    const found = await Promise.all(digests.map((digest) => photos.find(digest)));
    return digests.filter((_, index) => found[index] === undefined);
  }

  return {
    /** @throws Failure `not-found` */
    async getPicture(digest: string, variant?: PhotoVariant): Promise<Picture> {
      const photo = await photos.find(digest);
      if (photo === undefined) throw photoNotFound();
      const name = variant && sizeName(variant.size, variant.format);
      let content = await photoStore.open(digest, name);
      if (content === undefined && variant !== undefined) {
        await makeSize(photo, variant);
        content = await photoStore.open(digest, name);
      }
      if (content === undefined) throw photoNotFound();
      return { ...content, mediaType: variant === undefined ? photo.mediaType : `image/${variant.format}` };
    },

    /**
     * Moves photos to the trash that no pet has referred to for the grace time, and files that have had no entry for the grace time since this database
     * first saw them: an upload that was cut off left them behind. Then deletes photos that have been in the trash for `TRASH_MS`. Marks, then removes, then forgets, some at a time: whenever it is cut off, the next run goes on; and an upload of the same picture cannot fall
     * between.
     *
     * @param isStopping asked between the steps; once it says true, no further step is begun
     * @returns how many were moved to the trash. Nodes that clear at the same time may count a photo twice: one lists its file before another removes it.
     * @throws Failure `unavailable` where the stored photos do not belong to the database; they are left alone
     */
    async clearUnused(isStopping: () => boolean = () => false): Promise<number> {
      const beforeMs = clock() - graceMs;
      let count = 0;
      await requireOwnPhotos();
      for await (const strayDigests of strays()) {
        if (isStopping()) return count;
        if (strayDigests.length > 0) count += (await removeSome(beforeMs, strayDigests, isStopping)).removed;
      }
      for (;;) {
        if (isStopping()) return count;
        const { removed, isDone } = await removeSome(beforeMs, [], isStopping);
        count += removed;
        if (isDone) break;
      }
      await photoStore.emptyTrash(clock() - TRASH_MS, isStopping);
      return count;
    },
  };
}

function photoNotFound(): Failure {
  return new Failure('not-found', 'Picture not found');
}
