/** What the body of a request is, if the operation takes one. */
export type BodyKind = 'none' | 'json' | 'form' | 'multipart';

export interface Endpoint {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Relative to the root, parameters in braces as in OpenAPI. */
  path: string;
  body: BodyKind;
  /** Does it change something? Then no web page of another site may call it. Logging in and out change who is logged in. */
  changes: boolean;
  /** What a success is: JSON; a string, as JSON or as plain text; or a picture. Errors are always JSON. */
  answer: 'json' | 'string' | 'picture';
  /** Does it matter who asks? Logging in and out goes for everybody, even for a session that has used up its hour. */
  asksWho: boolean;
}

function endpoint(
  method: Endpoint['method'],
  path: string,
  body: BodyKind = 'none',
  other: Partial<Endpoint> = {},
): Endpoint {
  return { method, path: `/v2/${path}`, body, changes: method !== 'GET', answer: 'json', asksWho: true, ...other };
}

/** Every endpoint under /v2, by its operation id. The sixteen of Petstore first, in the order of the seed. */
export const ENDPOINTS = {
  addPet: endpoint('POST', 'pet', 'json'),
  updatePet: endpoint('PUT', 'pet', 'json'),
  findPetsByStatus: endpoint('GET', 'pet/findByStatus'),
  findPetsByTags: endpoint('GET', 'pet/findByTags'),
  getPetById: endpoint('GET', 'pet/{petId}'),
  updatePetWithForm: endpoint('POST', 'pet/{petId}', 'form'),
  deletePet: endpoint('DELETE', 'pet/{petId}'),
  uploadFile: endpoint('POST', 'pet/{petId}/uploadImage', 'multipart'),
  createUser: endpoint('POST', 'user', 'json'),
  createUsersWithArrayInput: endpoint('POST', 'user/createWithArray', 'json'),
  createUsersWithListInput: endpoint('POST', 'user/createWithList', 'json'),
  loginUser: endpoint('GET', 'user/login', 'none', { changes: true, answer: 'string', asksWho: false }),
  logoutUser: endpoint('GET', 'user/logout', 'none', { changes: true, asksWho: false }),
  getUserByName: endpoint('GET', 'user/{username}'),
  updateUser: endpoint('PUT', 'user/{username}', 'json'),
  deleteUser: endpoint('DELETE', 'user/{username}'),

  loginUserWithBody: endpoint('POST', 'user/login', 'json', { answer: 'string', asksWho: false }),
  getPhoto: endpoint('GET', 'photo/{digest}', 'none', { answer: 'picture' }),
  getPhotoInSize: endpoint('GET', 'photo/{digest}/{size}', 'none', { answer: 'picture' }),
} as const;

export type OperationId = keyof typeof ENDPOINTS;

/** The methods that a path knows, as the Allow header tells them. */
export function methodsOf(path: string): readonly string[] {
  const methods = Object.values(ENDPOINTS)
    .filter((candidate) => candidate.path === path)
    .map(({ method }) => method as string);
  return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'];
}
