import { Type } from 'typebox';
import { SentPhotoEdit, SentPhotoOrder } from '../../records/photo.ts';
import { answer, json, jsonBody, KEPT_NOT_MODIFIED, NOT_MODIFIED, type OperationDescription } from '../format.ts';
import { DIGEST, FORMAT, IF_MATCH, IF_NONE_MATCH, PET_ID, SIZE } from '../parameters.ts';
import { PetPhotos } from '../../records/photo.ts';
import { CHANGED_MEANWHILE, INVALID_ID, NO_PET } from './pets.ts';

const bytes = Type.Unsafe<Blob>({ type: 'string', format: 'binary' });

const picture = answer(
  { 'image/jpeg': bytes, 'image/png': bytes, 'image/webp': bytes },
  'The picture. It never changes, and may be kept for ever.',
  'ETag',
  'Cache-Control',
);

const pictureInSize = answer(
  { 'image/webp': bytes, 'image/avif': bytes, 'image/jpeg': bytes },
  'The picture. It never changes, and may be kept for ever.',
  'ETag',
  'Cache-Control',
);

const CHANGED = 'All pictures of the pet, as they are now.';
const NO_PET_OR_PICTURE = 'Pet not found, or it has no such picture';

/** The pictures that pets refer to. */
export const PICTURE_OPERATIONS = {
  listPetPhotos: {
    group: 'pictures',
    summary: 'The pictures of a pet',
    description:
      'In the order of `photoUrls`. Of those that were uploaded here, with their pixels in every size, so that a page can keep their places, and with what is to be shown until they are there.',
    path: PET_ID,
    headers: IF_NONE_MATCH,
    answers: {
      200: json(PetPhotos, 'The pictures. Without an entity tag where a placeholder could not be made yet.', 'ETag'),
      304: NOT_MODIFIED,
    },
    failures: { 400: INVALID_ID, 404: NO_PET },
  },
  arrangePetPhotos: {
    group: 'pictures',
    summary: 'Put the pictures of a pet in order',
    description: 'Those that are not named are not among its pictures any more.',
    path: PET_ID,
    headers: IF_MATCH,
    body: jsonBody(SentPhotoOrder),
    answers: { 200: json(PetPhotos, CHANGED, 'ETag') },
    failures: {
      400: 'Invalid ID supplied, or a picture is named that the pet does not have, or once more',
      404: NO_PET,
      412: CHANGED_MEANWHILE,
    },
  },
  updatePetPhoto: {
    group: 'pictures',
    summary: 'Say what a picture shows, or show it first',
    description: 'What is left out stays as it is.',
    path: { ...PET_ID, ...DIGEST },
    headers: IF_MATCH,
    body: { content: { 'application/merge-patch+json': SentPhotoEdit, 'application/json': SentPhotoEdit } },
    answers: { 200: json(PetPhotos, CHANGED, 'ETag') },
    failures: { 404: NO_PET_OR_PICTURE, 412: CHANGED_MEANWHILE },
  },
  removePetPhoto: {
    group: 'pictures',
    summary: 'Take a picture off a pet',
    description: 'The picture itself goes when no pet has had it for some time.',
    path: { ...PET_ID, ...DIGEST },
    headers: IF_MATCH,
    answers: { 200: json(PetPhotos, CHANGED, 'ETag') },
    failures: { 400: INVALID_ID, 404: NO_PET_OR_PICTURE, 412: CHANGED_MEANWHILE },
  },
  getPhoto: {
    group: 'pictures',
    summary: 'A picture as it is stored',
    description:
      'Returns the original, without metadata. The address contains the digest of the photo, so the response never changes and may be cached forever.',
    path: DIGEST,
    headers: IF_NONE_MATCH,
    answers: { 200: picture, 304: KEPT_NOT_MODIFIED },
    failures: { 404: 'Picture not found' },
  },
  getPhotoInSize: {
    group: 'pictures',
    summary: 'A picture in one of a few sizes',
    description:
      'As WebP, AVIF or JPEG, whichever the client prefers by `Accept`; of what it likes as much, AVIF where it names it, then WebP. What can be seen through lies on white in JPEG.',
    path: { ...DIGEST, ...SIZE },
    query: FORMAT,
    headers: IF_NONE_MATCH,
    answers: { 200: pictureInSize, 304: KEPT_NOT_MODIFIED },
    failures: {
      400: 'There is no such format',
      404: 'Picture not found, or too large to be resized, or there is no such size',
      406: 'The client takes none of the formats',
      507: 'The disk is too full to store the size',
    },
  },
} as const satisfies Record<string, OperationDescription>;
