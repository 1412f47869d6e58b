import { SentPhotoEdit, SentPhotoOrder } from '../../records/photo.ts';
import * as Type from '../../records/type.ts';
import {
  response,
  json,
  jsonBody,
  KEPT_NOT_MODIFIED,
  NOT_MODIFIED,
  type OperationDescription,
} from '../parts/format.ts';
import { CONTENT_KEY, DIGEST, FORMAT, IF_MATCH, IF_NONE_MATCH, PET_ID, SIZE } from '../parts/parameters.ts';
import { PetPhotos } from '../../records/photo.ts';
import { CHANGED_MEANWHILE, INVALID_ID, NO_PET } from './pets.ts';

const bytes = Type.Unsafe<Blob>({ type: 'string', format: 'binary' });

const original = response(
  { 'image/jpeg': bytes, 'image/png': bytes, 'image/webp': bytes },
  'The photo. It never changes, and may be cached forever.',
  'ETag',
  'Cache-Control',
);

const resized = response(
  { 'image/webp': bytes, 'image/avif': bytes, 'image/jpeg': bytes },
  'The photo. It never changes, and may be cached forever.',
  'ETag',
  'Cache-Control',
);

const CHANGED = {
  ...json(PetPhotos, 'All photos of the pet after the change.', 'ETag'),
  name: 'ChangedPhotos',
} as const;
const NO_PET_OR_PHOTO = 'Pet not found, or it does not have this photo';

export const PHOTO_OPERATIONS = {
  listPetPhotos: {
    group: 'photos',
    summary: 'List the photos of a pet',
    description:
      'Returns the photos in the order of `photoUrls`. Uploaded photos have their dimensions in every size, so ' +
      'that a page can reserve space for them, and a placeholder to show until they are loaded.',
    path: PET_ID,
    headers: IF_NONE_MATCH,
    responses: {
      200: json(PetPhotos, 'The photos. Without an entity tag if a placeholder could not be created yet.', 'ETag'),
      304: NOT_MODIFIED,
    },
    failures: { 400: INVALID_ID, 404: NO_PET },
  },
  reorderPetPhotos: {
    group: 'photos',
    summary: 'Reorder the photos of a pet',
    description: 'Sets the order of the photos. Photos that are not listed are deleted from the pet.',
    path: PET_ID,
    headers: IF_MATCH,
    body: jsonBody(SentPhotoOrder),
    responses: { 200: CHANGED },
    failures: {
      400: 'Invalid ID supplied, or a photo is listed that the pet does not have, or twice',
      404: NO_PET,
      412: CHANGED_MEANWHILE,
    },
  },
  updatePetPhoto: {
    group: 'photos',
    summary: 'Update a photo of a pet',
    description: 'Sets the alternative text of a photo, or makes it the first one. Omitted fields are unchanged.',
    path: { ...PET_ID, ...DIGEST },
    headers: IF_MATCH,
    body: { content: { 'application/merge-patch+json': SentPhotoEdit, 'application/json': SentPhotoEdit } },
    responses: { 200: CHANGED },
    failures: { 404: NO_PET_OR_PHOTO, 412: CHANGED_MEANWHILE },
  },
  deletePetPhoto: {
    group: 'photos',
    summary: 'Delete a photo from a pet',
    description: 'The file is deleted after no pet has used the photo for some time.',
    path: { ...PET_ID, ...DIGEST },
    headers: IF_MATCH,
    responses: { 200: CHANGED },
    failures: { 400: INVALID_ID, 404: NO_PET_OR_PHOTO, 412: CHANGED_MEANWHILE },
  },
  getPhoto: {
    group: 'photos',
    summary: 'Get a photo',
    description:
      'Returns the original without metadata. The URL contains the digest of the photo, so the response never ' +
      'changes and may be cached forever.',
    path: DIGEST,
    headers: IF_NONE_MATCH,
    responses: { 200: original, 304: KEPT_NOT_MODIFIED },
    failures: { 404: 'Photo not found' },
  },
  getResizedPhoto: {
    group: 'photos',
    summary: 'Get a resized photo',
    description:
      'Returns the photo as WebP, AVIF or JPEG, as preferred by `Accept`. Among equal preferences, AVIF is ' +
      'chosen if it is listed explicitly, otherwise WebP. JPEG has a white background instead of transparency.',
    path: { ...DIGEST, ...SIZE },
    query: { ...FORMAT, ...CONTENT_KEY },
    headers: IF_NONE_MATCH,
    responses: { 200: resized, 304: KEPT_NOT_MODIFIED },
    failures: {
      400: 'Unknown format',
      404: 'Photo not found, photo too large to be resized, or unknown size',
      406: '`Accept` allows none of the formats',
      507: 'The storage is full',
    },
  },
} as const satisfies Record<string, OperationDescription>;
