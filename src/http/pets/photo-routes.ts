import type { FastifyReply, FastifyRequest } from 'fastify';
import { Failure } from '../../domain/failure.ts';
import type { PhotoFile, PhotoGallery } from '../../domain/photos/photo-gallery.ts';
import { PHOTO_SIZES, sizeName, type PhotoSize } from '../../domain/photos/photo.ts';
import { nothing, sendChunks } from '../answer.ts';
import { formatFor } from './picture-formats.ts';
import { isUnchanged } from './preconditions.ts';
import type { AddRoute } from '../routes.ts';

/** The content of a digest never changes, so clients need not revalidate. */
const IMMUTABLE = 'public, max-age=31536000, immutable';

/** The stored photos, in their original size and in variants. */
export function addPhotoRoutes(add: AddRoute, gallery: PhotoGallery): void {
  add('getPhoto', async (request, reply) => {
    const digest = digestOf(request);
    return sendPhoto(request, reply, await gallery.getPhoto(digest), digest);
  });

  add('getPhotoInSize', async (request, reply) => {
    const digest = digestOf(request);
    const size = sizeOf(request);
    const format = formatFor(request.query, request.headers);
    const entityTag = `${digest}-${sizeName(size, format)}`;
    return sendPhoto(request, reply, await gallery.getPhoto(digest, { size, format }), entityTag);
  });
}

function sendPhoto(request: FastifyRequest, reply: FastifyReply, photo: PhotoFile, entityTag: string) {
  const unchanged = isUnchanged(request.headers, entityTag);
  reply.headers({
    etag: `"${entityTag}"`,
    'cache-control': IMMUTABLE,
    // Photos are uploaded content: browsers must not sniff another type, nor run it when opened as a page.
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
    'cross-origin-resource-policy': 'cross-origin',
  });
  if (unchanged) return reply.code(304).send();
  reply.headers({ 'content-type': photo.mediaType, 'content-length': photo.byteLength });
  return request.method === 'HEAD' ? reply.send(nothing()) : sendChunks(reply, photo.chunks(), { objectMode: false });
}

/** @throws Failure `not-found` */
export function digestOf({ params }: FastifyRequest): string {
  const { digest } = params as { digest: string };
  if (!/^[0-9a-f]{64}$/.test(digest)) throw new Failure('not-found', 'Picture not found');
  return digest;
}

function sizeOf({ params }: FastifyRequest): PhotoSize {
  const { size } = params as { size: string };
  if (!Object.hasOwn(PHOTO_SIZES, size)) {
    throw new Failure('not-found', `There is no such size. There are ${Object.keys(PHOTO_SIZES).join(', ')}.`);
  }
  return size as PhotoSize;
}
