import { subtle } from 'node:crypto';
import pLimit from 'p-limit';
import sharp, { type Metadata, type Sharp } from 'sharp';
import { Failure } from '../domain/failure.ts';
import { rgbaToThumbHash } from 'thumbhash';
import type { PhotoFormat, PhotoMediaType } from '../domain/pets/photo.ts';
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

// These hold for the whole process, so they are set once: between the first two, a photo that another service of the process decodes is refused.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: LOADERS });
// One photo, one core: the limit below is then the number of cores at work. Decoded photos are never asked for twice.
sharp.concurrency(1);
sharp.cache(false);

/** Photos by libvips, in the thread pool. */
export function createImaging({ maxPixels, concurrency, maxWaiting }: ImagingSettings): Imaging {
  const limit = pLimit(concurrency);
  // AVIF takes long: however much of it is wanted, half of the places stay for the rest.
  const limitOfSlow = pLimit(Math.ceil(concurrency / 2));

  function queued<T>(work: () => Promise<T>, isSlow = false): Promise<T> {
    if (limit.pendingCount + limitOfSlow.pendingCount >= maxWaiting) {
      throw new Failure(
        'unavailable',
        'Too many pictures are being worked on at this moment. Try again in a few seconds.',
        {
          retryAfterSeconds: RETRY_AFTER_SECONDS,
        },
      );
    }
    return isSlow ? limitOfSlow(() => limit(work)) : limit(work);
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
    const { width: storedWidth, height: storedHeight } = info;
    const size = { byteLength: bytes.byteLength, width: storedWidth, height: storedHeight };
    return { digest, mediaType, ...size, placeholder: await makePlaceholder(bytes), bytes };
  }

  async function makePlaceholder(bytes: Uint8Array): Promise<string> {
    const { data, info } = await read(bytes)
      .resize({ width: PLACEHOLDER_PIXELS, height: PLACEHOLDER_PIXELS, fit: 'inside' })
      .toColourspace('srgb')
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    return Buffer.from(rgbaToThumbHash(info.width, info.height, data)).toString('base64');
  }

  return {
    prepare: (source) => queued(() => prepare(source)),
    resize: (bytes, pixels, format) =>
      // The sides are worked out by the domain, so that a page knows them before; sharp rounds in a way of its own for each format.
      queued(() => ENCODERS[format](read(bytes).resize({ ...pixels, fit: 'fill' })).toBuffer(), format === 'avif'),
    placeholder: (bytes) => queued(() => makePlaceholder(bytes)),
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
