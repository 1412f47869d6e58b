import { subtle } from 'node:crypto';
import pLimit from 'p-limit';
import sharp, { type Metadata, type Sharp } from 'sharp';
import { Failure } from '../domain/failure.ts';
import type { PhotoMediaType } from '../domain/pets/photo.ts';
import type { FileSource, Imaging } from '../domain/pets/ports.ts';

export interface ImagingSettings {
  maxPixels: number;
  /** How many pictures are worked on at once. */
  concurrency: number;
  /** How many may wait; beyond it, callers are sent away. */
  maxWaiting: number;
}

const RETRY_AFTER_SECONDS = 5;
const ENCODED_QUALITY = 88;
const RESIZED_QUALITY = 80;

/** libvips can read some fifty formats, a few of them by way of code with a long list of CVEs. These five it may. */
const LOADERS = [
  'VipsForeignLoadJpeg',
  'VipsForeignLoadPng',
  'VipsForeignLoadWebp',
  'VipsForeignLoadNsgif',
  'VipsForeignLoadHeif',
];

/** What an upload becomes: lossless stays lossless, and no format is written that is slow to encode. */
const STORED_AS: Readonly<Record<string, 'jpeg' | 'png' | 'webp'>> = {
  jpeg: 'jpeg',
  png: 'png',
  gif: 'png',
  webp: 'webp',
  heif: 'webp',
};

/** Pictures by libvips, in the thread pool. */
export function createImaging({ maxPixels, concurrency, maxWaiting }: ImagingSettings): Imaging {
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: LOADERS });
  // One picture, one core: the limit below is then the number of cores at work. Decoded pictures are never asked for twice.
  sharp.concurrency(1);
  sharp.cache(false);
  const limit = pLimit(concurrency);

  function queued<T>(work: () => Promise<T>): Promise<T> {
    if (limit.pendingCount >= maxWaiting) {
      throw new Failure(
        'unavailable',
        'Too many pictures are being worked on at this moment. Try again in a few seconds.',
        {
          retryAfterSeconds: RETRY_AFTER_SECONDS,
        },
      );
    }
    return limit(work);
  }

  function read(source: FileSource): Sharp {
    // 'truncated' and 'error' are refused; mere warnings are common in pictures from telephones.
    return sharp(source, { failOn: 'error', limitInputPixels: maxPixels, pages: 1 });
  }

  async function prepare(source: FileSource) {
    const { format, width, height } = await knownMetadata(source);
    if (width * height > maxPixels) {
      throw new Failure(
        'too-large',
        `A picture may have at most ${maxPixels} pixels; this one has ${width} x ${height}.`,
      );
    }
    const upright = read(source).autoOrient().toColourspace('srgb');
    const { data: bytes, info } = await encode(upright, STORED_AS[format] ?? 'png').catch(refuseDamaged);
    const mediaType: PhotoMediaType = `image/${info.format as 'jpeg' | 'png' | 'webp'}`;
    // In a thread: on the event loop, the digest of a large picture would make everybody wait for some milliseconds.
    const digest = Buffer.from(await subtle.digest('SHA-256', bytes)).toString('hex');
    return { digest, mediaType, byteLength: bytes.byteLength, width: info.width, height: info.height, bytes };
  }

  return {
    prepare: (source) => queued(() => prepare(source)),
    resize: (bytes, maxSidePixels) =>
      queued(() =>
        read(bytes)
          .resize({ width: maxSidePixels, height: maxSidePixels, fit: 'inside', withoutEnlargement: true })
          .webp({ quality: RESIZED_QUALITY })
          .toBuffer(),
      ),
  };
}

async function knownMetadata(source: FileSource): Promise<Metadata> {
  // Without a pixel limit: reading the header decodes nothing, and the sizes are wanted for the message.
  const metadata = await sharp(source, { limitInputPixels: false }).metadata().catch(refuseDamaged);
  const isHeic = metadata.format === 'heif' && metadata.compression !== 'av1';
  if (STORED_AS[metadata.format] === undefined || isHeic) throw notAPicture();
  return metadata;
}

function encode(picture: Sharp, format: 'jpeg' | 'png' | 'webp') {
  return picture
    .toFormat(format, { quality: format === 'png' ? 100 : ENCODED_QUALITY })
    .toBuffer({ resolveWithObject: true });
}

function refuseDamaged(): never {
  throw notAPicture();
}

function notAPicture(): Failure {
  return new Failure(
    'unsupported-media-type',
    'The file is not a JPEG, PNG, WebP, GIF or AVIF picture, or it is damaged.',
  );
}
