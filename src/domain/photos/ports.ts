import type { Awaitable } from '../ports.ts';
import type { Photo, PhotoFormat, PixelSize, SizeName, PhotoOfPet } from './photo.ts';

/* The interfaces for photos. `domain/ports.ts` has the rules for every store, and the errors of every call. */

export type PhotoChange =
  /**
   * Records `nowMs` as the time when files without an entry (`strayDigests`) were first seen, unless an earlier time is
   * recorded. Marks for deletion the files first seen before `beforeMs`, and the photos that have been unused since
   * before `beforeMs`. Returns at most `most` marked digests, and claims them: until `nowMs + claimMs`, no other call
   * returns them. A shorter result means that there are no more. A claim that ends more than twice `claimMs` in the
   * future was made with a wrong clock, and is ignored.
   */
  | {
      kind: 'doom';
      beforeMs: number;
      strayDigests: readonly string[];
      nowMs: number;
      claimMs: number;
      most: number;
    }
  /** Marks for deletion, and claims, the files that have no entry and that nothing refers to. Returns them. */
  | { kind: 'claim-unknown'; digests: readonly string[]; nowMs: number; claimMs: number }
  /**
   * Deletes the entries of photos whose files were deleted, if this claim is still valid. Returns an empty list, as the
   * following.
   */
  | { kind: 'forget'; digests: readonly string[]; claimedUntilMs: number }
  /** Releases the claim on photos whose files were not deleted. They stay marked. */
  | { kind: 'release'; digests: readonly string[]; claimedUntilMs: number }
  /** Sets the placeholder of a photo that has none. */
  | { kind: 'set-placeholder'; digest: string; placeholder: string };

/**
 * The index of the stored photos. An entry is written in the same transaction as the first pet that refers to it
 * (`EditPet.photo`). That change throws `unavailable` while the photo is claimed for deletion; a photo that is only
 * marked gets a new entry. A change that newly refers to a marked photo by its path throws `unavailable` as well,
 * because the file may be incomplete.
 */
export interface PhotoIndex {
  /** Finds an entry that is not marked for deletion. */
  find(digest: string): Awaitable<Photo | undefined>;
  /**
   * Whether a published pet or the organisation has the photo. Only staff may see any other: drafts have it, or had it,
   * or a pet had it that is deleted.
   */
  isPublic(digest: string): Awaitable<boolean>;
  /** Finds the alternative text that a pet has for its photo (`PetEdit.alt`), or null. */
  findAlt(photo: PhotoOfPet): Awaitable<string | null>;
  /** The digests of any `limit` entries that are not marked for deletion; of all if there are fewer. */
  listSome(limit: number): Promise<readonly string[]>;
  apply(change: PhotoChange): Promise<readonly string[]>;
}

/**
 * The files of the photos, by the SHA-256 of the stored original. A change is durable when the call resolves.
 *
 * Every method throws Failure `unavailable` if the storage cannot be reached, and `insufficient-storage` if it is full.
 */
export interface PhotoStore {
  /** Stores an original. Storing the same photo again has no effect. */
  put(digest: string, bytes: Uint8Array): Promise<void>;
  /** Stores a size with its length and digest, instead of an earlier one. */
  putSize(digest: string, size: SizeName, bytes: Uint8Array): Promise<void>;
  /**
   * Opens the original, or one of its sizes; undefined if it does not exist. A size of another length than that with
   * which it was stored counts as missing, as does one that an earlier version has stored without it.
   */
  open(digest: string, size?: SizeName): Promise<PhotoContent | undefined>;
  /**
   * Reads the original. The store of a running service verifies the digest.
   * @throws Failure `unavailable` for a damaged file
   */
  read(digest: string): Promise<Uint8Array | undefined>;
  /** Reads the sizes of a photo. Returns the names, in this store, of those whose content has changed. */
  findDamagedSizes(digest: string): Promise<readonly string[]>;
  /** Deletes sizes by their names in this store. Missing ones are not an error. */
  deleteSizes(digest: string, names: readonly string[]): Promise<void>;
  /** Moves the original to the trash and deletes its sizes. A missing photo is not an error. */
  trash(digest: string): Promise<void>;
  /**
   * Moves the original and its sizes to a subfolder of `aside`, where nothing is deleted. A missing photo is not an
   * error.
   */
  setAside(digest: string, subfolder: string): Promise<void>;
  /** Deletes the originals that were moved to the trash before this time, until `isStopping` returns true. */
  emptyTrash(beforeMs: number, isStopping?: () => boolean): Promise<void>;
  /** The digests of the originals stored before this time, without those in the trash. */
  listStoredBefore(timeMs: number): AsyncIterable<string>;
  /** All originals with their sizes, without those in the trash. */
  listWithSizes(): AsyncIterable<StoredOriginal>;
  /** The id of the installation that this store belongs to; undefined if none has been set. */
  findInstallationId(): Promise<string | undefined>;
  setInstallationId(id: string): Promise<void>;
}

export interface StoredOriginal {
  digest: string;
  byteLength: number;
}

export interface PhotoContent {
  byteLength: number;
  /** Opens the file, and reads it from the beginning. */
  chunks(): AsyncIterable<Uint8Array>;
}

/** The path or the bytes of a file. */
export type FileSource = string | Uint8Array;

/** An uploaded file that has not been checked yet. */
export interface StagedUpload {
  source: FileSource;
  byteLength: number;
  discard(): Promise<void>;
}

/** Stores uploads until they are checked. */
export interface UploadStaging {
  /** @throws Failure `too-large` as soon as `maxBytes` is exceeded; `unavailable`, `insufficient-storage` */
  stage(chunks: AsyncIterable<Uint8Array>, maxBytes: number): Promise<StagedUpload>;
}

export interface PreparedPhoto extends Photo {
  bytes: Uint8Array;
}

/**
 * Image processing outside the event loop, with bounded concurrency. Every method throws Failure `unavailable` if its
 * queue is full.
 */
export interface Imaging {
  /** Whether a photo of this size is within the limits. A stored photo may exceed them if they were lowered later. */
  accepts(size: PixelSize): Promise<boolean>;
  /**
   * Checks a file by its content, rotates it upright, and strips all metadata.
   *
   * @throws Failure `unsupported-media-type` for anything but a valid JPEG, PNG, WebP, GIF or AVIF; `too-large` for too
   *   many pixels, in total or on one side, and for a file that takes too much time or memory
   */
  prepare(source: FileSource): Promise<PreparedPhoto>;
  /** Resizes to exactly these pixels. In a format without transparency, the background is white. */
  resize(bytes: Uint8Array, pixels: PixelSize, format: PhotoFormat): Promise<Uint8Array>;
  /** Creates the value of `Photo.placeholder`. */
  placeholder(bytes: Uint8Array): Promise<string>;
}
