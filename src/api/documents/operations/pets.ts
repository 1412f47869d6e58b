import { SentPet, SentPetForm } from '../../records/sent-pet.ts';
import { json, jsonBody, NOT_MODIFIED, type OperationDescription } from '../parts/format.ts';
import { IF_ABSENT, IF_MATCH, IF_NONE_MATCH, PAGE, PET_ID, STATUSES } from '../parts/parameters.ts';
import { TAG_NAMES } from '../../queries/search-queries.ts';
import { ApiResponse } from '../../records/api-response.ts';
import { FAILURES } from '../parts/usual-failures.ts';
import { Pet, Pets } from '../../records/pet.ts';
import { SentPhoto } from '../../records/photo.ts';

export const NO_PET = 'Pet not found';
export const INVALID_ID = 'Invalid ID supplied';
export const CHANGED_MEANWHILE = FAILURES[412][1];
export const TAKEN_EXTERNAL_ID = 'Another pet has the `externalId`';

const LIST =
  'Returns each matching pet once, in ascending order of IDs. Without `limit` and `cursor`, the complete list is ' +
  'streamed; with one of them, it is returned in pages.';

/** The operations of Petstore for pets. */
export const PET_OPERATIONS = {
  addPet: {
    group: 'pet',
    summary: 'Add a pet',
    description:
      'Stores a pet. Without a positive ID, the service assigns one. An existing pet with the ID is replaced; ' +
      'its previous version stays in the history.',
    headers: { ...IF_MATCH, ...IF_ABSENT },
    body: jsonBody(SentPet),
    responses: { 200: json(Pet, 'The stored pet.', 'ETag') },
    failures: { 409: TAKEN_EXTERNAL_ID, 412: CHANGED_MEANWHILE },
  },
  updatePet: {
    group: 'pet',
    summary: 'Update an existing pet',
    description:
      'Replaces all fields of the pet, but not its profile: omitted fields are deleted. Send `If-Match` to avoid overwriting ' +
      'concurrent changes.',
    headers: IF_MATCH,
    body: jsonBody(SentPet),
    responses: { 200: json(Pet, 'The stored pet.', 'ETag') },
    failures: {
      400: 'Invalid ID supplied, or another field is invalid',
      404: NO_PET,
      409: TAKEN_EXTERNAL_ID,
      412: CHANGED_MEANWHILE,
    },
  },
  findPetsByStatus: {
    group: 'pet',
    summary: 'Find pets by status',
    description: `${LIST} Several statuses can be repeated or separated by commas.`,
    query: { ...STATUSES, ...PAGE },
    responses: { 200: json(Pets, 'The pets.', 'Link') },
    failures: { 400: 'Invalid status value' },
  },
  findPetsByTags: {
    group: 'pet',
    summary: 'Find pets by tags',
    description: `${LIST} Several tags can be repeated or separated by commas. A tag that no pet has returns an empty list. Deprecated: use \`findPets\`.`,
    deprecated: true,
    query: { ...TAG_NAMES, ...PAGE },
    responses: { 200: json(Pets, 'The pets.', 'Link') },
    failures: { 400: 'Invalid tag value' },
  },
  getPetById: {
    group: 'pet',
    summary: 'Find a pet by ID',
    description: 'Returns one pet. With `If-None-Match`, returns 304 if the client has the current version.',
    path: PET_ID,
    headers: IF_NONE_MATCH,
    responses: { 200: json(Pet, 'The pet.', 'ETag'), 304: NOT_MODIFIED },
    failures: { 400: INVALID_ID, 404: NO_PET },
  },
  updatePetWithForm: {
    group: 'pet',
    summary: 'Update a pet with form data',
    description: 'Updates the name and the status of the pet. Omitted and empty fields are unchanged.',
    path: PET_ID,
    headers: IF_MATCH,
    body: { content: { 'application/x-www-form-urlencoded': SentPetForm }, isOptional: true },
    responses: { 200: json(ApiResponse, 'Success. The message is the ID of the pet.', 'ETag') },
    failures: { 404: NO_PET, 412: CHANGED_MEANWHILE },
  },
  deletePet: {
    group: 'pet',
    summary: 'Delete a pet',
    description: 'The versions of the pet stay in the history, from which editors can restore it.',
    path: PET_ID,
    headers: IF_MATCH,
    responses: { 200: json(ApiResponse, 'Success. The message is the ID of the pet.') },
    failures: { 400: INVALID_ID, 404: NO_PET, 412: CHANGED_MEANWHILE },
  },
  uploadFile: {
    group: 'pet',
    summary: 'Upload an image',
    description:
      'Adds a photo to a pet: a JPEG, PNG, WebP, GIF or AVIF file, recognized by its content. The photo is ' +
      'rotated upright, its metadata is stripped, and its URL is appended to `photoUrls` unless the pet already ' +
      'has the photo.',
    path: PET_ID,
    headers: IF_MATCH,
    body: { content: { 'multipart/form-data': SentPhoto } },
    responses: {
      200: json(ApiResponse, 'Success. The message contains `additionalMetadata`, the file name and the size.', 'ETag'),
    },
    failures: {
      400: 'Invalid ID supplied, or the file is missing',
      404: NO_PET,
      412: CHANGED_MEANWHILE,
      413: 'The photo has too many bytes or pixels, or decoding it takes too much time or memory',
      415: 'The file is not a supported image, or the body is not `multipart/form-data`',
      507: 'The storage is full',
    },
  },
} as const satisfies Record<string, OperationDescription>;
