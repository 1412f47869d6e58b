import { FEATURE_LINKS } from '../../features/documents.ts';
import type { OperationId } from '../endpoints.ts';

/** Parameters of the operations that can follow a successful response, as runtime expressions. */
export const LINKS: Readonly<
  Partial<Record<OperationId, Readonly<Partial<Record<OperationId, Readonly<Record<string, string>>>>>>>
> = {
  addPet: {
    getPetById: { petId: '$response.body#/id' },
    uploadFile: { petId: '$response.body#/id' },
    deletePet: { petId: '$response.body#/id' },
  },
  deletePet: { restorePet: { petId: '$request.path.petId' } },
  uploadFile: { listPetPhotos: { petId: '$request.path.petId' } },
  listPetPhotos: { getPhoto: { digest: '$response.body#/0/digest' } },
  listPetHistory: {
    getPetVersion: { petId: '$request.path.petId', version: '$response.body#/0/version' },
    restorePetVersion: { petId: '$request.path.petId', version: '$response.body#/0/version' },
  },
  createUser: { getUserByName: { username: '$request.body#/username' } },
  createKey: { revokeKey: { keyId: '$response.body#/id' } },
  createOAuthClient: { deleteOAuthClient: { clientId: '$response.body#/id' } },
  createPlayground: {
    resetPlayground: { token: '$response.body#/token' },
    takePlaygroundSnapshot: { token: '$response.body#/token' },
    deletePlayground: { token: '$response.body#/token' },
  },
  takePlaygroundSnapshot: {
    restorePlaygroundSnapshot: { token: '$request.path.token', snapshot: '$response.body#/id' },
  },
  ...FEATURE_LINKS,
};
