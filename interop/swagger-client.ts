import SwaggerClient from 'swagger-client';
import type { PetstoreClient, SentPet, SentUser } from './round-trip.ts';

type Call = (
  parameters: Readonly<Record<string, unknown>>,
  options?: { requestBody?: unknown },
) => Promise<{ body: unknown; data: string }>;

interface OpenClient {
  spec: { swagger?: string };
  apis: Readonly<Record<string, Readonly<Record<string, Call>>>>;
}

/** Petstore's operations by way of swagger-client, which reads the document when it starts. */
export async function openSwaggerClient(document: { url: string } | { spec: object }): Promise<PetstoreClient> {
  const { spec, apis } = (await SwaggerClient(document)) as unknown as OpenClient;
  const isSwagger = spec.swagger === '2.0';
  const operations = Object.assign({}, ...Object.values(apis)) as Readonly<Record<string, Call>>;

  async function call(
    operation: string,
    parameters: Readonly<Record<string, unknown>> = {},
    requestBody?: unknown,
  ): Promise<unknown> {
    const perform = operations[operation];
    if (perform === undefined) throw new Error(`The document has no operation ${operation}.`);
    const { body } = await (isSwagger
      ? perform({ ...parameters, ...(requestBody !== undefined && { body: requestBody }) })
      : perform(parameters, { requestBody }));
    return body;
  }

  /** Fields of a form are parameters in Swagger 2.0, and a body in OpenAPI 3. */
  const form = (operation: string, petId: number, fields: Readonly<Record<string, unknown>>) =>
    isSwagger ? call(operation, { petId, ...fields }) : call(operation, { petId }, fields);

  return {
    addPet: (pet) => call('addPet', {}, pet),
    updatePet: (pet) => call('updatePet', {}, pet),
    findPetsByStatus: async (status) => (await call('findPetsByStatus', { status })) as SentPet[],
    findPetsByTags: async (tags) => (await call('findPetsByTags', { tags })) as SentPet[],
    getPetById: async (petId) => (await call('getPetById', { petId })) as SentPet,
    updatePetWithForm: (petId, name, status) => form('updatePetWithForm', petId, { name, status }),
    deletePet: (petId, apiKey) => call('deletePet', { petId, api_key: apiKey }),
    uploadFile: async (petId, additionalMetadata, file) =>
      (await form('uploadFile', petId, {
        additionalMetadata,
        file: new File([file], 'rex.jpg', { type: 'image/jpeg' }),
      })) as { code: number },
    createUser: (user) => call('createUser', {}, user),
    createUsersWithArrayInput: (users) => call('createUsersWithArrayInput', {}, users),
    createUsersWithListInput: (users) => call('createUsersWithListInput', {}, users),
    loginUser: async (username, password) => (await call('loginUser', { username, password })) as string,
    logoutUser: () => call('logoutUser'),
    getUserByName: async (username) => (await call('getUserByName', { username })) as SentUser,
    updateUser: (username, user) => call('updateUser', { username }, user),
    deleteUser: (username) => call('deleteUser', { username }),
    statusOf: (error) => (error as { status?: number }).status,
  };
}
