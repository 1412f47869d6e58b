import { PhotoFetcher } from '../services/photo-sources/photo-fetcher.ts';
import { ZipPhotos } from '../services/photo-sources/zip-photos.ts';
import type { PhotoSource } from '../transfer/photo-source.ts';

export interface PhotoSourceSettings {
  /** The path of a ZIP file. */
  zip: string | undefined;
  /** Whether to download photos that are given by their addresses. */
  isFetching: boolean;
  isPrivateAllowed: boolean;
  /** The service that gets the photos. */
  ownOrigin: string;
}

export interface OpenPhotoSource extends PhotoSource {
  close: () => void;
}

/** Opens the sources of the photos of an import; undefined if photos stay addresses. @throws Failure `invalid-input` for an unusable ZIP file */
export async function openPhotoSource(settings: PhotoSourceSettings): Promise<OpenPhotoSource | undefined> {
  const zip = settings.zip === undefined ? undefined : await ZipPhotos.open(settings.zip);
  const fetcher = settings.isFetching ? new PhotoFetcher(settings) : undefined;
  const sources = [zip, fetcher].filter((source) => source !== undefined);
  if (sources.length === 0) return undefined;
  const sourceOf = (entry: string) => sources.find((source) => source.has(entry));
  return {
    has: (entry) => sourceOf(entry) !== undefined,
    problemOf: (entry) => sourceOf(entry)?.problemOf(entry),
    read: async (entry) => (await sourceOf(entry)?.read(entry)) ?? new Uint8Array(),
    close: () => zip?.close(),
  };
}
