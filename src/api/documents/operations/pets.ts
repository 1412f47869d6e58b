import { SentPet, SentPetForm } from '../../records/pet.ts';
import { json, jsonBody, NOT_MODIFIED, type OperationDescription } from '../format.ts';
import { IF_ABSENT, IF_MATCH, IF_NONE_MATCH, PAGE, PET_ID, STATUSES, TAG_NAMES } from '../parameters.ts';
import { ApiResponse } from '../../records/api-response.ts';
import { FAILURES } from '../usual-failures.ts';
import { Pet, Pets } from '../../records/pet.ts';
import { SentPicture } from '../../records/photo.ts';

export const NO_PET = 'Pet not found';
export const INVALID_ID = 'Invalid ID supplied';
export const CHANGED_MEANWHILE = FAILURES[412][1];

const LIST =
  'In ascending order of ids, each pet once, and complete however long the list is: it is streamed. With `limit` or `cursor` it comes in pages.';

/** Operations 1 to 8. */
export const PET_OPERATIONS = {
  addPet: {
    group: 'pet',
    summary: 'Add a pet',
    description:
      'Without an id, or with one that is not positive, the service assigns one. A pet that has the id already is replaced, and stays in the history.',
    headers: { ...IF_MATCH, ...IF_ABSENT },
    body: jsonBody(SentPet),
    answers: { 200: json(Pet, 'The pet as it is stored.', 'ETag') },
    failures: { 412: CHANGED_MEANWHILE },
  },
  updatePet: {
    group: 'pet',
    summary: 'Replace a pet',
    description: 'What the body leaves out is not there any more.',
    headers: IF_MATCH,
    body: jsonBody(SentPet),
    answers: { 200: json(Pet, 'The pet as it is stored.', 'ETag') },
    failures: { 400: 'Invalid ID supplied, or another field is not valid', 404: NO_PET, 412: CHANGED_MEANWHILE },
  },
  findPetsByStatus: {
    group: 'pet',
    summary: 'Find pets by status',
    description: `${LIST} Several statuses can be repeated or separated by commas.`,
    query: { ...STATUSES, ...PAGE },
    answers: { 200: json(Pets, 'The pets.', 'Link') },
    failures: { 400: 'Invalid status value' },
  },
  findPetsByTags: {
    group: 'pet',
    summary: 'Find pets by tags',
    description: `${LIST} Several tags can be repeated or separated by commas. A tag that no pet has finds nothing.`,
    deprecated: true,
    query: { ...TAG_NAMES, ...PAGE },
    answers: { 200: json(Pets, 'The pets.', 'Link') },
    failures: { 400: 'Invalid tag value' },
  },
  getPetById: {
    group: 'pet',
    summary: 'Find a pet by its id',
    description: 'Returns one pet. With `If-None-Match`, returns 304 if the client has the newest version.',
    path: PET_ID,
    headers: IF_NONE_MATCH,
    answers: { 200: json(Pet, 'The pet.', 'ETag'), 304: NOT_MODIFIED },
    failures: { 400: INVALID_ID, 404: NO_PET },
  },
  updatePetWithForm: {
    group: 'pet',
    summary: 'Change the name or the status of a pet',
    description: 'Only the fields that are given and not empty change.',
    path: PET_ID,
    headers: IF_MATCH,
    body: { content: { 'application/x-www-form-urlencoded': SentPetForm }, isOptional: true },
    answers: { 200: json(ApiResponse, 'It is done; the message is the id of the pet.', 'ETag') },
    failures: { 404: NO_PET, 412: CHANGED_MEANWHILE },
  },
  deletePet: {
    group: 'pet',
    summary: 'Remove a pet',
    description: 'Deletes a pet. Its versions stay in the history, from which staff can restore it.',
    path: PET_ID,
    headers: IF_MATCH,
    answers: { 200: json(ApiResponse, 'It is done; the message is the id of the pet.') },
    failures: { 400: INVALID_ID, 404: NO_PET, 412: CHANGED_MEANWHILE },
  },
  uploadFile: {
    group: 'pet',
    summary: 'Add a picture to a pet',
    description:
      'A JPEG, PNG, WebP, GIF or AVIF, by its content. It is kept upright and without metadata, and its address is appended to `photoUrls`, once for the same picture.',
    path: PET_ID,
    headers: IF_MATCH,
    body: { content: { 'multipart/form-data': SentPicture } },
    answers: {
      200: json(ApiResponse, 'It is done; the message has what came with the picture, its name and its size.', 'ETag'),
    },
    failures: {
      400: 'Invalid ID supplied, or there is no file',
      404: NO_PET,
      412: CHANGED_MEANWHILE,
      413: 'The photo has too many bytes or pixels, or decoding it takes too much time or memory',
      415: 'The file is no picture that this service takes, or the body is no `multipart/form-data`',
      507: 'The disk is too full to store the picture',
    },
  },
} as const satisfies Record<string, OperationDescription>;
