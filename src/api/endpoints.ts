import { FEATURE_ENDPOINTS } from '../features/endpoints.ts';
import {
  endpoint,
  type Endpoint,
  API_RESPONSE,
  CREATES_PLAYGROUND,
  CREATES_USERS,
  OF_ACCOUNT,
  OF_ADMIN,
  OF_FACTORS,
  OF_HISTORY,
  OF_OWNER,
  PHOTO,
  STORES_PET,
  STREAMS,
  WRITES_PETS,
} from './endpoint.ts';

export type { BodyKind, Endpoint } from './endpoint.ts';

/** Every endpoint under /v2, by operation ID. The sixteen of Petstore come first, in its order. */
export const ENDPOINTS = {
  addPet: endpoint('POST', 'pet', 'json', STORES_PET),
  updatePet: endpoint('PUT', 'pet', 'json', STORES_PET),
  findPetsByStatus: endpoint('GET', 'pet/findByStatus', 'none', { ...STREAMS, xml: 'pets' }),
  findPetsByTags: endpoint('GET', 'pet/findByTags', 'none', { ...STREAMS, xml: 'pets' }),
  getPetById: endpoint('GET', 'pet/{petId}', 'none', { xml: 'Pet' }),
  updatePetWithForm: endpoint('POST', 'pet/{petId}', 'form', { ...WRITES_PETS, ...API_RESPONSE }),
  deletePet: endpoint('DELETE', 'pet/{petId}', 'none', { ...WRITES_PETS, ...API_RESPONSE }),
  uploadFile: endpoint('POST', 'pet/{petId}/uploadImage', 'multipart', { ...WRITES_PETS, ...API_RESPONSE }),
  createUser: endpoint('POST', 'user', 'json', { permission: 'sign up', ...API_RESPONSE }),
  createUsersWithArrayInput: endpoint('POST', 'user/createWithArray', 'json', { ...CREATES_USERS, ...API_RESPONSE }),
  createUsersWithListInput: endpoint('POST', 'user/createWithList', 'json', { ...CREATES_USERS, ...API_RESPONSE }),
  loginUser: endpoint('GET', 'user/login', 'none', {
    changes: true,
    response: 'string',
    identifiesActor: false,
    xml: 'string',
  }),
  logoutUser: endpoint('GET', 'user/logout', 'none', { changes: true, identifiesActor: false, ...API_RESPONSE }),
  getUserByName: endpoint('GET', 'user/{username}', 'none', { ...OF_ACCOUNT, xml: 'User' }),
  updateUser: endpoint('PUT', 'user/{username}', 'json', { ...OF_ACCOUNT, ...API_RESPONSE }),
  deleteUser: endpoint('DELETE', 'user/{username}', 'none', { ...OF_ACCOUNT, ...API_RESPONSE }),

  loginUserWithBody: endpoint('POST', 'user/login', 'json', { response: 'string', identifiesActor: false }),
  // The history contains user names, and deleted data.
  listPetHistory: endpoint('GET', 'pet/{petId}/history', 'none', OF_HISTORY),
  getPetVersion: endpoint('GET', 'pet/{petId}/history/{version}', 'none', OF_HISTORY),
  restorePetVersion: endpoint('POST', 'pet/{petId}/history/{version}/restore', 'none', WRITES_PETS),
  listDeletedPets: endpoint('GET', 'deleted-pets', 'none', OF_HISTORY),
  restorePet: endpoint('POST', 'pet/{petId}/restore', 'none', WRITES_PETS),
  changePets: endpoint('POST', 'bulk', 'ndjson', { ...WRITES_PETS, response: 'records', streams: 'responses' }),
  patchPet: endpoint('PATCH', 'pet/{petId}', 'merge-patch', WRITES_PETS),
  getPetProfile: endpoint('GET', 'pet/{petId}/profile'),
  replacePetProfile: endpoint('PUT', 'pet/{petId}/profile', 'json', WRITES_PETS),
  patchPetProfile: endpoint('PATCH', 'pet/{petId}/profile', 'merge-patch', WRITES_PETS),
  listPetPhotos: endpoint('GET', 'pet/{petId}/photos'),
  reorderPetPhotos: endpoint('PUT', 'pet/{petId}/photos', 'json', WRITES_PETS),
  updatePetPhoto: endpoint('PATCH', 'pet/{petId}/photos/{digest}', 'merge-patch', WRITES_PETS),
  deletePetPhoto: endpoint('DELETE', 'pet/{petId}/photos/{digest}', 'none', WRITES_PETS),
  getPhoto: endpoint('GET', 'photo/{digest}', 'none', PHOTO),
  getResizedPhoto: endpoint('GET', 'photo/{digest}/{size}', 'none', PHOTO),

  findPets: endpoint('GET', 'pet'),
  countFacets: endpoint('GET', 'facets'),
  listSuggestions: endpoint('GET', 'suggestions'),
  listTags: endpoint('GET', 'tags'),
  listCategories: endpoint('GET', 'categories'),
  getStatistics: endpoint('GET', 'statistics'),
  exportPets: endpoint('GET', 'export/pets', 'none', { ...STREAMS, response: 'file' }),
  exportPetHistory: endpoint('GET', 'export/pet-history', 'none', { ...STREAMS, response: 'file' }),
  streamEvents: endpoint('GET', 'events', 'none', { ...STREAMS, response: 'events' }),

  getOrganisation: endpoint('GET', 'organisation'),
  updateOrganisation: endpoint('PUT', 'organisation', 'json', OF_ADMIN),
  updateLogo: endpoint('PUT', 'organisation/logo', 'multipart', OF_ADMIN),
  deleteLogo: endpoint('DELETE', 'organisation/logo', 'none', OF_ADMIN),
  // The definitions that are not public depend on the permissions of the actor.
  getOwnFields: endpoint('GET', 'own-fields', 'none', { isPrivate: true }),
  updateOwnFields: endpoint('PUT', 'own-fields', 'json', { ...OF_ADMIN, isPrivate: true }),

  createPlayground: endpoint('POST', 'playgrounds', 'json', CREATES_PLAYGROUND),
  listPlaygrounds: endpoint('GET', 'playgrounds', 'none', { ...OF_ADMIN, isPrivate: true }),
  // The token is the permission.
  getPlayground: endpoint('GET', 'playgrounds/{token}', 'none', { isPrivate: true }),
  deletePlayground: endpoint('DELETE', 'playgrounds/{token}', 'none', { isPrivate: true }),
  resetPlayground: endpoint('POST', 'playgrounds/{token}/reset', 'none', { isPrivate: true }),
  takePlaygroundSnapshot: endpoint('POST', 'playgrounds/{token}/snapshots', 'none', { isPrivate: true }),
  restorePlaygroundSnapshot: endpoint('POST', 'playgrounds/{token}/snapshots/{snapshot}/restore', 'none', {
    isPrivate: true,
  }),
  listPlaygroundRequests: endpoint('GET', 'playgrounds/{token}/requests', 'none', {
    ...STREAMS,
    response: 'records',
    isPrivate: true,
  }),
  exportPlaygroundRequests: endpoint('GET', 'playgrounds/{token}/requests/har', 'none', {
    ...STREAMS,
    response: 'file',
    isPrivate: true,
  }),
  deletePlaygroundRequests: endpoint('DELETE', 'playgrounds/{token}/requests', 'none', { isPrivate: true }),
  getPlaygroundFaults: endpoint('GET', 'playgrounds/{token}/faults', 'none', { isPrivate: true }),
  setPlaygroundFaults: endpoint('PUT', 'playgrounds/{token}/faults', 'json', { isPrivate: true }),
  getPlaygroundBugs: endpoint('GET', 'playgrounds/{token}/bugs', 'none', { isPrivate: true }),
  setPlaygroundBugs: endpoint('PUT', 'playgrounds/{token}/bugs', 'json', { isPrivate: true }),

  getOpenApiDocument: endpoint('GET', 'openapi.json', 'none', { identifiesActor: false }),
  getSwaggerDocument: endpoint('GET', 'swagger.json', 'none', { identifiesActor: false }),
  getArazzoDocument: endpoint('GET', 'arazzo.json', 'none', { identifiesActor: false }),

  // Not under user/, where any name may be that of a user.
  getAccount: endpoint('GET', 'account', 'none', OF_FACTORS),
  changePassword: endpoint('POST', 'account/password', 'json', OF_OWNER),
  listSessions: endpoint('GET', 'account/sessions', 'none', OF_OWNER),
  endOtherSessions: endpoint('DELETE', 'account/sessions', 'none', OF_OWNER),
  endSession: endpoint('DELETE', 'account/sessions/{sessionId}', 'none', OF_OWNER),
  listKeys: endpoint('GET', 'account/keys', 'none', OF_OWNER),
  createKey: endpoint('POST', 'account/keys', 'json', OF_OWNER),
  revokeKey: endpoint('DELETE', 'account/keys/{keyId}', 'none', OF_OWNER),
  listProviders: endpoint('GET', 'sign-in/providers', 'none', { identifiesActor: false }),
  listLinkedProviders: endpoint('GET', 'account/providers', 'none', OF_OWNER),
  linkProvider: endpoint('POST', 'account/providers', 'json', OF_OWNER),
  unlinkProvider: endpoint('DELETE', 'account/providers/{loginId}', 'none', OF_OWNER),
  resetPassword: endpoint('POST', 'password-reset', 'json', { identifiesActor: false }),
  requestEmailConfirmation: endpoint('POST', 'account/email-confirmation', 'none', OF_OWNER),
  confirmEmail: endpoint('POST', 'email-confirmation', 'json', { identifiesActor: false }),
  requestPasswordReset: endpoint('POST', 'password-reset-request', 'json', { identifiesActor: false }),

  signInWithPassword: endpoint('POST', 'sign-in/password', 'json', { identifiesActor: false }),
  signInWithCode: endpoint('POST', 'sign-in/code', 'json', { identifiesActor: false }),
  startPasskeySignIn: endpoint('POST', 'sign-in/passkey/options', 'none', { identifiesActor: false }),
  signInWithPasskey: endpoint('POST', 'sign-in/passkey', 'json', { identifiesActor: false }),
  startPasskeyProof: endpoint('POST', 'account/proof/passkey', 'none', OF_FACTORS),
  proveOwnership: endpoint('POST', 'account/proof', 'json', OF_FACTORS),
  getFactors: endpoint('GET', 'account/factors', 'none', OF_FACTORS),
  startTotp: endpoint('POST', 'account/factors/totp', 'none', OF_FACTORS),
  confirmTotp: endpoint('POST', 'account/factors/totp/confirm', 'json', OF_FACTORS),
  deleteTotp: endpoint('DELETE', 'account/factors/totp', 'none', OF_OWNER),
  replaceRecoveryCodes: endpoint('POST', 'account/factors/recovery-codes', 'none', OF_OWNER),
  listPasskeys: endpoint('GET', 'account/passkeys', 'none', OF_FACTORS),
  startPasskey: endpoint('POST', 'account/passkeys/options', 'none', OF_FACTORS),
  addPasskey: endpoint('POST', 'account/passkeys', 'json', OF_FACTORS),
  renamePasskey: endpoint('PATCH', 'account/passkeys/{passkeyId}', 'json', OF_OWNER),
  deletePasskey: endpoint('DELETE', 'account/passkeys/{passkeyId}', 'none', OF_OWNER),
  requestToken: endpoint('POST', 'oauth/token', 'form', { identifiesActor: false }),
  revokeToken: endpoint('POST', 'oauth/revoke', 'form', { identifiesActor: false }),
  getConsent: endpoint('GET', 'oauth/consent', 'none', OF_OWNER),
  giveConsent: endpoint('POST', 'oauth/consent', 'json', OF_OWNER),
  listOAuthClients: endpoint('GET', 'account/oauth-clients', 'none', OF_OWNER),
  createOAuthClient: endpoint('POST', 'account/oauth-clients', 'json', OF_OWNER),
  deleteOAuthClient: endpoint('DELETE', 'account/oauth-clients/{clientId}', 'none', OF_OWNER),
  listAccessTokens: endpoint('GET', 'account/access-tokens', 'none', OF_OWNER),

  searchUsers: endpoint('GET', 'admin/users', 'none', OF_ADMIN),
  inviteUser: endpoint('POST', 'admin/users', 'json', OF_ADMIN),
  getUserAsAdmin: endpoint('GET', 'admin/users/{username}', 'none', OF_ADMIN),
  setUserRole: endpoint('PUT', 'admin/users/{username}/role', 'json', OF_ADMIN),
  closeUser: endpoint('POST', 'admin/users/{username}/close', 'none', OF_ADMIN),
  reopenUser: endpoint('POST', 'admin/users/{username}/reopen', 'none', OF_ADMIN),
  issueResetLink: endpoint('POST', 'admin/users/{username}/reset-link', 'none', OF_ADMIN),
  resendInvitation: endpoint('POST', 'admin/users/{username}/invitation', 'none', OF_ADMIN),
  listUserSessions: endpoint('GET', 'admin/users/{username}/sessions', 'none', OF_ADMIN),
  endUserSessions: endpoint('DELETE', 'admin/users/{username}/sessions', 'none', OF_ADMIN),
  listUserKeys: endpoint('GET', 'admin/users/{username}/keys', 'none', OF_ADMIN),
  listAllOAuthClients: endpoint('GET', 'admin/oauth-clients', 'none', OF_ADMIN),
  deleteAnyOAuthClient: endpoint('DELETE', 'admin/oauth-clients/{clientId}', 'none', OF_ADMIN),
  revokeAnyKey: endpoint('DELETE', 'admin/keys/{keyId}', 'none', OF_ADMIN),
  getUserFactors: endpoint('GET', 'admin/users/{username}/factors', 'none', OF_ADMIN),
  resetUserFactors: endpoint('DELETE', 'admin/users/{username}/factors', 'none', OF_ADMIN),
  listUserProviders: endpoint('GET', 'admin/users/{username}/providers', 'none', OF_ADMIN),
  unlinkUserProvider: endpoint('DELETE', 'admin/users/{username}/providers/{loginId}', 'none', OF_ADMIN),
  getHealth: endpoint('GET', 'admin/health', 'none', OF_ADMIN),
  checkHealth: endpoint('POST', 'admin/health', 'none', OF_ADMIN),
  getMailSettings: endpoint('GET', 'admin/mail/settings', 'none', OF_ADMIN),
  // The password of the mail server.
  updateMailSettings: endpoint('PUT', 'admin/mail/settings', 'json', { ...OF_ADMIN, isPersonal: true }),
  testMail: endpoint('POST', 'admin/mail/test', 'json', OF_ADMIN),
  retryWaitingMail: endpoint('POST', 'admin/mail/retry', 'none', OF_ADMIN),
  listDeadMail: endpoint('GET', 'admin/mail/dead', 'none', OF_ADMIN),
  retryDeadMail: endpoint('POST', 'admin/mail/dead/{mailId}/retry', 'none', OF_ADMIN),
  deleteDeadMail: endpoint('DELETE', 'admin/mail/dead/{mailId}', 'none', OF_ADMIN),
  getSystem: endpoint('GET', 'admin/system', 'none', OF_ADMIN),
  listLogEntries: endpoint('GET', 'admin/log', 'none', OF_ADMIN),
  getActivity: endpoint('GET', 'admin/activity', 'none', OF_ADMIN),
  listAuditEntries: endpoint('GET', 'admin/audit', 'none', { ...OF_ADMIN, ...STREAMS, response: 'records' }),
  listBackups: endpoint('GET', 'admin/backups', 'none', OF_ADMIN),
  startBackup: endpoint('POST', 'admin/backups', 'none', OF_ADMIN),
  downloadBackup: endpoint('GET', 'admin/backups/{backup}/archive', 'none', {
    ...OF_ADMIN,
    response: 'file',
    streams: 'bytes',
  }),
  checkBackup: endpoint('POST', 'admin/backups/{backup}/check', 'json', OF_ADMIN),
  restoreBackup: endpoint('POST', 'admin/backups/{backup}/restore', 'json', OF_ADMIN),
  getRestore: endpoint('GET', 'admin/restore', 'none', OF_ADMIN),
  undoRestore: endpoint('POST', 'admin/restore/undo', 'json', OF_ADMIN),
  ...FEATURE_ENDPOINTS,
} as const;

export type OperationId = keyof typeof ENDPOINTS;

/** The media types of a merge patch (RFC 7396), for the Accept-Patch header (RFC 5789, section 3.1). */
const MERGE_PATCH_TYPES = ['application/merge-patch+json', 'application/json'] as const;

export const ACCEPT_PATCH = MERGE_PATCH_TYPES.join(', ');

/** HEAD works wherever GET does, except for logging in and out: it must be safe (RFC 9110, section 9.2.1). */
export function hasHead({ method, changes }: Pick<Endpoint, 'method' | 'changes'>): boolean {
  return method === 'GET' && !changes;
}

/**
 * Whether pages of all origins may call this path and read the responses, without the session cookie: programs in
 * browsers get and revoke their tokens there.
 */
export function isForAllOrigins(path: string): boolean {
  return path === ENDPOINTS.requestToken.path || path === ENDPOINTS.revokeToken.path;
}

/** The methods that a path supports, for the Allow header. */
export function methodsOf(path: string): readonly string[] {
  const endpoints = Object.values(ENDPOINTS).filter((candidate) => candidate.path === path);
  return [...endpoints.map(({ method }) => method), ...(endpoints.some(hasHead) ? ['HEAD'] : []), 'OPTIONS'];
}
