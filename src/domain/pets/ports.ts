import type { Awaitable, ListPart, NoOlderThan } from '../ports.ts';
import type { PetStatus, StoredPet } from './pet.ts';
import type { PetChange } from './pet-change.ts';
import type { PetVersion, RemovedPet } from './pet-version.ts';
import type { Photo, PhotoFormat, PixelSize, SizeName, PhotoOfPet } from '../photos/photo.ts';

/* What pets and their pictures need of the world. `domain/ports.ts` says what every store promises. */

/** Pets, their tags, and every version that a pet ever had. */
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
   * The versions of a pet, there or removed, newest first, so many at most: from this one on, or from the newest. Fewer where their texts are long, one at
   * least: the last one's `previous` tells whether there are more. None where it is not one of the pet's, or there never was such a pet.
   */
  listVersions(id: bigint, fromVersion: bigint | undefined, limit: number): Promise<readonly PetVersion[]>;
  /** The pets that are not there now, by descending version of their removal, from the first below `beforeVersion` or from the last; `limit` at most. */
  listRemoved(beforeVersion: bigint | undefined, limit: number): Promise<readonly RemovedPet[]>;
  /** True until the first pet ever is stored. */
  isUnused(): Promise<boolean>;
}

export type PhotoChange =
  /**
   * Records `nowMs` as the first sight of files without an entry (`strayDigests`), unless an earlier one is recorded. Marks for removal those of them that
   * were first seen before `beforeMs`, and photos that no pet has referred to since then. The outcome is digests that are marked, by this change or an
   * earlier one, `most` at most: from `nowMs` on, and for `claimMs`, no other call returns them. Fewer than `most` means that these are all.
   * A claim that ends further ahead than twice `claimMs` was made by a wrong clock, and is ignored.
   */
  | {
      kind: 'doom';
      beforeMs: number;
      strayDigests: readonly string[];
      nowMs: number;
      claimMs: number;
      most: number;
    }
  /** Forgets pictures, once their files are gone, as far as this claim on them still stands. The outcome is none. */
  | { kind: 'forget'; digests: readonly string[]; claimedUntilMs: number }
  /** Gives back pictures that nothing was removed of, likewise: they stay marked, and anybody may have them. The outcome is none. */
  | { kind: 'release'; digests: readonly string[]; claimedUntilMs: number }
  /** Remembers what stands in for a picture, where nothing does yet. The outcome is none. */
  | { kind: 'set-placeholder'; digest: string; placeholder: string };

/**
 * Which pictures there are. An entry is written by the same transaction as the first pet that refers to it (`EditPet.photo`). While somebody has
 * the picture in hand to remove it, that fails with `unavailable`; marked for removal without that, it is entered anew. A pet that comes to refer to
 * a marked one by its path only fails likewise: nobody knows whether its file is still whole.
 */
export interface PhotoIndex {
  /** An entry that is not marked for removal. */
  find(digest: string): Awaitable<Photo | undefined>;
  /** The description that a pet gives its photo (`PetEdit.alt`), or null. */
  findAlt(photo: PhotoOfPet): Awaitable<string | null>;
  /** The digests of some entries that are not marked for removal, `limit` at most; of all entries, where there are fewer. */
  listSome(limit: number): Promise<readonly string[]>;
  apply(change: PhotoChange): Promise<readonly string[]>;
}

/** The bytes of the pictures, each under the SHA-256 of its stored original. Whatever a method has answered is durable. */
export interface PhotoStore {
  /** Stores an original; the same bytes twice are stored once. */
  put(digest: string, bytes: Uint8Array): Promise<void>;
  putSize(digest: string, size: SizeName, bytes: Uint8Array): Promise<void>;
  /** The original, or one of its sizes; undefined where there is none. */
  open(digest: string, size?: SizeName): Promise<PhotoContent | undefined>;
  /** The original. A service reads by a store that compares the bytes with the digest. @throws Failure `unavailable` for damaged ones */
  read(digest: string): Promise<Uint8Array | undefined>;
  /** Moves the original to the trash, and removes its sizes. A photo that is not stored is no failure. */
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
  /** The bytes from the beginning. Until it is called, nothing is held open. */
  chunks(): AsyncIterable<Uint8Array>;
}

/** Where a file can be read: its path, or its bytes themselves. */
export type FileSource = string | Uint8Array;

/** A file that a client has sent, on its way into the service. */
export interface StagedUpload {
  source: FileSource;
  byteLength: number;
  discard(): Promise<void>;
}

/** Where uploads lie while they are checked. */
export interface UploadStaging {
  /** Takes the chunks out of the way as they come. @throws Failure `too-large` as soon as there are more than `maxBytes` */
  stage(chunks: AsyncIterable<Uint8Array>, maxBytes: number): Promise<StagedUpload>;
}

export interface PreparedPhoto extends Photo {
  bytes: Uint8Array;
}

/** Work on pictures, off the event loop, a bounded number at a time. @throws Failure `unavailable` when too many wait */
export interface Imaging {
  /** Whether a photo of this size is within the limits. A stored one may not be: the limits may have been lowered since. */
  accepts(size: PixelSize): Promise<boolean>;
  /**
   * Checks a file by its content, turns it upright, and drops all metadata.
   *
   * @throws Failure `unsupported-media-type` for anything but a sound JPEG, PNG, WebP, GIF or AVIF; `too-large` for too many pixels, in all or a side,
   *   and for what takes too much time or memory
   */
  prepare(source: FileSource): Promise<PreparedPhoto>;
  /** The picture with exactly so many pixels. What cannot be seen through in the format lies on white. */
  resize(bytes: Uint8Array, pixels: PixelSize, format: PhotoFormat): Promise<Uint8Array>;
  /** What stands in for the picture: `Photo.placeholder`. */
  placeholder(bytes: Uint8Array): Promise<string>;
}
