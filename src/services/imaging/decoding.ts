import sharp, { type Sharp } from 'sharp';
import { Failure } from '../../domain/failure.ts';
import type { PixelSize } from '../../domain/photos/photo.ts';

/**
 * Limit of the longer side. A photo of four rows needs a hundred times the memory of a square one with as many pixels.
 */
const MAX_SIDE = 16_384;
/**
 * Timeout of one step. libvips checks it only between rows: the limits above bound the work of a decoder before its
 * first row, and AVIF, whose decoder they do not bound, is decoded in a separate process.
 */
export const MAX_SECONDS = 60;

/** libvips reads about fifty formats, some with code that has a long list of CVEs. Only these five are allowed. */
const LOADERS = [
  'VipsForeignLoadJpeg',
  'VipsForeignLoadPng',
  'VipsForeignLoadWebp',
  'VipsForeignLoadNsgif',
  'VipsForeignLoadHeif',
];

// Set once, because they apply to the whole process: between the first two, every photo would be refused.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: LOADERS });
// One core per photo, so that the limit on jobs also limits the cores. A cache is useless: no photo is decoded twice.
sharp.concurrency(1);
sharp.cache(false);

interface Reading {
  /** The number of a frame. */
  page?: number;
  isStrict?: boolean;
  seconds?: number;
}

/** Profiles are ignored: inSrgb applies them, and stored photos have none. */
export function readPhoto(
  bytes: Uint8Array,
  maxPixels: number,
  { page = 0, isStrict = false, seconds = MAX_SECONDS }: Reading = {},
): Sharp {
  // Truncated files and errors are refused, but warnings are not: photos from phones often cause them.
  const failOn = isStrict ? 'warning' : 'error';
  // Without a number, sharp reads the primary photo of an AVIF.
  const pages = { pages: 1, ...(page > 0 && { page }) };
  return sharp(bytes, { ...pages, failOn, limitInputPixels: maxPixels, ignoreIcc: true }).timeout({ seconds });
}

/** Describes the limit that a photo of this size exceeds. */
export function findExcess({ width, height }: PixelSize, maxPixels: number, maxSide = MAX_SIDE): string | undefined {
  if (width * height > maxPixels) return `A photo may have at most ${maxPixels} pixels`;
  return Math.max(width, height) > maxSide ? `A photo may have at most ${maxSide} pixels per side` : undefined;
}

/** Whether this is the error of a photo that took longer than MAX_SECONDS. */
export function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('timeout:');
}

export function refuse(error: unknown): never {
  throw isTimeout(error) ? tooMuchWork() : notAPhoto();
}

export function tooMuchWork(): Failure {
  return new Failure('too-large', 'Decoding this photo takes too much time or memory.');
}

export function heicPhoto(): Failure {
  return new Failure('unsupported-media-type', 'The file is a HEIC photo. Save it as JPEG, PNG, WebP, GIF or AVIF.');
}

export function notAPhoto(): Failure {
  return new Failure(
    'unsupported-media-type',
    'The file is not a JPEG, PNG, WebP, GIF or AVIF photo, or it is damaged.',
  );
}
