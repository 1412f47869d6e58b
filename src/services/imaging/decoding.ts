import sharp, { type Metadata, type Sharp } from 'sharp';
import { Failure } from '../../domain/failure.ts';
import type { PixelSize } from '../../domain/photos/photo.ts';
import { countJpegScans, withoutPngTexts } from './file-structure.ts';

/** An upload, encoded for the store. */
export interface StoredPhoto {
  format: 'jpeg' | 'png' | 'webp';
  bytes: Uint8Array<ArrayBuffer>;
}

/** Limit of the longer side. A photo of four rows needs a hundred times the memory of a square one with as many pixels. */
const MAX_SIDE = 16_384;
/** Limit of the WebP format. */
const MAX_WEBP_SIDE = 16_383;
/** Ten times the number that encoders write. */
const MAX_JPEG_SCANS = 100;
/**
 * Timeout of one step. libvips checks it only between rows: the limits above bound the work of a decoder before its first row, and AVIF, whose decoder
 * they do not bound, is decoded in a separate process.
 */
const MAX_SECONDS = 60;

/** libvips reads about fifty formats, some with code that has a long list of CVEs. Only these five are allowed. */
const LOADERS = [
  'VipsForeignLoadJpeg',
  'VipsForeignLoadPng',
  'VipsForeignLoadWebp',
  'VipsForeignLoadNsgif',
  'VipsForeignLoadHeif',
];

/** Format in which an upload is stored. A lossless photo stays lossless, and formats that are slow to encode are avoided. */
const STORED_AS: Readonly<Record<string, StoredPhoto['format']>> = {
  jpeg: 'jpeg',
  png: 'png',
  gif: 'png',
  webp: 'webp',
  heif: 'webp',
};

/** For PNG, sharp takes any quality as a request for a palette of 256 colours. */
const ENCODERS: Readonly<Record<StoredPhoto['format'], (photo: Sharp) => Sharp>> = {
  jpeg: (photo) => photo.jpeg({ quality: 88 }),
  png: (photo) => photo.png(),
  webp: (photo) => photo.webp({ quality: 88 }),
};

// Set once, because they apply to the whole process: between the first two, every photo would be refused.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: LOADERS });
// One core per photo, so that the limit on jobs also limits the cores. A cache is useless: no photo is decoded twice.
sharp.concurrency(1);
sharp.cache(false);

/** The first frame of a photo. */
export function readPhoto(bytes: Uint8Array, maxPixels: number, ignoreIcc = false): Sharp {
  // Truncated files and errors are refused, but warnings are not: photos from phones often cause them.
  const options = { failOn: 'error', limitInputPixels: maxPixels, pages: 1, ignoreIcc } as const;
  return sharp(bytes, options).timeout({ seconds: MAX_SECONDS });
}

/** Describes the limit that a photo of this size exceeds. */
export function findExcess({ width, height }: PixelSize, maxPixels: number, maxSide = MAX_SIDE): string | undefined {
  if (width * height > maxPixels) return `A photo may have at most ${maxPixels} pixels`;
  return Math.max(width, height) > maxSide ? `A photo may have at most ${maxSide} pixels per side` : undefined;
}

/**
 * Encodes an upload for the store: upright, in sRGB, without metadata.
 *
 * @throws Failure `unsupported-media-type`, `too-large`
 */
export async function encodeForStore(file: Buffer, maxPixels: number): Promise<StoredPhoto> {
  const source = withoutPngTexts(file);
  if (source === undefined) throw notAPhoto();
  const metadata = await knownMetadata(source);
  const format = STORED_AS[metadata.format] ?? 'png';
  const excess = findExcess(metadata, maxPixels, format === 'webp' ? MAX_WEBP_SIDE : MAX_SIDE);
  if (excess !== undefined)
    throw new Failure('too-large', `${excess}; this one has ${metadata.width} x ${metadata.height}.`);
  if (metadata.isProgressive && format === 'jpeg' && countJpegScans(source) > MAX_JPEG_SCANS)
    throw new Failure('too-large', `A JPEG may have at most ${MAX_JPEG_SCANS} scans.`);
  const upright = readPhoto(source, maxPixels, hasProgram(metadata.icc)).autoOrient().toColourspace('srgb');
  return { format, bytes: await ENCODERS[format](upright).toBuffer().catch(refuse) };
}

/** Whether a colour profile has multi-processing elements: any number of steps, each executed for every pixel. They are very rare. */
function hasProgram(profile: Buffer | undefined): boolean {
  return profile?.includes('mpet') === true;
}

async function knownMetadata(file: Buffer): Promise<Metadata> {
  // No pixel limit: only the header is read, and the message contains the size.
  const metadata = await sharp(file, { limitInputPixels: false }).metadata().catch(refuse);
  const isHeic = metadata.format === 'heif' && metadata.compression !== 'av1';
  if (STORED_AS[metadata.format] === undefined || isHeic) throw notAPhoto();
  return metadata;
}

/** Whether this is the error of a photo that took longer than MAX_SECONDS. */
export function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('timeout:');
}

function refuse(error: unknown): never {
  throw isTimeout(error) ? tooMuchWork() : notAPhoto();
}

export function tooMuchWork(): Failure {
  return new Failure('too-large', 'Decoding this photo takes too much time or memory.');
}

export function notAPhoto(): Failure {
  return new Failure(
    'unsupported-media-type',
    'The file is not a JPEG, PNG, WebP, GIF or AVIF photo, or it is damaged.',
  );
}
