import { join, resolve } from 'node:path';
import { readDatabaseUrl, type DatabaseAddress } from '../../storage/postgres/engine/connection-url.ts';
import { readS3Url, type S3Settings } from '../../storage/s3/s3-url.ts';

/** From the command line or the environment. */
interface GivenPlaces {
  from: string | undefined;
  to: string | undefined;
  fromPhotos: string | undefined;
  toPhotos: string | undefined;
}

/** A place for files: an absolute path, or a bucket with a prefix. */
export type FilesPlace = { folder: string } | { bucket: S3Settings };

/** Where an installation is stored. The address of a database is secret. */
export interface InstallationPlace {
  database: { dataDir: string } | { address: DatabaseAddress };
  photos: FilesPlace;
}

type PlacesResult = { from: InstallationPlace; to: InstallationPlace } | { problems: readonly string[] };

/** Reports all problems. They never repeat a value, which may contain a password. */
export function readPlaces({ from, to, fromPhotos, toPhotos }: GivenPlaces): PlacesResult {
  const problems: string[] = [];
  const source = readPlace('from', from, fromPhotos, problems);
  const target = readPlace('to', to, toPhotos, problems);
  return source === undefined || target === undefined ? { problems } : { from: source, to: target };
}

function readPlace(
  side: 'from' | 'to',
  text: string | undefined,
  photosText: string | undefined,
  problems: string[],
): InstallationPlace | undefined {
  const database = readDatabase(labelOf(side), text, problems);
  const photos = readPhotos(side, photosText, database, problems);
  return database && photos && { database, photos };
}

function readDatabase(
  label: string,
  text: string | undefined,
  problems: string[],
): InstallationPlace['database'] | undefined {
  if (text === undefined || text === '') {
    problems.push(`${label} must be a data folder or a database URL: postgres://user:password@host:5432/database.`);
    return undefined;
  }
  if (!isUrl(text)) return { dataDir: resolve(text) };
  const address = readDatabaseUrl(text);
  if (typeof address !== 'string') return { address };
  problems.push(`${label} ${address}`);
  return undefined;
}

function readPhotos(
  side: 'from' | 'to',
  text: string | undefined,
  database: InstallationPlace['database'] | undefined,
  problems: string[],
): FilesPlace | undefined {
  const label = labelOf(`${side}-photos`);
  if (text === undefined || text === '') {
    if (database === undefined) return undefined;
    if ('dataDir' in database) return { folder: join(database.dataDir, 'photos') };
    problems.push(`${label} must be set if the database is PostgreSQL: a folder, or s3://bucket/prefix.`);
    return undefined;
  }
  const place = readFilesPlace(text);
  if (!('problems' in place)) return place;
  problems.push(...place.problems.map((problem) => `${label}: ${problem}`));
  return undefined;
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

function labelOf(flag: string): string {
  return `--${flag} (MENAGERIE_MOVE_${flag.toUpperCase().replaceAll('-', '_')})`;
}

function isUrl(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
}
