import type { FastifyReply, FastifyRequest } from 'fastify';
import { Failure } from '../../domain/failure.ts';
import type { PhotoGallery, Picture } from '../../domain/photos/photo-gallery.ts';
import { PHOTO_SIZES, sizeName, type PhotoSize } from '../../domain/photos/photo.ts';
import { nothing, sendChunks } from '../answer.ts';
import { formatFor } from './picture-formats.ts';
import { isUnchanged } from './preconditions.ts';
import type { AddRoute } from '../routes.ts';

/** A digest names the same bytes for ever: nobody needs to ask again. */
const IMMUTABLE = 'public, max-age=31536000, immutable';

/** The pictures that pets refer to, as they were stored and in their sizes. */
export function addPhotoRoutes(add: AddRoute, gallery: PhotoGallery): void {
  add('getPhoto', async (request, reply) => {
    const digest = digestOf(request);
    return sendPicture(request, reply, await gallery.getPicture(digest), digest);
  });

  add('getPhotoInSize', async (request, reply) => {
    const digest = digestOf(request);
    const size = sizeOf(request);
    const format = formatFor(request.query, request.headers);
    const entityTag = `${digest}-${sizeName(size, format)}`;
    return sendPicture(request, reply, await gallery.getPicture(digest, { size, format }), entityTag);
  });
}

function sendPicture(request: FastifyRequest, reply: FastifyReply, picture: Picture, entityTag: string) {
  const unchanged = isUnchanged(request.headers, entityTag);
  reply.headers({
    etag: `"${entityTag}"`,
    'cache-control': IMMUTABLE,
    // It is a picture, and nothing else: not for a browser that sniffs, nor opened on its own.
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
    'cross-origin-resource-policy': 'cross-origin',
  });
  if (unchanged) return reply.code(304).send();
  reply.headers({ 'content-type': picture.mediaType, 'content-length': picture.byteLength });
  return request.method === 'HEAD' ? reply.send(nothing()) : sendChunks(reply, picture.chunks(), { objectMode: false });
}

/** @throws Failure `not-found` for what is no digest */
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
