import { Profile, ProfilePatch } from '../../records/profile.ts';
import { json, NOT_MODIFIED, type OperationDescription } from '../parts/format.ts';
import { IF_MATCH, IF_NONE_MATCH, PET_ID } from '../parts/parameters.ts';
import { CHANGED_MEANWHILE, INVALID_ID, NO_PET, TAKEN_EXTERNAL_ID } from './pets.ts';

const STORED = json(Profile, 'The stored profile.', 'ETag');
const FAILURES = {
  400: 'Invalid ID supplied, or a field is invalid',
  404: NO_PET,
  409: TAKEN_EXTERNAL_ID,
  412: CHANGED_MEANWHILE,
} as const;

export const PROFILE_OPERATIONS = {
  getPetProfile: {
    group: 'pet',
    summary: 'Get the profile of a pet',
    description:
      'Returns what is known of the pet beyond its six fields; an empty object if that is nothing. The entity tag is ' +
      'that of the profile, not of the pet.',
    path: PET_ID,
    headers: IF_NONE_MATCH,
    responses: { 200: json(Profile, 'The profile.', 'ETag'), 304: NOT_MODIFIED },
    failures: { 400: INVALID_ID, 404: NO_PET },
  },
  replacePetProfile: {
    group: 'pet',
    summary: 'Replace the profile of a pet',
    description:
      'Stores all fields of the profile: omitted ones become unknown. A change creates a version of the pet, which ' +
      'the history has, so the entity tag of the pet changes as well.',
    path: PET_ID,
    headers: IF_MATCH,
    body: { content: { 'application/json': Profile } },
    responses: { 200: STORED },
    failures: FAILURES,
  },
  patchPetProfile: {
    group: 'pet',
    summary: 'Update fields of a profile',
    description:
      'Applies a merge patch (RFC 7396): omitted fields are unchanged, null deletes a field, `own` is merged, and ' +
      'lists are replaced. Concurrent patches of different fields all take effect.',
    path: PET_ID,
    headers: IF_MATCH,
    body: { content: { 'application/merge-patch+json': ProfilePatch, 'application/json': ProfilePatch } },
    responses: { 200: STORED },
    failures: FAILURES,
  },
} as const satisfies Record<string, OperationDescription>;
