import type { OperationId } from '../endpoints.ts';

/** The operations of Petstore in its order. The Swagger 2.0 document has only these, and only these support XML. */
export const PETSTORE_OPERATIONS = [
  'addPet',
  'updatePet',
  'findPetsByStatus',
  'findPetsByTags',
  'getPetById',
  'updatePetWithForm',
  'deletePet',
  'uploadFile',
  'createUser',
  'createUsersWithArrayInput',
  'createUsersWithListInput',
  'loginUser',
  'logoutUser',
  'getUserByName',
  'updateUser',
  'deleteUser',
] as const satisfies readonly OperationId[];

export type PetstoreOperation = (typeof PETSTORE_OPERATIONS)[number];
