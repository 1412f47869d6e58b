import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Failure } from '../../domain/failure.ts';
import type { PhotoFile, PhotoFiles } from '../../domain/photos/photo-files.ts';
import { PHOTO_FORMATS, PHOTO_SIZES, sizeName, type PhotoFormat, type PhotoSize } from '../../domain/photos/photo.ts';
import { emptyBody, sendChunks } from '../pipeline/response.ts';
import type { AddRoute, Handler } from '../pipeline/routes.ts';
import { isUnchanged } from './pet-resource.ts';

/** A digest identifies its bytes, so clients never need to revalidate. */
const IMMUTABLE = 'public, max-age=31536000, immutable';

/** For failures: a photo that is missing or damaged may be restored. */
const NO_STORE = 'no-store';

/** Serves stored photos, as originals and in sizes. */
export class PhotoRoutes {
  readonly #photoFiles: PhotoFiles;

  constructor({ photoFiles }: { photoFiles: PhotoFiles }) {
    this.#photoFiles = photoFiles;
  }

  addTo(add: AddRoute): void {
    add('getPhoto', this.#getPhoto);
    add('getResizedPhoto', this.#getResizedPhoto);
  }

  readonly #getPhoto: Handler = async (request, reply) => {
    const digest = digestOf(request);
    reply.header('cache-control', NO_STORE);
    return sendPhoto(request, reply, await this.#photoFiles.getPhoto(digest), digest);
  };

  readonly #getResizedPhoto: Handler = async (request, reply) => {
    const digest = digestOf(request);
    const size = sizeOf(request);
    const format = formatFor(request.query, request.headers);
    const entityTag = `${digest}-${sizeName(size, format)}`;
    reply.header('cache-control', NO_STORE);
    return sendPhoto(request, reply, await this.#photoFiles.getPhoto(digest, { size, format }), entityTag);
  };
}

function sendPhoto(request: FastifyRequest, reply: FastifyReply, photo: PhotoFile, entityTag: string) {
  const unchanged = isUnchanged(request.headers, entityTag);
  reply.headers({
    etag: `"${entityTag}"`,
    'cache-control': IMMUTABLE,
    // Browsers must treat it only as a photo: no MIME sniffing, and no scripts if it is opened directly.
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
    'cross-origin-resource-policy': 'cross-origin',
  });
  if (unchanged) return reply.code(304).send();
  reply.headers({ 'content-type': photo.mediaType, 'content-length': photo.byteLength });
  return request.method === 'HEAD' ? reply.send(emptyBody()) : sendChunks(reply, photo.chunks(), { objectMode: false });
}

/** The digest in the path. @throws Failure `not-found` if it is not a digest */
export function digestOf({ params }: FastifyRequest): string {
  const { digest } = params as { digest: string };
  if (!/^[0-9a-f]{64}$/.test(digest)) throw new Failure('not-found', 'Photo not found');
  return digest;
}

function sizeOf({ params }: FastifyRequest): PhotoSize {
  const { size } = params as { size: string };
  if (!Object.hasOwn(PHOTO_SIZES, size)) {
    throw new Failure('not-found', `Unknown size; available sizes: ${Object.keys(PHOTO_SIZES).join(', ')}`);
  }
  return size as PhotoSize;
}

/** A range of an Accept header. */
interface MediaRange {
  type: string;
  quality: number;
}

/**
 * The format of a photo: that of the query (`?format=jpeg`), otherwise the one that the client prefers by Accept (RFC
 * 9110, section 12.5.1).
 *
 * For equal qualities, the order is AVIF (the smallest), WebP, JPEG. AVIF must be named explicitly, because browsers
 * without AVIF also send `image/*`.
 *
 * @throws Failure `invalid-input`, `not-acceptable`
 */
function formatFor(query: unknown, { accept }: IncomingHttpHeaders): PhotoFormat {
  const { format } = query as { format?: string | string[] };
  if (format !== undefined) return requireFormat(format);
  const ranges = accept === undefined || accept.trim() === '' ? [{ type: '*/*', quality: 1 }] : readRanges(accept);
  const best = [
    { format: 'avif', quality: qualityOf('image/avif', ranges) },
    { format: 'webp', quality: qualityOf('image/webp', ranges, 'image/*', '*/*') },
    { format: 'jpeg', quality: qualityOf('image/jpeg', ranges, 'image/*', '*/*') },
  ] as const;
  const most = Math.max(...best.map(({ quality }) => quality));
  const chosen = best.find(({ quality }) => quality === most && quality > 0);
  if (chosen !== undefined) return chosen.format;
  throw new Failure(
    'not-acceptable',
    'Not acceptable: the photo is available as AVIF, WebP and JPEG, which the Accept header does not allow.',
  );
}

function requireFormat(format: string | readonly string[]): PhotoFormat {
  const known = PHOTO_FORMATS.find((name) => name === format);
  if (known !== undefined) return known;
  throw new Failure('invalid-input', `Unknown format; available formats: ${PHOTO_FORMATS.join(', ')}`);
}

/** The quality of the type itself, otherwise that of the first wider range in the header. */
function qualityOf(type: string, ranges: readonly MediaRange[], ...wider: readonly string[]): number {
  for (const name of [type, ...wider]) {
    const found = ranges.find((range) => range.type === name);
    if (found !== undefined) return found.quality;
  }
  return 0;
}

function readRanges(accept: string): readonly MediaRange[] {
  return accept.split(',').map((range) => {
    const [type = '', ...parameters] = range.split(';').map((text) => text.trim().toLowerCase());
    const quality = parameters
      .map((parameter) => /^q\s*=\s*([01](?:\.\d*)?)$/.exec(parameter)?.[1])
      .find((quality) => quality !== undefined);
    return { type, quality: Math.min(1, Number(quality ?? 1)) };
  });
}
