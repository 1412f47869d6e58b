import { SentPetPatch } from '../../pet-schemas.ts';
import { json, type OperationDescription } from '../format.ts';
import { IF_MATCH, PET_ID } from '../parameters.ts';
import { Pet } from '../records/pet.ts';
import { CHANGED_MEANWHILE, NO_PET } from './pets.ts';

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
} as const satisfies Record<string, OperationDescription>;
