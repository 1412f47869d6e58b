import { subtle } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import pLimit, { type LimitFunction } from 'p-limit';
import sharp, { type Sharp } from 'sharp';
import { Distribution, type QueueActivity } from '../../domain/activity.ts';
import { Failure } from '../../domain/failure.ts';
import { rgbaToThumbHash } from 'thumbhash';
import type { PhotoFormat, PhotoMediaType, PixelSize } from '../../domain/photos/photo.ts';
import type { FileSource, Imaging, PreparedPhoto } from '../../domain/photos/ports.ts';
import { convertAvif, isAvifSource } from './avif.ts';
import { findExcess, isTimeout, readPhoto } from './decoding.ts';
import { encodeForStore } from './storing.ts';

export interface ImagingSettings {
  maxPixels: number;
  /** Number of photos that are processed concurrently. */
  concurrency: number;
  /** Maximum number of waiting photos; beyond it, calls fail. */
  maxWaiting: number;
}

const RETRY_AFTER_SECONDS = 5;

/**
 * AVIF with more effort takes ten times as long and is hardly smaller. With this effort and quality, it takes twice the
 * time of WebP and is 10 to 40 % smaller: docs/decisions/0017-photos.md has the figures.
 */
const ENCODERS: Readonly<Record<PhotoFormat, (photo: Sharp) => Sharp>> = {
  webp: (photo) => photo.webp({ quality: 80 }),
  avif: (photo) => photo.avif({ quality: 55, effort: 1, chromaSubsampling: '4:2:0' }),
  jpeg: (photo) => photo.flatten({ background: 'white' }).jpeg({ quality: 80, mozjpeg: true }),
};

/**
 * A placeholder has at most seven waves per side: more pixels would not change it, but block the event loop for more
 * than 0.1 ms.
 */
const PLACEHOLDER_PIXELS = 32;

/** The formats are resized photos. */
const TASKS = ['store', 'placeholder', 'webp', 'avif', 'jpeg'] as const;
type Task = (typeof TASKS)[number];

/** Processes photos with libvips, in the thread pool. */
export class SharpImaging implements Imaging {
  readonly #maxPixels: number;
  readonly #maxWaiting: number;
  readonly #limit: LimitFunction;
  /** At most half of the threads, because AVIF takes long. */
  readonly #limitOfSlow: LimitFunction;
  readonly #durations = new Map(TASKS.map((task) => [task, Distribution.ofDurations()]));

  constructor({ maxPixels, concurrency, maxWaiting }: ImagingSettings) {
    this.#maxPixels = maxPixels;
    this.#maxWaiting = maxWaiting;
    this.#limit = pLimit(concurrency);
    this.#limitOfSlow = pLimit(Math.ceil(concurrency / 2));
  }

  async accepts(size: PixelSize): Promise<boolean> {
    return findExcess(size, this.#maxPixels) === undefined;
  }

  async prepare(source: FileSource): Promise<PreparedPhoto> {
    const isInAvif = await isAvifSource(source);
    return this.#queue('store', () => this.#prepare(source, isInAvif), isInAvif);
  }

  resize(bytes: Uint8Array, pixels: PixelSize, format: PhotoFormat): Promise<Uint8Array> {
    return this.#queue(format, () => this.#resize(bytes, pixels, format), format === 'avif');
  }

  placeholder(bytes: Uint8Array): Promise<string> {
    return this.#queue('placeholder', () => this.#makePlaceholder(bytes));
  }

  activity(): QueueActivity {
    // A photo in AVIF that waits in the shared queue is active in that of the slow ones.
    const waiting = this.#limit.pendingCount + this.#limitOfSlow.pendingCount;
    return { waiting, running: this.#limit.activeCount, durations: this.#durations };
  }

  async #queue<T>(task: Task, work: () => Promise<T>, isSlow = false): Promise<T> {
    if (this.#limit.pendingCount + this.#limitOfSlow.pendingCount >= this.#maxWaiting)
      throw unavailable('Too many photos are being processed at the moment.');
    const timed = async () => {
      const startMs = performance.now();
      try {
        return await work();
      } finally {
        this.#durations.get(task)?.addSince(startMs);
      }
    };
    return isSlow ? this.#limitOfSlow(() => this.#limit(timed)) : this.#limit(timed);
  }

  async #prepare(source: FileSource, isInAvif: boolean): Promise<PreparedPhoto> {
    const file = await bytesOf(source);
    const { format, bytes } = await (isInAvif ? convertAvif : encodeForStore)(file, this.#maxPixels);
    const { width, height } = await sharp(bytes).metadata();
    // In a thread: on the event loop, the digest of a large photo would take some milliseconds.
    const digest = Buffer.from(await subtle.digest('SHA-256', bytes)).toString('hex');
    const mediaType: PhotoMediaType = `image/${format}`;
    const size = { byteLength: bytes.byteLength, width, height };
    return { digest, mediaType, ...size, placeholder: await this.#makePlaceholder(bytes), bytes };
  }

  async #makePlaceholder(bytes: Uint8Array): Promise<string> {
    const { data, info } = await readPhoto(bytes, this.#maxPixels)
      .resize({ width: PLACEHOLDER_PIXELS, height: PLACEHOLDER_PIXELS, fit: 'inside' })
      .toColourspace('srgb')
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true })
      .catch(tryLater);
    return Buffer.from(rgbaToThumbHash(info.width, info.height, data)).toString('base64');
  }

  async #resize(bytes: Uint8Array, pixels: PixelSize, format: PhotoFormat): Promise<Uint8Array> {
    // The domain calculates the sides, so that a page knows them beforehand; sharp rounds differently for each format.
    const photo = readPhoto(bytes, this.#maxPixels).resize({ ...pixels, fit: 'fill' });
    return ENCODERS[format](photo).toBuffer().catch(tryLater);
  }
}

async function bytesOf(source: FileSource): Promise<Buffer> {
  return typeof source === 'string'
    ? readFile(source)
    : Buffer.from(source.buffer, source.byteOffset, source.byteLength);
}

/** A stored photo was decoded before, so a timeout means that the machine is busy. */
function tryLater(error: unknown): never {
  throw isTimeout(error) ? unavailable('The photo could not be resized in time.') : error;
}

function unavailable(reason: string): Failure {
  const details = { retryAfterSeconds: RETRY_AFTER_SECONDS };
  return new Failure('unavailable', `${reason} Try again in a few seconds.`, details);
}
