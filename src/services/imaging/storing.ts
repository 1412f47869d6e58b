import sharp, { type Metadata, type Sharp } from 'sharp';
import { Failure } from '../../domain/failure.ts';
import type { PixelSize } from '../../domain/photos/photo.ts';
import { findShownFrame } from './animation.ts';
import { findNumberedProfile, isHeic, withAvifBrand } from './avif-file.ts';
import { inSrgb } from './colours.ts';
import {
  findExcess,
  isTimeout,
  MAX_SECONDS,
  heicPhoto,
  notAPhoto,
  readPhoto,
  refuse,
  tooMuchWork,
} from './decoding.ts';
import { hasMoreScans, withJpegEnd } from './jpeg-file.ts';
import { isPng, simplifyPng, withPngProfile } from './png-file.ts';

/** An upload, encoded for the store. */
export interface StoredPhoto {
  format: 'jpeg' | 'png' | 'webp';
  bytes: Uint8Array<ArrayBuffer>;
}

/** Limit of the WebP format. */
const MAX_WEBP_SIDE = 16_383;
/** Ten times the number that encoders write. */
const MAX_JPEG_SCANS = 100;

/**
 * Format in which an upload is stored. A lossless photo stays lossless, and formats that are slow to encode are
 * avoided.
 */
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

/** How much smaller a photo is made. */
export interface Fitting {
  maxPixels: number;
  /** How often the number of pixels is halved in addition. */
  halvings: number;
}

interface Decoding {
  metadata: Metadata;
  maxPixels: number;
  /** The limit of both sides, if the photo is to be made smaller. */
  side: number | undefined;
  /** Whether warnings of the decoder are errors. */
  isStrict: boolean;
  /** The time that is left, in seconds. */
  left: () => number;
}

/**
 * Encodes an upload for the store: upright, in sRGB, without metadata. A JPEG that the decoder refuses is accepted if
 * it contains all pixels.
 *
 * @param fitting if given, the photo is made smaller, and is not lossless
 * @throws Failure `unsupported-media-type`, `too-large`
 */
export async function encodeForStore(file: Buffer, maxPixels: number, fitting?: Fitting): Promise<StoredPhoto> {
  const endMs = performance.now() + MAX_SECONDS * 1000;
  const source = isPng(file) ? simplifyPng(file) : withAvifBrand(file);
  if (source === undefined) throw notAPhoto();
  const metadata = await knownMetadata(source);
  const stored = STORED_AS[metadata.format] ?? 'png';
  const format = fitting === undefined || stored === 'jpeg' ? stored : 'webp';
  if (fitting === undefined) requireLimits(source, metadata, format, maxPixels);
  else if (metadata.width * metadata.height > maxPixels) throw tooMuchWork();
  const side = fitting && fittingSide(metadata, fitting);
  const left = () => Math.max(1, Math.ceil((endMs - performance.now()) / 1000));
  const decoding = { metadata, maxPixels, side, isStrict: false, left };
  try {
    return { format, bytes: await encode(format, source, decoding) };
  } catch (error) {
    const mended = format !== 'jpeg' || isTimeout(error) ? undefined : withJpegEnd(source);
    if (mended === undefined) return refuse(error);
    return { format, bytes: await encode(format, mended, { ...decoding, isStrict: true }).catch(refuse) };
  }
}

/** The longer side of a photo that is made smaller. */
function fittingSide({ width, height }: PixelSize, { maxPixels, halvings }: Fitting): number {
  const scale = Math.sqrt(Math.min(1, maxPixels / (width * height)) / 2 ** halvings);
  return Math.max(1, Math.min(MAX_WEBP_SIDE, Math.floor(Math.max(width, height) * scale)));
}

async function knownMetadata(file: Buffer): Promise<Metadata> {
  // No pixel limit: only the header is read, and the message contains the size.
  const metadata = await sharp(file, { limitInputPixels: false })
    .metadata()
    .catch((error: unknown) => (isHeic(file) ? undefined : refuse(error)));
  const isHevc = metadata === undefined || (metadata.format === 'heif' && metadata.compression !== 'av1');
  if (isHevc) throw isHeic(file) ? heicPhoto() : notAPhoto();
  if (STORED_AS[metadata.format] === undefined) throw notAPhoto();
  return metadata;
}

function requireLimits(file: Buffer, metadata: Metadata, format: StoredPhoto['format'], maxPixels: number): void {
  const excess = findExcess(metadata, maxPixels, format === 'webp' ? MAX_WEBP_SIDE : undefined);
  if (excess !== undefined)
    throw new Failure('too-large', `${excess}; this one has ${metadata.width} x ${metadata.height}.`);
  if (metadata.isProgressive && format === 'jpeg' && hasMoreScans(file, MAX_JPEG_SCANS))
    throw new Failure('too-large', `A JPEG may have at most ${MAX_JPEG_SCANS} scans.`);
}

async function encode(format: StoredPhoto['format'], source: Buffer, decoding: Decoding): Promise<Buffer<ArrayBuffer>> {
  const decoded = await decode(source, decoding);
  return ENCODERS[format](decoded).timeout({ seconds: decoding.left() }).toBuffer();
}

async function decode(source: Buffer, decoding: Decoding): Promise<Sharp> {
  const { metadata, maxPixels, side, left } = decoding;
  const profile = metadata.format === 'heif' ? findNumberedProfile(source) : undefined;
  if (profile === undefined) return inSrgb(await readFrame(source, decoding), metadata);
  // As an uncompressed PNG: sharp applies only profiles in files.
  const pixels = fitted(readPhoto(source, maxPixels, { seconds: left() }), side)
    .pipelineColourspace('srgb')
    .png({ compressionLevel: 0 });
  const profiled = withPngProfile(await pixels.toBuffer(), profile);
  return inSrgb(readPhoto(profiled, maxPixels), { space: 'srgb', icc: profile });
}

/** The frame of an animation that shows something, upright. */
async function readFrame(source: Buffer, { metadata, maxPixels, side, isStrict, left }: Decoding): Promise<Sharp> {
  const { format, pages = 1 } = metadata;
  const isAnimation = format === 'gif' || format === 'webp';
  const page = isAnimation ? await findShownFrame(source, pages, metadata, maxPixels) : 0;
  return fitted(readPhoto(source, maxPixels, { page, isStrict, seconds: left() }).autoOrient(), side);
}

function fitted(photo: Sharp, side: number | undefined): Sharp {
  return side === undefined
    ? photo
    : photo.resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true });
}
