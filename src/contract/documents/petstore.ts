import type { OperationId } from '../endpoints.ts';

/** The operations that Petstore has, in its order: those of the Swagger 2.0 document, and those that speak XML as well. */
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

const KNOWN: ReadonlySet<string> = new Set(PETSTORE_OPERATIONS);

export function isPetstoreOperation(id: OperationId): id is PetstoreOperation {
  return KNOWN.has(id);
}
