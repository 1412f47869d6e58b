import type { Action } from '../domain/access.ts';
import type { XmlRoot } from './xml/write-xml.ts';

/** What the body of a request is, if the operation takes one. */
export type BodyKind = 'none' | 'json' | 'merge-patch' | 'ndjson' | 'form' | 'multipart';

export interface Endpoint {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Relative to the root, parameters in braces as in OpenAPI. */
  path: string;
  body: BodyKind;
  /** Does it change something? Then no web page of another site may call it. Logging in and out change who is logged in. */
  changes: boolean;
  /** What a success is: JSON; a string, as JSON or as plain text; records, as JSON or as NDJSON; a picture; or events. Errors are JSON. */
  answer: 'json' | 'string' | 'records' | 'picture' | 'events';
  /** The root element of a success for clients that prefer XML, who get errors as XML, too. Nothing where there is no XML. */
  xml: XmlRoot | undefined;
  /** May the body be XML as well as JSON? */
  takesXml: boolean;
  /** Does it matter who asks? Logging in and out goes for everybody, even for a session that has used up its hour. */
  asksWho: boolean;
  /** What one must be allowed to do, asked before the body is looked at; nothing where everybody may. Of an account, `username` in the path says which. */
  needs: Action | undefined;
  /** Does it tell of accounts? Then nothing on the way keeps the answer. */
  isPrivate: boolean;
}

function endpoint(
  method: Endpoint['method'],
  path: string,
  body: BodyKind = 'none',
  other: Partial<Endpoint> = {},
): Endpoint {
  const isPrivate = /^(?:user|account|admin|password-reset)\b/.test(path);
  const usual = { changes: method !== 'GET', answer: 'json', asksWho: true, needs: undefined, isPrivate } as const;
  return { method, path: `/v2/${path}`, body, xml: undefined, takesXml: false, ...usual, ...other };
}

const WRITES_PETS = { needs: 'write pets' } as const;
const OF_HISTORY = { needs: 'write pets', isPrivate: true } as const;
const CREATES_USERS = { needs: 'create users' } as const;
const OF_ACCOUNT = { needs: 'use account' } as const;
const OF_OWNER = { needs: 'use own account' } as const;
const OF_ADMIN = { needs: 'administer' } as const;

/** In XML there are the sixteen of Petstore only. */
const STORES_PET = { ...WRITES_PETS, xml: 'Pet', takesXml: true } as const;
const TOLD = { xml: 'ApiResponse' } as const;

/** Every endpoint under /v2, by its operation id. The sixteen of Petstore first, in the order of the seed. */
export const ENDPOINTS = {
  addPet: endpoint('POST', 'pet', 'json', STORES_PET),
  updatePet: endpoint('PUT', 'pet', 'json', STORES_PET),
  findPetsByStatus: endpoint('GET', 'pet/findByStatus', 'none', { xml: 'pets' }),
  findPetsByTags: endpoint('GET', 'pet/findByTags', 'none', { xml: 'pets' }),
  getPetById: endpoint('GET', 'pet/{petId}', 'none', { xml: 'Pet' }),
  updatePetWithForm: endpoint('POST', 'pet/{petId}', 'form', { ...WRITES_PETS, ...TOLD }),
  deletePet: endpoint('DELETE', 'pet/{petId}', 'none', { ...WRITES_PETS, ...TOLD }),
  uploadFile: endpoint('POST', 'pet/{petId}/uploadImage', 'multipart', { ...WRITES_PETS, ...TOLD }),
  createUser: endpoint('POST', 'user', 'json', { needs: 'sign up', ...TOLD }),
  createUsersWithArrayInput: endpoint('POST', 'user/createWithArray', 'json', { ...CREATES_USERS, ...TOLD }),
  createUsersWithListInput: endpoint('POST', 'user/createWithList', 'json', { ...CREATES_USERS, ...TOLD }),
  loginUser: endpoint('GET', 'user/login', 'none', { changes: true, answer: 'string', asksWho: false, xml: 'string' }),
  logoutUser: endpoint('GET', 'user/logout', 'none', { changes: true, asksWho: false, ...TOLD }),
  getUserByName: endpoint('GET', 'user/{username}', 'none', { ...OF_ACCOUNT, xml: 'User' }),
  updateUser: endpoint('PUT', 'user/{username}', 'json', { ...OF_ACCOUNT, ...TOLD }),
  deleteUser: endpoint('DELETE', 'user/{username}', 'none', { ...OF_ACCOUNT, ...TOLD }),

  loginUserWithBody: endpoint('POST', 'user/login', 'json', { answer: 'string', asksWho: false }),
  // History tells who did what, by their user names, and shows what was removed.
  listPetHistory: endpoint('GET', 'pet/{petId}/history', 'none', OF_HISTORY),
  getPetVersion: endpoint('GET', 'pet/{petId}/history/{version}', 'none', OF_HISTORY),
  restorePetVersion: endpoint('POST', 'pet/{petId}/history/{version}/restore', 'none', WRITES_PETS),
  listRemovedPets: endpoint('GET', 'removed-pets', 'none', OF_HISTORY),
  undeletePet: endpoint('POST', 'pet/{petId}/undelete', 'none', WRITES_PETS),
  changePets: endpoint('POST', 'bulk', 'ndjson', { ...WRITES_PETS, answer: 'records' }),
  patchPet: endpoint('PATCH', 'pet/{petId}', 'merge-patch', WRITES_PETS),
  listPetPhotos: endpoint('GET', 'pet/{petId}/photos'),
  arrangePetPhotos: endpoint('PUT', 'pet/{petId}/photos', 'json', WRITES_PETS),
  updatePetPhoto: endpoint('PATCH', 'pet/{petId}/photos/{digest}', 'merge-patch', WRITES_PETS),
  removePetPhoto: endpoint('DELETE', 'pet/{petId}/photos/{digest}', 'none', WRITES_PETS),
  getPhoto: endpoint('GET', 'photo/{digest}', 'none', { answer: 'picture' }),
  getPhotoInSize: endpoint('GET', 'photo/{digest}/{size}', 'none', { answer: 'picture' }),

  findPets: endpoint('GET', 'pet'),
  countChoices: endpoint('GET', 'choices'),
  listTags: endpoint('GET', 'tags'),
  listCategories: endpoint('GET', 'categories'),
  getStatistics: endpoint('GET', 'statistics'),
  streamEvents: endpoint('GET', 'events', 'none', { answer: 'events' }),

  // What this interface is, for programs and for whoever writes them.
  getOpenApiDocument: endpoint('GET', 'openapi.json', 'none', { asksWho: false }),
  getSwaggerDocument: endpoint('GET', 'swagger.json', 'none', { asksWho: false }),

  // The account of whoever asks. Not under user/, where every name may be somebody's.
  getAccount: endpoint('GET', 'account', 'none', OF_OWNER),
  changePassword: endpoint('POST', 'account/password', 'json', OF_OWNER),
  listSessions: endpoint('GET', 'account/sessions', 'none', OF_OWNER),
  endOtherSessions: endpoint('DELETE', 'account/sessions', 'none', OF_OWNER),
  endSession: endpoint('DELETE', 'account/sessions/{sessionId}', 'none', OF_OWNER),
  listKeys: endpoint('GET', 'account/keys', 'none', OF_OWNER),
  createKey: endpoint('POST', 'account/keys', 'json', OF_OWNER),
  revokeKey: endpoint('DELETE', 'account/keys/{keyId}', 'none', OF_OWNER),
  resetPassword: endpoint('POST', 'password-reset', 'json', { asksWho: false }),

  searchUsers: endpoint('GET', 'admin/users', 'none', OF_ADMIN),
  getUserAsAdmin: endpoint('GET', 'admin/users/{username}', 'none', OF_ADMIN),
  setUserRole: endpoint('PUT', 'admin/users/{username}/role', 'json', OF_ADMIN),
  closeUser: endpoint('POST', 'admin/users/{username}/close', 'none', OF_ADMIN),
  reopenUser: endpoint('POST', 'admin/users/{username}/reopen', 'none', OF_ADMIN),
  issueResetLink: endpoint('POST', 'admin/users/{username}/reset-link', 'none', OF_ADMIN),
  listUserSessions: endpoint('GET', 'admin/users/{username}/sessions', 'none', OF_ADMIN),
  endUserSessions: endpoint('DELETE', 'admin/users/{username}/sessions', 'none', OF_ADMIN),
  listUserKeys: endpoint('GET', 'admin/users/{username}/keys', 'none', OF_ADMIN),
  revokeAnyKey: endpoint('DELETE', 'admin/keys/{keyId}', 'none', OF_ADMIN),
  listWebhooks: endpoint('GET', 'admin/webhooks', 'none', OF_ADMIN),
  createWebhook: endpoint('POST', 'admin/webhooks', 'json', OF_ADMIN),
  getWebhook: endpoint('GET', 'admin/webhooks/{webhookId}', 'none', OF_ADMIN),
  updateWebhook: endpoint('PATCH', 'admin/webhooks/{webhookId}', 'json', OF_ADMIN),
  removeWebhook: endpoint('DELETE', 'admin/webhooks/{webhookId}', 'none', OF_ADMIN),
  testWebhook: endpoint('POST', 'admin/webhooks/{webhookId}/test', 'none', OF_ADMIN),
  listDeadLetters: endpoint('GET', 'admin/webhooks/{webhookId}/dead-letters', 'none', OF_ADMIN),
  sendDeadLettersAgain: endpoint('POST', 'admin/webhooks/{webhookId}/dead-letters/send-again', 'none', OF_ADMIN),
  sendDeadLetterAgain: endpoint(
    'POST',
    'admin/webhooks/{webhookId}/dead-letters/{letterId}/send-again',
    'none',
    OF_ADMIN,
  ),
  listAuditEntries: endpoint('GET', 'admin/audit', 'none', { ...OF_ADMIN, answer: 'records' }),
} as const;

export type OperationId = keyof typeof ENDPOINTS;

/** What a merge patch may come as (RFC 7396), as the Accept-Patch header tells it (RFC 5789, section 3.1). */
export const MERGE_PATCH_TYPES = ['application/merge-patch+json', 'application/json'] as const;

export const ACCEPT_PATCH = MERGE_PATCH_TYPES.join(', ');

/** HEAD works wherever GET does, but never logs in or out (RFC 9110, section 9.2.1: it is safe). */
export function hasHead({ method, changes }: Pick<Endpoint, 'method' | 'changes'>): boolean {
  return method === 'GET' && !changes;
}

/** The methods that a path knows, as the Allow header tells them. */
export function methodsOf(path: string): readonly string[] {
  const endpoints = Object.values(ENDPOINTS).filter((candidate) => candidate.path === path);
  return [...endpoints.map(({ method }) => method), ...(endpoints.some(hasHead) ? ['HEAD'] : []), 'OPTIONS'];
}
