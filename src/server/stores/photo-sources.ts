import { openAsBlob } from 'node:fs';
import { PhotoFetcher } from '../../services/photo-sources/photo-fetcher.ts';
import { requireReadable } from '../system/system-errors.ts';
import type { PhotoSource } from '../../transfer/photo-source.ts';

interface PhotoSourceSettings {
  zip: string | undefined;
  /** Whether to download photos that are given by their addresses. */
  isFetching: boolean;
  isPrivateAllowed: boolean;
  /** The service that gets the photos. */
  ownOrigin: string;
}

/** As many as the form for photos keeps. */
const SMALLER_PIXELS = 16_000_000;

/**
 * Opens the sources of the photos of an import; undefined if photos stay addresses.
 *
 * @throws Failure `not-found`, `invalid-input` for a ZIP file that cannot be read
 * @throws UnusableFile for a file that is not a ZIP file, or has an unsafe name
 */
export async function openPhotoSource(settings: PhotoSourceSettings): Promise<PhotoSource | undefined> {
  const zip = settings.zip === undefined ? undefined : await openZip(settings.zip);
  const fetcher = settings.isFetching ? new PhotoFetcher(settings) : undefined;
  const sources = [zip, fetcher].filter((source) => source !== undefined);
  if (sources.length === 0) return undefined;
  const sourceOf = (entry: string) => sources.find((source) => source.has(entry));
  return {
    has: (entry) => sourceOf(entry) !== undefined,
    problemOf: (entry) => sourceOf(entry)?.problemOf(entry),
    read: async (entry) => (await sourceOf(entry)?.read(entry)) ?? new Uint8Array(),
  };
}

async function openZip(path: string): Promise<PhotoSource> {
  const { ZipPhotos } = await import('../../transfer/zip-photos.ts');
  await requireReadable(path, 'ZIP');
  return ZipPhotos.open(await openAsBlob(path));
}

/**
 * Makes a photo smaller that the service refused as too large.
 *
 * @param refusals how often it did: each one after the first halves the pixels
 * @throws Failure if it is not a photo, or too large to be decoded
 */
export async function shrinkPhoto(photo: Uint8Array, refusals: number): Promise<Uint8Array<ArrayBuffer>> {
  const { shrinkPhoto: shrink } = await import('../../services/imaging/shrinking.ts');
  return shrink(photo, { maxPixels: SMALLER_PIXELS, halvings: refusals - 1 });
}
