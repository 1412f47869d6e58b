import assert from 'node:assert/strict';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it, test } from 'node:test';
import { FAILURE_STATUS } from '../../src/api/answers.ts';
import { PETSTORE_OPERATIONS } from '../../src/api/documents/petstore.ts';
import { ENDPOINTS, type Endpoint, type OperationId } from '../../src/api/endpoints.ts';
import {
  createAccess,
  ROLES,
  type AccessSettings,
  type Action,
  type Actor,
  type Role,
} from '../../src/domain/access.ts';
import { Failure } from '../../src/domain/failure.ts';
import { assertRefused, type Answer, type Call, type CallOptions } from '../support/client.ts';
import { fileUpload } from '../support/multipart.ts';
import { makePicture } from '../support/pictures.ts';
import {
  bearer,
  createKey,
  logIn,
  newSecuredFolder,
  PASSWORDS,
  STAFF,
  startSecuredService,
} from '../support/secured.ts';
import { openStored, openTables, type StoredTables } from '../support/stored.ts';

/*
 * Who may do what: every operation, asked for by everybody there is, in every mode. The tables are those of docs/rules.md.
 */

/** The callers by what they present. A caller without valid credentials is `nobody`. */
const SESSIONS = [...ROLES, 'other viewer'] as const;
const READING_KEY = "editor's key that may read";
const KEYS = [...ROLES.map(writingKeyOf), READING_KEY] as const;
const COLUMNS = ['nobody', ...SESSIONS, ...KEYS] as const;

type Column = (typeof COLUMNS)[number];

/** The status that each caller gets. */
type Row = Readonly<Record<Column, number>>;

/** The operation is for these callers. Another session gets 403; a key that may not, and a caller without credentials, get 401. */
function onlyFor(...allowed: readonly Column[]): Row {
  const statusFor = (column: Column) => {
    if (allowed.includes(column)) return 200;
    return (SESSIONS as readonly Column[]).includes(column) ? 403 : 401;
  };
  return Object.fromEntries(COLUMNS.map((column) => [column, statusFor(column)])) as Row;
}

const EVERYBODY = onlyFor(...COLUMNS);
const EDITORS = onlyForRoles('editor', 'admin');
const USERS = onlyFor(...SESSIONS);
const ADMINS = onlyFor('admin');
/** The account of the operation is the viewer's. */
const OWNER = onlyFor('viewer', 'admin');

function writingKeyOf<R extends Role>(role: R): `${R}'s key that may write` {
  return `${role}'s key that may write`;
}

/** The operation is for sessions of these roles, and for their keys that may write. */
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
  'changePets',
  'deletePet',
  'uploadFile',
  'arrangePetPhotos',
  'updatePetPhoto',
  'removePetPhoto',
  'listPetHistory',
  'getPetVersion',
  'restorePetVersion',
  'listRemovedPets',
  'undeletePet',
] as const;

const SECURED: Partial<Record<OperationId, Row>> = {
  ...all(EVERYBODY, [
    'findPetsByStatus',
    'findPetsByTags',
    'getPetById',
    'findPets',
    'countChoices',
    'listTags',
    'listCategories',
    'getStatistics',
    'listPetPhotos',
    'getPhoto',
    'getPhotoInSize',
    'streamEvents',
    'getOpenApiDocument',
    'getSwaggerDocument',
    'createUser',
    'loginUser',
    'loginUserWithBody',
    'logoutUser',
    'resetPassword',
  ]),
  ...all(EDITORS, OF_EDITORS),
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
  ]),
  ...all(ADMINS, [
    'createUsersWithArrayInput',
    'createUsersWithListInput',
    'searchUsers',
    'getUserAsAdmin',
    'setUserRole',
    'closeUser',
    'reopenUser',
    'issueResetLink',
    'listUserSessions',
    'endUserSessions',
    'listUserKeys',
    'revokeAnyKey',
    'listAuditEntries',
    'listWebhooks',
    'createWebhook',
    'getWebhook',
    'updateWebhook',
    'removeWebhook',
    'testWebhook',
    'listDeadLetters',
    'sendDeadLettersAgain',
    'sendDeadLetterAgain',
  ]),
};

const WITHOUT_SIGN_UP: typeof SECURED = { ...SECURED, createUser: ADMINS };

/** Open access and sandbox: everybody may use the sixteen operations and those about pets. The others are as in secured access. */
const FREE: typeof SECURED = { ...SECURED, ...all(EVERYBODY, [...PETSTORE_OPERATIONS, ...OF_EDITORS]) };

/** In open access and sandbox, an account with a role above viewer: here the editor's own. */
const TRUSTED_ACCOUNT = onlyFor('editor', 'admin');

const OPERATIONS = Object.keys(ENDPOINTS) as readonly OperationId[];

const DAY_MS = 24 * 3_600_000;
const WEAK_PASSWORD = 'three wet towels hang on a line';

let nowMs = Date.UTC(2026, 2, 2, 9);
const clock = () => nowMs;

interface Caller {
  title: string;
  column: Column;
  /** Whose account it is, for somebody signed in. */
  username?: string;
  /** Were these credentials good once, or might they have been? */
  isDead?: boolean;
  headers: Readonly<Record<string, string>>;
}

interface House {
  call: Call;
  stored: () => Promise<string>;
  query: StoredTables['query'];
}

const folder = await newSecuredFolder();
after(() => rm(folder, { recursive: true, force: true }));
const picture = await makePicture({ width: 8, height: 8 });
const { callers, keeper, viewersSessionId, digest } = await furnish();

/** Everybody there is, made once: the modes below get copies of the same data. Those who are nobody any more were administrators. */
async function furnish() {
  const service = await startSecuredService({ after }, { dataDir: folder, clock });
  const { call } = service;
  const root = bearer(await logIn(call, 'root'));

  async function addAdmin(username: string): Promise<void> {
    await demand(call, 'POST', 'user', { headers: root, json: { username, password: WEAK_PASSWORD } });
    await demand(call, 'PUT', `admin/users/${username}/role`, { headers: root, json: { role: 'admin' } });
  }

  for (const username of ['closed-admin', 'removed-admin', 'keeper']) await addAdmin(username);
  const expiredKey = await createKey(call, root['authorization']?.slice(7) ?? '', ['write:pets'], { expiresInDays: 1 });
  // To the millisecond: the session above has not been used, and the key has lived, for a day.
  nowMs += DAY_MS;

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
    await demand(call, 'GET', 'pet/findByStatus?status=sold', { headers: bearer(secret) });
  await demand(call, 'GET', 'user/logout', { headers: bearer(tokens.loggedOut) });
  await demand(call, 'DELETE', `account/keys/${keys.revoked.id}`, { headers: bearer(tokens.admin) });
  await demand(call, 'POST', 'admin/users/closed-admin/close', { headers: keeper });
  await demand(call, 'DELETE', 'user/removed-admin', { headers: keeper });
  await demand(call, 'POST', 'user', { json: { username: 'target' } });
  await demand(call, 'POST', 'pet', {
    headers: keeper,
    json: { id: 7, name: 'Rex', status: 'available', tags: ['calm'] },
  });
  await demand(call, 'POST', 'pet/7/uploadImage', withHeaders(fileUpload(picture), keeper));
  const digest = /photo\/([0-9a-f]{64})/.exec((await call('GET', 'pet/7')).text)?.[1] ?? assert.fail();
  const viewersSessionId = await currentSession(call, bearer(tokens.viewer));
  await service.stop();

  const nobody = 'nobody';
  const callers: Caller[] = [
    { title: 'without credentials', column: nobody, headers: {} },
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
    { title: 'with the session of a closed account', column: nobody, isDead: true, headers: bearer(tokens.closed) },
    { title: 'with the session of a removed account', column: nobody, isDead: true, headers: bearer(tokens.removed) },
    { title: 'with an expired session', column: nobody, isDead: true, headers: root },
    { title: 'with a session that was logged out', column: nobody, isDead: true, headers: bearer(tokens.loggedOut) },
    { title: 'with an expired key', column: nobody, isDead: true, headers: bearer(expiredKey.key) },
    { title: 'with a revoked key', column: nobody, isDead: true, headers: { api_key: keys.revoked.key } },
    { title: 'with the key of a closed account', column: nobody, isDead: true, headers: { api_key: keys.closed.key } },
    {
      title: 'with the key of a removed account',
      column: nobody,
      isDead: true,
      headers: { api_key: keys.removed.key },
    },
    { title: 'with a token of nobody', column: nobody, isDead: true, headers: bearer('A'.repeat(43)) },
    { title: 'with a key of nobody', column: nobody, isDead: true, headers: { api_key: `mgk_${'A'.repeat(43)}` } },
    { title: 'with garbage', column: nobody, headers: { authorization: 'Basic cm9vdDpyb290', api_key: 'special-key' } },
  ];
  return { callers, keeper, viewersSessionId, digest };
}

async function forEachRole<T>(make: (role: Role) => Promise<T>): Promise<Readonly<Record<Role, T>>> {
  const made: [Role, T][] = [];
  for (const role of ROLES) made.push([role, await make(role)]);
  return Object.fromEntries(made) as Record<Role, T>;
}

/** The user of this role among `STAFF`: of viewers, the first. */
function userOf(role: Role): string {
  return Object.keys(STAFF).find((username) => STAFF[username] === role) ?? assert.fail(role);
}

async function demand(call: Call, method: string, path: string, options: CallOptions = {}): Promise<Answer> {
  const answer = await call(method, path, options);
  assert.equal(answer.status, 200, `${method} ${path}: ${answer.text}`);
  return answer;
}

function withHeaders(options: CallOptions, headers: Readonly<Record<string, string>>): CallOptions {
  return { ...options, headers: { ...options.headers, ...headers } };
}

async function currentSession(call: Call, headers: Readonly<Record<string, string>>): Promise<string> {
  const sessions = JSON.parse((await demand(call, 'GET', 'account/sessions', { headers })).text) as {
    id: string;
    current: boolean;
  }[];
  return sessions.find(({ current }) => current)?.id ?? assert.fail();
}

/** A house of its own with the same people, in this mode. */
async function openHouse(flags: readonly string[]): Promise<House> {
  const dataDir = await mkdtemp(join(tmpdir(), 'menagerie-test-'));
  await cp(folder, dataDir, { recursive: true });
  const service = await startSecuredService({ after }, { dataDir, flags, clock });
  const stored = await openStored({ after }, dataDir);
  after(async () => {
    await service.stop();
    await rm(dataDir, { recursive: true, force: true });
  });
  const { query } = await openTables({ after }, dataDir);
  return { call: service.call, stored, query };
}

interface Mode {
  title: string;
  house: House;
  table: typeof SECURED;
  /** Everybody, and with every mistake; beside the two modes that differ most, one of each kind will do. */
  isThorough: boolean;
}

const secured = await openHouse([]);
const open = await openHouse(['--access', 'open']);
const sandbox = await openHouse(['--access', 'sandbox']);
const useCasesAlone = await openHouseWithoutNeeds();
const modes: Mode[] = [
  { title: 'secured access', house: secured, table: SECURED, isThorough: true },
  {
    title: 'secured access without sign-up',
    house: await openHouse(['--no-sign-up']),
    table: WITHOUT_SIGN_UP,
    isThorough: false,
  },
  { title: 'open access', house: open, table: FREE, isThorough: true },
  { title: 'a sandbox', house: sandbox, table: FREE, isThorough: false },
];

let count = 0;

interface Ask {
  path: string;
  options?: CallOptions;
  /** In the place of the caller's: for what ends the very session that asks. */
  headers?: Readonly<Record<string, string>>;
}

/** A request for the operation that has all that it needs but, perhaps, the permission; and something of its own to change or remove. */
const asks: Readonly<Record<string, (house: House, caller: Caller, status: number) => Promise<Ask> | Ask>> = {
  addPet: () => ({ path: 'pet', options: { json: { name: `New ${++count}` } } }),
  updatePet: () => ({ path: 'pet', options: { json: { id: 7, name: `Rex ${++count}` } } }),
  findPetsByStatus: () => ({ path: 'pet/findByStatus?status=available' }),
  findPetsByTags: () => ({ path: 'pet/findByTags?tags=calm' }),
  findPets: () => ({ path: 'pet?text=rex' }),
  countChoices: () => ({ path: 'choices' }),
  listTags: () => ({ path: 'tags' }),
  listCategories: () => ({ path: 'categories' }),
  getStatistics: () => ({ path: 'statistics' }),
  getPetById: () => ({ path: 'pet/7' }),
  updatePetWithForm: () => ({ path: 'pet/7', options: { form: { name: `Rex ${++count}` } } }),
  patchPet: () => ({ path: 'pet/7', options: { json: { name: `Rex ${++count}` } } }),
  changePets: () => ({
    path: 'bulk',
    options: {
      body: Buffer.from(`{"op":"create","pet":{"name":"New ${++count}"}}`),
      headers: { 'content-type': 'application/x-ndjson' },
    },
  }),
  listPetHistory: () => ({ path: 'pet/7/history' }),
  getPetVersion: async (house) => ({ path: `pet/7/history/${await firstVersion(house)}` }),
  restorePetVersion: async (house) => ({ path: `pet/7/history/${await firstVersion(house)}/restore` }),
  listRemovedPets: () => ({ path: 'removed-pets' }),
  undeletePet: async ({ call }) => {
    const { text } = await demand(call, 'POST', 'pet', { headers: keeper, json: { name: 'Gone' } });
    const id = /\d+/.exec(text)?.[0];
    await demand(call, 'DELETE', `pet/${id}`, { headers: keeper });
    return { path: `pet/${id}/undelete` };
  },
  deletePet: async ({ call }) => {
    const { text } = await demand(call, 'POST', 'pet', { headers: keeper, json: { name: 'Brief' } });
    return { path: `pet/${/\d+/.exec(text)?.[0]}` };
  },
  uploadFile: () => ({ path: 'pet/7/uploadImage', options: fileUpload(picture) }),
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
    await demand(call, 'POST', 'user', { headers: keeper, json: { username, password } });
    const isOwn = password !== undefined;
    return { path: `user/${username}`, ...(isOwn && { headers: bearer(await logIn(call, username, password)) }) };
  },
  listPetPhotos: () => ({ path: 'pet/7/photos' }),
  arrangePetPhotos: async ({ call }) => ({
    path: `pet/${await petWithPicture(call)}/photos`,
    options: { json: { photos: [] } },
  }),
  updatePetPhoto: async ({ call }) => ({
    path: `pet/${await petWithPicture(call)}/photos/${digest}`,
    options: { json: { alt: `A picture ${++count}` } },
  }),
  removePetPhoto: async ({ call }) => ({ path: `pet/${await petWithPicture(call)}/photos/${digest}` }),
  getPhoto: () => ({ path: `photo/${digest}` }),
  getPhotoInSize: () => ({ path: `photo/${digest}/small` }),
  streamEvents: () => ({ path: 'events' }),
  getOpenApiDocument: () => ({ path: 'openapi.json' }),
  getSwaggerDocument: () => ({ path: 'swagger.json' }),
  resetPassword: async ({ call }) => {
    const { text } = await demand(call, 'POST', 'admin/users/target/reset-link', { headers: keeper });
    const { token } = JSON.parse(text) as { token: string };
    return { path: 'password-reset', options: { json: { token, newPassword: WEAK_PASSWORD } } };
  },
  getAccount: () => ({ path: 'account' }),
  changePassword: (_house, { username = 'vera' }) => {
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
  listKeys: () => ({ path: 'account/keys' }),
  createKey: () => ({ path: 'account/keys', options: { json: { name: 'new', scopes: ['write:pets'] } } }),
  revokeKey: async (house, caller) => ({ path: `account/keys/${await freshKey(house, caller)}` }),
  searchUsers: () => ({ path: 'admin/users?text=target' }),
  getUserAsAdmin: () => ({ path: 'admin/users/target' }),
  setUserRole: () => ({ path: 'admin/users/target/role', options: { json: { role: 'editor' } } }),
  closeUser: () => ({ path: 'admin/users/target/close' }),
  reopenUser: () => ({ path: 'admin/users/closed-admin/reopen' }),
  issueResetLink: () => ({ path: 'admin/users/target/reset-link' }),
  listUserSessions: () => ({ path: 'admin/users/vera/sessions' }),
  // Of an account that nobody here uses.
  endUserSessions: async ({ call }, _caller, status) => {
    if (status === 200) return { path: 'admin/users/target/sessions' };
    await demand(call, 'GET', 'admin/users/vera/sessions', { headers: keeper });
    return { path: 'admin/users/vera/sessions' };
  },
  listUserKeys: () => ({ path: 'admin/users/vera/keys' }),
  revokeAnyKey: async (house, caller) => ({ path: `admin/keys/${await freshKey(house, caller)}` }),
  listWebhooks: () => ({ path: 'admin/webhooks' }),
  createWebhook: () => ({ path: 'admin/webhooks', options: { json: WEBHOOK } }),
  getWebhook: async (house) => ({ path: `admin/webhooks/${await newWebhook(house)}` }),
  updateWebhook: async (house) => ({
    path: `admin/webhooks/${await newWebhook(house)}`,
    options: { json: { paused: true } },
  }),
  removeWebhook: async (house) => ({ path: `admin/webhooks/${await newWebhook(house)}` }),
  testWebhook: async (house) => ({ path: `admin/webhooks/${await newWebhook(house)}/test` }),
  listDeadLetters: async (house) => ({ path: `admin/webhooks/${await newWebhook(house)}/dead-letters` }),
  sendDeadLettersAgain: async (house) => ({
    path: `admin/webhooks/${await newWebhook(house)}/dead-letters/send-again`,
  }),
  sendDeadLetterAgain: async (house) => {
    const id = await newWebhook(house);
    await house.query(
      `insert into webhook_delivery (webhook_id, version, attempts, next_at_ms, dead, last_at_ms) values ($1, 1, 9, 0, 1, 0)`,
      id,
    );
    return { path: `admin/webhooks/${id}/dead-letters/1/send-again` };
  },
  listAuditEntries: () => ({ path: 'admin/audit?limit=5' }),
};

/** Another pet that has the picture. */
async function petWithPicture(call: Call): Promise<string> {
  const photoUrls = [`http://localhost/v2/photo/${digest}`];
  const { text } = await demand(call, 'POST', 'pet', { headers: keeper, json: { name: 'Brief', photoUrls } });
  return /\d+/.exec(text)?.[0] ?? assert.fail();
}

/** The version in which the pet was added. */
async function firstVersion({ call }: House): Promise<string> {
  const { text } = await demand(call, 'GET', 'pet/7/history?limit=1000', { headers: keeper });
  const versions = JSON.parse(text) as { version: number }[];
  return String(versions.at(-1)?.version);
}

/** A key of the caller's own account, or of the viewer's. */
/** To nobody: there is no such host (RFC 2606). */
const WEBHOOK = { url: 'https://pets.invalid/', events: ['*'] };

/** One that was removed before makes room, for there are so many at most. */
async function newWebhook({ call, query }: House): Promise<string> {
  await query('delete from webhook');
  const { text } = await demand(call, 'POST', 'admin/webhooks', { headers: keeper, json: WEBHOOK });
  return (JSON.parse(text) as { id: string }).id;
}

async function freshKey({ call }: House, { username = 'vera' }: Caller): Promise<string> {
  const owner = callers.find((caller) => caller.username === username);
  const token = owner?.headers['authorization']?.slice('Bearer '.length) ?? assert.fail();
  return (await createKey(call, token, ['write:pets'])).id;
}

/** Free for everybody everywhere, and a password is checked or made, which takes a core for a while: fewer callers will do. */
const SLOW: ReadonlySet<string> = new Set(['loginUser', 'loginUserWithBody', 'resetPassword']);
const oneOfEach = COLUMNS.map((column) => callers.find((caller) => caller.column === column) ?? assert.fail(column));

function statusOf(row: Row | undefined, { column }: Caller): number {
  return row?.[column] ?? assert.fail();
}

/** Whoever follows is not taken for nobody in particular when what they show is no good any more. */
function isEnded(operation: OperationId, house: House, { isDead = false }: Caller): boolean {
  return isDead && operation === 'streamEvents' && house === secured;
}

async function ask(house: House, operation: OperationId, caller: Caller, status: number): Promise<Answer> {
  const { path, options = {}, headers = caller.headers } = await asks[operation]!(house, caller, status);
  const before = status === 200 ? undefined : await house.stored();
  const answer = await house.call(ENDPOINTS[operation].method, path, withHeaders(options, headers));
  const context = `${operation} ${caller.title}: ${answer.status}`;
  if (status === 200) assert.equal(answer.status, 200, `${context} ${answer.text}`);
  else assertTurnedAway(answer, status, context);
  if (status !== 200) assert.equal(await house.stored(), before, `${context}: something was changed`);
  return answer;
}

function assertTurnedAway(answer: Answer, status: number, context: string): void {
  assertRefused(answer, status, context);
  assert.equal(answer.headers.get('www-authenticate'), status === 401 ? 'Bearer realm="menagerie"' : null, context);
  assert.equal(answer.headers.get('set-cookie'), null, context);
}

/** Opens a house whose endpoint table has no permissions, so that only the use cases check them. */
async function openHouseWithoutNeeds(): Promise<House> {
  const endpoints = ENDPOINTS as Record<OperationId, { needs: Endpoint['needs'] }>;
  const needs = OPERATIONS.map((operation) => [operation, endpoints[operation].needs] as const);
  for (const operation of OPERATIONS) endpoints[operation].needs = undefined;
  try {
    return await openHouse([]);
  } finally {
    for (const [operation, action] of needs) endpoints[operation].needs = action;
  }
}

const NEEDS_OF_MODES: readonly [title: string, settings: AccessSettings, table: typeof SECURED][] = [
  ['secured access', { mode: 'secured', signUp: true }, SECURED],
  ['secured access without sign-up', { mode: 'secured', signUp: false }, WITHOUT_SIGN_UP],
  ['open access', { mode: 'open', signUp: true }, FREE],
  ['a sandbox', { mode: 'sandbox', signUp: true }, FREE],
];

/** The status of an operation that needs this, by the rules alone. */
function statusByRules(settings: AccessSettings, needs: Action | undefined, column: Column): number {
  if (needs === undefined) return 200;
  try {
    createAccess(settings)(actorOf(column), needs, column === 'viewer');
    return 200;
  } catch (error) {
    return error instanceof Failure ? FAILURE_STATUS[error.code] : assert.fail(String(error));
  }
}

function actorOf(column: Column): Actor {
  const address = '127.0.0.1';
  if (column === 'nobody') return { kind: 'anonymous', address };
  const role = ROLES.find((each) => column.includes(each)) ?? assert.fail(column);
  const account = { address, userId: 1n, username: 'ada', role };
  if ((SESSIONS as readonly Column[]).includes(column))
    return { kind: 'signed-in', ...account, session: { id: '1', digest: '', startedAtMs: 0 } };
  return { kind: 'key', ...account, keyId: '1', scopes: [column.endsWith('write') ? 'write:pets' : 'read:pets'] };
}

for (const [title, settings, table] of NEEDS_OF_MODES) {
  void test(`endpoint table: what each operation needs gives its row of the matrix, in ${title}`, () => {
    for (const operation of OPERATIONS) {
      const statuses = COLUMNS.map((column) => [column, statusByRules(settings, ENDPOINTS[operation].needs, column)]);
      assert.deepEqual(Object.fromEntries(statuses), table[operation], operation);
    }
  });
}

void describe('use cases, without the check by the endpoint table', () => {
  // In a bulk request, each line is refused by itself.
  const checked = OPERATIONS.filter((each) => ENDPOINTS[each].needs !== undefined && each !== 'changePets');
  for (const operation of checked) {
    void it(`${operation} is for the same callers`, async () => {
      for (const caller of oneOfEach) await ask(useCasesAlone, operation, caller, statusOf(SECURED[operation], caller));
    });
  }
});

void test('access matrix: has each operation in each mode', () => {
  for (const { title, table } of modes) assert.deepEqual(Object.keys(table).toSorted(), OPERATIONS.toSorted(), title);
  assert.deepEqual(Object.keys(asks).toSorted(), OPERATIONS.toSorted());
});

for (const { title, house, table, isThorough } of modes) {
  void describe(`in ${title}`, () => {
    for (const operation of OPERATIONS) {
      const row = table[operation];
      const isFree = row === EVERYBODY;
      const few = SLOW.has(operation) && house !== secured ? oneOfEach.slice(0, 2) : oneOfEach;

      void it(`${operation} is for the callers of the matrix`, async () => {
        for (const caller of isThorough && !SLOW.has(operation) ? callers : few)
          await ask(house, operation, caller, isEnded(operation, house, caller) ? 401 : statusOf(row, caller));
      });

      const { method, body } = ENDPOINTS[operation];
      if (method === 'GET' && !isFree) {
        void it(`${operation} asked for with HEAD is for the same`, async () => {
          for (const caller of oneOfEach) {
            const status = statusOf(row, caller);
            const { path } = await asks[operation]!(house, caller, status);
            const answer = await house.call('HEAD', path, { headers: caller.headers });
            assert.equal(answer.status, status, caller.title);
            assert.equal(answer.text, '');
          }
        });
      }

      if (body !== 'none' && !isFree && (isThorough || operation === 'createUser')) {
        void it(`${operation} tells who may not do it just that, whatever else is wrong`, async () => {
          for (const caller of house === secured ? callers : oneOfEach) {
            const status = statusOf(row, caller);
            if (status === 200) continue;
            const { path } = await asks[operation]!(house, caller, status);
            for (const wrong of wrongBodies) {
              const answer = await house.call(method, path, withHeaders(wrong, caller.headers));
              assertTurnedAway(answer, status, `${operation} ${caller.title} ${JSON.stringify(wrong.headers)}`);
            }
          }
        });
      }
    }
  });
}

void test('who may not do something is told so before a body that is too large is looked at', async () => {
  const tooLarge = { body: Buffer.alloc(2 * 1024 * 1024, ' '), headers: { 'content-type': 'application/json' } };
  for (const path of ['pet', 'user/createWithList', 'account/password'])
    assertTurnedAway(await secured.call(path === 'pet' ? 'PUT' : 'POST', path, tooLarge), 401, path);
});

const wrongBodies: CallOptions[] = [
  { body: Buffer.from('{"broken'), headers: { 'content-type': 'application/json' } },
  { body: Buffer.from('[]'), headers: { 'content-type': 'application/json' } },
  { body: Buffer.from('hello'), headers: { 'content-type': 'text/plain' } },
  { body: Buffer.from('{}'), headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' } },
  { headers: {} },
];

void test('who may not do something is not told whether there is anything to do it with', async () => {
  const viewer = callers.find(({ column }) => column === 'viewer') ?? assert.fail();
  const requests: [method: string, path: string][] = [
    ['DELETE', 'pet/987654321'],
    ['DELETE', 'pet/no-id'],
    ['POST', 'pet/987654321'],
    ['PATCH', 'pet/987654321'],
    ['GET', 'pet/987654321/history'],
    ['GET', 'pet/987654321/history/1'],
    ['POST', 'pet/987654321/history/1/restore'],
    ['POST', 'pet/987654321/undelete'],
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
    assert.equal(refused.message, 'Your account may not do this.');
    assertRefused(await secured.call(method, path), 401, path);
  }
});

for (const [title, house] of [
  ['open access', open],
  ['a sandbox', sandbox],
] as const) {
  void describe(`in ${title}, an account with a role above viewer`, () => {
    for (const operation of ['updateUser', 'deleteUser'] as const) {
      void it(`is not for ${operation} by whoever passes by`, async () => {
        for (const caller of house === open ? callers : oneOfEach) {
          const status = statusOf(TRUSTED_ACCOUNT, caller);
          const { username, own } = await addTrusted(house, caller.column === 'editor', 'editor');
          const before = await house.stored();
          const answer = await house.call(ENDPOINTS[operation].method, `user/${username}`, {
            headers: own ?? caller.headers,
            ...(operation === 'updateUser' && { json: { username, password: 'stolen', firstName: 'Mine now' } }),
          });
          if (status === 200) assert.equal(answer.status, 200, `${caller.title} ${answer.text}`);
          else assertTurnedAway(answer, status, caller.title);
          if (status !== 200) assert.equal(await house.stored(), before, `${caller.title}: something was changed`);
        }
      });

      void it(`that of an administrator, is not for ${operation} by an editor either`, async () => {
        const { username } = await addTrusted(house, false, 'admin');
        const editor = callers.find(({ column }) => column === 'editor') ?? assert.fail();
        for (const [headers, status] of [
          [{}, 401],
          [editor.headers, 403],
        ] as const) {
          const before = await house.stored();
          const json = operation === 'updateUser' ? { json: { password: 'stolen' } } : {};
          const answer = await house.call(ENDPOINTS[operation].method, `user/${username}`, { headers, ...json });
          assertTurnedAway(answer, status, username);
          assert.equal(await house.stored(), before);
        }
      });
    }

    void it('may be looked at by everybody, as Petstore does', async () => {
      const { status, text } = await house.call('GET', 'user/root');
      assert.equal(status, 200);
      assert.doesNotMatch(text, /admin|role|argon|password/);
    });

    void it('keeps its name: nobody makes another one with it', async () => {
      assertRefused(await house.call('POST', 'user', { json: { username: 'ROOT', password: 'stolen' } }), 409);
      assertRefused(await house.call('POST', 'user/createWithList', { json: [{ username: 'root' }] }), 409);
      assertRefused(await house.call('PUT', 'user/otto', { json: { username: 'Root' } }), 409);
    });
  });
}

/** @param canLogIn with a session of its own */
async function addTrusted({ call }: House, canLogIn: boolean, role: string) {
  const username = `trusted-${++count}`;
  const password = canLogIn ? WEAK_PASSWORD : undefined;
  await demand(call, 'POST', 'user', { headers: keeper, json: { username, password } });
  await demand(call, 'PUT', `admin/users/${username}/role`, { headers: keeper, json: { role } });
  return { username, own: canLogIn ? bearer(await logIn(call, username, WEAK_PASSWORD)) : undefined };
}

void test('an editor may use the editor’s own account, under its name in any case', async () => {
  const { headers } = callers.find(({ column }) => column === 'editor') ?? assert.fail();
  for (const name of ['edna', 'EDNA', '%65dna'])
    assert.equal((await secured.call('GET', `user/${name}`, { headers })).status, 200, name);
});

// How credentials are presented.

const PREFIX = 'logged in user session:';

const ways: [title: string, headers: (secret: string) => Readonly<Record<string, string>>][] = [
  ['as Bearer', bearer],
  ['as bearer in small letters', (secret) => ({ authorization: `bearer ${secret}` })],
  ['as Bearer with the prefix', (secret) => bearer(PREFIX + secret)],
  ['as Bearer, a JSON string as the login answers it', (secret) => bearer(JSON.stringify(PREFIX + secret))],
  ['as api_key', (secret) => ({ api_key: secret })],
  ['as api_key with the prefix', (secret) => ({ api_key: PREFIX + secret })],
  ['as the cookie', (secret) => ({ cookie: `a=b; menagerie_session=${secret}; c=d` })],
  [
    'as the cookie with the prefix',
    (secret) => ({ cookie: `menagerie_session=${encodeURIComponent(PREFIX + secret)}` }),
  ],
];
for (const [title, present] of ways) {
  void test(`a session is presented ${title}`, async () => {
    const token = await logIn(secured.call, 'edna');
    const headers = present(token);
    const { text } = await demand(secured.call, 'GET', 'account', { headers });
    assert.equal((JSON.parse(text) as { username: string }).username, 'edna');
    await demand(secured.call, 'POST', 'pet', { headers, json: { name: 'Presented' } });
    await demand(secured.call, 'GET', 'user/logout', { headers });
    assertRefused(await secured.call('GET', 'account', { headers }), 401);
  });
}
for (const [title, present] of ways.slice(0, 5)) {
  void test(`a key is presented ${title}`, async () => {
    const key = callers.find(({ column }) => column === writingKeyOf('editor'))?.headers['api_key'] ?? assert.fail();
    await demand(secured.call, 'POST', 'pet', { headers: present(key), json: { name: 'Presented' } });
    await demand(secured.call, 'GET', 'user/logout', { headers: present(key) });
    await demand(secured.call, 'POST', 'pet', { headers: present(key), json: { name: 'Not ended by a logout' } });
  });
}

void test('a credential that is worth nothing does no harm beside a good one, wherever it stands', async () => {
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
      for (const headers of mixtures) await demand(secured.call, 'POST', 'pet', { headers, json });
    }
  }
});

void test('of two that are good the first counts: Authorization, then api_key, then the cookie', async () => {
  const [vera, edna] = ['vera', 'edna'].map(
    (name) => callers.find(({ username }) => username === name)?.headers['authorization']?.slice(7) ?? assert.fail(),
  );
  const pairs: Record<string, string>[] = [
    { authorization: `Bearer ${vera}`, api_key: edna ?? '' },
    { authorization: `Bearer ${vera}`, cookie: `menagerie_session=${edna}` },
    { api_key: vera ?? '', cookie: `menagerie_session=${edna}` },
  ];
  for (const headers of pairs) {
    const { text } = await demand(secured.call, 'GET', 'account', { headers });
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
    'in the other case',
    (secret) =>
      bearer(secret.replaceAll(/[a-z]/gi, (letter) => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase()))),
  ],
  ['with a prefix of its own', (secret) => bearer(`session:${secret}`)],
];
for (const [title, present] of noCredentials) {
  void test(`a session or a key ${title} is none`, async () => {
    const session = callers.find(({ column }) => column === 'editor')?.headers['authorization']?.slice(7) ?? '';
    const key = callers.find(({ column }) => column === writingKeyOf('editor'))?.headers['api_key'] ?? '';
    for (const secret of [session, key]) {
      const query = title === 'in the query' ? `?api_key=${secret}&access_token=${secret}&token=${secret}` : '';
      const answer = await secured.call('POST', `pet${query}`, { headers: present(secret), json: { name: 'None' } });
      assertTurnedAway(answer, 401, title);
    }
  });
}
