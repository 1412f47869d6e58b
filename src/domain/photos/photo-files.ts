import type { Actor, Permission } from '../access.ts';
import { Failure, unusable } from '../failure.ts';
import {
  photoNotFound,
  pixelsIn,
  sizeName,
  type Photo,
  type PhotoFormat,
  type PhotoMediaType,
  type PhotoSize,
} from './photo.ts';
import type { Clock, InstallationStore } from '../ports.ts';
import type { Imaging, PhotoContent, PhotoIndex, PhotoStore } from './ports.ts';

interface PhotoFilesDeps {
  may: Permission;
  photos: PhotoIndex;
  photoStore: PhotoStore;
  installation: Pick<InstallationStore, 'find'>;
  imaging: Imaging;
  clock: Clock;
  /** How long an unused photo is kept. */
  graceMs: number;
}

export interface PhotoFile extends PhotoContent {
  mediaType: PhotoMediaType | `image/${PhotoFormat}`;
  /** False for a photo that only staff see, so that it must not be cached for others. */
  isPublic: boolean;
}

interface PhotoVariant {
  size: PhotoSize;
  format: PhotoFormat;
}

/** Minimum age of a stray file. A younger one may belong to an upload whose entry is not written yet. */
const SETTLED_MS = 3_600_000;

/** Photos that are served often are not read again each time. */
const VERIFY_AGAIN_MS = 24 * 3_600_000;
const MAX_VERIFIED = 10_000;

/** How long photos stay in the trash. */
const TRASH_MS = 7 * 24 * 3_600_000;

/**
 * How long a node claims photos for deletion. It starts deletions only in the first half, so that the last one ends
 * within the claim.
 */
const CLAIM_MS = 600_000;
const BATCH_SIZE = 500;

/**
 * Whether a node is about to delete this photo, so that an upload of it has to wait. A claim that ends too far ahead
 * was made with a wrong clock.
 */
export function isClaimed(claimedUntilMs: number | null | undefined, nowMs: number): boolean {
  const restMs = (claimedUntilMs ?? 0) - nowMs;
  return restMs > 0 && restMs <= 2 * CLAIM_MS;
}

/** Serves stored photos in their sizes, and deletes unused ones. */
export class PhotoFiles {
  readonly #deps: PhotoFilesDeps;
  readonly #pendingSizes = new Map<string, Promise<void>>();
  readonly #verifiedAtMs = new Map<string, number>();
  #isVerifying = false;

  constructor(deps: PhotoFilesDeps) {
    this.#deps = deps;
  }

  /**
   * Returns the original, or a variant, which is created on the first request.
   * @throws Failure `not-found`, also for a photo that is not public if the actor may not change pets; `unavailable`
   */
  async getPhoto(actor: Actor, digest: string, variant?: PhotoVariant): Promise<PhotoFile> {
    const { may, photos, photoStore } = this.#deps;
    const [photo, isPublic] = await Promise.all([photos.find(digest), photos.isPublic(digest)]);
    if (photo === undefined || (!isPublic && !may(actor, 'write pets'))) throw photoNotFound();
    const name = variant && sizeName(variant.size, variant.format);
    let content = await photoStore.open(digest, name);
    if (variant === undefined) content = await this.#requireSound(photo, content);
    else if (content === undefined) {
      await this.#createSize(photo, variant);
      content = await photoStore.open(digest, name);
    } else this.#verifyLater(`${digest}/sizes`, () => this.#deleteDamagedSizes(digest));
    if (content === undefined) throw photoNotFound();
    const mediaType = variant === undefined ? photo.mediaType : (`image/${variant.format}` as const);
    return { ...content, mediaType, isPublic };
  }

  /**
   * Moves to the trash the photos that have been unused for the grace time, and stray files of interrupted uploads that
   * this database first saw before the grace time. Then deletes photos that have been in the trash for `TRASH_MS`. Each
   * batch is marked, moved, then deleted from the index: the next run continues after an interruption, and an upload of
   * the same photo is never lost.
   *
   * @param isStopping called between the steps; true ends the run
   * @returns the number of photos moved to the trash. Concurrent nodes may count a photo twice, if one lists its file
   *   before another moves it.
   * @throws Failure `unavailable` if the stored photos do not belong to this database; then they stay untouched
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

  /**
   * Compares the length now, and the content later: its digest would delay the response.
   * @throws Failure `unavailable` for a damaged original
   */
  async #requireSound(
    { digest, byteLength }: Photo,
    content: PhotoContent | undefined,
  ): Promise<PhotoContent | undefined> {
    const { photoStore } = this.#deps;
    if (content?.byteLength === byteLength) {
      // The store logs the damage, and refuses the next request.
      this.#verifyLater(digest, () => photoStore.read(digest));
      return content;
    }
    // Logs and throws the reason. If there is none, the photo was stored again in the meantime.
    await photoStore.read(digest);
    return photoStore.open(digest);
  }

  /** The next request creates them again. */
  async #deleteDamagedSizes(digest: string): Promise<void> {
    const { photoStore } = this.#deps;
    const names = await photoStore.findDamagedSizes(digest);
    if (names.length > 0) await photoStore.deleteSizes(digest, names);
  }

  /** One at a time, and each at most once a day. */
  #verifyLater(key: string, verify: () => Promise<unknown>): void {
    const { clock } = this.#deps;
    const isRecent = (this.#verifiedAtMs.get(key) ?? -Infinity) > clock() - VERIFY_AGAIN_MS;
    if (isRecent || this.#isVerifying) return;
    this.#isVerifying = true;
    if (this.#verifiedAtMs.size >= MAX_VERIFIED) this.#verifiedAtMs.clear();
    this.#verifiedAtMs.set(key, clock());
    void verify()
      .catch(() => {})
      .finally(() => (this.#isVerifying = false));
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
    if (!(await imaging.accepts(photo))) throw new Failure('not-found', 'Photo too large to be resized');
    const original = await photoStore.read(photo.digest);
    if (original === undefined) throw photoNotFound();
    const bytes = await imaging.resize(original, pixelsIn(photo, size), format);
    await photoStore.putSize(photo.digest, sizeName(size, format), bytes);
  }

  /**
   * While the service runs, a folder may be unmounted or replaced, and a host name may start to resolve to another
   * database.
   */
  async #requireOwnPhotos(): Promise<void> {
    const { installation, photoStore } = this.#deps;
    const [ofDatabase, ofPhotos] = await Promise.all([installation.find(), photoStore.findInstallationId()]);
    if (ofDatabase !== undefined && ofDatabase === ofPhotos) return;
    throw unusable('The stored photos are missing or belong to another database, so unused photos are not deleted.');
  }

  /**
   * Claims a batch, and moves it to the trash while the claim lasts. After that, another node may already have deleted
   * a photo, and a client may have uploaded it again. Even after an error, the entries of moved photos are deleted, and
   * untouched photos are released. A photo whose move failed stays claimed: a storage that did not respond may still
   * execute the move.
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

  /** Whether the claim is in its first half. False if the clock was set back, because its age is unknown then. */
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
