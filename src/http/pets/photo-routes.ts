import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Failure } from '../../domain/failure.ts';
import type { PhotoFile, PhotoFiles } from '../../domain/photos/photo-files.ts';
import { PHOTO_FORMATS, PHOTO_SIZES, sizeName, type PhotoFormat, type PhotoSize } from '../../domain/photos/photo.ts';
import { actorOf } from '../pipeline/identify-actor.ts';
import { qualitiesOf } from '../pipeline/negotiation.ts';
import { emptyBody, sendChunks } from '../pipeline/response.ts';
import type { AddRoute, Handler } from '../pipeline/routes.ts';
import { isUnchanged } from './pet-resource.ts';

/** A digest identifies its bytes, so clients never need to revalidate. */
const IMMUTABLE = 'public, max-age=31536000, immutable';

/** Staff see it again soon, and others never in a shared cache. */
const OF_STAFF = 'private, max-age=300';

/** For failures: a photo that is missing or damaged may be restored. */
const NO_STORE = 'no-store';

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
    return sendPhoto(request, reply, await this.#photoFiles.getPhoto(actorOf(request), digest), digest);
  };

  readonly #getResizedPhoto: Handler = async (request, reply) => {
    const digest = digestOf(request);
    const size = sizeOf(request);
    const format = formatFor(request.query, request.headers);
    const entityTag = `${digest}-${sizeName(size, format)}`;
    reply.header('cache-control', NO_STORE);
    const photo = await this.#photoFiles.getPhoto(actorOf(request), digest, { size, format });
    return sendPhoto(request, reply, photo, entityTag);
  };
}

function sendPhoto(request: FastifyRequest, reply: FastifyReply, photo: PhotoFile, entityTag: string) {
  const unchanged = isUnchanged(request.headers, entityTag);
  reply.headers({
    etag: `"${entityTag}"`,
    'cache-control': photo.isPublic ? IMMUTABLE : OF_STAFF,
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

/**
 * The format of a photo: that of the query (`?format=jpeg`), otherwise the one that the client prefers by Accept (RFC
 * 9110, section 12.5.1).
 *
 * For equal qualities, the order is AVIF (the smallest), WebP, JPEG. AVIF must be named explicitly, because browsers
 * without AVIF also send `image/*`.
 *
 * @throws Failure `invalid-input`, `not-acceptable`
 */
function formatFor(query: unknown, headers: IncomingHttpHeaders): PhotoFormat {
  const { format } = query as { format?: string | string[] };
  if (format !== undefined) return requireFormat(format);
  const quality = qualitiesOf(headers, ['image/avif', 'image/webp', 'image/jpeg']);
  const best = [
    { format: 'avif', quality: /\bimage\/avif\b/i.test(headers.accept ?? '') ? quality['image/avif'] : 0 },
    { format: 'webp', quality: quality['image/webp'] },
    { format: 'jpeg', quality: quality['image/jpeg'] },
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
