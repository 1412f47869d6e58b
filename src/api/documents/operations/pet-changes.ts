import { SentPetPatch } from '../../records/sent-pet.ts';
import * as Type from '../../records/type.ts';
import { response, json, type OperationDescription } from '../parts/format.ts';
import { IF_MATCH, PAGE, PET_ID, PET_VERSION } from '../parts/parameters.ts';
import { Pet } from '../../records/pet.ts';
import { BulkResult, SentBulkEntry } from '../../records/bulk.ts';
import { HistoryEntry, PetVersion, DeletedPet } from '../../records/pet-version.ts';
import { CHANGED_MEANWHILE, INVALID_ID, NO_PET, TAKEN_EXTERNAL_ID } from './pets.ts';

const INVALID_VERSION = 'Invalid ID or version supplied';
const NO_VERSION = 'The pet does not have this version';

/** Changes and history of pets, beyond the operations of Petstore. */
export const PET_CHANGE_OPERATIONS = {
  patchPet: {
    group: 'pet',
    summary: 'Update fields of a pet',
    description:
      'Applies a merge patch (RFC 7396): omitted fields are unchanged, null deletes a field, a category is ' +
      'merged into the existing one, lists are replaced, and `profile` is a patch as in patchPetProfile. Concurrent ' +
      'patches of different fields all take effect. A patch that changes nothing creates no version.',
    path: PET_ID,
    headers: IF_MATCH,
    body: { content: { 'application/merge-patch+json': SentPetPatch, 'application/json': SentPetPatch } },
    responses: { 200: json(Pet, 'The stored pet.', 'ETag') },
    failures: {
      400: 'Invalid ID supplied, or a field is invalid',
      404: NO_PET,
      409: TAKEN_EXTERNAL_ID,
      412: CHANGED_MEANWHILE,
    },
  },
  changePets: {
    group: 'pet',
    summary: 'Change pets in bulk',
    description:
      'Takes one change per line, and returns one line for each, in the same order: `create` as in addPet, ' +
      '`update` as in updatePet, `patch` as in patchPet, `delete` as in deletePet. `profile` is in the pet or beside ' +
      'it. Each change succeeds or fails on its own; changes of ' +
      'the same pet are applied in order. A line has at most 1 MiB, a request at most 100,000 lines. Results are ' +
      'streamed while the request is still being sent. A client may also send all lines before it reads: up to ' +
      '64 MiB of results are buffered if memory allows, then the service reads no more until the client does. If ' +
      'the client disconnects, changes with a result are stored, and changes in progress may be. With an ' +
      '`Idempotency-Key`, all lines are read before the first change is applied, and all are applied even if the ' +
      'client disconnects. A retry with the same key applies nothing again and returns the same results, unless ' +
      'they have more than 1 MiB: these are not stored.',
    body: { content: { 'application/x-ndjson': SentBulkEntry } },
    responses: {
      200: response({ 'application/x-ndjson': BulkResult }, 'One line for each line of the request that is not blank.'),
    },
    failures: {
      400: 'The request has no lines',
      413: 'With an `Idempotency-Key`: the request has more than 4 MiB',
    },
  },
  listPetHistory: {
    group: 'pet',
    summary: 'List the history of a pet',
    description:
      'Returns all versions since the pet was first added, newest first, in pages, including deletions; also for ' +
      'a deleted pet. A page of more than about 2 MiB ends before it has `limit` entries: follow `Link` until it ' +
      'is absent. Requires permission to change pets.',
    path: PET_ID,
    query: PAGE,
    responses: { 200: json(Type.Array(HistoryEntry), 'The versions with their changes.', 'Link') },
    failures: { 400: 'Invalid ID supplied, or `limit` or `cursor` is invalid', 404: 'The pet never existed' },
  },
  getPetVersion: {
    group: 'pet',
    summary: 'Get a version of a pet',
    description: 'Returns the pet with all fields of this version. Requires permission to change pets.',
    path: PET_VERSION,
    responses: { 200: json(PetVersion, 'The version with its changes and the whole pet.') },
    failures: { 400: INVALID_VERSION, 404: NO_VERSION },
  },
  restorePetVersion: {
    group: 'pet',
    summary: 'Restore a version of a pet',
    description:
      'Creates a new version with the fields of an earlier one; also restores a deleted pet. Uploaded photos ' +
      'that have been deleted since are left out; `Menagerie-Missing-Photos` has their number.',
    path: PET_VERSION,
    headers: IF_MATCH,
    responses: { 200: json(Pet, 'The stored pet.', 'ETag', 'Menagerie-Missing-Photos') },
    failures: { 400: INVALID_VERSION, 404: NO_VERSION, 409: 'The version is a deletion', 412: CHANGED_MEANWHILE },
  },
  listDeletedPets: {
    group: 'pet',
    summary: 'List deleted pets',
    description:
      'Returns the deleted pets as they were before the deletion, without photos and tags, the last deleted ' +
      'first, in pages. Restored pets are not included. Requires permission to change pets.',
    query: PAGE,
    responses: { 200: json(Type.Array(DeletedPet), 'The deleted pets.', 'Link') },
    failures: { 400: '`limit` or `cursor` is invalid' },
  },
  restorePet: {
    group: 'pet',
    summary: 'Restore a deleted pet',
    description:
      'Restores the last version before the deletion. Uploaded photos that have been deleted since are left out; ' +
      '`Menagerie-Missing-Photos` has their number.',
    path: PET_ID,
    headers: IF_MATCH,
    responses: { 200: json(Pet, 'The stored pet.', 'ETag', 'Menagerie-Missing-Photos') },
    failures: { 400: INVALID_ID, 404: 'The pet never existed', 409: 'The pet is not deleted', 412: CHANGED_MEANWHILE },
  },
} as const satisfies Record<string, OperationDescription>;
