import { subtle } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import pLimit from 'p-limit';
import sharp, { type Sharp } from 'sharp';
import { Failure } from '../../domain/failure.ts';
import { rgbaToThumbHash } from 'thumbhash';
import type { PhotoFormat, PhotoMediaType, PixelSize } from '../../domain/photos/photo.ts';
import type { FileSource, Imaging } from '../../domain/pets/ports.ts';
import { convertAvif, isAvif } from './avif.ts';
import { findExcess, isTimeout, readPhoto, encodeForStore } from './decoding.ts';

export interface ImagingSettings {
  maxPixels: number;
  /** How many pictures are worked on at once. */
  concurrency: number;
  /** How many may wait; beyond it, callers are sent away. */
  maxWaiting: number;
}

const RETRY_AFTER_SECONDS = 5;

/**
 * How sizes are encoded. AVIF with more effort takes ten times as long and is hardly smaller; with this one, and at this quality, it takes twice the
 * time of WebP and has a tenth to two fifths less: docs/decisions/0017-pictures.md has the figures.
 */
const ENCODERS: Readonly<Record<PhotoFormat, (picture: Sharp) => Sharp>> = {
  webp: (picture) => picture.webp({ quality: 80 }),
  avif: (picture) => picture.avif({ quality: 55, effort: 1, chromaSubsampling: '4:2:0' }),
  jpeg: (picture) => picture.flatten({ background: 'white' }).jpeg({ quality: 80, mozjpeg: true }),
};

/** A placeholder has seven waves a side at most: more pixels than these change nothing, and cost the event loop more than a tenth of a millisecond. */
const PLACEHOLDER_PIXELS = 32;

/** Photos by libvips, in the thread pool. */
export function createImaging({ maxPixels, concurrency, maxWaiting }: ImagingSettings): Imaging {
  const limit = pLimit(concurrency);
  // AVIF takes long: however much of it is wanted, half of the places stay for the rest.
  const limitOfSlow = pLimit(Math.ceil(concurrency / 2));

  function queued<T>(work: () => Promise<T>, isSlow = false): Promise<T> {
    if (limit.pendingCount + limitOfSlow.pendingCount >= maxWaiting)
      throw unavailable('Too many pictures are being worked on at this moment.');
    return isSlow ? limitOfSlow(() => limit(work)) : limit(work);
  }

  async function prepare(source: FileSource, isInAvif: boolean) {
    const file = await bytesOf(source);
    const { format, bytes } = await (isInAvif ? convertAvif : encodeForStore)(file, maxPixels);
    const { width, height } = await sharp(bytes).metadata();
    // In a thread: on the event loop, the digest of a large picture would make everybody wait for some milliseconds.
    const digest = Buffer.from(await subtle.digest('SHA-256', bytes)).toString('hex');
    const mediaType: PhotoMediaType = `image/${format}`;
    const size = { byteLength: bytes.byteLength, width, height };
    return { digest, mediaType, ...size, placeholder: await makePlaceholder(bytes), bytes };
  }

  async function makePlaceholder(bytes: Uint8Array): Promise<string> {
    const { data, info } = await readPhoto(bytes, maxPixels)
      .resize({ width: PLACEHOLDER_PIXELS, height: PLACEHOLDER_PIXELS, fit: 'inside' })
      .toColourspace('srgb')
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true })
      .catch(tryLater);
    return Buffer.from(rgbaToThumbHash(info.width, info.height, data)).toString('base64');
  }

  async function resize(bytes: Uint8Array, pixels: PixelSize, format: PhotoFormat): Promise<Uint8Array> {
    // The sides are worked out by the domain, so that a page knows them before; sharp rounds in a way of its own for each format.
    const picture = readPhoto(bytes, maxPixels).resize({ ...pixels, fit: 'fill' });
    return ENCODERS[format](picture).toBuffer().catch(tryLater);
  }

  return {
    accepts: async (size) => findExcess(size, maxPixels) === undefined,
    async prepare(source) {
      const isInAvif = await isAvif(source);
      return queued(() => prepare(source, isInAvif), isInAvif);
    },
    resize: (bytes, pixels, format) => queued(() => resize(bytes, pixels, format), format === 'avif'),
    placeholder: (bytes) => queued(() => makePlaceholder(bytes)),
  };
}

async function bytesOf(source: FileSource): Promise<Buffer> {
  return typeof source === 'string'
    ? readFile(source)
    : Buffer.from(source.buffer, source.byteOffset, source.byteLength);
}

/** A stored photo was decoded before, so only a busy machine can be too slow for it. */
function tryLater(error: unknown): never {
  throw isTimeout(error) ? unavailable('The photo could not be resized in time.') : error;
}

function unavailable(reason: string): Failure {
  const details = { retryAfterSeconds: RETRY_AFTER_SECONDS };
  return new Failure('unavailable', `${reason} Try again in a few seconds.`, details);
}
