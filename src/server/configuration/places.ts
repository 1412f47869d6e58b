import { join, resolve } from 'node:path';
import type { DatabaseAddress } from '../../storage/postgres/engine/connection-url.ts';
import { readS3Url, type S3Settings } from '../../storage/s3/s3-url.ts';

/** A place for files: an absolute path, or a bucket with a prefix. */
export type FilesPlace = { folder: string } | { bucket: S3Settings };

/** Where an installation is stored. The address of a database is secret. */
export interface InstallationPlace {
  database: { dataDir: string } | { address: DatabaseAddress };
  photos: FilesPlace;
}

/** Reads a folder, or s3://bucket/prefix. */
export function readFilesPlace(text: string): FilesPlace | { problems: readonly string[] } {
  if (text.includes('\0')) return { problems: ['A path has no character U+0000.'] };
  if (!isUrl(text)) return { folder: resolve(text) };
  const result = readS3Url(text);
  return 'settings' in result ? { bucket: result.settings } : result;
}

export function labelOfFiles(place: FilesPlace): string {
  return 'folder' in place ? place.folder : `s3://${place.bucket.bucket}/${place.bucket.prefix}`;
}

/** The places of a service with these settings. */
export function placesOf({
  dataDir,
  database,
  bucket,
}: {
  dataDir: string;
  database?: DatabaseAddress | undefined;
  bucket?: S3Settings | undefined;
}): InstallationPlace {
  return {
    database: database === undefined ? { dataDir } : { address: database },
    photos: bucket === undefined ? { folder: join(dataDir, 'photos') } : { bucket },
  };
}

function isUrl(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
}
