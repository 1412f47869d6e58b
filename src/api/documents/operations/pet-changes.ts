import { Type } from 'typebox';
import { SentPetPatch } from '../../records/pet.ts';
import { answer, json, type OperationDescription } from '../format.ts';
import { IF_MATCH, PAGE, PET_ID, PET_VERSION } from '../parameters.ts';
import { Pet } from '../../records/pet.ts';
import { BulkAnswer, SentBulkEntry } from '../../records/bulk.ts';
import { HistoryEntry, PetVersion, RemovedPet } from '../../records/pet-version.ts';
import { CHANGED_MEANWHILE, INVALID_ID, NO_PET } from './pets.ts';

const INVALID_VERSION = 'Invalid ID or version supplied';
const NO_VERSION = 'Version not found: it is not one of this pet';

/** How pets are changed beyond the operations of Petstore. */
export const PET_CHANGE_OPERATIONS = {
  patchPet: {
    group: 'pet',
    summary: 'Change some fields of a pet',
    description:
      'A merge patch (RFC 7396): what is left out stays as it is, null removes, a category is merged into the one that is there, lists are replaced. Patches of different fields that come at once all hold. One that changes nothing makes no version.',
    path: PET_ID,
    headers: IF_MATCH,
    body: { content: { 'application/merge-patch+json': SentPetPatch, 'application/json': SentPetPatch } },
    answers: { 200: json(Pet, 'The pet as it is stored.', 'ETag') },
    failures: { 400: 'Invalid ID supplied, or a field is not valid', 404: NO_PET, 412: CHANGED_MEANWHILE },
  },
  changePets: {
    group: 'pet',
    summary: 'Change many pets',
    description:
      'One change a line, and one line of answer for each, in the same order: `create` as addPet, `update` as updatePet, `patch` as patchPet, `delete` as deletePet. Each succeeds or fails alone; those of one pet are done in their order. Answers come while lines still arrive. A client may also send all lines before it reads: 64 MiB of answers are held for it, as long as there is memory for all; beyond that nothing more is read of it until it reads. A line may have 1 MiB, a request 100,000 lines. When a client goes away, what was answered is done, and what was on its way may be. With an `Idempotency-Key`, all lines (4 MiB at most) are taken in before the first of them is done, and all are done, whoever goes away: sent again with the same key, they are done once, and answered the same again; an answer of more than 1 MiB is not kept.',
    body: { content: { 'application/x-ndjson': SentBulkEntry } },
    answers: { 200: answer({ 'application/x-ndjson': BulkAnswer }, 'A line for each line that is not blank.') },
    failures: {
      400: 'There is no line',
      413: 'With an `Idempotency-Key`: there are more than 4 MiB of lines',
    },
  },
  listPetHistory: {
    group: 'pet',
    summary: 'Every version of a pet',
    description:
      'The newest first, in pages, since the pet was first added, also across removals; of a pet that is removed as well. A page that grows longer than about 2 MiB ends before it has `limit` entries: go on with its `Link` as long as there is one.',
    path: PET_ID,
    query: PAGE,
    answers: { 200: json(Type.Array(HistoryEntry), 'The changes.', 'Link', 'Cache-Control') },
    failures: { 400: 'Invalid ID supplied, or `limit` or `cursor` is not valid', 404: 'There never was such a pet' },
  },
  getPetVersion: {
    group: 'pet',
    summary: 'A pet as it was in a version',
    description: 'Returns the pet with all fields of this version. Only for accounts that may change pets.',
    path: PET_VERSION,
    answers: { 200: json(PetVersion, 'The change that made the version, and the whole pet.', 'Cache-Control') },
    failures: { 400: INVALID_VERSION, 404: NO_VERSION },
  },
  restorePetVersion: {
    group: 'pet',
    summary: 'Make a pet what it was in a version',
    description:
      'That makes a new version. A pet that was removed is there again. Pictures of the service that are gone by now are left out, and counted in a header.',
    path: PET_VERSION,
    headers: IF_MATCH,
    answers: { 200: json(Pet, 'The pet as it is stored.', 'ETag', 'Menagerie-Missing-Pictures') },
    failures: { 400: INVALID_VERSION, 404: NO_VERSION, 409: 'The version is a removal', 412: CHANGED_MEANWHILE },
  },
  listRemovedPets: {
    group: 'pet',
    summary: 'The pets that are not there now',
    description:
      'The last removed first, in pages; each as it was last, without its pictures and tags. `undeletePet` brings one back. One that is there again, however it came back, is not among them.',
    query: PAGE,
    answers: { 200: json(Type.Array(RemovedPet), 'The removed pets.', 'Link', 'Cache-Control') },
    failures: { 400: '`limit` or `cursor` is not valid' },
  },
  undeletePet: {
    group: 'pet',
    summary: 'Bring a removed pet back',
    description: 'As it was last. Pictures of the service that are gone by now are left out, and counted in a header.',
    path: PET_ID,
    headers: IF_MATCH,
    answers: { 200: json(Pet, 'The pet as it is stored.', 'ETag', 'Menagerie-Missing-Pictures') },
    failures: { 400: INVALID_ID, 404: 'There never was such a pet', 409: 'The pet is there', 412: CHANGED_MEANWHILE },
  },
} as const satisfies Record<string, OperationDescription>;
