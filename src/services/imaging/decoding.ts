import sharp, { type Metadata, type Sharp } from 'sharp';
import { Failure } from '../../domain/failure.ts';
import type { PixelSize } from '../../domain/photos/photo.ts';
import { countJpegScans, withoutPngTexts } from './file-structure.ts';

/** An upload, encoded for the store. */
export interface StoredPhoto {
  format: 'jpeg' | 'png' | 'webp';
  bytes: Uint8Array<ArrayBuffer>;
}

/** Of the longer side. A photo of four rows needs a hundred times the memory of a square one with as many pixels. */
const MAX_SIDE = 16_384;
/** WebP has no longer sides. */
const MAX_WEBP_SIDE = 16_383;
/** Ten times as many as encoders write. */
const MAX_JPEG_SCANS = 100;
/**
 * For one step of work on a photo. libvips looks at the clock between rows only: the limits above bound what a decoder does before its first row, and
 * AVIF, whose decoder they do not bound, has a process of its own.
 */
const MAX_SECONDS = 60;
const ENCODED_QUALITY = 88;

/** libvips can read some fifty formats, a few of them by way of code with a long list of CVEs. These five it may. */
const LOADERS = [
  'VipsForeignLoadJpeg',
  'VipsForeignLoadPng',
  'VipsForeignLoadWebp',
  'VipsForeignLoadNsgif',
  'VipsForeignLoadHeif',
];

/** The format in which an upload is stored: a lossless photo is stored without loss, and no format that is slow to encode is used. */
const STORED_AS: Readonly<Record<string, StoredPhoto['format']>> = {
  jpeg: 'jpeg',
  png: 'png',
  gif: 'png',
  webp: 'webp',
  heif: 'webp',
};

// These hold for the whole process, so they are set once: between the first two, a photo that another service of the process decodes is refused.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: LOADERS });
// One photo, one core: the limit on jobs is then the number of cores at work. Decoded photos are never asked for twice.
sharp.concurrency(1);
sharp.cache(false);

/** The first frame of a photo. */
export function readPhoto(bytes: Uint8Array, maxPixels: number, ignoreIcc = false): Sharp {
  // 'truncated' and 'error' are refused; mere warnings are common in pictures from telephones.
  const options = { failOn: 'error', limitInputPixels: maxPixels, pages: 1, ignoreIcc } as const;
  return sharp(bytes, options).timeout({ seconds: MAX_SECONDS });
}

/** The limit that a photo of this size exceeds, in words. */
export function findExcess({ width, height }: PixelSize, maxPixels: number, maxSide = MAX_SIDE): string | undefined {
  if (width * height > maxPixels) return `A picture may have at most ${maxPixels} pixels`;
  return Math.max(width, height) > maxSide ? `A picture may have at most ${maxSide} pixels a side` : undefined;
}

/**
 * Encodes an upload for the store: upright, in sRGB, without metadata.
 *
 * @throws Failure `unsupported-media-type`, `too-large`
 */
export async function encodeForStore(file: Buffer, maxPixels: number): Promise<StoredPhoto> {
  const source = withoutPngTexts(file);
  if (source === undefined) throw notAPicture();
  const metadata = await knownMetadata(source);
  const format = STORED_AS[metadata.format] ?? 'png';
  const excess = findExcess(metadata, maxPixels, format === 'webp' ? MAX_WEBP_SIDE : MAX_SIDE);
  if (excess !== undefined)
    throw new Failure('too-large', `${excess}; this one has ${metadata.width} x ${metadata.height}.`);
  if (metadata.isProgressive && format === 'jpeg' && countJpegScans(source) > MAX_JPEG_SCANS)
    throw new Failure('too-large', `A JPEG may have at most ${MAX_JPEG_SCANS} scans.`);
  const upright = readPhoto(source, maxPixels, hasProgram(metadata.icc)).autoOrient().toColourspace('srgb');
  const encoded = upright.toFormat(format, { quality: format === 'png' ? 100 : ENCODED_QUALITY });
  return { format, bytes: await encoded.toBuffer().catch(refuse) };
}

/** Whether a colour profile has elements for multiple processing: any number of steps, each carried out for every colour. Hardly any has. */
function hasProgram(profile: Buffer | undefined): boolean {
  return profile?.includes('mpet') === true;
}

async function knownMetadata(file: Buffer): Promise<Metadata> {
  // Without a pixel limit: reading the header decodes nothing, and the sizes are wanted for the message.
  const metadata = await sharp(file, { limitInputPixels: false }).metadata().catch(refuse);
  const isHeic = metadata.format === 'heif' && metadata.compression !== 'av1';
  if (STORED_AS[metadata.format] === undefined || isHeic) throw notAPicture();
  return metadata;
}

/** Whether this is the error of a photo that took longer than MAX_SECONDS. */
export function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('timeout:');
}

function refuse(error: unknown): never {
  throw isTimeout(error) ? tooMuchWork() : notAPicture();
}

export function tooMuchWork(): Failure {
  return new Failure('too-large', 'Decoding this photo takes too much time or memory.');
}

export function notAPicture(): Failure {
  return new Failure(
    'unsupported-media-type',
    'The file is not a JPEG, PNG, WebP, GIF or AVIF picture, or it is damaged.',
  );
}
