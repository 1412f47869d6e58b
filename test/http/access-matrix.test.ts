import assert from 'node:assert/strict';
import { cp, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it, test } from 'node:test';
import { FAILURE_STATUS } from '../../src/api/records/response-texts.ts';
import { PETSTORE_OPERATIONS } from '../../src/api/documents/petstore.ts';
import { ENDPOINTS, isForAllOrigins, type Endpoint, type OperationId } from '../../src/api/endpoints.ts';
import {
  createAccess,
  ROLES,
  type AccessSettings,
  type Action,
  type Actor,
  type Role,
} from '../../src/domain/access.ts';
import { Failure } from '../../src/domain/failure.ts';
import { createBackup } from '../../src/server/backup/create-backup.ts';
import { placesOf } from '../../src/server/configuration/places.ts';
import { assertRefused, type HttpResponse, type Call, type CallOptions } from '../support/client.ts';
import { Authenticator, type CreationOptions, type RequestOptions } from '../support/authenticator.ts';
import { addPasskey, codeAt, passPassword, setUpTotp } from '../support/factors.ts';
import { agedToken, ENQUIRY, OPEN_FORM, storeEnquiry } from '../support/enquiries.ts';
import { fileUpload } from '../support/multipart.ts';
import { skipOperation } from '../support/nodes.ts';
import { CLIENT_ID, startHostileProvider } from '../support/openid-provider.ts';
import { makePhoto } from '../support/photos.ts';
import { newPkce, registerProgram, requestOf } from '../support/oauth.ts';
import {
  bearer,
  createKey,
  logIn,
  newSecuredFolder,
  PASSWORDS,
  STAFF,
  startSecuredService,
} from '../support/secured.ts';
import { removeFolder, temporaryFolder, testConfigOn } from '../support/service.ts';
import { openStored, openTables, type StoredTables } from '../support/stored.ts';
import { until } from '../support/until.ts';
import { testSession } from '../support/changes.ts';

/*
 * Permissions: every operation, requested by every kind of caller, in every mode. The tables are those of
 * docs/rules.md.
 */

/** Callers by their credentials. A caller without valid credentials is `anonymous`. */
const SESSIONS = [...ROLES, 'other viewer'] as const;
const READING_KEY = "editor's key that may read";
const KEYS = [...ROLES.map(writingKeyOf), READING_KEY] as const;
const COLUMNS = ['anonymous', ...SESSIONS, ...KEYS] as const;

type Column = (typeof COLUMNS)[number];

/** The status for each caller. */
type Row = Readonly<Record<Column, number>>;

/** Allows these callers. Other sessions get 403; keys without permission and callers without credentials get 401. */
function onlyFor(...allowed: readonly Column[]): Row {
  const statusFor = (column: Column) => {
    if (allowed.includes(column)) return 200;
    return (SESSIONS as readonly Column[]).includes(column) ? 403 : 401;
  };
  return Object.fromEntries(COLUMNS.map((column) => [column, statusFor(column)])) as Row;
}

const ALL_CALLERS = onlyFor(...COLUMNS);
const EDITORS = onlyForRoles('editor', 'admin');
const USERS = onlyFor(...SESSIONS);
const ADMINS = onlyFor('admin');
/** The operation concerns the viewer's account. */
const STAFF_SESSIONS = onlyFor('editor', 'admin');
const OWNER = onlyFor('viewer', 'admin');

function writingKeyOf<R extends Role>(role: R): `${R}'s key that may write` {
  return `${role}'s key that may write`;
}

/** Allows sessions of these roles, and their keys with write scope. */
function onlyForRoles(...roles: readonly Role[]): Row {
  return onlyFor(...roles, ...roles.map(writingKeyOf));
}

function all(row: Row, operations: readonly OperationId[]): Partial<Record<OperationId, Row>> {
  return Object.fromEntries(operations.map((operation) => [operation, row]));
}

/** Operations that change pets, or show who changed them. */
const OF_EDITORS = [
  'addPet',
  'updatePet',
  'updatePetWithForm',
  'patchPet',
  'replacePetProfile',
  'patchPetProfile',
  'changePets',
  'deletePet',
  'uploadFile',
  'reorderPetPhotos',
  'updatePetPhoto',
  'deletePetPhoto',
  'listPetHistory',
  'getPetVersion',
  'restorePetVersion',
  'listDeletedPets',
  'restorePet',
] as const;

/** Operations whose permission is the token of a playground. */
const OF_PLAYGROUNDS = [
  'getPlayground',
  'deletePlayground',
  'resetPlayground',
  'takePlaygroundSnapshot',
  'restorePlaygroundSnapshot',
  'listPlaygroundRequests',
  'exportPlaygroundRequests',
  'deletePlaygroundRequests',
  'getPlaygroundFaults',
  'setPlaygroundFaults',
  'getPlaygroundBugs',
  'setPlaygroundBugs',
] as const;

const SECURED: Partial<Record<OperationId, Row>> = {
  ...all(ALL_CALLERS, [
    'findPetsByStatus',
    'findPetsByTags',
    'getPetById',
    'findPets',
    'countFacets',
    'listSuggestions',
    'listTags',
    'listCategories',
    'getStatistics',
    'exportPets',
    'exportPetHistory',
    'getPetProfile',
    'listPetPhotos',
    'getPhoto',
    'getResizedPhoto',
    'streamEvents',
    'getOrganisation',
    'getOwnFields',
    'getEmbedding',
    'getOpenApiDocument',
    'getSwaggerDocument',
    'getArazzoDocument',
    'createUser',
    'loginUser',
    'loginUserWithBody',
    'logoutUser',
    'resetPassword',
    'listProviders',
    'signInWithPassword',
    'signInWithCode',
    'startPasskeySignIn',
    'signInWithPasskey',
    'confirmEmail',
    'requestPasswordReset',
    'createSavedSearch',
    'confirmSavedSearch',
    'stopSavedSearch',
    'requestToken',
    'revokeToken',
    ...OF_PLAYGROUNDS,
    'getEnquiryForm',
    'sendEnquiry',
    // The key in the URL is the permission.
    'getListingFeed',
  ]),
  ...all(EDITORS, OF_EDITORS),
  ...all(STAFF_SESSIONS, [
    'getEnquirySettings',
    'listEnquiries',
    'getEnquiryOverview',
    'exportEnquiries',
    'getEnquiry',
    'updateEnquiry',
    'addEnquiryNote',
    'answerEnquiry',
    'deleteEnquiry',
    'eraseEnquiries',
  ]),
  ...all(OWNER, ['getUserByName', 'updateUser', 'deleteUser']),
  ...all(USERS, [
    'getAccount',
    'changePassword',
    'listSessions',
    'endOtherSessions',
    'endSession',
    'listKeys',
    'createKey',
    'revokeKey',
    'listLinkedProviders',
    'linkProvider',
    'unlinkProvider',
    'startPasskeyProof',
    'proveOwnership',
    'getFactors',
    'startTotp',
    'confirmTotp',
    'deleteTotp',
    'replaceRecoveryCodes',
    'listPasskeys',
    'startPasskey',
    'addPasskey',
    'renamePasskey',
    'deletePasskey',
    'requestEmailConfirmation',
    'getConsent',
    'giveConsent',
    'listOAuthClients',
    'createOAuthClient',
    'deleteOAuthClient',
    'listAccessTokens',
  ]),
  ...all(ADMINS, [
    'getUserFactors',
    'resetUserFactors',
    'listUserProviders',
    'unlinkUserProvider',
    'createUsersWithArrayInput',
    'createUsersWithListInput',
    'searchUsers',
    'inviteUser',
    'getUserAsAdmin',
    'setUserRole',
    'closeUser',
    'reopenUser',
    'issueResetLink',
    'listUserSessions',
    'endUserSessions',
    'listUserKeys',
    'revokeAnyKey',
    'listAllOAuthClients',
    'deleteAnyOAuthClient',
    'updateOrganisation',
    'updateLogo',
    'deleteLogo',
    'updateOwnFields',
    'updateEnquirySettings',
    'updateEmbedding',
    'listSavedSearches',
    'eraseSavedSearches',
    'listListings',
    'updateListing',
    'uploadListing',
    'createFeedKey',
    'revokeFeedKey',
    'listListingPets',
    'updateListingPet',
    'getMailSettings',
    'updateMailSettings',
    'testMail',
    'resendInvitation',
    'retryWaitingMail',
    'listDeadMail',
    'retryDeadMail',
    'deleteDeadMail',
    'getSystem',
    'listLogEntries',
    'getActivity',
    'getHealth',
    'checkHealth',
    'listAuditEntries',
    'listWebhooks',
    'createWebhook',
    'getWebhook',
    'updateWebhook',
    'deleteWebhook',
    'rotateWebhookSecret',
    'endSecretRotation',
    'testWebhook',
    'listDeadLetters',
    'retryDeadLetters',
    'retryDeadLetter',
    'listBackups',
    'startBackup',
    'downloadBackup',
    'checkBackup',
    'restoreBackup',
    'getRestore',
    'undoRestore',
    'createPlayground',
    'listPlaygrounds',
  ]),
};

const WITHOUT_SIGN_UP: typeof SECURED = { ...SECURED, createUser: ADMINS };

/**
 * Open access and sandbox: everyone may use the sixteen operations and those on pets. The others are as in secured
 * access.
 */
const FREE: typeof SECURED = {
  ...SECURED,
  ...all(ALL_CALLERS, [...PETSTORE_OPERATIONS, ...OF_EDITORS, 'createPlayground']),
};

/** In open access and sandbox, operations on an account with a role above viewer: here the editor's own. */
const TRUSTED_ACCOUNT = onlyFor('editor', 'admin');

const OPERATIONS = Object.keys(ENDPOINTS) as readonly OperationId[];

/** Passkeys work on this site only. */
const ORIGIN = 'http://localhost';
const AT_ORIGIN = ['--public-url', ORIGIN];

const DAY_MS = 24 * 3_600_000;
const WEAK_PASSWORD = 'three wet towels hang on a line';

let nowMs = Date.UTC(2026, 2, 2, 9);
const clock = () => nowMs;

interface Caller {
  title: string;
  column: Column;
  /** The owner of the session or key. */
  username?: string;
  /** Whether the credentials once were, or could have been, valid. */
  isDead?: boolean;
  headers: Readonly<Record<string, string>>;
}

interface Instance {
  call: Call;
  origin: string;
  stored: () => Promise<string>;
  query: StoredTables['query'];
}

const folder = await newSecuredFolder();
after(() => removeFolder(folder));
const photo = await makePhoto({ width: 8, height: 8 });
const { callers, keeper, viewersSessionId, digest, secret, authenticator, clientCredentials } = await furnish();
const consentRequest = requestOf({ id: clientCredentials.client_id }, newPkce());
const place = await temporaryFolder({ after });
const provider = await startHostileProvider({ after });
const watch = { signal: new AbortController().signal, onProgress() {} };
const { name: backup } = await createBackup({
  from: placesOf(await testConfigOn(folder)),
  to: { folder: place },
  keep: undefined,
  watch,
});

/**
 * The accounts and credentials of all callers, created once: each mode gets a copy of the data. The callers without
 * valid credentials were administrators.
 */
async function furnish() {
  const service = await startSecuredService({ after }, { dataDir: folder, flags: AT_ORIGIN, clock });
  const { call } = service;
  const root = bearer(await logIn(call, 'root'));

  async function addAdmin(username: string): Promise<void> {
    await requireSuccess(call, 'POST', 'user', { headers: root, json: { username, password: WEAK_PASSWORD } });
    await requireSuccess(call, 'PUT', `admin/users/${username}/role`, { headers: root, json: { role: 'admin' } });
  }

  for (const username of ['closed-admin', 'removed-admin', 'keeper']) await addAdmin(username);
  for (const username of ['coder', 'holder'])
    await requireSuccess(call, 'POST', 'user', { json: { username, password: WEAK_PASSWORD } });
  const expiredKey = await createKey(call, root['authorization']?.slice(7) ?? '', ['write:pets'], { expiresInDays: 1 });
  // To the millisecond: the session above has been idle for a day, and the key has existed for a day.
  nowMs += DAY_MS;

  const { secret } = await setUpTotp(call, await logIn(call, 'coder', WEAK_PASSWORD), nowMs);
  const authenticator = new Authenticator(ORIGIN, 0);
  await addPasskey(call, await logIn(call, 'holder', WEAK_PASSWORD), authenticator);
  const tokens = {
    ...(await forEachRole((role) => logIn(call, userOf(role)))),
    otto: await logIn(call, 'otto'),
    closed: await logIn(call, 'closed-admin', WEAK_PASSWORD),
    removed: await logIn(call, 'removed-admin', WEAK_PASSWORD),
    keeper: await logIn(call, 'keeper', WEAK_PASSWORD),
    loggedOut: await logIn(call, 'root'),
  };
  const keeper = bearer(tokens.keeper);
  const keys = {
    ...(await forEachRole((role) => createKey(call, tokens[role], ['write:pets', 'read:pets']))),
    reading: await createKey(call, tokens.editor, ['read:pets']),
    revoked: await createKey(call, tokens.admin, ['write:pets']),
    closed: await createKey(call, tokens.closed, ['write:pets']),
    removed: await createKey(call, tokens.removed, ['write:pets']),
  };
  for (const secret of [...Object.values(tokens), ...Object.values(keys).map(({ key }) => key)])
    await requireSuccess(call, 'GET', 'pet/findByStatus?status=sold', { headers: bearer(secret) });
  await requireSuccess(call, 'GET', 'user/logout', { headers: bearer(tokens.loggedOut) });
  await requireSuccess(call, 'DELETE', `account/keys/${keys.revoked.id}`, { headers: bearer(tokens.admin) });
  await requireSuccess(call, 'POST', 'admin/users/closed-admin/close', { headers: keeper });
  await requireSuccess(call, 'DELETE', 'user/removed-admin', { headers: keeper });
  await requireSuccess(call, 'POST', 'user', { json: { username: 'target' } });
  await requireSuccess(call, 'POST', 'pet', {
    headers: keeper,
    json: { id: 7, name: 'Rex', status: 'available', tags: ['calm'] },
  });
  await requireSuccess(call, 'POST', 'pet/7/uploadImage', withHeaders(fileUpload(photo), keeper));
  const digest = /photo\/([0-9a-f]{64})/.exec((await call('GET', 'pet/7')).text)?.[1] ?? assert.fail();
  const viewersSessionId = await currentSession(call, bearer(tokens.viewer));
  const program = await registerProgram(call, tokens.keeper);
  const clientCredentials = {
    grant_type: 'client_credentials',
    client_id: program.id,
    client_secret: program.secret ?? assert.fail(),
  };
  await service.stop();

  const anonymous = 'anonymous';
  const callers: Caller[] = [
    { title: 'without credentials', column: anonymous, headers: {} },
    ...ROLES.flatMap((role) => [
      { title: `with a session of role ${role}`, column: role, username: userOf(role), headers: bearer(tokens[role]) },
      {
        title: `with a key of role ${role} that may write`,
        column: writingKeyOf(role),
        headers: role === 'admin' ? bearer(keys[role].key) : { api_key: keys[role].key },
      },
    ]),
    { title: "with another viewer's session", column: 'other viewer', username: 'otto', headers: bearer(tokens.otto) },
    { title: "with an editor's key that may only read", column: READING_KEY, headers: { api_key: keys.reading.key } },
    { title: 'with the session of a closed account', column: anonymous, isDead: true, headers: bearer(tokens.closed) },
    {
      title: 'with the session of a removed account',
      column: anonymous,
      isDead: true,
      headers: bearer(tokens.removed),
    },
    { title: 'with an expired session', column: anonymous, isDead: true, headers: root },
    { title: 'with a session that was logged out', column: anonymous, isDead: true, headers: bearer(tokens.loggedOut) },
    { title: 'with an expired key', column: anonymous, isDead: true, headers: bearer(expiredKey.key) },
    { title: 'with a revoked key', column: anonymous, isDead: true, headers: { api_key: keys.revoked.key } },
    {
      title: 'with the key of a closed account',
      column: anonymous,
      isDead: true,
      headers: { api_key: keys.closed.key },
    },
    {
      title: 'with the key of a removed account',
      column: anonymous,
      isDead: true,
      headers: { api_key: keys.removed.key },
    },
    { title: 'with an unknown token', column: anonymous, isDead: true, headers: bearer('A'.repeat(43)) },
    { title: 'with an unknown key', column: anonymous, isDead: true, headers: { api_key: `mgk_${'A'.repeat(43)}` } },
    {
      title: 'with garbage',
      column: anonymous,
      headers: { authorization: 'Basic cm9vdDpyb290', api_key: 'special-key' },
    },
  ];
  return { callers, keeper, viewersSessionId, digest, secret, authenticator, clientCredentials };
}

async function forEachRole<T>(make: (role: Role) => Promise<T>): Promise<Readonly<Record<Role, T>>> {
  const made: [Role, T][] = [];
  for (const role of ROLES) made.push([role, await make(role)]);
  return Object.fromEntries(made) as Record<Role, T>;
}

/** The user of this role in `STAFF`; of the viewers, the first. */
function userOf(role: Role): string {
  return Object.keys(STAFF).find((username) => STAFF[username] === role) ?? assert.fail(role);
}

async function requireSuccess(
  call: Call,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<HttpResponse> {
  const response = await call(method, path, options);
  assert.equal(response.status, 200, `${method} ${path}: ${response.text}`);
  return response;
}

function withHeaders(options: CallOptions, headers: Readonly<Record<string, string>>): CallOptions {
  return { ...options, headers: { ...options.headers, ...headers } };
}

async function currentSession(call: Call, headers: Readonly<Record<string, string>>): Promise<string> {
  const sessions = JSON.parse((await requireSuccess(call, 'GET', 'account/sessions', { headers })).text) as {
    id: string;
    current: boolean;
  }[];
  return sessions.find(({ current }) => current)?.id ?? assert.fail();
}

/** Starts a service in this mode with a copy of the data. */
async function openInstance(flags: readonly string[]): Promise<Instance> {
  const dataDir = await mkdtemp(join(tmpdir(), 'menagerie-test-'));
  await cp(folder, dataDir, { recursive: true });
  const providers = `shelter = { issuer = "${provider.issuer}", client-id = "${CLIENT_ID}" }`;
  const fixed = ['--backup-to', place, '--providers', providers, ...AT_ORIGIN];
  const service = await startSecuredService({ after }, { dataDir, flags: [...fixed, ...flags], clock });
  const stored = await openStored({ after }, dataDir);
  after(async () => {
    await service.stop();
    await removeFolder(dataDir);
  });
  const { query } = await openTables({ after }, dataDir);
  const expired = `select digest from session where last_used_at_ms <= ${nowMs - DAY_MS}`;
  await until('the expired session is cleared', async () => (await query(expired)).length === 0);
  return { call: service.call, origin: service.origin, stored, query };
}

const secured = await openInstance([]);
const open = await openInstance(['--access', 'open']);
const useCasesAlone = await openInstanceWithoutPermissions();
/** In secured access, every caller is tried, in open access one of each kind. */
const modes = [
  { title: 'secured access', instance: secured, table: SECURED },
  { title: 'open access', instance: open, table: FREE },
];

let count = 0;

interface Ask {
  path: string;
  options?: CallOptions;
  /** Replaces the caller's credentials, for operations that end the session of the request. */
  headers?: Readonly<Record<string, string>>;
}

/** A valid request for each operation, with a new record to change or delete. */
const asks: Readonly<Record<string, (instance: Instance, caller: Caller, status: number) => Promise<Ask> | Ask>> = {
  addPet: () => ({ path: 'pet', options: { json: { name: `New ${++count}` } } }),
  updatePet: () => ({ path: 'pet', options: { json: { id: 7, name: `Rex ${++count}` } } }),
  findPetsByStatus: () => ({ path: 'pet/findByStatus?status=available' }),
  findPetsByTags: () => ({ path: 'pet/findByTags?tags=calm' }),
  findPets: () => ({ path: 'pet?text=rex' }),
  countFacets: () => ({ path: 'facets' }),
  listSuggestions: () => ({ path: 'suggestions?text=rex' }),
  listTags: () => ({ path: 'tags' }),
  listCategories: () => ({ path: 'categories' }),
  getStatistics: () => ({ path: 'statistics' }),
  exportPets: () => ({ path: 'export/pets?format=csv' }),
  exportPetHistory: () => ({ path: 'export/pet-history' }),
  getPetById: () => ({ path: 'pet/7' }),
  updatePetWithForm: () => ({ path: 'pet/7', options: { form: { name: `Rex ${++count}` } } }),
  patchPet: () => ({ path: 'pet/7', options: { json: { name: `Rex ${++count}` } } }),
  getPetProfile: () => ({ path: 'pet/7/profile' }),
  replacePetProfile: () => ({ path: 'pet/7/profile', options: { json: { unit: `K${++count}` } } }),
  patchPetProfile: () => ({ path: 'pet/7/profile', options: { json: { unit: `K${++count}` } } }),
  changePets: () => ({
    path: 'bulk',
    options: {
      body: Buffer.from(`{"op":"create","pet":{"name":"New ${++count}"}}`),
      headers: { 'content-type': 'application/x-ndjson' },
    },
  }),
  listPetHistory: () => ({ path: 'pet/7/history' }),
  getPetVersion: async (instance) => ({ path: `pet/7/history/${await firstVersion(instance)}` }),
  restorePetVersion: async (instance) => ({ path: `pet/7/history/${await firstVersion(instance)}/restore` }),
  listDeletedPets: () => ({ path: 'deleted-pets' }),
  restorePet: async ({ call }) => {
    const { text } = await requireSuccess(call, 'POST', 'pet', { headers: keeper, json: { name: 'Gone' } });
    const id = /\d+/.exec(text)?.[0];
    await requireSuccess(call, 'DELETE', `pet/${id}`, { headers: keeper });
    return { path: `pet/${id}/restore` };
  },
  deletePet: async ({ call }) => {
    const { text } = await requireSuccess(call, 'POST', 'pet', { headers: keeper, json: { name: 'Brief' } });
    return { path: `pet/${/\d+/.exec(text)?.[0]}` };
  },
  uploadFile: () => ({ path: 'pet/7/uploadImage', options: fileUpload(photo) }),
  createUser: () => ({ path: 'user', options: { json: { username: `new-${++count}` } } }),
  createUsersWithArrayInput: () => ({
    path: 'user/createWithArray',
    options: { json: [{ username: `new-${++count}` }] },
  }),
  createUsersWithListInput: () => ({
    path: 'user/createWithList',
    options: { json: [{ username: `new-${++count}` }, { username: `new-${++count}` }] },
  }),
  loginUser: () => ({ path: `user/login?username=vera&password=${encodeURIComponent(PASSWORDS['vera'] ?? '')}` }),
  loginUserWithBody: () => ({
    path: 'user/login',
    options: { json: { username: 'vera', password: PASSWORDS['vera'] } },
  }),
  logoutUser: async ({ call }, { username }) => ({
    path: 'user/logout',
    ...(username !== undefined && { headers: bearer(await logIn(call, username)) }),
  }),
  getUserByName: () => ({ path: 'user/vera' }),
  updateUser: () => ({ path: 'user/vera', options: { json: { firstName: `Vera ${++count}` } } }),
  deleteUser: async ({ call }, { column }) => {
    const username = `leaver-${++count}`;
    const password = column === 'viewer' ? WEAK_PASSWORD : undefined;
    await requireSuccess(call, 'POST', 'user', { headers: keeper, json: { username, password } });
    const isOwn = password !== undefined;
    return { path: `user/${username}`, ...(isOwn && { headers: bearer(await logIn(call, username, password)) }) };
  },
  listPetPhotos: () => ({ path: 'pet/7/photos' }),
  reorderPetPhotos: async ({ call }) => ({
    path: `pet/${await petWithPhoto(call)}/photos`,
    options: { json: { photos: [] } },
  }),
  updatePetPhoto: async ({ call }) => ({
    path: `pet/${await petWithPhoto(call)}/photos/${digest}`,
    options: { json: { alt: `A photo ${++count}` } },
  }),
  deletePetPhoto: async ({ call }) => ({ path: `pet/${await petWithPhoto(call)}/photos/${digest}` }),
  getPhoto: () => ({ path: `photo/${digest}` }),
  getResizedPhoto: () => ({ path: `photo/${digest}/small` }),
  streamEvents: () => ({ path: 'events' }),
  getOpenApiDocument: () => ({ path: 'openapi.json' }),
  getSwaggerDocument: () => ({ path: 'swagger.json' }),
  getArazzoDocument: () => ({ path: 'arazzo.json' }),
  resetPassword: async ({ call }) => {
    const { text } = await requireSuccess(call, 'POST', 'admin/users/target/reset-link', { headers: keeper });
    const { token } = JSON.parse(text) as { token: string };
    return { path: 'password-reset', options: { json: { token, newPassword: WEAK_PASSWORD } } };
  },
  signInWithPassword: () => ({
    path: 'sign-in/password',
    options: { json: { username: 'vera', password: PASSWORDS['vera'] } },
  }),
  signInWithCode: async ({ call, query }) => {
    await query('update totp set last_step = 0');
    const { step } = await passPassword(call, 'coder', WEAK_PASSWORD);
    return { path: 'sign-in/code', options: { json: { step, factor: 'totp', code: codeAt(secret, nowMs) } } };
  },
  startPasskeySignIn: () => ({ path: 'sign-in/passkey/options' }),
  signInWithPasskey: async ({ call }) => {
    const { text } = await requireSuccess(call, 'POST', 'sign-in/passkey/options');
    const { step, options } = JSON.parse(text) as { step: string; options: RequestOptions };
    return { path: 'sign-in/passkey', options: { json: { step, credential: authenticator.get(options) } } };
  },
  startPasskeyProof: () => ({ path: 'account/proof/passkey' }),
  proveOwnership: (_instance, { username = 'vera' }) => ({
    path: 'account/proof',
    options: { json: { password: PASSWORDS[username] } },
  }),
  getFactors: () => ({ path: 'account/factors' }),
  startTotp: () => ({ path: 'account/factors/totp' }),
  confirmTotp: async ({ call }, caller, status) => {
    const path = 'account/factors/totp/confirm';
    if (status !== 200) return { path, options: { json: { step: 'none', code: '000000' } } };
    const headers = bearer(await newOwner(call, caller));
    const { text } = await requireSuccess(call, 'POST', 'account/factors/totp', { headers });
    const setup = JSON.parse(text) as { step: string; secret: string };
    return { path, headers, options: { json: { step: setup.step, code: codeAt(setup.secret, nowMs) } } };
  },
  deleteTotp: async ({ call }, caller, status) => ({
    path: 'account/factors/totp',
    ...(status === 200 && { headers: await newCodeOwner(call, caller) }),
  }),
  replaceRecoveryCodes: async ({ call }, caller, status) => ({
    path: 'account/factors/recovery-codes',
    ...(status === 200 && { headers: await newCodeOwner(call, caller) }),
  }),
  listPasskeys: () => ({ path: 'account/passkeys' }),
  startPasskey: () => ({ path: 'account/passkeys/options' }),
  addPasskey: async ({ call }, caller, status) => {
    const path = 'account/passkeys';
    if (status !== 200) return { path, options: { json: { step: 'none', name: 'Key', credential: {} } } };
    const headers = bearer(await newOwner(call, caller));
    const { text } = await requireSuccess(call, 'POST', 'account/passkeys/options', { headers });
    const { step, options } = JSON.parse(text) as { step: string; options: CreationOptions };
    const json = { step, name: 'Key', credential: new Authenticator(ORIGIN).create(options) };
    return { path, headers, options: { json } };
  },
  renamePasskey: async ({ call }, caller, status) => {
    const options = { json: { name: `Key ${++count}` } };
    if (status !== 200) return { path: 'account/passkeys/none', options };
    return { ...(await newPasskeyOwner(call, caller)), options };
  },
  deletePasskey: async ({ call }, caller, status) =>
    status === 200 ? newPasskeyOwner(call, caller) : { path: 'account/passkeys/none' },
  getUserFactors: () => ({ path: 'admin/users/target/factors' }),
  resetUserFactors: () => ({ path: 'admin/users/target/factors' }),
  listUserProviders: () => ({ path: 'admin/users/target/providers' }),
  // Ends the sessions of an account that no test uses.
  unlinkUserProvider: async (instance) => ({ path: `admin/users/target/providers/${await loginOfTarget(instance)}` }),
  requestEmailConfirmation: () => ({ path: 'account/email-confirmation' }),
  confirmEmail: () => ({ path: 'email-confirmation', options: { json: { token: 'A'.repeat(43) } } }),
  requestPasswordReset: () => ({ path: 'password-reset-request', options: { json: { email: 'ada@example.org' } } }),
  createSavedSearch: () => ({
    path: 'saved-searches',
    options: { json: { email: 'ada@example.org', search: 'species=dog', language: 'en' } },
  }),
  confirmSavedSearch: () => ({ path: 'saved-searches/confirm', options: { json: { token: 'A'.repeat(43) } } }),
  stopSavedSearch: () => ({ path: `saved-searches/${'A'.repeat(43)}/stop` }),
  listSavedSearches: () => ({ path: 'saved-searches?email=ada@example.org' }),
  eraseSavedSearches: () => ({ path: 'saved-searches/erase', options: { json: { email: 'ada@example.org' } } }),
  resendInvitation: () => ({ path: 'admin/users/target/invitation' }),
  listDeadMail: () => ({ path: 'admin/mail/dead' }),
  retryWaitingMail: () => ({ path: 'admin/mail/retry' }),
  retryDeadMail: () => ({ path: 'admin/mail/dead/none/retry' }),
  deleteDeadMail: () => ({ path: 'admin/mail/dead/none' }),
  getMailSettings: () => ({ path: 'admin/mail/settings' }),
  // With a server, the service would send e-mail.
  updateMailSettings: () => ({ path: 'admin/mail/settings', options: { json: {} } }),
  testMail: () => ({ path: 'admin/mail/test', options: { json: { to: 'ada@example.org' } } }),
  getAccount: () => ({ path: 'account' }),
  changePassword: (_instance, { username = 'vera' }) => {
    const password = PASSWORDS[username];
    // The other operations need the keys.
    const json = { oldPassword: password, newPassword: password, revokeKeys: false };
    return { path: 'account/password', options: { json } };
  },
  listSessions: () => ({ path: 'account/sessions' }),
  endOtherSessions: () => ({ path: 'account/sessions' }),
  endSession: async ({ call }, { username }, status) => {
    const id =
      username === undefined || status !== 200
        ? viewersSessionId
        : await currentSession(call, bearer(await logIn(call, username)));
    return { path: `account/sessions/${id}` };
  },
  // Their client is in the form.
  requestToken: () => ({ path: 'oauth/token', options: { form: clientCredentials }, headers: {} }),
  revokeToken: () => ({
    path: 'oauth/revoke',
    options: { form: { ...clientCredentials, token: 'unknown' } },
    headers: {},
  }),
  getConsent: () => ({ path: `oauth/consent?${new URLSearchParams(consentRequest).toString()}` }),
  giveConsent: () => ({ path: 'oauth/consent', options: { json: { isAllowed: true, parameters: consentRequest } } }),
  listOAuthClients: () => ({ path: 'account/oauth-clients' }),
  createOAuthClient: () => ({ path: 'account/oauth-clients', options: { json: NEW_PROGRAM } }),
  deleteOAuthClient: async (instance, caller) => ({
    path: `account/oauth-clients/${await freshProgram(instance, caller)}`,
  }),
  listAccessTokens: () => ({ path: 'account/access-tokens' }),
  listAllOAuthClients: () => ({ path: 'admin/oauth-clients' }),
  deleteAnyOAuthClient: async (instance, caller) => ({
    path: `admin/oauth-clients/${await freshProgram(instance, caller)}`,
  }),
  listKeys: () => ({ path: 'account/keys' }),
  createKey: () => ({ path: 'account/keys', options: { json: { name: 'new', scopes: ['write:pets'] } } }),
  revokeKey: async (instance, caller) => ({ path: `account/keys/${await freshKey(instance, caller)}` }),
  listProviders: () => ({ path: 'sign-in/providers' }),
  listLinkedProviders: () => ({ path: 'account/providers' }),
  linkProvider: () => ({ path: 'account/providers', options: { json: { provider: 'shelter' } } }),
  unlinkProvider: async (instance, caller) => ({ path: `account/providers/${await linkedLogin(instance, caller)}` }),
  searchUsers: () => ({ path: 'admin/users?text=target' }),
  inviteUser: () => ({ path: 'admin/users', options: { json: { username: `invited-${++count}` } } }),
  getUserAsAdmin: () => ({ path: 'admin/users/target' }),
  setUserRole: () => ({ path: 'admin/users/target/role', options: { json: { role: 'editor' } } }),
  closeUser: () => ({ path: 'admin/users/target/close' }),
  reopenUser: () => ({ path: 'admin/users/closed-admin/reopen' }),
  issueResetLink: () => ({ path: 'admin/users/target/reset-link' }),
  listUserSessions: () => ({ path: 'admin/users/vera/sessions' }),
  // For an account that no test uses.
  endUserSessions: async ({ call }, _caller, status) => {
    if (status === 200) return { path: 'admin/users/target/sessions' };
    await requireSuccess(call, 'GET', 'admin/users/vera/sessions', { headers: keeper });
    return { path: 'admin/users/vera/sessions' };
  },
  listUserKeys: () => ({ path: 'admin/users/vera/keys' }),
  revokeAnyKey: async (instance, caller) => ({ path: `admin/keys/${await freshKey(instance, caller)}` }),
  listWebhooks: () => ({ path: 'admin/webhooks' }),
  createWebhook: () => ({ path: 'admin/webhooks', options: { json: WEBHOOK } }),
  getWebhook: async (instance) => ({ path: `admin/webhooks/${await newWebhook(instance)}` }),
  updateWebhook: async (instance) => ({
    path: `admin/webhooks/${await newWebhook(instance)}`,
    options: { json: { paused: true } },
  }),
  deleteWebhook: async (instance) => ({ path: `admin/webhooks/${await newWebhook(instance)}` }),
  rotateWebhookSecret: async (instance) => ({ path: `admin/webhooks/${await newWebhook(instance)}/secret-rotation` }),
  endSecretRotation: async (instance) => ({ path: `admin/webhooks/${await newWebhook(instance)}/secret-rotation` }),
  testWebhook: async (instance) => ({ path: `admin/webhooks/${await newWebhook(instance)}/test` }),
  listDeadLetters: async (instance) => ({ path: `admin/webhooks/${await newWebhook(instance)}/dead-letters` }),
  retryDeadLetters: async (instance) => ({
    path: `admin/webhooks/${await newWebhook(instance)}/dead-letters/retry`,
  }),
  retryDeadLetter: async (instance) => {
    const id = await newWebhook(instance);
    await instance.query(
      `insert into webhook_delivery (webhook_id, version, attempts, next_at_ms, dead, last_at_ms) values ($1, 1, 9, 0, 1, 0)`,
      id,
    );
    return { path: `admin/webhooks/${id}/dead-letters/1/retry` };
  },
  getOrganisation: () => ({ path: 'organisation' }),
  updateOrganisation: () => ({ path: 'organisation', options: { json: { name: `Shelter ${++count}` } } }),
  updateLogo: () => ({ path: 'organisation/logo', options: fileUpload(photo) }),
  deleteLogo: async ({ call }) => {
    await requireSuccess(call, 'PUT', 'organisation/logo', withHeaders(fileUpload(photo), keeper));
    return { path: 'organisation/logo' };
  },
  getOwnFields: () => ({ path: 'own-fields' }),
  updateOwnFields: () => ({ path: 'own-fields', options: { json: { fields: [] } } }),
  getEnquiryForm: () => ({ path: 'pet/7/enquiry-form' }),
  // As a program, of which nothing is stored: the number of enquiries is limited.
  sendEnquiry: async ({ call, query }) => {
    await requireSuccess(call, 'PUT', 'enquiry-settings', { headers: keeper, json: OPEN_FORM });
    const token = await agedToken(query, 7n, nowMs);
    return { path: 'pet/7/enquiries', options: { json: { ...ENQUIRY, token, website: 'filled in' } } };
  },
  getEnquirySettings: () => ({ path: 'enquiry-settings' }),
  updateEnquirySettings: () => ({ path: 'enquiry-settings', options: { json: OPEN_FORM } }),
  listEnquiries: () => ({ path: 'enquiries' }),
  getEnquiryOverview: () => ({ path: 'enquiries/overview' }),
  exportEnquiries: () => ({ path: 'export/enquiries?format=csv' }),
  getEnquiry: async ({ query }) => ({ path: `enquiries/${await storeEnquiry(query)}` }),
  updateEnquiry: async ({ query }) => ({
    path: `enquiries/${await storeEnquiry(query)}`,
    options: { json: { state: 'closed' } },
  }),
  addEnquiryNote: async ({ query }) => ({
    path: `enquiries/${await storeEnquiry(query)}/notes`,
    options: { json: { text: 'A note' } },
  }),
  answerEnquiry: async ({ query }) => ({
    path: `enquiries/${await storeEnquiry(query)}/answers`,
    options: { json: { text: 'An answer' } },
  }),
  deleteEnquiry: async ({ query }) => ({ path: `enquiries/${await storeEnquiry(query)}` }),
  eraseEnquiries: async ({ query }) => {
    await storeEnquiry(query);
    return { path: 'enquiries/erase', options: { json: { email: ENQUIRY.email } } };
  },
  getEmbedding: () => ({ path: 'embedding' }),
  updateEmbedding: () => ({ path: 'embedding', options: { json: { sites: 'all' } } }),
  getListingFeed: async ({ call }) => {
    const { text } = await requireSuccess(call, 'POST', 'admin/listings/open/key', { headers: keeper });
    return { path: `feeds/open/pets.json?key=${(JSON.parse(text) as { key: string }).key}` };
  },
  listListings: () => ({ path: 'admin/listings' }),
  updateListing: () => ({ path: 'admin/listings/petfinder', options: { json: { on: true } } }),
  uploadListing: () => ({ path: 'admin/listings/petfinder/upload' }),
  createFeedKey: () => ({ path: 'admin/listings/petfinder/key' }),
  revokeFeedKey: () => ({ path: 'admin/listings/petfinder/key' }),
  listListingPets: () => ({ path: 'admin/listings/petfinder/pets' }),
  updateListingPet: async ({ call }) => ({
    path: `admin/listings/petfinder/pets/${await petWithPhoto(call)}`,
    options: { json: { listed: ++count % 2 === 0 } },
  }),
  getSystem: () => ({ path: 'admin/system' }),
  listLogEntries: () => ({ path: 'admin/log' }),
  getActivity: () => ({ path: 'admin/activity' }),
  getHealth: () => ({ path: 'admin/health' }),
  checkHealth: () => ({ path: 'admin/health' }),
  listAuditEntries: () => ({ path: 'admin/audit?limit=5' }),
  listBackups: () => ({ path: 'admin/backups' }),
  startBackup: () => ({ path: 'admin/backups' }),
  downloadBackup: () => ({ path: `admin/backups/${backup}/archive` }),
  checkBackup: () => ({ path: `admin/backups/${backup}/check`, options: { json: {} } }),
  // Refused: a restore would end the service.
  restoreBackup: () => ({ path: `admin/backups/${backup}/restore`, options: { json: { confirmation: 'no' } } }),
  getRestore: () => ({ path: 'admin/restore' }),
  undoRestore: () => ({ path: 'admin/restore/undo', options: { json: { confirmation: 'undo' } } }),
  createPlayground: () => ({ path: 'playgrounds', options: { json: { contents: 'empty', lifetimeSeconds: 60 } } }),
  listPlaygrounds: () => ({ path: 'playgrounds' }),
  getPlayground: async (instance) => ({ path: `playgrounds/${await newPlayground(instance)}` }),
  deletePlayground: async (instance) => ({ path: `playgrounds/${await newPlayground(instance)}` }),
  resetPlayground: async (instance) => ({ path: `playgrounds/${await newPlayground(instance)}/reset` }),
  takePlaygroundSnapshot: async (instance) => ({ path: `playgrounds/${await newPlayground(instance)}/snapshots` }),
  restorePlaygroundSnapshot: async (instance) => {
    const token = await newPlayground(instance);
    const { text } = await requireSuccess(instance.call, 'POST', `playgrounds/${token}/snapshots`);
    return { path: `playgrounds/${token}/snapshots/${(JSON.parse(text) as { id: string }).id}/restore` };
  },
  listPlaygroundRequests: async (instance) => ({ path: `playgrounds/${await newPlayground(instance)}/requests` }),
  exportPlaygroundRequests: async (instance) => ({ path: `playgrounds/${await newPlayground(instance)}/requests/har` }),
  deletePlaygroundRequests: async (instance) => ({ path: `playgrounds/${await newPlayground(instance)}/requests` }),
  getPlaygroundFaults: async (instance) => ({ path: `playgrounds/${await newPlayground(instance)}/faults` }),
  setPlaygroundFaults: async (instance) => ({
    path: `playgrounds/${await newPlayground(instance)}/faults`,
    options: { json: { rules: [] } },
  }),
  getPlaygroundBugs: async (instance) => ({ path: `playgrounds/${await newPlayground(instance)}/bugs` }),
  setPlaygroundBugs: async (instance) => ({
    path: `playgrounds/${await newPlayground(instance)}/bugs`,
    options: { json: { on: [] } },
  }),
};

/** A session of a new user with the role of the caller, for operations that change how the user logs in. */
async function newOwner(call: Call, { column }: Caller): Promise<string> {
  const username = `owner-${++count}`;
  await requireSuccess(call, 'POST', 'user', { headers: keeper, json: { username, password: WEAK_PASSWORD } });
  const role = ROLES.find((each) => column === each) ?? 'viewer';
  await requireSuccess(call, 'PUT', `admin/users/${username}/role`, { headers: keeper, json: { role } });
  return logIn(call, username, WEAK_PASSWORD);
}

async function newCodeOwner(call: Call, caller: Caller): Promise<Readonly<Record<string, string>>> {
  const token = await newOwner(call, caller);
  await setUpTotp(call, token, nowMs);
  return bearer(token);
}

async function newPasskeyOwner(call: Call, caller: Caller): Promise<Ask> {
  const token = await newOwner(call, caller);
  const { id } = await addPasskey(call, token, new Authenticator(ORIGIN));
  return { path: `account/passkeys/${id}`, headers: bearer(token) };
}

/** Another pet with the photo. */
async function petWithPhoto(call: Call): Promise<string> {
  const photoUrls = [`http://localhost/v2/photo/${digest}`];
  const { text } = await requireSuccess(call, 'POST', 'pet', { headers: keeper, json: { name: 'Brief', photoUrls } });
  return /\d+/.exec(text)?.[0] ?? assert.fail();
}

/** The version created with the pet. */
async function firstVersion({ call }: Instance): Promise<string> {
  const { text } = await requireSuccess(call, 'GET', 'pet/7/history?limit=1000', { headers: keeper });
  const versions = JSON.parse(text) as { version: number }[];
  return String(versions.at(-1)?.version);
}

/** The host does not exist (RFC 2606). */
const WEBHOOK = { url: 'https://pets.invalid/', events: ['*'] };

/** Deletes an earlier one first, because their number is limited. */
async function newWebhook({ call, query }: Instance): Promise<string> {
  await query('delete from webhook');
  const { text } = await requireSuccess(call, 'POST', 'admin/webhooks', { headers: keeper, json: WEBHOOK });
  return (JSON.parse(text) as { id: string }).id;
}

async function newPlayground({ call }: Instance): Promise<string> {
  const options = { headers: keeper, json: { contents: 'empty' } };
  const { text } = await requireSuccess(call, 'POST', 'playgrounds', options);
  return (JSON.parse(text) as { token: string }).token;
}

/** A key of the caller's own account, or of the viewer's. */
async function freshKey({ call }: Instance, { username = 'vera' }: Caller): Promise<string> {
  const owner = callers.find((caller) => caller.username === username);
  const token = owner?.headers['authorization']?.slice('Bearer '.length) ?? assert.fail();
  return (await createKey(call, token, ['write:pets'])).id;
}

/** A login at the provider of the caller's own account, or of the viewer's. */
async function linkedLogin(instance: Instance, { username = 'vera' }: Caller): Promise<string> {
  const headers = callers.find((caller) => caller.username === username)?.headers ?? assert.fail();
  return linkTo(instance, username, 'account/providers', headers);
}

function loginOfTarget(instance: Instance): Promise<string> {
  return linkTo(instance, 'target', 'admin/users/target/providers', keeper);
}

/** Links a login to an account. @returns its ID, from a list */
async function linkTo(
  { call, query }: Instance,
  username: string,
  path: string,
  headers: Caller['headers'],
): Promise<string> {
  await query('delete from provider_login');
  await query(
    `insert into provider_login (issuer, subject, account_id, name, created_at_ms)
     select $1, 'a-subject', id, 'Vera', 0 from account where username = $2`,
    provider.issuer,
    username,
  );
  const { text } = await requireSuccess(call, 'GET', path, { headers });
  return (JSON.parse(text) as { id: string }[])[0]?.id ?? assert.fail();
}

const NEW_PROGRAM = { name: 'new', redirectUris: [], scopes: ['write:pets'], isPublic: false };

/** A program of the caller's own account, or of the viewer's. Deletes earlier ones, because their number is limited. */
async function freshProgram({ call, query }: Instance, { username = 'vera' }: Caller): Promise<string> {
  const owner = callers.find((caller) => caller.username === username) ?? assert.fail();
  await query(`delete from oauth_client where id <> '${clientCredentials.client_id}'`);
  const { text } = await requireSuccess(call, 'POST', 'account/oauth-clients', {
    headers: owner.headers,
    json: NEW_PROGRAM,
  });
  return (JSON.parse(text) as { id: string }).id;
}

/** Allowed everywhere, and slow because of password hashing, so fewer callers suffice. */
const SLOW: ReadonlySet<string> = new Set([
  'loginUser',
  'loginUserWithBody',
  'resetPassword',
  'signInWithPassword',
  'signInWithCode',
]);
const oneOfEach = COLUMNS.map((column) => callers.find((caller) => caller.column === column) ?? assert.fail(column));

function statusOf(row: Row | undefined, { column }: Caller): number {
  return row?.[column] ?? assert.fail();
}

/** Followers with invalid credentials are not treated as anonymous. */
function isEnded(operation: OperationId, instance: Instance, { isDead = false }: Caller): boolean {
  return isDead && operation === 'streamEvents' && instance === secured;
}

/** The status of a success other than 200. */
const SUCCESSES: Partial<Record<OperationId, number>> = {
  startBackup: 202,
  restoreBackup: 400,
  undoRestore: 409,
  // The service sends no e-mail.
  requestEmailConfirmation: 409,
  confirmEmail: 409,
  requestPasswordReset: 409,
  answerEnquiry: 409,
  createSavedSearch: 409,
  confirmSavedSearch: 409,
  testMail: 409,
  resendInvitation: 409,
  retryDeadMail: 409,
  retryWaitingMail: 409,
  uploadListing: 409,
  deleteDeadMail: 404,
};

async function ask(instance: Instance, operation: OperationId, caller: Caller, status: number): Promise<HttpResponse> {
  const { path, options = {}, headers = caller.headers } = await asks[operation]!(instance, caller, status);
  const before = status === 200 ? undefined : await instance.stored();
  const response = await instance.call(ENDPOINTS[operation].method, path, withHeaders(options, headers));
  const context = `${operation} ${caller.title}: ${response.status}`;
  if (status === 200) assert.equal(response.status, SUCCESSES[operation] ?? 200, `${context} ${response.text}`);
  else assertDenied(response, status, context);
  if (status !== 200) assert.equal(await instance.stored(), before, `${context}: data was changed`);
  return response;
}

function assertDenied(response: HttpResponse, status: number, context: string): void {
  assertRefused(response, status, context);
  assert.equal(response.headers.get('www-authenticate'), status === 401 ? 'Bearer realm="menagerie"' : null, context);
  assert.equal(response.headers.get('set-cookie'), null, context);
}

/** Opens a service whose endpoint table has no permissions, so that only the use cases check them. */
async function openInstanceWithoutPermissions(): Promise<Instance> {
  const endpoints = ENDPOINTS as Record<OperationId, { permission: Endpoint['permission'] }>;
  const permissions = OPERATIONS.map((operation) => [operation, endpoints[operation].permission] as const);
  for (const operation of OPERATIONS) endpoints[operation].permission = undefined;
  try {
    return await openInstance([]);
  } finally {
    for (const [operation, action] of permissions) endpoints[operation].permission = action;
  }
}

const NEEDS_OF_MODES: readonly [title: string, settings: AccessSettings, table: typeof SECURED][] = [
  ['secured access', { mode: 'secured', signUp: true }, SECURED],
  ['secured access without sign-up', { mode: 'secured', signUp: false }, WITHOUT_SIGN_UP],
  ['open access', { mode: 'open', signUp: true }, FREE],
  ['a sandbox', { mode: 'sandbox', signUp: true }, FREE],
];

/** The status of an operation with this permission, by the rules alone. */
function statusByRules(settings: AccessSettings, permission: Action | undefined, column: Column): number {
  if (permission === undefined) return 200;
  try {
    createAccess(settings)(actorOf(column), permission, column === 'viewer');
    return 200;
  } catch (error) {
    return error instanceof Failure ? FAILURE_STATUS[error.code] : assert.fail(String(error));
  }
}

function actorOf(column: Column): Actor {
  const address = '127.0.0.1';
  if (column === 'anonymous') return { kind: 'anonymous', address };
  const role = ROLES.find((each) => column.includes(each)) ?? assert.fail(column);
  const account = { address, userId: 1n, username: 'ada', role };
  if ((SESSIONS as readonly Column[]).includes(column))
    return { kind: 'signed-in', ...account, session: testSession({ id: '1', digest: '', startedAtMs: 0 }) };
  return {
    kind: 'key',
    ...account,
    keyId: '1',
    isAccessToken: false,
    scopes: [column.endsWith('write') ? 'write:pets' : 'read:pets'],
  };
}

for (const [title, settings, table] of NEEDS_OF_MODES) {
  void test(`endpoint table: the permission of each operation agrees with the access matrix in ${title}`, () => {
    for (const operation of OPERATIONS) {
      const statuses = COLUMNS.map((column) => [
        column,
        statusByRules(settings, ENDPOINTS[operation].permission, column),
      ]);
      assert.deepEqual(Object.fromEntries(statuses), table[operation], operation);
    }
  });
}

void describe('use cases without the check of the endpoint table', () => {
  // In a bulk request, each line is refused separately.
  const checked = OPERATIONS.filter((each) => ENDPOINTS[each].permission !== undefined && each !== 'changePets');
  for (const operation of checked) {
    void it(`${operation}: allows the same callers`, { skip: skipOperation(operation) }, async () => {
      for (const caller of oneOfEach) await ask(useCasesAlone, operation, caller, statusOf(SECURED[operation], caller));
    });
  }
});

/** The headers of browsers for pages of other sites. */
const FOREIGN: readonly Record<string, string>[] = [
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { 'sec-fetch-site': 'nonsense' },
  { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
  { origin: 'https://evil.example' },
  { origin: 'null' },
  { origin: `${secured.origin}.example.org` },
  { origin: 'http://localhost.example.org' },
  { origin: 'http://127.0.0.1.nip.io' },
  { origin: secured.origin.replace('//', '//user@') },
];

/** Pages of this machine are trusted in open access only. */
const OTHER_PORTS: readonly Record<string, string>[] = [
  { 'sec-fetch-site': 'cross-site', origin: secured.origin },
  { 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:1' },
  { origin: secured.origin.replace('http', 'https') },
];

/** In the browser of an administrator. The same request has its effect without the foreign origin. */
async function assertRefusedToOtherSites(instance: Instance, operation: OperationId, isFree: boolean): Promise<void> {
  const admin = callers.find(({ column }) => column === 'admin') ?? assert.fail();
  const { path, options = {}, headers = admin.headers } = await asks[operation]!(instance, admin, 200);
  const cookie = headers['authorization']?.replace('Bearer ', 'menagerie_session=') ?? '';
  const send = (from: Record<string, string>) =>
    instance.call(ENDPOINTS[operation].method, path, withHeaders(options, { cookie, ...from }));
  const before = await instance.stored();
  const hint = instance === secured ? /--cors-origins\.$/ : /or start the service with --access sandbox\.$/;
  for (const from of instance === secured ? [...FOREIGN, ...OTHER_PORTS] : FOREIGN) {
    const context = `${operation} ${JSON.stringify(from)}`;
    const response = await send(from);
    assert.match(assertRefused(response, 403, context).message, hint);
    for (const name of ['set-cookie', 'access-control-allow-origin', 'x-expires-after'])
      assert.equal(response.headers.get(name), null, context);
  }
  assert.equal(await instance.stored(), before, `${operation}: data was changed`);
  // A login or logout would end the session of the administrator, and needs none.
  const { status, text } = await send({ 'sec-fetch-site': 'same-origin', ...(isFree && { cookie: '' }) });
  assert.equal(status, SUCCESSES[operation] ?? 200, `${operation} ${text}`);
}

void test('access matrix: covers each operation in each mode', () => {
  for (const { title, table } of modes) assert.deepEqual(Object.keys(table).toSorted(), OPERATIONS.toSorted(), title);
  assert.deepEqual(Object.keys(asks).toSorted(), OPERATIONS.toSorted());
});

for (const { title, instance, table } of modes) {
  void describe(`access matrix in ${title}`, () => {
    for (const operation of OPERATIONS) {
      const row = table[operation];
      const isFree = row === ALL_CALLERS;
      const few = SLOW.has(operation) && instance !== secured ? oneOfEach.slice(0, 2) : oneOfEach;

      void it(`${operation}: allows the callers of the matrix`, { skip: skipOperation(operation) }, async () => {
        for (const caller of instance === secured && !SLOW.has(operation) ? callers : few)
          await ask(instance, operation, caller, isEnded(operation, instance, caller) ? 401 : statusOf(row, caller));
      });

      const { method, path, body, changes }: Endpoint = ENDPOINTS[operation];
      // Operations for pages of all origins do not read the session.
      if (changes && !isForAllOrigins(path)) {
        void it(`${operation}: refused to pages of other sites`, { skip: skipOperation(operation) }, () =>
          assertRefusedToOtherSites(instance, operation, isFree),
        );
      }

      if (method === 'GET' && !isFree) {
        void it(`HEAD of ${operation}: allows the same callers`, { skip: skipOperation(operation) }, async () => {
          for (const caller of oneOfEach) {
            const status = statusOf(row, caller);
            const { path } = await asks[operation]!(instance, caller, status);
            const response = await instance.call('HEAD', path, { headers: caller.headers });
            assert.equal(response.status, status, caller.title);
            assert.equal(response.text, '');
          }
        });
      }

      if (body !== 'none' && !isFree) {
        void it(`${operation}: reports the missing permission before any other error`, async () => {
          for (const caller of instance === secured ? callers : oneOfEach) {
            const status = statusOf(row, caller);
            if (status === 200) continue;
            const { path } = await asks[operation]!(instance, caller, status);
            for (const wrong of wrongBodies) {
              const response = await instance.call(method, path, withHeaders(wrong, caller.headers));
              assertDenied(response, status, `${operation} ${caller.title} ${JSON.stringify(wrong.headers)}`);
            }
          }
        });
      }
    }
  });
}

void test('secured access without sign-up: only administrators create users', async () => {
  const instance = await openInstance(['--no-sign-up']);
  for (const caller of oneOfEach)
    await ask(instance, 'createUser', caller, statusOf(WITHOUT_SIGN_UP.createUser, caller));
});

void test('sandbox access: allows the same as open access', async () => {
  const instance = await openInstance(['--access', 'sandbox']);
  for (const operation of ['addPet', 'deletePet', 'createUsersWithListInput', 'listWebhooks'] as const)
    for (const caller of oneOfEach) await ask(instance, operation, caller, statusOf(FREE[operation], caller));
});

void test('permission: is checked before the size of the body', async () => {
  const tooLarge = { body: Buffer.alloc(2 * 1024 * 1024, ' '), headers: { 'content-type': 'application/json' } };
  for (const path of ['pet', 'user/createWithList', 'account/password'])
    assertDenied(await secured.call(path === 'pet' ? 'PUT' : 'POST', path, tooLarge), 401, path);
});

const wrongBodies: CallOptions[] = [
  { body: Buffer.from('{"broken'), headers: { 'content-type': 'application/json' } },
  { body: Buffer.from('[]'), headers: { 'content-type': 'application/json' } },
  { body: Buffer.from('hello'), headers: { 'content-type': 'text/plain' } },
  { body: Buffer.from('{}'), headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' } },
  { headers: {} },
];

void test('permission: is checked before the existence of the record', async () => {
  const viewer = callers.find(({ column }) => column === 'viewer') ?? assert.fail();
  const requests: [method: string, path: string][] = [
    ['DELETE', 'pet/987654321'],
    ['DELETE', 'pet/no-id'],
    ['POST', 'pet/987654321'],
    ['PATCH', 'pet/987654321'],
    ['GET', 'pet/987654321/history'],
    ['GET', 'pet/987654321/history/1'],
    ['POST', 'pet/987654321/history/1/restore'],
    ['POST', 'pet/987654321/restore'],
    ['GET', 'user/otto'],
    ['GET', 'user/no-such-user'],
    ['DELETE', 'user/no-such-user'],
    ['GET', 'admin/users/no-such-user'],
    ['DELETE', 'admin/keys/no-such-key'],
    ['GET', 'admin/users?role=no-such-role'],
    ['GET', 'admin/audit?limit=-1'],
  ];
  for (const [method, path] of requests) {
    const refused = assertRefused(await secured.call(method, path, { headers: viewer.headers }), 403, path);
    assert.equal(refused.message, 'Your account does not have permission for this operation.');
    assertRefused(await secured.call(method, path), 401, path);
  }
});

void describe('account with a role above viewer in open access', () => {
  for (const operation of ['updateUser', 'deleteUser'] as const) {
    void it(`${operation}: refused to anonymous callers`, async () => {
      for (const caller of callers) {
        const status = statusOf(TRUSTED_ACCOUNT, caller);
        const { username, own } = await addTrusted(open, caller.column === 'editor', 'editor');
        const before = await open.stored();
        const response = await open.call(ENDPOINTS[operation].method, `user/${username}`, {
          headers: own ?? caller.headers,
          ...(operation === 'updateUser' && { json: { username, password: 'stolen', firstName: 'Mine now' } }),
        });
        if (status === 200) assert.equal(response.status, 200, `${caller.title} ${response.text}`);
        else assertDenied(response, status, caller.title);
        if (status !== 200) assert.equal(await open.stored(), before, `${caller.title}: data was changed`);
      }
    });

    void it(`${operation}: refused to an editor for an administrator`, async () => {
      const { username } = await addTrusted(open, false, 'admin');
      const editor = callers.find(({ column }) => column === 'editor') ?? assert.fail();
      for (const [headers, status] of [
        [{}, 401],
        [editor.headers, 403],
      ] as const) {
        const before = await open.stored();
        const json = operation === 'updateUser' ? { json: { password: 'stolen' } } : {};
        const response = await open.call(ENDPOINTS[operation].method, `user/${username}`, { headers, ...json });
        assertDenied(response, status, username);
        assert.equal(await open.stored(), before);
      }
    });
  }

  void it('is readable by everyone, as in Petstore', async () => {
    const { status, text } = await open.call('GET', 'user/root');
    assert.equal(status, 200);
    assert.doesNotMatch(text, /admin|role|argon|password/);
  });

  void it('keeps its name: no other account may take it', async () => {
    assertRefused(await open.call('POST', 'user', { json: { username: 'ROOT', password: 'stolen' } }), 409);
    assertRefused(await open.call('POST', 'user/createWithList', { json: [{ username: 'root' }] }), 409);
    assertRefused(await open.call('PUT', 'user/otto', { json: { username: 'Root' } }), 409);
  });
});

/** @param canLogIn whether it has a session */
async function addTrusted({ call }: Instance, canLogIn: boolean, role: string) {
  const username = `trusted-${++count}`;
  const password = canLogIn ? WEAK_PASSWORD : undefined;
  await requireSuccess(call, 'POST', 'user', { headers: keeper, json: { username, password } });
  await requireSuccess(call, 'PUT', `admin/users/${username}/role`, { headers: keeper, json: { role } });
  return { username, own: canLogIn ? bearer(await logIn(call, username, WEAK_PASSWORD)) : undefined };
}

void test('editor: may use the own account, under any case of the name', async () => {
  const { headers } = callers.find(({ column }) => column === 'editor') ?? assert.fail();
  for (const name of ['edna', 'EDNA', '%65dna'])
    assert.equal((await secured.call('GET', `user/${name}`, { headers })).status, 200, name);
});

// How credentials are presented.

const PREFIX = 'logged in user session:';

const ways: [title: string, headers: (secret: string) => Readonly<Record<string, string>>][] = [
  ['as Bearer', bearer],
  ['as bearer in lower case', (secret) => ({ authorization: `bearer ${secret}` })],
  ['as Bearer with the prefix', (secret) => bearer(PREFIX + secret)],
  ['as Bearer, a JSON string as the login returns it', (secret) => bearer(JSON.stringify(PREFIX + secret))],
  ['as api_key', (secret) => ({ api_key: secret })],
  ['as api_key with the prefix', (secret) => ({ api_key: PREFIX + secret })],
  ['as the cookie', (secret) => ({ cookie: `a=b; menagerie_session=${secret}; c=d` })],
  [
    'as the cookie with the prefix',
    (secret) => ({ cookie: `menagerie_session=${encodeURIComponent(PREFIX + secret)}` }),
  ],
];
for (const [title, present] of ways) {
  void test(`session token: accepted ${title}`, async () => {
    const token = await logIn(secured.call, 'edna');
    const headers = present(token);
    const { text } = await requireSuccess(secured.call, 'GET', 'account', { headers });
    assert.equal((JSON.parse(text) as { username: string }).username, 'edna');
    await requireSuccess(secured.call, 'POST', 'pet', { headers, json: { name: 'Presented' } });
    await requireSuccess(secured.call, 'GET', 'user/logout', { headers });
    assertRefused(await secured.call('GET', 'account', { headers }), 401);
  });
}
for (const [title, present] of ways.slice(0, 5)) {
  void test(`API key: accepted ${title}`, async () => {
    const key = callers.find(({ column }) => column === writingKeyOf('editor'))?.headers['api_key'] ?? assert.fail();
    await requireSuccess(secured.call, 'POST', 'pet', { headers: present(key), json: { name: 'Presented' } });
    await requireSuccess(secured.call, 'GET', 'user/logout', { headers: present(key) });
    await requireSuccess(secured.call, 'POST', 'pet', {
      headers: present(key),
      json: { name: 'Not ended by a logout' },
    });
  });
}

void test('invalid credentials: ignored beside valid ones, in any order', async () => {
  const goods = ['editor', writingKeyOf('editor')].map((column) => {
    const { headers } = callers.find((caller) => caller.column === column) ?? assert.fail();
    return headers['authorization']?.slice('Bearer '.length) ?? headers['api_key'] ?? assert.fail();
  });
  const bads = [
    'special-key',
    'A'.repeat(43),
    `mgk_${'A'.repeat(43)}`,
    ...callers
      .filter(({ title }) => /expired|revoked|logged out|closed|removed/.test(title))
      .map(({ headers }) => headers['authorization']?.slice('Bearer '.length) ?? headers['api_key'] ?? assert.fail()),
  ];
  assert.equal(bads.length, 11);
  const json = { name: 'Beside' };
  for (const good of goods) {
    for (const bad of bads) {
      const mixtures: Record<string, string>[] = [
        { ...bearer(bad), api_key: good },
        { ...bearer(good), api_key: bad },
        { ...bearer(bad), cookie: `menagerie_session=${good}` },
        { ...bearer(good), cookie: `menagerie_session=${bad}` },
        { api_key: bad, cookie: `menagerie_session=${good}` },
        { ...bearer(bad), api_key: bad, cookie: `menagerie_session=${good}` },
      ];
      for (const headers of mixtures) await requireSuccess(secured.call, 'POST', 'pet', { headers, json });
    }
  }
});

void test('two valid credentials: the first counts, in the order Authorization, api_key, cookie', async () => {
  const [vera, edna] = ['vera', 'edna'].map(
    (name) => callers.find(({ username }) => username === name)?.headers['authorization']?.slice(7) ?? assert.fail(),
  );
  const pairs: Record<string, string>[] = [
    { authorization: `Bearer ${vera}`, api_key: edna ?? '' },
    { authorization: `Bearer ${vera}`, cookie: `menagerie_session=${edna}` },
    { api_key: vera ?? '', cookie: `menagerie_session=${edna}` },
  ];
  for (const headers of pairs) {
    const { text } = await requireSuccess(secured.call, 'GET', 'account', { headers });
    assert.equal((JSON.parse(text) as { username: string }).username, 'vera');
    assertRefused(await secured.call('POST', 'pet', { headers, json: { name: 'Not hers' } }), 403);
  }
});

const noCredentials: [title: string, headers: (secret: string) => Readonly<Record<string, string>>][] = [
  ['in the query', () => ({})],
  ['without a scheme', (secret) => ({ authorization: secret })],
  ['as Basic', (secret) => ({ authorization: `Basic ${Buffer.from(`edna:${secret}`).toString('base64')}` })],
  ['under another header', (secret) => ({ 'x-api-key': secret, token: secret })],
  ['as another cookie', (secret) => ({ cookie: `session=${secret}; __Host-menagerie_session=${secret}` })],
  ['with more behind it', (secret) => bearer(`${secret}A`)],
  ['cut off', (secret) => bearer(secret.slice(0, -1))],
  [
    'in another case',
    (secret) =>
      bearer(secret.replaceAll(/[a-z]/gi, (letter) => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase()))),
  ],
  ['with an unknown prefix', (secret) => bearer(`session:${secret}`)],
];
for (const [title, present] of noCredentials) {
  void test(`session token or API key: not accepted ${title}`, async () => {
    const session = callers.find(({ column }) => column === 'editor')?.headers['authorization']?.slice(7) ?? '';
    const key = callers.find(({ column }) => column === writingKeyOf('editor'))?.headers['api_key'] ?? '';
    for (const secret of [session, key]) {
      const query = title === 'in the query' ? `?api_key=${secret}&access_token=${secret}&token=${secret}` : '';
      const response = await secured.call('POST', `pet${query}`, { headers: present(secret), json: { name: 'None' } });
      assertDenied(response, 401, title);
    }
  });
}
