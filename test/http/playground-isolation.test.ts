import assert from 'node:assert/strict';
import { after, describe, it, test } from 'node:test';
import { ENDPOINTS, type OperationId } from '../../src/api/endpoints.ts';
import { assertRefused, clientOf, type Call, type CallOptions, type HttpResponse } from '../support/client.ts';
import { followEvents } from '../support/event-client.ts';
import { setUpTotp } from '../support/factors.ts';
import { fileUpload } from '../support/multipart.ts';
import { skipWithoutPlaygrounds } from '../support/nodes.ts';
import { makePhoto } from '../support/photos.ts';
import { createPlayground, type TestPlayground } from '../support/playgrounds.ts';
import { rawExchange } from '../support/raw-http.ts';
import { bearer, createKey, logIn } from '../support/secured.ts';
import { startTestService } from '../support/service.ts';
import { until } from '../support/until.ts';

/*
 * Two playgrounds and their service, in turns on the same connections: no operation of one reads or changes anything of
 * another. Every text of one has its marker.
 */

const options = { skip: skipWithoutPlaygrounds() };

const { base, origin } = await startTestService(
  { after },
  { flags: ['--empty', '--access=sandbox', '--webhook-private-addresses', '--max-event-streams-per-address=1000'] },
);
const service = clientOf(base);

const PASSWORD = 'a long enough password';

/** Nothing listens there, and no name has to be looked up. */
const UNREACHABLE = 'http://127.0.0.1:1';

/** A playground with its own pet, photo, users, credentials and webhook. */
interface Side {
  marker: string;
  playground: TestPlayground;
  call: Call;
  headers: Readonly<Record<string, string>>;
  session: string;
  key: { id: string; key: string };
  digest: string;
  webhookId: string;
  snapshotId: string;
  /** Texts that no response of another one may contain. */
  secrets: readonly string[];
}

async function requireSuccess(response: Promise<HttpResponse>): Promise<HttpResponse> {
  const { status, text } = await response;
  assert.equal(status, 200, text);
  return response;
}

async function createSide(marker: string, width: number): Promise<Side> {
  const limits = { streams: 100, requestsPerMinute: 60_000, pets: 10_000 };
  const playground = await createPlayground(service, { contents: 'empty', access: 'secured', limits });
  const { call } = playground;
  const { username, password } = playground.users.find(({ role }) => role === 'admin') ?? assert.fail();
  const session = await logIn(call, username, password);
  const headers = bearer(session);
  const key = await createKey(call, session, ['write:pets', 'read:pets']);
  const tags = [`${marker}-tag`];
  const pet = { id: 7, name: `${marker} Rex`, category: { name: `${marker} dogs` }, tags, status: 'available' };
  await requireSuccess(call('POST', 'pet', { headers, json: pet }));
  const upload = fileUpload(await makePhoto({ width, height: 48 }));
  await requireSuccess(call('POST', 'pet/7/uploadImage', { ...upload, headers: { ...upload.headers, ...headers } }));
  const digest = /photo\/([0-9a-f]{64})/.exec((await call('GET', 'pet/7')).text)?.[1] ?? assert.fail();
  await requireSuccess(call('POST', 'user', { headers, json: { username: `${marker}-user`, password: PASSWORD } }));
  await requireSuccess(call('PUT', 'organisation', { headers, json: { name: `${marker} shelter` } }));
  const hook = { url: `${UNREACHABLE}/${marker}`, events: ['account.closed'] };
  const webhook = await requireSuccess(call('POST', 'admin/webhooks', { headers, json: hook }));
  const { id: webhookId } = JSON.parse(webhook.text) as { id: string };
  const snapshot = await requireSuccess(service('POST', `playgrounds/${playground.token}/snapshots`));
  const { id: snapshotId } = JSON.parse(snapshot.text) as { id: string };
  const secrets = [marker, playground.token, digest, session, key.key, key.id, webhookId, snapshotId];
  return { marker, playground, call, headers, session, key, digest, webhookId, snapshotId, secrets };
}

/** None if all tests are skipped. */
const sides = (options.skip === false ? [await createSide('alder', 64), await createSide('beta', 65)] : []) as [
  Side,
  Side,
];
const [alpha, beta] = sides;
const otherThan = (side: Side) => (side === alpha ? beta : alpha);

let count = 0;

type Request = [path: string, options?: CallOptions];

/** An effective request for each operation, with only the data of its side. */
const REQUESTS: Readonly<Partial<Record<OperationId, (side: Side) => Request | Promise<Request>>>> = {
  addPet: ({ marker }) => ['pet', { json: { name: `${marker} ${++count}`, status: 'available' } }],
  updatePet: ({ marker }) => ['pet', { json: { id: 7, name: `${marker} Rex ${++count}`, status: 'available' } }],
  findPetsByStatus: () => ['pet/findByStatus?status=available'],
  findPetsByTags: () => ['pet/findByTags?tags=alder-tag,beta-tag'],
  getPetById: () => ['pet/7'],
  updatePetWithForm: ({ marker }) => ['pet/7', { form: { name: `${marker} Rex ${++count}` } }],
  deletePet: async (side) => [`pet/${await newPet(side)}`],
  uploadFile: async ({ marker }) => [
    'pet/7/uploadImage',
    fileUpload(await makePhoto({ width: 8, height: marker === 'alder' ? 8 : 9 })),
  ],
  createUser: ({ marker }) => ['user', { json: { username: `${marker}-${++count}` } }],
  createUsersWithArrayInput: ({ marker }) => ['user/createWithArray', { json: [{ username: `${marker}-${++count}` }] }],
  createUsersWithListInput: ({ marker }) => ['user/createWithList', { json: [{ username: `${marker}-${++count}` }] }],
  loginUser: ({ marker }) => [`user/login?username=${marker}-user&password=${encodeURIComponent(PASSWORD)}`],
  logoutUser: async ({ call, marker }) => [
    'user/logout',
    { headers: bearer(await logIn(call, `${marker}-user`, PASSWORD)) },
  ],
  getUserByName: ({ marker }) => [`user/${marker}-user`],
  updateUser: ({ marker }) => [
    `user/${marker}-user`,
    { json: { username: `${marker}-user`, firstName: `${marker} ${++count}` } },
  ],
  deleteUser: async (side) => [`user/${await newUser(side)}`],
  loginUserWithBody: ({ marker }) => ['user/login', { json: { username: `${marker}-user`, password: PASSWORD } }],
  listPetHistory: () => ['pet/7/history'],
  getPetVersion: async (side) => [`pet/7/history/${await firstVersion(side)}`],
  restorePetVersion: async (side) => [`pet/7/history/${await firstVersion(side)}/restore`],
  listDeletedPets: () => ['deleted-pets'],
  restorePet: async (side) => {
    const id = await newPet(side);
    await requireSuccess(side.call('DELETE', `pet/${id}`, { headers: side.headers }));
    return [`pet/${id}/restore`];
  },
  changePets: ({ marker }) => [
    'bulk',
    {
      body: Buffer.from(`{"op":"create","pet":{"name":"${marker} ${++count}"}}\n`.repeat(3)),
      headers: { 'content-type': 'application/x-ndjson' },
    },
  ],
  patchPet: ({ marker }) => ['pet/7', { json: { name: `${marker} Rex ${++count}` } }],
  getPetProfile: () => ['pet/7/profile'],
  replacePetProfile: ({ marker }) => ['pet/7/profile', { json: { unit: `${marker} ${++count}` } }],
  patchPetProfile: ({ marker }) => ['pet/7/profile', { json: { unit: `${marker} ${++count}` } }],
  listPetPhotos: () => ['pet/7/photos'],
  reorderPetPhotos: async (side) => [`pet/${await newPetWithPhoto(side)}/photos`, { json: { photos: [side.digest] } }],
  updatePetPhoto: async (side) => [
    `pet/${await newPetWithPhoto(side)}/photos/${side.digest}`,
    { json: { alt: `${side.marker} ${++count}` } },
  ],
  deletePetPhoto: async (side) => [`pet/${await newPetWithPhoto(side)}/photos/${side.digest}`],
  getPhoto: ({ digest }) => [`photo/${digest}`],
  getResizedPhoto: ({ digest }) => [`photo/${digest}/small`],
  findPets: () => ['pet?text=rex&covers=true&include=profile'],
  countFacets: () => ['facets?text=rex'],
  listSuggestions: () => ['suggestions?text=r'],
  listTags: () => ['tags'],
  listCategories: () => ['categories'],
  getStatistics: () => ['statistics'],
  exportPets: () => ['export/pets?format=csv'],
  exportPetHistory: () => ['export/pet-history'],
  streamEvents: () => ['events', { headers: { 'last-event-id': '0' } }],
  getOrganisation: () => ['organisation'],
  updateOrganisation: ({ marker }) => ['organisation', { json: { name: `${marker} shelter ${++count}` } }],
  updateLogo: async ({ marker }) => [
    'organisation/logo',
    fileUpload(await makePhoto({ width: 9, height: marker === 'alder' ? 8 : 9 })),
  ],
  deleteLogo: async ({ call, headers, marker }) => {
    const upload = fileUpload(await makePhoto({ width: 10, height: marker === 'alder' ? 8 : 9 }));
    const all = { ...upload.headers, ...headers };
    await requireSuccess(call('PUT', 'organisation/logo', { ...upload, headers: all }));
    return ['organisation/logo'];
  },
  getOwnFields: () => ['own-fields'],
  updateOwnFields: () => ['own-fields', { json: { fields: [] } }],
  getEnquiryForm: () => ['pet/7/enquiry-form'],
  sendEnquiry: async ({ call, headers, marker }) => {
    await requireSuccess(call('PUT', 'enquiry-settings', { headers, json: { enabled: true } }));
    const text = { name: marker, email: `${marker}@example.org`, message: marker };
    return ['pet/7/enquiries', { json: { ...text, token: 'none' } }];
  },
  getEnquirySettings: () => ['enquiry-settings'],
  updateEnquirySettings: ({ marker }) => [
    'enquiry-settings',
    { json: { enabled: true, recipient: `${marker}@example.org` } },
  ],
  listEnquiries: () => ['enquiries'],
  getEnquiryOverview: () => ['enquiries/overview'],
  exportEnquiries: () => ['export/enquiries'],
  getEnquiry: () => ['enquiries/1'],
  updateEnquiry: () => ['enquiries/1', { json: { state: 'closed' } }],
  addEnquiryNote: ({ marker }) => ['enquiries/1/notes', { json: { text: marker } }],
  // Playgrounds send no e-mail.
  answerEnquiry: ({ marker }) => ['enquiries/1/answers', { json: { text: marker } }],
  deleteEnquiry: () => ['enquiries/1'],
  eraseEnquiries: ({ marker }) => ['enquiries/erase', { json: { email: `${marker}@example.org` } }],
  getEmbedding: () => ['embedding'],
  updateEmbedding: ({ marker }) => [
    'embedding',
    { json: { sites: 'listed', origins: [`https://${marker}-${++count}.example`] } },
  ],
  // Playgrounds have no providers.
  listProviders: () => ['sign-in/providers'],
  listLinkedProviders: () => ['account/providers'],
  linkProvider: () => ['account/providers', { json: { provider: 'shelter' } }],
  unlinkProvider: () => ['account/providers/unknown'],
  signInWithPassword: ({ marker }) => [
    'sign-in/password',
    { json: { username: `${marker}-user`, password: PASSWORD } },
  ],
  signInWithCode: () => ['sign-in/code', { json: { step: 'A'.repeat(43), factor: 'totp', code: '123456' } }],
  startPasskeySignIn: () => ['sign-in/passkey/options'],
  signInWithPasskey: () => ['sign-in/passkey', { json: { step: 'A'.repeat(43), credential: {} } }],
  startPasskeyProof: () => ['account/proof/passkey'],
  proveOwnership: ({ playground: { users } }) => [
    'account/proof',
    { json: { password: users.find(({ role }) => role === 'admin')?.password } },
  ],
  getFactors: () => ['account/factors'],
  startTotp: async (side) => ['account/factors/totp', { headers: bearer(await newSession(side)) }],
  confirmTotp: () => ['account/factors/totp/confirm', { json: { step: 'A'.repeat(43), code: '123456' } }],
  deleteTotp: async (side) => ['account/factors/totp', { headers: bearer(await newTotpSession(side)) }],
  replaceRecoveryCodes: async (side) => [
    'account/factors/recovery-codes',
    { headers: bearer(await newTotpSession(side)) },
  ],
  listPasskeys: () => ['account/passkeys'],
  startPasskey: () => ['account/passkeys/options'],
  addPasskey: () => ['account/passkeys', { json: { step: 'A'.repeat(43), name: 'Phone', credential: {} } }],
  renamePasskey: ({ marker }) => ['account/passkeys/unknown', { json: { name: marker } }],
  deletePasskey: () => ['account/passkeys/unknown'],
  getUserFactors: ({ marker }) => [`admin/users/${marker}-user/factors`],
  resetUserFactors: ({ marker }) => [`admin/users/${marker}-user/factors`],
  listUserProviders: ({ marker }) => [`admin/users/${marker}-user/providers`],
  unlinkUserProvider: ({ marker }) => [`admin/users/${marker}-user/providers/unknown`],
  // Playgrounds send no e-mail.
  requestEmailConfirmation: () => ['account/email-confirmation'],
  confirmEmail: () => ['email-confirmation', { json: { token: 'A'.repeat(43) } }],
  requestPasswordReset: ({ marker }) => ['password-reset-request', { json: { email: `${marker}@example.org` } }],
  createSavedSearch: ({ marker }) => [
    'saved-searches',
    { json: { email: `${marker}@example.org`, search: 'species=dog', language: 'en' } },
  ],
  confirmSavedSearch: () => ['saved-searches/confirm', { json: { token: 'A'.repeat(43) } }],
  stopSavedSearch: () => [`saved-searches/${'A'.repeat(43)}/stop`],
  listSavedSearches: () => ['saved-searches?email=ada@example.org'],
  eraseSavedSearches: ({ marker }) => ['saved-searches/erase', { json: { email: `${marker}@example.org` } }],
  resendInvitation: ({ marker }) => [`admin/users/${marker}-user/invitation`],
  retryWaitingMail: () => ['admin/mail/retry'],
  listDeadMail: () => ['admin/mail/dead'],
  retryDeadMail: () => ['admin/mail/dead/unknown/retry'],
  deleteDeadMail: () => ['admin/mail/dead/unknown'],
  getMailSettings: () => ['admin/mail/settings'],
  updateMailSettings: ({ marker }) => [
    'admin/mail/settings',
    { json: { host: `${marker}.example.org`, from: `${marker}@example.org` } },
  ],
  testMail: ({ marker }) => ['admin/mail/test', { json: { to: `${marker}@example.org` } }],
  requestToken: () => ['oauth/token', { form: { grant_type: 'client_credentials', client_id: 'unknown' } }],
  revokeToken: ({ session }) => ['oauth/revoke', { form: { token: session, client_id: 'unknown' } }],
  getConsent: () => ['oauth/consent?client_id=unknown'],
  giveConsent: () => ['oauth/consent', { json: { client_id: 'unknown' } }],
  listOAuthClients: () => ['account/oauth-clients'],
  createOAuthClient: ({ marker }) => [
    'account/oauth-clients',
    { json: { name: marker, redirectUris: [], scopes: ['read:pets'], isPublic: false } },
  ],
  deleteOAuthClient: () => ['account/oauth-clients/unknown'],
  listAccessTokens: () => ['account/access-tokens'],
  listAllOAuthClients: () => ['admin/oauth-clients'],
  deleteAnyOAuthClient: () => ['admin/oauth-clients/unknown'],
  // These are at the root of the service.
  createPlayground: () => ['playgrounds'],
  listPlaygrounds: () => ['playgrounds'],
  getPlayground: ({ playground }) => [`playgrounds/${playground.token}`],
  deletePlayground: ({ playground }) => [`playgrounds/${playground.token}`],
  resetPlayground: ({ playground }) => [`playgrounds/${playground.token}/reset`],
  takePlaygroundSnapshot: ({ playground }) => [`playgrounds/${playground.token}/snapshots`],
  restorePlaygroundSnapshot: ({ playground, snapshotId }) => [
    `playgrounds/${playground.token}/snapshots/${snapshotId}/restore`,
  ],
  listPlaygroundRequests: ({ playground }) => [`playgrounds/${playground.token}/requests`],
  exportPlaygroundRequests: ({ playground }) => [`playgrounds/${playground.token}/requests/har`],
  deletePlaygroundRequests: ({ playground }) => [`playgrounds/${playground.token}/requests`],
  getPlaygroundFaults: ({ playground }) => [`playgrounds/${playground.token}/faults`],
  setPlaygroundFaults: ({ playground }) => [`playgrounds/${playground.token}/faults`, { json: { rules: [] } }],
  getPlaygroundBugs: ({ playground }) => [`playgrounds/${playground.token}/bugs`],
  setPlaygroundBugs: ({ playground }) => [`playgrounds/${playground.token}/bugs`, { json: { on: [] } }],
  getOpenApiDocument: () => ['openapi.json'],
  getSwaggerDocument: () => ['swagger.json'],
  getArazzoDocument: () => ['arazzo.json'],
  getAccount: () => ['account'],
  changePassword: async (side) => {
    const username = await newUser(side);
    const headers = bearer(await logIn(side.call, username, PASSWORD));
    return ['account/password', { headers, json: { oldPassword: PASSWORD, newPassword: `${PASSWORD} too` } }];
  },
  listSessions: () => ['account/sessions'],
  endOtherSessions: async (side) => {
    const headers = bearer(await newSession(side));
    return ['account/sessions', { headers }];
  },
  endSession: async (side) => {
    const headers = bearer(await newSession(side));
    const { text } = await requireSuccess(side.call('GET', 'account/sessions', { headers }));
    return [`account/sessions/${(JSON.parse(text) as { id: string }[])[0]?.id}`, { headers }];
  },
  listKeys: () => ['account/keys'],
  createKey: ({ marker }) => ['account/keys', { json: { name: `${marker} ${++count}`, scopes: ['read:pets'] } }],
  revokeKey: async ({ call, session }) => [`account/keys/${(await createKey(call, session, ['read:pets'])).id}`],
  resetPassword: async (side) => {
    const path = `admin/users/${await newUser(side)}/reset-link`;
    const { text } = await requireSuccess(side.call('POST', path, { headers: side.headers }));
    const { token } = JSON.parse(text) as { token: string };
    return ['password-reset', { json: { token, newPassword: `${PASSWORD} again` } }];
  },
  searchUsers: () => ['admin/users'],
  inviteUser: ({ marker }) => ['admin/users', { json: { username: `${marker}-${++count}` } }],
  getUserAsAdmin: ({ marker }) => [`admin/users/${marker}-user`],
  setUserRole: async (side) => [`admin/users/${await newUser(side)}/role`, { json: { role: 'editor' } }],
  closeUser: async (side) => [`admin/users/${await newUser(side)}/close`],
  reopenUser: async (side) => {
    const path = `admin/users/${await newUser(side)}`;
    await requireSuccess(side.call('POST', `${path}/close`, { headers: side.headers }));
    return [`${path}/reopen`];
  },
  issueResetLink: ({ marker }) => [`admin/users/${marker}-user/reset-link`],
  listUserSessions: ({ marker }) => [`admin/users/${marker}-user/sessions`],
  endUserSessions: ({ marker }) => [`admin/users/${marker}-user/sessions`],
  listUserKeys: () => ['admin/users/admin/keys'],
  revokeAnyKey: async ({ call, session }) => [`admin/keys/${(await createKey(call, session, ['read:pets'])).id}`],
  listWebhooks: () => ['admin/webhooks'],
  createWebhook: async ({ call, headers, marker, webhookId }) => {
    // Their number is limited.
    const { text } = await requireSuccess(call('GET', 'admin/webhooks', { headers }));
    for (const { id } of JSON.parse(text) as { id: string }[])
      if (id !== webhookId) await requireSuccess(call('DELETE', `admin/webhooks/${id}`, { headers }));
    return ['admin/webhooks', { json: { url: `${UNREACHABLE}/${marker}`, events: ['account.closed'] } }];
  },
  getWebhook: ({ webhookId }) => [`admin/webhooks/${webhookId}`],
  updateWebhook: ({ webhookId }) => [`admin/webhooks/${webhookId}`, { json: { paused: ++count % 2 === 0 } }],
  deleteWebhook: async (side) => {
    const made = await requireSuccess(send('createWebhook', side));
    return [`admin/webhooks/${(JSON.parse(made.text) as { id: string }).id}`];
  },
  rotateWebhookSecret: async (side) => {
    await requireSuccess(send('endSecretRotation', side));
    return [`admin/webhooks/${side.webhookId}/secret-rotation`];
  },
  endSecretRotation: ({ webhookId }) => [`admin/webhooks/${webhookId}/secret-rotation`],
  testWebhook: ({ webhookId }) => [`admin/webhooks/${webhookId}/test`],
  listDeadLetters: ({ webhookId }) => [`admin/webhooks/${webhookId}/dead-letters`],
  retryDeadLetters: ({ webhookId }) => [`admin/webhooks/${webhookId}/dead-letters/retry`],
  retryDeadLetter: ({ webhookId }) => [`admin/webhooks/${webhookId}/dead-letters/1/retry`],
  getListingFeed: async (side) => {
    const { text } = await requireSuccess(send('createFeedKey', side));
    return [`feeds/open/pets.json?key=${(JSON.parse(text) as { key: string }).key}`];
  },
  listListings: () => ['admin/listings'],
  updateListing: () => ['admin/listings/open', { json: { on: true } }],
  uploadListing: () => ['admin/listings/open/upload'],
  createFeedKey: () => ['admin/listings/open/key'],
  revokeFeedKey: () => ['admin/listings/open/key'],
  listListingPets: () => ['admin/listings/open/pets'],
  updateListingPet: () => ['admin/listings/open/pets/7', { json: { listed: ++count % 2 === 0 } }],
  getHealth: () => ['admin/health'],
  checkHealth: () => ['admin/health'],
  getSystem: () => ['admin/system'],
  listLogEntries: () => ['admin/log'],
  getActivity: () => ['admin/activity'],
  listAuditEntries: () => ['admin/audit?limit=1000'],
  listBackups: () => ['admin/backups'],
  startBackup: () => ['admin/backups'],
  downloadBackup: () => ['admin/backups/none/archive'],
  checkBackup: () => ['admin/backups/none/check', { json: {} }],
  restoreBackup: () => ['admin/backups/none/restore', { json: { confirmation: 'none' } }],
  getRestore: () => ['admin/restore'],
  undoRestore: () => ['admin/restore/undo', { json: { confirmation: 'undo' } }],
};

/** The status of a request other than 200. */
const STATUSES: Partial<Record<OperationId, number>> = {
  createPlayground: 403,
  listPlaygrounds: 403,
  getPlayground: 403,
  deletePlayground: 403,
  resetPlayground: 403,
  takePlaygroundSnapshot: 403,
  restorePlaygroundSnapshot: 403,
  listPlaygroundRequests: 403,
  exportPlaygroundRequests: 403,
  deletePlaygroundRequests: 403,
  getPlaygroundFaults: 403,
  setPlaygroundFaults: 403,
  getPlaygroundBugs: 403,
  setPlaygroundBugs: 403,
  requestEmailConfirmation: 409,
  confirmEmail: 409,
  requestPasswordReset: 409,
  createSavedSearch: 409,
  confirmSavedSearch: 409,
  updateMailSettings: 409,
  testMail: 409,
  resendInvitation: 409,
  retryDeadMail: 409,
  retryWaitingMail: 409,
  uploadListing: 409,
  deleteDeadMail: 404,
  // The token is wrong, and nobody has written yet.
  sendEnquiry: 400,
  getEnquiry: 404,
  updateEnquiry: 404,
  addEnquiryNote: 404,
  answerEnquiry: 409,
  deleteEnquiry: 404,
  // The program is unknown.
  requestToken: 400,
  revokeToken: 401,
  getConsent: 400,
  giveConsent: 400,
  deleteOAuthClient: 404,
  deleteAnyOAuthClient: 404,
  linkProvider: 404,
  unlinkProvider: 404,
  unlinkUserProvider: 404,
  // The step does not exist.
  signInWithCode: 400,
  signInWithPasskey: 400,
  confirmTotp: 400,
  addPasskey: 400,
  // Passkeys require the name of a host.
  startPasskeySignIn: 400,
  startPasskeyProof: 400,
  startPasskey: 400,
  renamePasskey: 404,
  deletePasskey: 404,
  // There are no failed deliveries, and everything is in memory.
  retryDeadLetter: 404,
  checkHealth: 409,
  startBackup: 409,
  downloadBackup: 404,
  checkBackup: 409,
  restoreBackup: 409,
  undoRestore: 409,
};

const idIn = ({ text }: HttpResponse) => /"id":(\d+)/.exec(text)?.[1] ?? assert.fail(text);

async function newPet({ call, headers, marker }: Side): Promise<string> {
  return idIn(await requireSuccess(call('POST', 'pet', { headers, json: { name: `${marker} ${++count}` } })));
}

async function newPetWithPhoto({ call, headers, marker, digest }: Side): Promise<string> {
  const json = { name: `${marker} ${++count}`, photoUrls: [`http://localhost/v2/photo/${digest}`] };
  return idIn(await requireSuccess(call('POST', 'pet', { headers, json })));
}

async function newUser({ call, headers, marker }: Side): Promise<string> {
  const username = `${marker}-new-${++count}`;
  await requireSuccess(call('POST', 'user', { headers, json: { username, password: PASSWORD } }));
  return username;
}

async function newSession(side: Side): Promise<string> {
  return logIn(side.call, await newUser(side), PASSWORD);
}

async function newTotpSession(side: Side): Promise<string> {
  const session = await newSession(side);
  await setUpTotp(side.call, session, Date.now());
  return session;
}

async function firstVersion({ call, headers }: Side): Promise<string> {
  const { text } = await requireSuccess(call('GET', 'pet/7/history?limit=1000', { headers }));
  return String((JSON.parse(text) as { version: number }[]).at(-1)?.version);
}

async function send(operation: OperationId, side: Side): Promise<HttpResponse> {
  const request = REQUESTS[operation] ?? assert.fail(`no request for ${operation}`);
  const [path, { headers, ...options } = {}] = await request(side);
  return side.call(ENDPOINTS[operation].method, path, { ...options, headers: { ...side.headers, ...headers } });
}

function assertNoLeak({ text, headers }: HttpResponse, of: Side, context: string): void {
  const all = text + JSON.stringify([...headers]);
  for (const secret of of.secrets) assert.ok(!all.includes(secret), `${context} has ${secret} of ${of.marker}`);
}

/** Everything that a request to another one could change, except sessions that are used. */
async function stateOf({ call, headers, playground }: Side): Promise<readonly string[]> {
  const paths = ['pet/findByStatus?status=available', 'export/pets?format=ndjson', 'admin/users', 'organisation'];
  const responses = await Promise.all(
    [...paths, 'admin/webhooks', 'admin/audit?limit=1000', 'account/keys', 'deleted-pets'].map((path) =>
      call('GET', path, { headers }),
    ),
  );
  const { text } = await service('GET', `playgrounds/${playground.token}`);
  return [...responses.map((each) => each.text.replaceAll(/"lastUsedAt":("[^"]*"|null)/g, '')), text];
}

void describe('operations of two playgrounds in turns', options, () => {
  for (const operation of Object.keys(ENDPOINTS) as OperationId[])
    void it(`${operation}: has nothing of the other one, nor of the service`, async () => {
      for (let round = 0; round < 3; round++) {
        const turns = round % 2 === 0 ? sides : sides.toReversed();
        const responses = await Promise.all(turns.map((side) => send(operation, side)));
        for (const [index, response] of responses.entries()) {
          const side = turns[index] ?? assert.fail();
          assert.equal(response.status, STATUSES[operation] ?? 200, `${operation} ${response.text}`);
          assertNoLeak(response, otherThan(side), operation);
        }
      }
    });

  void it('change nothing of the other one', async () => {
    for (const operation of Object.keys(ENDPOINTS) as OperationId[]) {
      const before = await stateOf(beta);
      await send(operation, alpha);
      assert.deepEqual(await stateOf(beta), before, operation);
    }
  });

  void it('change nothing of the service', async () => {
    const [pets, users] = await Promise.all(['pet?limit=100', 'user/alder-user'].map((path) => service('GET', path)));
    assert.match(pets?.text ?? '', /^\{"pets":\[\]/);
    assert.equal(users?.status, 404);
  });
});

void test('credentials of a playground: are unknown to another one and to the service', options, async () => {
  for (const credentials of [
    bearer(alpha.session),
    bearer(alpha.key.key),
    { api_key: alpha.key.key },
    { cookie: `menagerie_playground_session=${alpha.session}` },
    { cookie: `menagerie_session=${alpha.session}` },
  ]) {
    const json = { name: 'Intruder' };
    assertRefused(await beta.call('POST', 'pet', { headers: credentials, json }), 401);
    assertRefused(await beta.call('GET', 'admin/users', { headers: credentials }), 401);
    assertRefused(await service('GET', 'admin/users', { headers: credentials }), 401);
  }
});

void test('IDs of a playground: are unknown to another one and to the service', options, async () => {
  const { headers } = beta;
  for (const path of [`photo/${alpha.digest}`, `photo/${alpha.digest}/small`, 'user/alder-user'])
    for (const call of [beta.call, service]) assertRefused(await call('GET', path, { headers }), 404);
  for (const path of [`admin/webhooks/${alpha.webhookId}`, 'admin/users/alder-user'])
    assertRefused(await beta.call('GET', path, { headers }), 404);
  assertRefused(await beta.call('DELETE', `admin/keys/${alpha.key.id}`, { headers }), 404);
  const restored = `playgrounds/${beta.playground.token}/snapshots/${alpha.snapshotId}/restore`;
  assertRefused(await service('POST', restored), 404);
});

void test('recorded requests: each playground has its own only', options, async () => {
  for (const side of sides) {
    const response = await service('GET', `playgrounds/${side.playground.token}/requests`);
    const requests = JSON.parse(response.text) as { operation: string }[];
    assert.ok(requests.some(({ operation }) => operation === 'addPet'));
    // Credentials of the other one were sent to it (above), and are masked.
    const { session, key, playground } = otherThan(side);
    for (const secret of [session, key.key, playground.token]) assert.ok(!response.text.includes(secret));
  }
});

void test('cookie: has a name of its own, and the path of its playground', options, async () => {
  for (const { call, marker, playground } of sides) {
    const login = await call('POST', 'user/login', { json: { username: `${marker}-user`, password: PASSWORD } });
    const [cookie = ''] = login.headers.getSetCookie();
    assert.match(cookie, /^menagerie_playground_session=/);
    assert.ok(cookie.includes(`; Path=/s/${playground.token};`), cookie);
    const value = cookie.split(';')[0] ?? '';
    assert.equal((await call('GET', 'account', { headers: { cookie: value } })).status, 200);
    const logout = await call('GET', 'user/logout', { headers: { cookie: value } });
    assert.ok(logout.headers.getSetCookie()[0]?.includes(`; Path=/s/${playground.token};`));
  }
});

void test('events: each stream has those of its playground only, whichever was opened first', options, async (t) => {
  const streams = [alpha, beta, beta, alpha].map((side) => {
    const stream = followEvents(() => `${side.playground.base}/events`, { headers: side.headers });
    t.after(async () => stream.close());
    return { side, stream };
  });
  await Promise.all(streams.map(({ stream }) => stream.opened));
  for (let index = 0; index < 20; index++) await Promise.all(sides.map((side) => send('addPet', side)));
  for (const { call, headers, marker } of sides)
    await requireSuccess(call('POST', 'pet', { headers, json: { name: `${marker} last` } }));
  for (const { side, stream } of streams) {
    const textOf = () => JSON.stringify(stream.events);
    await until('the last event arrives', async () => textOf().includes(`${side.marker} last`));
    for (const secret of otherThan(side).secrets) assert.ok(!textOf().includes(secret));
  }
});

void test('long lists: requested in a pipeline, each has the pets of its playground only', options, async () => {
  const PETS = 3000;
  for (const { call, headers, marker } of sides) {
    const line = JSON.stringify({ op: 'create', pet: { name: marker.repeat(40), status: 'pending' } });
    const bulk = { ...headers, 'content-type': 'application/x-ndjson' };
    await requireSuccess(call('POST', 'bulk', { headers: bulk, body: Buffer.from(`${line}\n`.repeat(PETS)) }));
  }
  const [first = '', second = ''] = sides.map(
    ({ playground: { token } }) => `GET /s/${token}/v2/pet/findByStatus?status=pending HTTP/1.1\r\nHost: localhost\r\n`,
  );
  // The second response waits for the connection, until the end of the first one.
  const { text } = await rawExchange(origin, `${first}\r\n${second}Connection: close\r\n\r\n`);
  const at = text.lastIndexOf('HTTP/1.1 200');
  const responses = [text.slice(0, at), text.slice(at)];
  for (const [index, side] of sides.entries()) {
    const response = responses[index] ?? '';
    assert.equal(response.split(side.marker.repeat(40)).length - 1, PETS, side.marker);
    assert.ok(!response.includes(otherThan(side).marker));
  }
});

void test('reset: changes nothing of another playground, and ends only its own event streams', options, async (t) => {
  const [own, other] = [alpha, beta].map((side) => {
    const stream = followEvents(() => `${side.playground.base}/events`, { headers: side.headers });
    t.after(async () => stream.close());
    return stream;
  });
  assert.ok(own !== undefined && other !== undefined);
  await Promise.all([own.opened, other.opened]);
  const before = await stateOf(beta);
  await requireSuccess(service('POST', `playgrounds/${alpha.playground.token}/reset`));
  await own.ended;
  assert.deepEqual(await stateOf(beta), before);
  await send('addPet', beta);
  await until('the other stream gets the event', async () => other.events.length > 0);
});
