import { createRequire } from 'node:module';
import type { PetstoreClient, SentPet, SentUser } from './round-trip.ts';

const require = createRequire(import.meta.url);

type Method<Request, Response> = (request: Request) => Promise<Response>;

/** What `typescript-fetch` makes of the document. */
interface Generated {
  Configuration: new (settings: { basePath: string; fetchApi: typeof fetch }) => object;
  PetApi: new (configuration: object) => {
    addPet: Method<{ body: SentPet }, SentPet>;
    updatePet: Method<{ body: SentPet }, SentPet>;
    findPetsByStatus: Method<{ status: readonly string[] }, SentPet[]>;
    findPetsByTags: Method<{ tags: readonly string[] }, SentPet[]>;
    getPetById: Method<{ petId: number }, SentPet>;
    updatePetWithForm: Method<{ petId: number; name: string; status: string }, unknown>;
    deletePet: Method<{ petId: number; apiKey: string }, unknown>;
    uploadFile: Method<{ petId: number; additionalMetadata: string; file: Blob }, { code?: number; message?: string }>;
  };
  UserApi: new (configuration: object) => {
    createUser: Method<{ body: SentUser }, unknown>;
    createUsersWithArrayInput: Method<{ body: readonly SentUser[] }, unknown>;
    createUsersWithListInput: Method<{ body: readonly SentUser[] }, unknown>;
    loginUser: Method<{ username: string; password: string }, string>;
    logoutUser: () => Promise<unknown>;
    getUserByName: Method<{ username: string }, SentUser>;
    updateUser: Method<{ username: string; body: SentUser }, unknown>;
    deleteUser: Method<{ username: string }, unknown>;
  };
}

/** @param path of the compiled client */
export function openGeneratedClient(path: string, basePath: string): PetstoreClient {
  const { Configuration, PetApi, UserApi } = require(path) as Generated;
  // Made for browsers: it looks for a window where it is given no fetch.
  const configuration = new Configuration({ basePath, fetchApi: fetch });
  const pets = new PetApi(configuration);
  const users = new UserApi(configuration);
  return {
    addPet: (body) => pets.addPet({ body }),
    updatePet: (body) => pets.updatePet({ body }),
    findPetsByStatus: (status) => pets.findPetsByStatus({ status }),
    findPetsByTags: (tags) => pets.findPetsByTags({ tags }),
    getPetById: (petId) => pets.getPetById({ petId }),
    updatePetWithForm: (petId, name, status) => pets.updatePetWithForm({ petId, name, status }),
    deletePet: (petId, apiKey) => pets.deletePet({ petId, apiKey }),
    uploadFile: (petId, additionalMetadata, file) =>
      pets.uploadFile({ petId, additionalMetadata, file: new Blob([file]) }),
    createUser: (body) => users.createUser({ body }),
    createUsersWithArrayInput: (body) => users.createUsersWithArrayInput({ body }),
    createUsersWithListInput: (body) => users.createUsersWithListInput({ body }),
    loginUser: (username, password) => users.loginUser({ username, password }),
    logoutUser: () => users.logoutUser(),
    getUserByName: (username) => users.getUserByName({ username }),
    updateUser: (username, body) => users.updateUser({ username, body }),
    deleteUser: (username) => users.deleteUser({ username }),
    // It throws the response itself.
    statusOf: (error) => (error instanceof Response ? error.status : undefined),
  };
}
