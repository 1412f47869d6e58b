import { Failure } from '../failure.ts';
import { pixelsIn, sizeName, type Photo, type PhotoFormat, type PhotoMediaType, type PhotoSize } from './photo.ts';
import type { Clock, InstallationStore } from '../ports.ts';
import type { Imaging, PhotoContent, PhotoIndex, PhotoStore } from '../pets/ports.ts';

export interface PhotoFilesDeps {
  photos: PhotoIndex;
  photoStore: PhotoStore;
  installation: Pick<InstallationStore, 'find'>;
  imaging: Imaging;
  clock: Clock;
  /** How long a photo is kept that no pet refers to. */
  graceMs: number;
}

export interface PhotoFile extends PhotoContent {
  mediaType: PhotoMediaType | `image/${PhotoFormat}`;
}

/** One of the sizes of a photo, in one of its formats. */
export interface PhotoVariant {
  size: PhotoSize;
  format: PhotoFormat;
}

/** Minimum age of a file without an entry: a younger one may belong to an upload whose entry is not written yet. */
const SETTLED_MS = 3_600_000;

/** How long the trash keeps a photo. */
export const TRASH_MS = 7 * 24 * 3_600_000;

/** How long a node claims photos to delete. It deletes during the first half; the second half is for a deletion that has begun. */
const CLAIM_MS = 600_000;
const BATCH_SIZE = 500;

/** Whether a node is about to delete this photo, so that an upload of it has to wait. A claim that ends too far ahead was made by a wrong clock, and is ignored. */
export function isClaimed(claimedUntilMs: number | null | undefined, nowMs: number): boolean {
  const restMs = (claimedUntilMs ?? 0) - nowMs;
  return restMs > 0 && restMs <= 2 * CLAIM_MS;
}

/** The stored photos: served in their sizes, and deleted when no pet refers to them any more. */
export class PhotoFiles {
  readonly #deps: PhotoFilesDeps;
  readonly #pendingSizes = new Map<string, Promise<void>>();

  constructor(deps: PhotoFilesDeps) {
    this.#deps = deps;
  }

  /** Returns the original, or a variant, which is created on the first request. @throws Failure `not-found` */
  async getPhoto(digest: string, variant?: PhotoVariant): Promise<PhotoFile> {
    const { photos, photoStore } = this.#deps;
    const photo = await photos.find(digest);
    if (photo === undefined) throw photoNotFound();
    const name = variant && sizeName(variant.size, variant.format);
    let content = await photoStore.open(digest, name);
    if (content === undefined && variant !== undefined) {
      await this.#createSize(photo, variant);
      content = await photoStore.open(digest, name);
    }
    if (content === undefined) throw photoNotFound();
    return { ...content, mediaType: variant === undefined ? photo.mediaType : `image/${variant.format}` };
  }

  /**
   * Moves photos to the trash that no pet has referred to for the grace time, and files left behind by an interrupted upload: those without an entry for the
   * grace time since this database first saw them. Then deletes photos that have been in the trash for `TRASH_MS`. Each batch is marked, moved, then
   * forgotten: after an interruption, the next run continues, and an upload of the same photo is never lost.
   *
   * @param isStopping asked between the steps; when it returns true, no further step is begun
   * @returns how many were moved to the trash. Concurrent nodes may count a photo twice: one lists its file before another moves it.
   * @throws Failure `unavailable` if the stored photos do not belong to the database; they are not touched
   */
  async clearUnused(isStopping: () => boolean = () => false): Promise<number> {
    const { photoStore, clock, graceMs } = this.#deps;
    const beforeMs = clock() - graceMs;
    let count = 0;
    await this.#requireOwnPhotos();
    for await (const strayDigests of this.#strays()) {
      if (isStopping()) return count;
      if (strayDigests.length > 0) count += (await this.#trashBatch(beforeMs, strayDigests, isStopping)).trashed;
    }
    for (;;) {
      if (isStopping()) return count;
      const { trashed, isDone } = await this.#trashBatch(beforeMs, [], isStopping);
      count += trashed;
      if (isDone) break;
    }
    await photoStore.emptyTrash(clock() - TRASH_MS, isStopping);
    return count;
  }

  /** Creates a variant, once for concurrent requests. */
  #createSize(photo: Photo, variant: PhotoVariant): Promise<void> {
    const key = `${photo.digest}/${sizeName(variant.size, variant.format)}`;
    const pending = this.#pendingSizes.get(key);
    if (pending !== undefined) return pending;
    const started = this.#resize(photo, variant).finally(() => this.#pendingSizes.delete(key));
    this.#pendingSizes.set(key, started);
    return started;
  }

  async #resize(photo: Photo, { size, format }: PhotoVariant): Promise<void> {
    const { photoStore, imaging } = this.#deps;
    if (!(await imaging.accepts(photo))) throw new Failure('not-found', 'Photo is too large to be resized');
    const original = await photoStore.read(photo.digest);
    if (original === undefined) throw photoNotFound();
    const bytes = await imaging.resize(original, pixelsIn(photo, size), format);
    await photoStore.putSize(photo.digest, sizeName(size, format), bytes);
  }

  /** A folder may be unmounted or replaced while the service runs, and a host name may come to refer to another database. */
  async #requireOwnPhotos(): Promise<void> {
    const { installation, photoStore } = this.#deps;
    const [ofDatabase, ofPhotos] = await Promise.all([installation.find(), photoStore.findInstallationId()]);
    if (ofDatabase !== undefined && ofDatabase === ofPhotos) return;
    throw new Failure(
      'unavailable',
      'The stored photos are missing or belong to another database, so unused ones are not cleared.',
    );
  }

  /**
   * Claims a batch and moves it to the trash while the claim lasts: after that, another node may have moved and forgotten a photo, and a client may have
   * uploaded it again. Even after an error, moved photos are forgotten and untouched ones are released. A photo whose move failed stays claimed: a
   * storage that did not answer may still carry it out.
   */
  async #trashBatch(
    beforeMs: number,
    strayDigests: readonly string[],
    isStopping: () => boolean,
  ): Promise<{ trashed: number; isDone: boolean }> {
    const { photos, photoStore, clock } = this.#deps;
    await this.#requireOwnPhotos();
    const nowMs = clock();
    const claim = { nowMs, claimMs: CLAIM_MS, most: BATCH_SIZE };
    const doomed = await photos.apply({ kind: 'doom', beforeMs, strayDigests, ...claim });
    const left = [...doomed];
    const trashed: string[] = [];
    try {
      while (left.length > 0 && !isStopping() && this.#isEarlyIn(nowMs)) {
        const digest = left.shift() ?? '';
        await photoStore.trash(digest);
        trashed.push(digest);
      }
    } finally {
      const claimedUntilMs = nowMs + CLAIM_MS;
      await Promise.all([
        trashed.length > 0 && photos.apply({ kind: 'forget', digests: trashed, claimedUntilMs }),
        left.length > 0 && photos.apply({ kind: 'release', digests: left, claimedUntilMs }),
      ]);
    }
    const isAll = left.length === 0 && doomed.length < BATCH_SIZE;
    return { trashed: trashed.length, isDone: isAll || trashed.length === 0 };
  }

  /** Whether the claim is in its first half. After the clock was set back, its age is unknown. */
  #isEarlyIn(claimedAtMs: number): boolean {
    const ageMs = this.#deps.clock() - claimedAtMs;
    return ageMs >= 0 && ageMs < CLAIM_MS / 2;
  }

  /** The digests of files without an entry, in batches. */
  async *#strays(): AsyncGenerator<readonly string[], void> {
    const { photoStore, clock } = this.#deps;
    let digests: string[] = [];
    for await (const digest of photoStore.listStoredBefore(clock() - SETTLED_MS)) {
      digests.push(digest);
      if (digests.length < BATCH_SIZE) continue;
      yield await this.#withoutEntry(digests);
      digests = [];
    }
    yield await this.#withoutEntry(digests);
  }

  async #withoutEntry(digests: readonly string[]): Promise<readonly string[]> {
    const found = await Promise.all(digests.map(async (digest) => this.#deps.photos.find(digest)));
    return digests.filter((_, index) => found[index] === undefined);
  }
}

function photoNotFound(): Failure {
  return new Failure('not-found', 'Picture not found');
}
