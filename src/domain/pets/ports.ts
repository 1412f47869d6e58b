import type { Awaitable, ListPart, NoOlderThan } from '../ports.ts';
import type { PetStatus, StoredPet } from './pet.ts';
import type { PetChange } from './pet-change.ts';
import type { PetVersion, RemovedPet } from './pet-version.ts';
import type { Photo, PhotoFormat, PixelSize, SizeName, PhotoOfPet } from '../photos/photo.ts';

/* The stores of pets and photos, and what else they depend on. `domain/ports.ts` has the rules for every store. */

/** Pets, their tags, and all their versions. */
export interface PetStore {
  find(id: bigint, noOlderThan?: NoOlderThan): Awaitable<StoredPet | undefined>;
  /**
   * Applies a change as `decide` says, and writes its version into the history. Changes that arrive together are applied in their order. Ids are assigned
   * upwards from 1, above every id that was ever in use, and never above 2^53 - 1.
   *
   * @returns the pet after the change; a deleted pet as it was before
   * @throws Failure as `decide` does
   */
  apply(change: PetChange): Promise<StoredPet>;
  /** Pets with any of the statuses, by ascending id, from the first id after `afterId`, `limit` at most. */
  listByStatus(statuses: readonly PetStatus[], part: ListPart): Promise<readonly StoredPet[]>;
  /** Pets with any of the tag names, likewise, each once. */
  listByTags(tagNames: readonly string[], part: ListPart): Promise<readonly StoredPet[]>;
  /**
   * The versions of a pet, which may be deleted, newest first: from `fromVersion` or from the newest, `limit` at most. Fewer if their texts are long, but at
   * least one: if there are more, the last one has a `previous`. Empty if the version is not one of the pet, or the pet never existed.
   */
  listVersions(id: bigint, fromVersion: bigint | undefined, limit: number): Promise<readonly PetVersion[]>;
  /** The deleted pets by descending version of their deletion, below `beforeVersion` if it is given, `limit` at most. */
  listRemoved(beforeVersion: bigint | undefined, limit: number): Promise<readonly RemovedPet[]>;
  /** True until the first pet ever is stored. */
  isUnused(): Promise<boolean>;
}

export type PhotoChange =
  /**
   * Records `nowMs` as the first sight of files without an entry (`strayDigests`), unless an earlier one is recorded. Marks those of them that were first
   * seen before `beforeMs`, and photos that no pet has referred to since then, to be deleted. Returns marked digests, `most` at most, and claims them: until
   * `nowMs + claimMs` no other call returns them. Fewer than `most` means that these are all. A claim that ends more than twice `claimMs` ahead was made with
   * a wrong clock, and is ignored.
   */
  | {
      kind: 'doom';
      beforeMs: number;
      strayDigests: readonly string[];
      nowMs: number;
      claimMs: number;
      most: number;
    }
  /** Deletes the entries of photos whose files were deleted, if this claim is still valid. Returns nothing. */
  | { kind: 'forget'; digests: readonly string[]; claimedUntilMs: number }
  /** Releases the claim on photos whose files were not deleted. They stay marked. Returns nothing. */
  | { kind: 'release'; digests: readonly string[]; claimedUntilMs: number }
  /** Sets the placeholder of a photo that has none. Returns nothing. */
  | { kind: 'set-placeholder'; digest: string; placeholder: string };

/**
 * The index of the photos. An entry is written in the same transaction as the first pet that refers to it (`EditPet.photo`). While the photo is claimed to be
 * deleted, that fails with `unavailable`; if it is only marked, it is entered anew. A pet that newly refers to a marked photo by its path fails as well, because
 * its file may be incomplete.
 */
export interface PhotoIndex {
  /** An entry that is not marked to be deleted. */
  find(digest: string): Awaitable<Photo | undefined>;
  /** The description that a pet gives its photo (`PetEdit.alt`), or null. */
  findAlt(photo: PhotoOfPet): Awaitable<string | null>;
  /** The digests of some entries that are not marked to be deleted, `limit` at most; of all if there are fewer. */
  listSome(limit: number): Promise<readonly string[]>;
  apply(change: PhotoChange): Promise<readonly string[]>;
}

/** The files of the photos, by the SHA-256 of the stored original. A change is durable when the method returns. */
export interface PhotoStore {
  /** Stores an original. The same bytes are stored once. */
  put(digest: string, bytes: Uint8Array): Promise<void>;
  putSize(digest: string, size: SizeName, bytes: Uint8Array): Promise<void>;
  /** The original, or one of its sizes; undefined if it does not exist. */
  open(digest: string, size?: SizeName): Promise<PhotoContent | undefined>;
  /** The original. The store of a service compares the bytes with the digest. @throws Failure `unavailable` for a damaged file */
  read(digest: string): Promise<Uint8Array | undefined>;
  /** Moves the original to the trash, and deletes its sizes. A missing photo is not an error. */
  trash(digest: string): Promise<void>;
  /** Deletes the originals that were moved to the trash before the time, until `isStopping` returns true. */
  emptyTrash(beforeMs: number, isStopping?: () => boolean): Promise<void>;
  /** The digests of originals stored before the time, without those in the trash. */
  listStoredBefore(timeMs: number): AsyncIterable<string>;
  /** The id of the installation that this store belongs to; undefined for a store that has none yet. */
  findInstallationId(): Promise<string | undefined>;
  setInstallationId(id: string): Promise<void>;
}

export interface PhotoContent {
  byteLength: number;
  /** The bytes from the beginning. Nothing is opened before it is called. */
  chunks(): AsyncIterable<Uint8Array>;
}

/** The path of a file, or its bytes. */
export type FileSource = string | Uint8Array;

/** An uploaded file before it is checked. */
export interface StagedUpload {
  source: FileSource;
  byteLength: number;
  discard(): Promise<void>;
}

/** Stores uploads while they are checked. */
export interface UploadStaging {
  /** @throws Failure `too-large` as soon as there are more than `maxBytes` */
  stage(chunks: AsyncIterable<Uint8Array>, maxBytes: number): Promise<StagedUpload>;
}

export interface PreparedPhoto extends Photo {
  bytes: Uint8Array;
}

/** Image processing outside of the event loop, with bounded concurrency. @throws Failure `unavailable` if too many wait */
export interface Imaging {
  /** Whether a photo of this size is within the limits. A stored one may not be: the limits may have been lowered since. */
  accepts(size: PixelSize): Promise<boolean>;
  /**
   * Checks a file by its content, rotates it upright, and strips all metadata.
   *
   * @throws Failure `unsupported-media-type` for anything but a valid JPEG, PNG, WebP, GIF or AVIF; `too-large` for too many pixels, in total or on one
   *   side, and for a file that takes too much time or memory
   */
  prepare(source: FileSource): Promise<PreparedPhoto>;
  /** Resizes to exactly these pixels. In a format without transparency, the background is white. */
  resize(bytes: Uint8Array, pixels: PixelSize, format: PhotoFormat): Promise<Uint8Array>;
  /** Creates `Photo.placeholder`. */
  placeholder(bytes: Uint8Array): Promise<string>;
}
