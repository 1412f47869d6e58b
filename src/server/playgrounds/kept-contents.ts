import type { PhotosInMemory } from '../../storage/memory/photo-store.ts';
import type { PackedContents } from './packed-contents.ts';

/** Photos and compressed contents that a playground keeps. Some have the same files, or are the same. */
interface KeptContents {
  packed: readonly PackedContents[];
  /** The photos in use. */
  photos: PhotosInMemory | undefined;
  /** The contents that it shares with others, and whose memory does not count for it. */
  shared: PackedContents | undefined;
}

/** The memory of all compressed databases. */
export function packedBytesOf({ packed, shared }: KeptContents): number {
  const own = new Set(packed.filter((each) => each !== shared));
  return [...own].reduce((sum, { database }) => sum + database.byteLength, 0);
}

/** All files of photos, without those that are shared. */
export function ownPhotoBytesOf({ packed, photos, shared }: KeptContents): number {
  const files = filesOf(packed, photos);
  for (const file of shared?.photos.files() ?? []) files.delete(file);
  return sizeOf(files);
}

/** All files of photos. */
export function photoBytesOf({ packed, photos }: KeptContents): number {
  return sizeOf(filesOf(packed, photos));
}

function filesOf(packed: readonly PackedContents[], photos: PhotosInMemory | undefined): Set<Uint8Array> {
  const all = [photos, ...packed.map((each) => each.photos)];
  return new Set(all.flatMap((each) => [...(each?.files() ?? [])]));
}

function sizeOf(files: ReadonlySet<Uint8Array>): number {
  return [...files].reduce((sum, { byteLength }) => sum + byteLength, 0);
}
