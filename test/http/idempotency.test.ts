import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { ENDPOINTS } from '../../src/api/endpoints.ts';
import {
  assertRefused,
  callAs,
  clientOf,
  successText,
  type Call,
  type HttpResponse,
  type CallOptions,
} from '../support/client.ts';
import { Authenticator, type CreationOptions, type RequestOptions } from '../support/authenticator.ts';
import { addPasskey, codeAt, passPassword, read, setUpTotp } from '../support/factors.ts';
import { agedToken, ENQUIRY, OPEN_FORM, storeEnquiry } from '../support/enquiries.ts';
import { multipart } from '../support/multipart.ts';
import { makePhoto } from '../support/photos.ts';
import { createPlayground } from '../support/playgrounds.ts';
import { skipOnPostgres, skipOperation } from '../support/nodes.ts';
import { newPkce, REDIRECT_URI, registerProgram, requestOf } from '../support/oauth.ts';
import { createAddresses, fromAddress } from '../support/addresses.ts';
import { startSmtpReceiver, type ReceivedMail } from '../support/smtp-receiver.ts';
import { CLIENT_ID, startHostileProvider } from '../support/openid-provider.ts';
import { startReceiver } from '../support/webhook-receiver.ts';
import { bearer, createKey, logIn, PASSWORDS, startSecuredService } from '../support/secured.ts';
import { startTestService, temporaryFolder } from '../support/service.ts';
import { openTables, readEverythingKept } from '../support/stored.ts';
import { until } from '../support/until.ts';

const DAY_MS = 24 * 3_600_000;
/** A request without a heartbeat for longer has died with its node. */
const CLAIM_MS = 6000;
const NEW_PASSWORD = 'twelve green parrots read the news';

let nowMs = Date.UTC(2026, 0, 15, 12, 20, 0);
/** Passkeys work on this site only. */
const ORIGIN = 'http://localhost';
const { issuer } = await startHostileProvider({ after });
const provider = `one = { issuer = "${issuer}", client-id = "${CLIENT_ID}" }`;
const place = await temporaryFolder({ after });
const providers = ['--public-url', ORIGIN, '--providers', provider];
const smtp = await startSmtpReceiver({ after });
const mail = ['--smtp-url', smtp.url, '--mail-from', 'pets@example.org'];
const uploads = ['--petfinder-upload-url', 'ftp://user:password@127.0.0.1:9/'];
const basics = ['--webhook-private-addresses', '--backup-to', place, '--trusted-proxies', '1'];
const flags = [...basics, ...uploads, ...providers, ...mail];
const service = await startSecuredService({ after }, { flags, clock: () => nowMs });
const receiver = await startReceiver({ after });
const { dataDir } = service;
/** Operations that send e-mail are in networks of their own, because one causes few messages. */
let address = '10.0.0.0';
const nextAddress = createAddresses();
const call: Call = (method, path, options) => fromAddress(service.call, address)(method, path, options);
const tables = await openTables({ after }, dataDir);
let root = await logIn(call, 'root');
const photo = await makePhoto({ seed: 1 });
const otherPhoto = await makePhoto({ seed: 2 });

interface Sent {
  path: string;
  options: CallOptions;
  /** Another body for the same operation; undefined if it takes none. */
  other?: CallOptions;
  /** The operation needs no credentials. */
  isAnonymous?: true;
}

let names = 0;
const newName = () => `user-${++names}`;

async function newUser(): Promise<string> {
  const username = newName();
  await requireSuccess('POST', 'user/createWithList', { json: [{ username, password: NEW_PASSWORD }] });
  return username;
}

async function newVersionedPet(): Promise<{ id: string; version: string }> {
  const { text, headers } = await requireSuccess('POST', 'pet', { json: { name: 'Rex' } });
  return { id: String((JSON.parse(text) as { id: number }).id), version: headers.get('etag')?.slice(1, -1) ?? '' };
}

async function newPet(): Promise<string> {
  return (await newVersionedPet()).id;
}

function upload(content: Uint8Array, additionalMetadata = 'a dog'): CallOptions {
  return multipart([
    { name: 'additionalMetadata', content: additionalMetadata },
    { name: 'file', fileName: 'rex.jpg', contentType: 'image/jpeg', content },
  ]);
}

function lines(...changes: readonly object[]): CallOptions {
  const body = Buffer.from(changes.map((change) => `${JSON.stringify(change)}\n`).join(''));
  return { body, headers: { 'content-type': 'application/x-ndjson' } };
}

/** The same upload with another boundary, as clients send on a retry. */
function withBoundary({ headers, body }: CallOptions, boundary: string): CallOptions {
  const replaced = Buffer.from(
    Buffer.from(body ?? [])
      .toString('latin1')
      .replaceAll('the-boundary-1x', boundary),
    'latin1',
  );
  return {
    headers: { 'content-type': headers?.['content-type']?.replace('the-boundary-1x', boundary) ?? '' },
    body: replaced,
  };
}

async function requireSuccess(method: string, path: string, options: CallOptions = {}): Promise<HttpResponse> {
  const response = await call(method, path, { ...options, headers: { ...bearer(root), ...options.headers } });
  assert.equal(response.status, 200, `${method} ${path} ${response.text}`);
  return response;
}

const ofUser = (action: string) => async (): Promise<Sent> => {
  const username = await newUser();
  if (action === 'reopen') await requireSuccess('POST', `admin/users/${username}/close`);
  return { path: `admin/users/${username}/${action}`, options: {} };
};

const ofEnquiry = (entries: string) => async (): Promise<Sent> => ({
  path: `enquiries/${await storeEnquiry(tables.query)}/${entries}`,
  options: { json: { text: 'One' } },
  other: { json: { text: 'Another' } },
});

async function newWebhook(): Promise<string> {
  // For events that do not occur, so that only tests send deliveries.
  const json = { url: `${receiver.origin}/`, events: ['account.role-set'] };
  return (JSON.parse((await requireSuccess('POST', 'admin/webhooks', { json })).text) as { id: string }).id;
}

const ofWebhook = (path: string) => async (): Promise<Sent> => {
  const id = await newWebhook();
  const { version } = await newVersionedPet();
  await tables.query(
    `insert into webhook_delivery (webhook_id, version, attempts, next_at_ms, dead, last_at_ms) values ('${id}', ${version}, 1, 0, 1, 0)`,
  );
  return { path: `admin/webhooks/${id}/${path.replace('{letterId}', version)}`, options: {} };
};

const ofUsers = (path: string) => async (): Promise<Sent> => ({
  path,
  options: { json: [{ username: newName(), password: NEW_PASSWORD }, { username: newName() }] },
  other: { json: [{ username: newName() }] },
});

async function newSession(): Promise<{ username: string; token: string }> {
  const username = await newUser();
  return { username, token: await logIn(call, username, NEW_PASSWORD) };
}

const ofSession = (path: string) => async (): Promise<Sent> => ({
  path,
  options: { headers: bearer((await newSession()).token) },
});

/** A user with an address, and the token of the message that confirms it. */
async function newAddress(): Promise<{ headers: Record<string, string>; link: string }> {
  const { username, token } = await newSession();
  const headers = bearer(token);
  const json = { username, email: `${username}@example.org`, userStatus: 2 };
  assert.equal((await call('PUT', `user/${username}`, { headers, json })).status, 200);
  const isToUser = ({ recipients }: ReceivedMail) => recipients.includes(`${username}@example.org`);
  while (!smtp.received.some(isToUser)) await smtp.waitFor(smtp.received.length + 1);
  const { text = '' } = smtp.received.find(isToUser) ?? assert.fail();
  return { headers, link: /#([\w-]{43})/.exec(text)?.[1] ?? assert.fail(text) };
}

function savedSearch(): { email: string; search: string; language: string } {
  return { email: `${newName()}@example.org`, search: 'species=dog', language: 'en' };
}

/** @returns the token of the link that confirms it */
async function newSearch(): Promise<string> {
  const json = savedSearch();
  await requireSuccess('POST', 'saved-searches', { json });
  const isToVisitor = ({ recipients }: ReceivedMail) => recipients.includes(json.email);
  while (!smtp.received.some(isToVisitor)) await smtp.waitFor(smtp.received.length + 1);
  const { text = '' } = smtp.received.find(isToVisitor) ?? assert.fail();
  return /#([\w-]{43})/.exec(text)?.[1] ?? assert.fail(text);
}

function inNetworksOfTheirOwn<T>(cases: Readonly<Record<string, () => Promise<T>>>): typeof cases {
  const moved = Object.entries(cases).map(([operation, prepare]) => {
    const prepareThere = () => {
      address = nextAddress().replace(/^10\.0\.0\.(\d+)$/, '10.0.$1.1');
      return prepare();
    };
    return [operation, prepareThere] as const;
  });
  return Object.fromEntries(moved);
}

const MAIL_CASES: Readonly<Record<string, () => Promise<Sent>>> = {
  requestEmailConfirmation: async () => {
    const { headers } = await newAddress();
    return { path: 'account/email-confirmation', options: { headers } };
  },
  confirmEmail: async () => {
    const { link } = await newAddress();
    return {
      path: 'email-confirmation',
      options: { json: { token: link } },
      other: { json: { token: 'A'.repeat(43) } },
      isAnonymous: true,
    };
  },
  requestPasswordReset: async () => ({
    path: 'password-reset-request',
    options: { json: { email: `${newName()}@example.org` } },
    other: { json: { email: `${newName()}@example.org` } },
    isAnonymous: true,
  }),
  createSavedSearch: async () => ({
    path: 'saved-searches',
    options: { json: savedSearch() },
    other: { json: savedSearch() },
    isAnonymous: true,
  }),
  confirmSavedSearch: async () => ({
    path: 'saved-searches/confirm',
    options: { json: { token: await newSearch() } },
    other: { json: { token: 'A'.repeat(43) } },
    isAnonymous: true,
  }),
  stopSavedSearch: async () => ({
    path: `saved-searches/${await newSearch()}/stop`,
    options: {},
    isAnonymous: true,
  }),
  resendInvitation: async () => {
    const username = newName();
    await requireSuccess('POST', 'admin/users', { json: { username, email: `${username}@example.org` } });
    return { path: `admin/users/${username}/invitation`, options: {} };
  },
  retryWaitingMail: async () => ({ path: 'admin/mail/retry', options: {} }),
  retryDeadMail: async () => {
    const id = newName();
    await tables.query(
      `insert into mail (id, kind, recipient, details, created_at_ms, next_at_ms, dead)
       values ('${id}', 'test', 'ada@example.org', '{}', 0, 0, 1)`,
    );
    return { path: `admin/mail/dead/${id}/retry`, options: {} };
  },
  testMail: async () => ({
    path: 'admin/mail/test',
    options: { json: { to: 'one@example.org' } },
    other: { json: { to: 'other@example.org' } },
  }),
};

const PROGRAM_CASES: Readonly<Record<string, () => Promise<Sent>>> = {
  requestToken: async () => {
    const { id, secret = '' } = await registerProgram(call, root);
    const form = { grant_type: 'client_credentials', client_id: id, client_secret: secret, scope: 'read:pets' };
    return {
      path: 'oauth/token',
      options: { form },
      other: { form: { ...form, scope: 'write:pets' } },
      isAnonymous: true,
    };
  },
  revokeToken: async () => {
    const { id, secret = '' } = await registerProgram(call, root);
    const form = { client_id: id, client_secret: secret, token: 'unknown' };
    return { path: 'oauth/revoke', options: { form }, other: { form: { ...form, token: 'other' } }, isAnonymous: true };
  },
  giveConsent: async () => {
    const parameters = requestOf(await registerProgram(call, root), newPkce());
    return {
      path: 'oauth/consent',
      options: { json: { isAllowed: true, parameters } },
      other: { json: { isAllowed: false, parameters } },
    };
  },
  createOAuthClient: async () => {
    const json = { name: newName(), redirectUris: [REDIRECT_URI], scopes: ['read:pets'], isPublic: true };
    return { path: 'account/oauth-clients', options: { json }, other: { json: { ...json, name: newName() } } };
  },
};

/** Second factors and passkeys: the step that completes what was begun. */
const SIGN_IN_CASES: Readonly<Record<string, () => Promise<Sent>>> = {
  signInWithPassword: async () => ({
    path: 'sign-in/password',
    options: { json: { username: await newUser(), password: NEW_PASSWORD } },
    other: { json: { username: 'root', password: 'a wrong guess' } },
    isAnonymous: true,
  }),
  signInWithCode: async () => {
    const { username, token } = await newSession();
    const { recoveryCodes } = await setUpTotp(call, token, nowMs);
    const { step } = await passPassword(call, username, NEW_PASSWORD);
    const json = { step, factor: 'recovery-code', code: recoveryCodes[0] };
    return {
      path: 'sign-in/code',
      options: { json },
      other: { json: { ...json, code: recoveryCodes[1] } },
      isAnonymous: true,
    };
  },
  startPasskeySignIn: async () => ({ path: 'sign-in/passkey/options', options: {}, isAnonymous: true }),
  signInWithPasskey: async () => {
    const authenticator = new Authenticator(ORIGIN);
    await addPasskey(call, (await newSession()).token, authenticator);
    const { step, options } = await read<{ step: string; options: RequestOptions }>(
      call('POST', 'sign-in/passkey/options'),
    );
    return {
      path: 'sign-in/passkey',
      options: { json: { step, credential: authenticator.get(options) } },
      other: { json: { step, credential: authenticator.get(options) } },
      isAnonymous: true,
    };
  },
  startPasskeyProof: ofSession('account/proof/passkey'),
  proveOwnership: async () => {
    const headers = bearer((await newSession()).token);
    return {
      path: 'account/proof',
      options: { headers, json: { password: NEW_PASSWORD } },
      other: { headers, json: { password: 'a wrong guess' } },
    };
  },
  startTotp: ofSession('account/factors/totp'),
  confirmTotp: async () => {
    const headers = bearer((await newSession()).token);
    const { step, secret } = await read<{ step: string; secret: string }>(
      call('POST', 'account/factors/totp', { headers }),
    );
    return {
      path: 'account/factors/totp/confirm',
      options: { headers, json: { step, code: codeAt(secret, nowMs) } },
      other: { headers, json: { step, code: '000000' } },
    };
  },
  replaceRecoveryCodes: async () => {
    const { token } = await newSession();
    await setUpTotp(call, token, nowMs);
    return { path: 'account/factors/recovery-codes', options: { headers: bearer(token) } };
  },
  startPasskey: ofSession('account/passkeys/options'),
  addPasskey: async () => {
    const headers = bearer((await newSession()).token);
    const { step, options } = await read<{ step: string; options: CreationOptions }>(
      call('POST', 'account/passkeys/options', { headers }),
    );
    const json = { step, name: 'Phone', credential: new Authenticator(ORIGIN).create(options) };
    return {
      path: 'account/passkeys',
      options: { headers, json },
      other: { headers, json: { ...json, name: 'Tablet' } },
    };
  },
};

const ofPlayground = (path: string) => async (): Promise<Sent> => {
  const { token } = await createPlayground(call, { contents: 'empty' }, bearer(root));
  const { text } = await requireSuccess('POST', `playgrounds/${token}/snapshots`);
  const { id } = JSON.parse(text) as { id: string };
  return { path: `playgrounds/${token}/${path.replace('{snapshotId}', id)}`, options: {} };
};

/** How to send each POST operation, with something new for it to do. */
const CASES: Readonly<Record<string, () => Promise<Sent>>> = {
  addPet: async () => ({
    path: 'pet',
    options: { json: { name: 'Rex', photoUrls: [], tags: [{ name: 'good' }] } },
    other: { json: { name: 'Max' } },
  }),
  updatePetWithForm: async () => ({
    path: `pet/${await newPet()}`,
    options: { form: { name: 'Max', status: 'sold' } },
    other: { form: { name: 'Moritz' } },
  }),
  uploadFile: async () => ({
    path: `pet/${await newPet()}/uploadImage`,
    options: upload(photo),
    other: upload(otherPhoto),
  }),
  restorePetVersion: async () => {
    const { id, version } = await newVersionedPet();
    await requireSuccess('PUT', 'pet', { json: { id: Number(id), name: 'Another' } });
    return { path: `pet/${id}/history/${version}/restore`, options: {} };
  },
  restorePet: async () => {
    const { id } = await newVersionedPet();
    await requireSuccess('DELETE', `pet/${id}`);
    return { path: `pet/${id}/restore`, options: {} };
  },
  changePets: async () => ({
    path: 'bulk',
    options: lines({ op: 'create', pet: { name: 'Rex' } }, { op: 'delete', id: await newPet() }, { op: 'what' }),
    other: lines({ op: 'create', pet: { name: 'Max' } }),
  }),
  createUser: async () => ({
    path: 'user',
    options: { json: { username: newName(), password: NEW_PASSWORD } },
    other: { json: { username: newName() } },
  }),
  createUsersWithArrayInput: ofUsers('user/createWithArray'),
  createUsersWithListInput: ofUsers('user/createWithList'),
  loginUserWithBody: async () => ({
    path: 'user/login',
    options: { json: { username: await newUser(), password: NEW_PASSWORD } },
    other: { json: { username: 'root', password: 'a wrong guess' } },
    isAnonymous: true,
  }),
  changePassword: async () => {
    const username = await newUser();
    const token = await logIn(call, username, NEW_PASSWORD);
    const newPassword = 'seven brown bottles fell off a wall';
    return {
      path: 'account/password',
      options: { json: { oldPassword: NEW_PASSWORD, newPassword }, headers: bearer(token) },
      other: { json: { oldPassword: 'a wrong guess', newPassword }, headers: bearer(token) },
    };
  },
  createKey: async () => ({
    path: 'account/keys',
    options: { json: { name: 'ci', scopes: ['write:pets'] } },
    other: { json: { name: 'cd', scopes: ['write:pets'] } },
  }),
  resetPassword: async () => {
    const link = await requireSuccess('POST', `admin/users/${await newUser()}/reset-link`);
    const { token } = JSON.parse(link.text) as { token: string };
    return {
      path: 'password-reset',
      options: { json: { token, newPassword: 'seven brown bottles fell off a wall' } },
      other: { json: { token, newPassword: 'seven green bottles fell off a wall' } },
      isAnonymous: true,
    };
  },
  linkProvider: async () => ({
    path: 'account/providers',
    options: { json: { provider: 'one' } },
    other: { json: { provider: 'one', returnTo: '/' } },
  }),
  inviteUser: async () => ({
    path: 'admin/users',
    options: { json: { username: `${await newUser()}-invited` } },
    other: { json: { username: `${await newUser()}-invited` } },
  }),
  closeUser: ofUser('close'),
  reopenUser: ofUser('reopen'),
  issueResetLink: ofUser('reset-link'),
  createWebhook: async () => ({
    path: 'admin/webhooks',
    options: { json: { url: `${receiver.origin}/new`, events: ['account.role-set'] } },
    other: { json: { url: `${receiver.origin}/other`, events: ['account.role-set'] } },
  }),
  rotateWebhookSecret: ofWebhook('secret-rotation'),
  testWebhook: ofWebhook('test'),
  retryDeadLetters: ofWebhook('dead-letters/retry'),
  retryDeadLetter: ofWebhook('dead-letters/{letterId}/retry'),
  sendEnquiry: async () => {
    await requireSuccess('PUT', 'enquiry-settings', { json: OPEN_FORM });
    const petId = await newPet();
    const token = await agedToken(tables.query, BigInt(petId), nowMs);
    return {
      path: `pet/${petId}/enquiries`,
      options: { json: { ...ENQUIRY, token } },
      other: { json: { ...ENQUIRY, token, name: 'Bob' } },
      isAnonymous: true,
    };
  },
  addEnquiryNote: ofEnquiry('notes'),
  answerEnquiry: ofEnquiry('answers'),
  eraseEnquiries: async () => {
    const email = `${newName()}@example.org`;
    await storeEnquiry(tables.query, email);
    return { path: 'enquiries/erase', options: { json: { email } }, other: { json: { email: 'bob@example.org' } } };
  },
  eraseSavedSearches: async () => ({
    path: 'saved-searches/erase',
    options: { json: { email: 'ada@example.org' } },
    other: { json: { email: 'bob@example.org' } },
  }),
  uploadListing: async () => {
    await requireSuccess('PATCH', 'admin/listings/petfinder', { json: { on: true } });
    return { path: 'admin/listings/petfinder/upload', options: {} };
  },
  createFeedKey: async () => ({ path: 'admin/listings/open/key', options: {} }),
  startBackup: async () => ({ path: 'admin/backups', options: {} }),
  checkBackup: async () => {
    const { text } = await call('POST', 'admin/backups', { headers: bearer(root) });
    const { name } = JSON.parse(text) as { name: string };
    await until('the backup is finished', async () => {
      const { backups } = JSON.parse((await requireSuccess('GET', 'admin/backups')).text) as {
        backups: { name: string; state: string }[];
      };
      return backups.find((backup) => backup.name === name)?.state === 'finished';
    });
    return { path: `admin/backups/${name}/check`, options: { json: {} } };
  },
  checkHealth: async () => ({ path: 'admin/health', options: {} }),
  ...SIGN_IN_CASES,
  ...inNetworksOfTheirOwn(MAIL_CASES),
  ...PROGRAM_CASES,
  createPlayground: async () => ({
    path: 'playgrounds',
    options: { json: { contents: 'empty' } },
    other: { json: { contents: 'samples' } },
  }),
  resetPlayground: ofPlayground('reset'),
  takePlaygroundSnapshot: ofPlayground('snapshots'),
  restorePlaygroundSnapshot: ofPlayground('snapshots/{snapshotId}/restore'),
};

const posts = Object.entries(ENDPOINTS).filter(([, { method }]) => method === 'POST');

/** Sends a request, as root unless specified. */
function send({ path, isAnonymous }: Sent, options: CallOptions, key: string, session = root): Promise<HttpResponse> {
  const headers = { ...(isAnonymous !== true && bearer(session)), 'idempotency-key': key, ...options.headers };
  return call('POST', path, { ...options, headers });
}

/** The number of audit entries of changes. */
async function entries(): Promise<number> {
  const [row] = await tables.query('select count(*) as count from audit');
  return Number(row?.['count']);
}

/** The response without headers about its transmission. */
function headersOf({ headers }: HttpResponse): Record<string, string> {
  const beside = [
    'date',
    'connection',
    'keep-alive',
    'x-request-id',
    'idempotency-replayed',
    'content-length',
    'transfer-encoding',
  ];
  return Object.fromEntries([...headers].filter(([name]) => !beside.includes(name)));
}

function assertReplay(response: HttpResponse, first: HttpResponse, context = ''): void {
  assert.equal(response.text, first.text, context);
  assert.equal(response.status, first.status, context);
  assert.equal(response.headers.get('idempotency-replayed'), 'true', context);
  assert.deepEqual(headersOf(response), headersOf(first), context);
  assert.deepEqual(response.headers.getSetCookie(), first.headers.getSetCookie(), context);
}

void test('idempotency keys: every POST operation is tested here', () => {
  // Restores would end the service.
  const untested = ['restoreBackup', 'undoRestore'];
  const missing = posts
    .map(([operation]) => operation)
    .filter((operation) => CASES[operation] === undefined && !untested.includes(operation));
  assert.deepEqual(missing, [], `add to CASES: ${missing.join(', ')}`);
});

for (const [operation, prepare] of Object.entries(CASES)) {
  void test(
    `${operation} repeated with its key: done once, with an identical response`,
    { skip: skipOperation(operation) },
    async () => {
      const sent = await prepare();
      const key = randomUUID();
      const first = await send(sent, sent.options, key);
      assert.equal(first.status, operation === 'startBackup' ? 202 : 200, first.text);
      assert.equal(first.headers.get('idempotency-replayed'), null);
      const before = await entries();
      // The quoted form of the draft is the same key.
      for (const again of [key, `"${key}"`, key]) assertReplay(await send(sent, sent.options, again), first, operation);
      assert.equal(await entries(), before, 'nothing must be done');
    },
  );

  void test(
    `${operation} with the key of another request: refused, without any effect`,
    { skip: skipOperation(operation) },
    async () => {
      const sent = await prepare();
      const key = randomUUID();
      const first = await send(sent, sent.options, key);
      const before = await entries();
      const others: readonly (readonly [path: string, options: CallOptions])[] = [
        [`${sent.path}?${sent.path.startsWith('admin/users/') ? 'by=accountId' : 'a=b'}`, sent.options],
        ...(sent.other === undefined ? [] : [[sent.path, sent.other] as const]),
      ];
      for (const [path, options] of others) {
        const refusal = assertRefused(await send({ ...sent, path }, options, key), 422, `${operation} ${path}`);
        assert.match(refusal.message, /used for another request/);
      }
      assert.equal(await entries(), before, 'nothing must be done');
      assertReplay(await send(sent, sent.options, key), first);
    },
  );

  void test(
    `${operation} repeated after a crash before its response: done once`,
    { skip: skipOperation(operation) },
    async () => {
      const sent = await prepare();
      const key = randomUUID();
      const first = await send(sent, sent.options, key);
      const before = await entries();
      // The state after the node died between the change and the record of the response: there is a mark, but no
      // response.
      await tables.query(
        `update idempotent_request set answer = null, claimed_until_ms = 0, result = ${markOf(operation, first)} where answer is not null`,
      );
      const again = await send(sent, sent.options, key);
      assert.equal(await entries(), before, 'nothing must be done again');
      if (markOf(operation, first) === 'null') {
        assert.match(assertRefused(again, 409).message, /was executed/);
        return;
      }
      assert.equal(again.headers.get('idempotency-replayed'), null);
      assert.equal(again.text, first.text);
      assert.deepEqual(headersOf(again), headersOf(first));
      assertReplay(await send(sent, sent.options, key), first);
    },
  );
}

/** These store nothing before their effect, which is harmless if repeated. */
const UNCLAIMED = [
  'testMail',
  'testWebhook',
  'startBackup',
  'checkBackup',
  'startPasskeySignIn',
  'checkHealth',
  'createPlayground',
  'resetPlayground',
  'takePlaygroundSnapshot',
  'restorePlaygroundSnapshot',
];

for (const [operation, prepare] of Object.entries(CASES)) {
  if (UNCLAIMED.includes(operation)) continue;
  void test(
    `${operation} whose key another attempt took over: changes nothing`,
    { skip: skipOnPostgres() },
    async () => {
      const sent = await prepare();
      const key = randomUUID();
      const before = await entries();
      await tables.query(
        "create trigger take_over after insert on idempotent_request begin update idempotent_request set claim = 'another' where digest = new.digest; end",
      );
      const late = await send(sent, sent.options, key);
      await tables.query('drop trigger take_over');
      const took = /another one with the same Idempotency-Key took over/;
      if (operation === 'changePets')
        for (const line of late.text.trim().split('\n').slice(0, 2)) assert.match(line, took);
      else {
        assert.match(assertRefused(late, 409).message, took);
        assert.equal(late.headers.get('retry-after'), '1');
      }
      assert.equal(await entries(), before, 'nothing must be done');
    },
  );
}

/**
 * The SQL value that the transaction of the change records. For responses with secrets, only the fact that it was made.
 */
function markOf(operation: string, { text, headers }: HttpResponse): string {
  const version = headers.get('etag')?.slice(1, -1);
  if (['addPet', 'restorePetVersion', 'restorePet'].includes(operation))
    return `'${(JSON.parse(text) as { id: number }).id} ${version}'`;
  if (version !== undefined) return `'1 ${version}'`;
  if (operation === 'createUser') return `'${(JSON.parse(text) as { message: string }).message}'`;
  return /^(?:createUsers|closeUser|reopenUser)/.test(operation) ? `'4,5'` : 'null';
}

void test('hundred concurrent requests with one key: one is executed, and the others get 409 or its response', async () => {
  const key = randomUUID();
  const before = await entries();
  const sent: Sent = { path: 'pet', options: { json: { name: 'One of a hundred' } } };
  const responses = await Promise.all(Array.from({ length: 100 }, () => send(sent, sent.options, key)));
  const done = responses.filter(({ status }) => status === 200);
  assert.equal(new Set(done.map(({ text }) => text)).size, 1);
  assert.equal(done.filter(({ headers }) => headers.get('idempotency-replayed') === null).length, 1);
  for (const response of responses) {
    if (response.status === 200) continue;
    assert.match(assertRefused(response, 409).message, /still in progress/);
    // The time until the claim ends, if this node dies.
    assert.match(response.headers.get('retry-after') ?? '', /^[56]$/);
  }
  assert.equal((await entries()) - before, 1);
  const again = await Promise.all(Array.from({ length: 20 }, () => send(sent, sent.options, key)));
  for (const response of again)
    assertReplay(response, done.find(({ headers }) => !headers.has('idempotency-replayed')) ?? response);
});

void test('hundred concurrent keys: create a hundred pets, once', async () => {
  const keys = Array.from({ length: 100 }, () => randomUUID());
  const sent: Sent = { path: 'pet', options: { json: { name: 'Many' } } };
  const first = await Promise.all(keys.map((key) => send(sent, sent.options, key)));
  const again = await Promise.all(keys.map((key) => send(sent, sent.options, key)));
  assert.equal(new Set(first.map(({ text }) => text)).size, 100);
  for (const [index, response] of again.entries()) assertReplay(response, first[index] ?? response);
});

void test('key: belongs to an account, and reveals nothing to others', async () => {
  const edna = await logIn(call, 'edna');
  const key = randomUUID();
  const sent: Sent = { path: 'pet', options: { json: { name: 'Shared key' } } };
  const ofRoot = await send(sent, sent.options, key);
  const ofEdna = await send(sent, sent.options, key, edna);
  assert.equal(ofEdna.status, 200);
  assert.notEqual(ofEdna.text, ofRoot.text);
  assert.equal(ofEdna.headers.get('idempotency-replayed'), null);
  // Without permission, the error is 403, not the response to another user.
  assertRefused(await send(sent, sent.options, key, await logIn(call, 'vera')), 403);
  assertRefused(await call('POST', 'pet', { ...sent.options, headers: { 'idempotency-key': key } }), 401);
  // Another credential of the same account shares its keys.
  const apiKey = await createKey(call, edna, ['write:pets']);
  assertReplay(await send(sent, sent.options, key, apiKey.key), ofEdna);
});

void test('uploads: compared by content, whatever the multipart boundary', async () => {
  const sent: Sent = { path: `pet/${await newPet()}/uploadImage`, options: upload(photo) };
  const key = randomUUID();
  const first = await send(sent, sent.options, key);
  assertReplay(await send(sent, withBoundary(sent.options, 'another-boundary'), key), first);
  for (const other of [upload(photo, 'a cat'), upload(Buffer.concat([photo, Buffer.from([0])]))])
    assertRefused(await send(sent, other, key), 422);
  assertRefused(await send(sent, multipart([{ name: 'file', fileName: 'max.jpg', content: photo }]), key), 422);
});

void test('refused change: refused again, even if it would be possible now', async () => {
  const sent: Sent = { path: 'pet/4711', options: { form: { name: 'Late' } } };
  const key = randomUUID();
  const first = await send(sent, sent.options, key);
  assertRefused(first, 404);
  await requireSuccess('POST', 'pet', { json: { id: 4711, name: 'Here now' } });
  const again = await send(sent, sent.options, key);
  assertReplay(again, first);
  const username = await newUser();
  const taken: Sent = { path: 'user', options: { json: { username } } };
  const conflict = await send(taken, taken.options, key + 1);
  assertRefused(conflict, 409);
  await requireSuccess('DELETE', `user/${username}`);
  assertReplay(await send(taken, taken.options, key + 1), conflict);
});

void test('malformed request: does not use its key', async () => {
  const key = randomUUID();
  const sent: Sent = { path: 'pet', options: { json: { name: 'Right' } } };
  for (const json of [{}, { name: 7 }, []]) assertRefused(await send(sent, { json }, key), 400);
  assert.equal((await send(sent, sent.options, key)).status, 200);
});

void test('unauthenticated request: does not use its key', async () => {
  const key = randomUUID();
  const sent: Sent = {
    path: 'user/login',
    options: { json: { username: 'otto', password: 'a wrong guess' } },
    isAnonymous: true,
  };
  assertRefused(await send(sent, sent.options, key), 400);
  const right = { json: { username: 'otto', password: PASSWORDS['otto'] } };
  assert.equal((await send(sent, right, key)).status, 200);
});

void test('key: remembered for exactly a day, then new', async () => {
  const key = randomUUID();
  const sent: Sent = { path: 'pet', options: { json: { name: 'A day' } } };
  const first = await send(sent, sent.options, key);
  nowMs += DAY_MS - 1;
  root = await logIn(call, 'root');
  assertReplay(await send(sent, sent.options, key), first);
  nowMs += 1;
  assert.equal((await send(sent, { json: { name: 'The next day' } }, key)).status, 200);
  assertRefused(await send(sent, sent.options, key), 422);
});

void test(
  'request whose node died before the change: can be repeated after its claim',
  { skip: skipOnPostgres() },
  async () => {
    const key = randomUUID();
    const sent: Sent = { path: 'pet', options: { json: { name: 'Died' } } };
    await send(sent, sent.options, key);
    await tables.query(
      `update idempotent_request set answer = null, result = null, done_by = null, claimed_until_ms = ${nowMs + CLAIM_MS} where expires_at_ms = ${nowMs + DAY_MS}`,
    );
    const early = await send(sent, sent.options, key);
    assert.match(assertRefused(early, 409).message, /still in progress/);
    assert.equal(early.headers.get('retry-after'), '6');
    nowMs += CLAIM_MS - 500;
    assert.equal((await send(sent, sent.options, key)).headers.get('retry-after'), '1');
    nowMs += 500;
    const late = await send(sent, sent.options, key);
    assert.equal(late.status, 200);
    assertReplay(await send(sent, sent.options, key), late);
  },
);

async function lastClaimEnd(): Promise<bigint> {
  const [row] = await tables.query('select max(claimed_until_ms) as at from idempotent_request');
  return BigInt(String(row?.['at']));
}

void test('pending request: extends its claim', async (t) => {
  const sent = await ofWebhook('test')();
  const key = randomUUID();
  const held = Promise.withResolvers<() => void>();
  receiver.respond((_call, response) => held.resolve(() => response.end()));
  t.after(() => receiver.respond(200));
  t.mock.timers.enable({ apis: ['setInterval'] });
  const first = send(sent, sent.options, key);
  const finish = await held.promise;
  const before = await lastClaimEnd();
  nowMs += CLAIM_MS / 3;
  t.mock.timers.tick(CLAIM_MS / 3);
  t.mock.timers.reset();
  await until('a renewal', async () => (await lastClaimEnd()) > before, 30_000);
  assert.match(assertRefused(await send(sent, sent.options, key), 409).message, /still in progress/);
  finish();
  const response = await first;
  assertReplay(await send(sent, sent.options, key), response);
});

const BAD_KEYS = [
  '',
  '""',
  '"',
  'a b',
  '"a b"',
  'a"b',
  '"a',
  'a,b',
  'a;b',
  '"a";b',
  String.raw`"a\b"`,
  'ä',
  'k'.repeat(256),
  `"${'k'.repeat(256)}"`,
];

for (const key of BAD_KEYS) {
  void test(`key ${JSON.stringify(key).slice(0, 30)}: refused with a message`, async () => {
    const before = await entries();
    const headers = { ...bearer(root), 'idempotency-key': key, 'content-type': 'application/json' };
    const response = await callAs(service.base, 'POST', 'pet', { headers, body: '{"name":"Rex"}' });
    assert.match(assertRefused(response, 400).message, /^Idempotency-Key must be given once/);
    assert.equal(await entries(), before);
  });
}

void test('key: two headers are refused; 255 characters and quotes are allowed', async () => {
  const body = '{"name":"Rex"}';
  const headers = { ...bearer(root), 'content-type': 'application/json' };
  const two = { ...headers, 'idempotency-key': ['a', 'a'] } as unknown as Record<string, string>;
  assertRefused(await callAs(service.base, 'POST', 'pet', { headers: two, body }), 400);
  for (const key of ['k'.repeat(255), String.raw`"${'k'.repeat(253)}\"\\"`, "!#$%&'()*+-./:<=>?@[]^_`{|}~"])
    assert.equal(
      (await callAs(service.base, 'POST', 'pet', { headers: { ...headers, 'idempotency-key': key }, body })).status,
      200,
      key,
    );
});

void test('operations with secrets: require unguessable keys', async () => {
  const username = newName();
  const cases: readonly Sent[] = [
    { path: 'user', options: { json: { username, password: NEW_PASSWORD } } },
    { path: 'user/login', options: { json: { username: 'otto', password: PASSWORDS['otto'] } }, isAnonymous: true },
    { path: 'account/keys', options: { json: { name: 'short', scopes: ['read:pets'] } } },
    { path: 'admin/users/otto/reset-link', options: {} },
    { path: 'password-reset', options: { json: { token: 't', newPassword: NEW_PASSWORD } }, isAnonymous: true },
  ];
  for (const sent of cases) {
    const before = await entries();
    const { message } = assertRefused(await send(sent, sent.options, 'k'.repeat(21)), 400, sent.path);
    assert.match(message, /at least 22 random characters.*random UUID/);
    assert.equal(await entries(), before, sent.path);
  }
  const [sent] = cases;
  assert.equal((await send(sent ?? assert.fail(), sent?.options ?? {}, 'k'.repeat(22))).status, 200);
});

void test('key of a login: does not reveal the password', async () => {
  const key = randomUUID();
  const path = 'user/login';
  const login = (password: string | undefined) =>
    send({ path, options: {}, isAnonymous: true }, { json: { username: 'otto', password } }, key);
  assert.equal((await login(PASSWORDS['otto'])).status, 200);
  const guesses = await Promise.all(Array.from({ length: 30 }, (_, index) => login(`guess ${index}`)));
  const refused = (status: number) => guesses.filter((guess) => guess.status === status).length;
  assert.deepEqual([refused(422), refused(429)], [20, 10]);
  const right = await login(PASSWORDS['otto']);
  assert.match(assertRefused(right, 429).message, /Too many requests with this Idempotency-Key/);
  assert.ok(Number(right.headers.get('retry-after')) <= 3600);
});

void test('other methods: ignore the header', async () => {
  const id = await newPet();
  const headers = { 'idempotency-key': 'a b' };
  for (const name of ['One', 'Two']) await requireSuccess('PUT', 'pet', { json: { id: Number(id), name }, headers });
  const { text } = await requireSuccess('GET', `pet/${id}`, { headers });
  assert.match(text, /"Two"/);
});

void test('database: contains neither the key, nor the request, nor the response', async (t) => {
  const key = `idempotency-canary-${randomUUID()}`;
  const password = `canary ${randomUUID()}`;
  const created = await send(
    { path: 'account/keys', options: {} },
    { json: { name: 'ci', scopes: ['read:pets'] } },
    key,
  );
  const { key: secret } = JSON.parse(created.text) as { key: string };
  const username = newName();
  const user: Sent = { path: 'user', options: { json: { username, password } } };
  assert.equal((await send(user, user.options, `${key}-2`)).status, 200);
  const login: Sent = { path: 'user/login', options: { json: { username, password } }, isAnonymous: true };
  const token = /:([\w-]{43})"/.exec((await send(login, login.options, `${key}-3`)).text)?.[1] ?? assert.fail();
  const link = await send({ path: `admin/users/${username}/reset-link`, options: {} }, {}, `${key}-4`);
  const { token: resetToken } = JSON.parse(link.text) as { token: string };
  const kept = Buffer.concat(await readEverythingKept(t, dataDir));
  for (const canary of [key, password, secret, token, resetToken]) {
    assert.ok(!kept.includes(canary));
    assert.ok(!kept.includes(Buffer.from(canary).toString('base64').slice(0, 32)));
  }
  assert.ok(kept.includes(username), 'the search must cover the right data');
});

void test('open access: keys are shared by all clients, and browsers may read that a response was repeated', async (t) => {
  const origin = 'https://shop.example';
  const open = await startTestService(t, { flags: ['--empty', '--cors-origins', origin] });
  const ask = clientOf(open.base);
  const headers = { 'idempotency-key': 'k', origin };
  const first = await ask('POST', 'pet', { headers, json: { name: 'Rex' } });
  const again = await ask('POST', 'pet', { headers: { 'idempotency-key': 'k' }, json: { name: 'Rex' } });
  assert.equal(again.headers.get('idempotency-replayed'), 'true');
  assert.equal(again.text, first.text);
  assert.equal(
    again.headers.get('access-control-allow-origin'),
    null,
    'CORS headers must be those of the current request',
  );
  const exposed = (await ask('POST', 'pet', { headers, json: { name: 'Rex' } })).headers;
  assert.match(exposed.get('access-control-expose-headers') ?? '', /Idempotency-Replayed/);
  assert.equal(exposed.get('access-control-allow-origin'), origin);
  assert.equal(
    (await ask('POST', 'pet/1', { headers: { 'idempotency-key': 'f' }, form: { name: 'Max' } })).text,
    successText('1'),
  );
});
