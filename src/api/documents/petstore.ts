import type { OperationId } from '../endpoints.ts';

/** The operations that Petstore has, in its order: those of the Swagger 2.0 document, and, by the endpoint table, those that speak XML. */
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
