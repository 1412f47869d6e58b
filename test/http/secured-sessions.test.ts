import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ENDPOINTS, isForAllOrigins, type Endpoint } from '../../src/api/endpoints.ts';
import {
  assertResponse,
  assertRefused,
  successText,
  type HttpResponse,
  type Call,
  type CallOptions,
} from '../support/client.ts';
import { openConnection } from '../support/connection.ts';
import { ENQUIRY, OPEN_FORM } from '../support/enquiries.ts';
import { fileUpload } from '../support/multipart.ts';
import { skipOnNodes } from '../support/nodes.ts';
import { makePhoto } from '../support/photos.ts';
import { createPlayground } from '../support/playgrounds.ts';
import {
  bearer,
  createKey,
  logIn,
  newSecuredFolder,
  PASSWORDS,
  startSecuredService,
  tokenOf,
} from '../support/secured.ts';
import { removeFolder } from '../support/service.ts';

/* Sessions in secured access, where they separate users. */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NEW_PASSWORD = 'twelve green parrots read the news';
const PAGE = 'https://pets.example.org';
const TOKEN = /^[\w-]{43}$/;

let nowMs = Date.UTC(2026, 0, 15, 12, 20, 0);
const clock = () => nowMs;
const dataDir = await newSecuredFolder();
const service = await startSecuredService({ after }, { dataDir, clock, flags: ['--cors-origins', PAGE] });
const { call } = service;
after(async () => {
  await service.stop();
  await removeFolder(dataDir);
});

function logInAs(username: string, headers: Readonly<Record<string, string>> = {}): Promise<HttpResponse> {
  return call('POST', 'user/login', { headers, json: { username, password: PASSWORDS[username] } });
}

function cookieOf(token: string): { cookie: string } {
  return { cookie: `menagerie_session=${token}` };
}

async function isAlive(token: string, client: Call = call): Promise<boolean> {
  const { status } = await client('GET', 'account', { headers: bearer(token) });
  assert.ok(status === 200 || status === 401, String(status));
  return status === 200;
}

// Fixation and rotation.

void test('session fixation: a token chosen by a client never becomes a session', async () => {
  const invented = 'A'.repeat(43);
  for (const headers of [cookieOf(invented), bearer(invented), { api_key: invented }]) {
    assertRefused(await call('GET', 'account', { headers }), 401);
    const response = await logInAs('vera', headers);
    const token = tokenOf(response);
    assert.match(token, TOKEN);
    assert.notEqual(token, invented);
    assert.equal(response.headers.getSetCookie().length, 1);
    assert.ok(response.headers.getSetCookie()[0]?.startsWith(`menagerie_session=${token};`));
    assertRefused(await call('GET', 'account', { headers }), 401);
    assert.ok(await isAlive(token));
  }
});

void test('session fixation: no path and no body sets the token', async () => {
  const invented = 'B'.repeat(43);
  const json = { username: 'vera', password: PASSWORDS['vera'], token: invented, session: invented, id: invented };
  const query = new URLSearchParams({ ...json, password: json.password ?? '' }).toString();
  const responses = [await call('POST', 'user/login', { json }), await call('GET', `user/login?${query}`)];
  for (const response of responses) assert.notEqual(tokenOf(response), invented);
  assert.equal(await isAlive(invented), false);
});

const replacements: [title: string, headersOf: (token: string) => { cookie: string }][] = [
  ['as set', cookieOf],
  ['among others', (token) => ({ cookie: `a=b; menagerie_session=${token}; c=d` })],
  ['with the prefix of the login', (token) => cookieOf(encodeURIComponent(`logged in user session:${token}`))],
];
for (const [title, headersOf] of replacements) {
  void test(`login in a browser with a session: ends that session (cookie ${title})`, async () => {
    const old = await logIn(call, 'vera');
    assert.equal((await call('GET', 'account', { headers: headersOf(old) })).status, 200, 'expected a valid session');
    const renewed = tokenOf(await logInAs('vera', headersOf(old)));
    assert.notEqual(renewed, old);
    assert.equal(await isAlive(old), false);
    const others = tokenOf(await logInAs('otto', headersOf(renewed)));
    assert.equal(await isAlive(renewed), false);
    assert.ok(await isAlive(others));
  });
}

void test('failed login: keeps the session of the browser', async () => {
  const token = await logIn(call, 'vera');
  const json = { username: 'vera', password: 'not the password of vera' };
  const response = await call('POST', 'user/login', { json, headers: cookieOf(token) });
  assertRefused(response, 400);
  assert.deepEqual(response.headers.getSetCookie(), []);
  assert.ok(await isAlive(token));
});

void test('login: always issues a new token', async () => {
  const tokens = [];
  for (let count = 0; count < 5; count++) tokens.push(await logIn(call, 'vera'));
  assert.equal(new Set(tokens).size, 5);
  for (const token of tokens) assert.ok(await isAlive(token));
});

// Expiry of sessions.

void test('X-Expires-After: exact to the millisecond for an unused session', async () => {
  const responses = [await logInAs('vera'), await logInAs('vera')];
  const [early, late] = responses.map(tokenOf);
  const endsMs = Date.parse(responses[0]?.headers.get('x-expires-after') ?? '');
  assert.equal(endsMs, nowMs + DAY_MS);
  nowMs = endsMs - 1;
  assert.ok(await isAlive(early ?? ''));
  nowMs = endsMs;
  assert.equal(await isAlive(late ?? ''), false);
  assert.ok(await isAlive(early ?? ''), 'the other session was used');
});

void test('session list: shows the exact end', async () => {
  const token = await logIn(call, 'vera');
  nowMs += 5 * HOUR_MS;
  const { text } = await call('GET', 'account/sessions', { headers: bearer(token) });
  const sessions = JSON.parse(text) as { current: boolean; expiresAt: string; lastUsedAt: string }[];
  const own = sessions.find(({ current }) => current) ?? assert.fail(text);
  assert.equal(own.lastUsedAt, new Date(nowMs).toISOString());
  assert.equal(own.expiresAt, new Date(nowMs + DAY_MS).toISOString());
  nowMs += DAY_MS;
  assert.equal(await isAlive(token), false);
});

for (const [idleHours, days] of [
  [1, 1],
  [24, 30],
  [7 * 24, 30],
] as const) {
  void test(
    `session: ends ${idleHours} h after its last use and ${days} d after its beginning, to the millisecond`,
    { skip: days > 1 && skipOnNodes() },
    async (t) => {
      const flags = ['--session-idle-hours', String(idleHours), '--session-lifetime-days', String(days)];
      const timed = await startSecuredService(t, { clock, flags });
      const idleMs = idleHours * HOUR_MS;
      const endsMs = nowMs + days * DAY_MS;
      const [used, idle, busy] = [
        await logIn(timed.call, 'edna'),
        await logIn(timed.call, 'edna'),
        await logIn(timed.call, 'edna'),
      ];
      const write = async (token: string) =>
        (await timed.call('POST', 'pet', { headers: bearer(token), json: { name: 'Rex' } })).status;
      nowMs += idleMs - 1;
      assert.equal(await write(used), 200);
      assert.equal(await write(busy), 200);
      nowMs += 1;
      assert.equal(await write(idle), 401);
      // Used often or rarely, both last until the absolute end.
      for (let step = 0; nowMs + idleMs / 3 < endsMs; step++) {
        nowMs += Math.floor(idleMs / 3);
        if (step % 2 === 0) assert.equal(await write(used), 200);
        assert.equal(await write(busy), 200);
      }
      nowMs = endsMs - 1;
      assert.equal(await write(busy), 200);
      assert.equal(await write(used), 200);
      nowMs = endsMs;
      assert.equal(await write(busy), 401);
      assert.equal(await write(used), 401);
    },
  );
}

void test('X-Expires-After: the absolute end, if it precedes the idle timeout', async (t) => {
  const short = await startSecuredService(t, {
    clock,
    flags: ['--session-idle-hours', '48', '--session-lifetime-days', '1'],
  });
  const json = { username: 'vera', password: PASSWORDS['vera'] };
  const response = await short.call('POST', 'user/login', { json });
  assert.equal(response.headers.get('x-expires-after'), new Date(nowMs + DAY_MS).toISOString());
  assert.match(response.headers.getSetCookie()[0] ?? '', /; Max-Age=86400;/);
  nowMs += DAY_MS - 1;
  assert.ok(await isAlive(tokenOf(response), short.call));
  nowMs += 1;
  assert.equal(await isAlive(tokenOf(response), short.call), false);
});

// End of sessions.

void test('logout: effective immediately, on the same and on other open connections', async () => {
  const connections = [openConnection(service.base), openConnection(service.base)];
  const [own, other] = connections;
  assert.ok(own !== undefined && other !== undefined);
  const token = await logIn(call, 'vera');
  const headers = bearer(token);
  for (const connection of connections)
    assert.equal((await connection.call('GET', 'account', { headers })).status, 200);
  assertResponse(await own.call('GET', 'user/logout', { headers }), 200, successText('ok'));
  const responses = await Promise.all(connections.map((connection) => connection.call('GET', 'account', { headers })));
  for (const response of responses) assertRefused(response, 401);
  assertRefused(await other.call('GET', 'account', { headers: cookieOf(token) }), 401);
  for (const { close } of connections) close();
});

void test('logout: no request that begins after its response is authenticated', async () => {
  const connection = openConnection(service.base, { connections: 20 });
  for (let round = 0; round < 5; round++) {
    const headers = bearer(await logIn(call, 'vera'));
    const racing = Array.from({ length: 20 }, () => connection.call('GET', 'account', { headers }));
    await connection.call('GET', 'user/logout', { headers });
    const late = Array.from({ length: 20 }, () => connection.call('GET', 'account', { headers }));
    for (const { status } of await Promise.all(racing)) assert.ok(status === 200 || status === 401);
    for (const response of await Promise.all(late)) assertRefused(response, 401);
  }
  connection.close();
});

void test('cookie: not readable by scripts, and deleted by the logout', async () => {
  const response = await logInAs('vera');
  const token = tokenOf(response);
  const [pair, ...attributes] = response.headers.getSetCookie()[0]?.split('; ') ?? [];
  assert.equal(pair, `menagerie_session=${token}`);
  assert.deepEqual(attributes.toSorted(), ['HttpOnly', 'Max-Age=2592000', 'Path=/', 'SameSite=Lax']);
  const { headers } = await call('GET', 'user/logout', { headers: cookieOf(token) });
  const [cleared, ...of] = headers.getSetCookie()[0]?.split('; ') ?? [];
  assert.equal(cleared, 'menagerie_session=');
  assert.deepEqual(of.toSorted(), ['HttpOnly', 'Max-Age=0', 'Path=/', 'SameSite=Lax']);
  assert.equal(headers.getSetCookie().length, 1);
});

void test('cookie over HTTPS: bound to the host; the other name is ignored', { skip: skipOnNodes() }, async (t) => {
  const secure = await startSecuredService(t, { clock, flags: ['--public-url', 'https://pets.example.org'] });
  const json = { username: 'vera', password: PASSWORDS['vera'] };
  const response = await secure.call('POST', 'user/login', { json });
  const token = tokenOf(response);
  const [pair, ...attributes] = response.headers.getSetCookie()[0]?.split('; ') ?? [];
  assert.equal(pair, `__Host-menagerie_session=${token}`);
  assert.deepEqual(attributes.toSorted(), ['HttpOnly', 'Max-Age=2592000', 'Path=/', 'SameSite=Lax', 'Secure']);
  assertRefused(await secure.call('GET', 'account', { headers: cookieOf(token) }), 401);
  const headers = { cookie: `menagerie_session=${'x'.repeat(43)}; __Host-menagerie_session=${token}` };
  assert.equal((await secure.call('GET', 'account', { headers })).status, 200);
  const { headers: cleared } = await secure.call('GET', 'user/logout', { headers });
  const [empty, ...of] = cleared.getSetCookie()[0]?.split('; ') ?? [];
  assert.equal(empty, '__Host-menagerie_session=');
  assert.deepEqual(of.toSorted(), ['HttpOnly', 'Max-Age=0', 'Path=/', 'SameSite=Lax', 'Secure']);
  assertRefused(await secure.call('GET', 'account', { headers }), 401);
});

void test('cookie at a path: only sent there', { skip: skipOnNodes() }, async (t) => {
  for (const [url, name, secure] of [
    ['https://example.org/zoo', '__Secure-menagerie_session', ['Secure']],
    ['http://example.org/zoo', 'menagerie_session', []],
  ] as const) {
    const there = await startSecuredService(t, { clock, flags: ['--public-url', url] });
    const json = { username: 'vera', password: PASSWORDS['vera'] };
    const response = await there.call('POST', 'user/login', { json });
    const [pair, ...attributes] = response.headers.getSetCookie()[0]?.split('; ') ?? [];
    assert.equal(pair, `${name}=${tokenOf(response)}`);
    const common = ['HttpOnly', 'Max-Age=2592000', 'Path=/zoo', 'SameSite=Lax'];
    assert.deepEqual(attributes.toSorted(), [...common, ...secure]);
    const headers = { cookie: pair ?? '' };
    assert.equal((await there.call('GET', 'account', { headers })).status, 200);
    const { headers: cleared } = await there.call('GET', 'user/logout', { headers });
    assert.match(cleared.getSetCookie()[0] ?? '', /; Max-Age=0; Path=\/zoo;/);
  }
});

void test('restart: keeps sessions, and keeps ended ones ended', async (t) => {
  const folder = await newSecuredFolder();
  t.after(() => removeFolder(folder));
  const before = await startSecuredService(t, { dataDir: folder, clock });
  const [kept, ended] = [await logIn(before.call, 'vera'), await logIn(before.call, 'vera')];
  await before.call('GET', 'user/logout', { headers: bearer(ended) });
  await before.stop();
  const { call: again } = await startSecuredService(t, { dataDir: folder, clock });
  assert.ok(await isAlive(kept, again));
  assert.equal(await isAlive(ended, again), false);
});

void test('password change: ends the other sessions, by any way of changing it', async () => {
  const root = bearer(await logIn(call, 'root'));
  const json = { username: 'changer', password: NEW_PASSWORD };
  assert.equal((await call('POST', 'user', { headers: root, json })).status, 200);
  const begin = async (password: string) =>
    tokenOf(await call('POST', 'user/login', { json: { username: 'changer', password } }));
  const otto = await logIn(call, 'otto');

  const [first, second] = [await begin(NEW_PASSWORD), await begin(NEW_PASSWORD)];
  const wrong = { oldPassword: 'not the password of this one', newPassword: `${NEW_PASSWORD} 2` };
  assertRefused(await call('POST', 'account/password', { headers: bearer(first), json: wrong }), 400);
  assert.ok(await isAlive(second), 'a failed change must end no session');
  const right = { oldPassword: NEW_PASSWORD, newPassword: `${NEW_PASSWORD} 2` };
  assert.equal((await call('POST', 'account/password', { headers: bearer(first), json: right })).status, 200);
  assert.deepEqual([await isAlive(first), await isAlive(second)], [true, false]);

  const third = await begin(`${NEW_PASSWORD} 2`);
  const put = { headers: bearer(third), json: { password: `${NEW_PASSWORD} 3` } };
  assert.equal((await call('PUT', 'user/changer', put)).status, 200);
  assert.deepEqual([await isAlive(first), await isAlive(third)], [false, true]);

  const byRoot = { headers: root, json: { password: `${NEW_PASSWORD} 4` } };
  assert.equal((await call('PUT', 'user/changer', byRoot)).status, 200);
  assert.equal(await isAlive(third), false);

  const fourth = await begin(`${NEW_PASSWORD} 4`);
  const issued = await call('POST', 'admin/users/changer/reset-link', { headers: root });
  const { token } = JSON.parse(issued.text) as { token: string };
  assert.ok(await isAlive(fourth), 'an unused link must end no session');
  const reset = { token, newPassword: `${NEW_PASSWORD} 5` };
  assert.equal((await call('POST', 'password-reset', { json: reset, headers: bearer(fourth) })).status, 200);
  assert.equal(await isAlive(fourth), false);
  assert.ok(await isAlive(otto), 'sessions of other users must continue');
});

void test('closed account: its sessions end, and stay ended after reopening', async () => {
  const root = bearer(await logIn(call, 'root'));
  const json = { username: 'leaver', password: NEW_PASSWORD };
  assert.equal((await call('POST', 'user', { headers: root, json })).status, 200);
  const begin = async () => tokenOf(await call('POST', 'user/login', { json }));
  const [first, second] = [await begin(), await begin()];
  assert.equal((await call('POST', 'admin/users/leaver/close', { headers: root })).status, 200);
  for (const token of [first, second]) assert.equal(await isAlive(token), false);
  assertRefused(await call('POST', 'user/login', { json }), 400);
  assert.equal((await call('POST', 'admin/users/leaver/reopen', { headers: root })).status, 200);
  for (const token of [first, second]) assert.equal(await isAlive(token), false);
  const third = await begin();
  const closing = { headers: root, json: { userStatus: 3 } };
  assert.equal((await call('PUT', 'user/leaver', closing)).status, 200);
  assert.equal(await isAlive(third), false);
  assert.equal((await call('PUT', 'user/leaver', { headers: root, json: { userStatus: 2 } })).status, 200);
  assert.equal(await isAlive(third), false);
  const fourth = await begin();
  assert.equal((await call('DELETE', 'user/leaver', { headers: root })).status, 200);
  assert.equal((await call('POST', 'user', { headers: root, json })).status, 200);
  assert.equal(await isAlive(fourth), false, 'the next account of that name must inherit nothing');
});

// Pages of other sites.

const foreign: Record<string, string>[] = [
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
  { 'sec-fetch-site': 'cross-site', origin: service.origin },
  { 'sec-fetch-site': 'same-site', origin: `http://127.0.0.1:1` },
  { origin: 'https://evil.example' },
  { origin: 'null' },
  { origin: `${PAGE}.evil.example` },
  { origin: service.origin.replace('http', 'https') },
];

type Sent = [path: string, options?: CallOptions, status?: number];

/** A request for each changing operation from an administrator's browser. Each succeeds, in this order. */
async function changesOf(token: string): Promise<Readonly<Record<string, Sent>>> {
  const headers = bearer(token);
  const json = { username: 'target', password: NEW_PASSWORD };
  assert.equal((await call('POST', 'user', { headers, json })).status, 200);
  assert.equal((await call('POST', 'pet', { headers, json: { id: 70, name: 'Rex' } })).status, 200);
  const other = tokenOf(await call('POST', 'user/login', { json }));
  const key = await createKey(call, token, ['write:pets']);
  const targetsKey = await createKey(call, other, ['read:pets']);
  const rootsOther = await logIn(call, 'root');
  const { text } = await call('GET', 'account/sessions', { headers: bearer(rootsOther) });
  const sessions = JSON.parse(text) as { id: string; current: boolean }[];
  const sessionId = sessions.find(({ current }) => current)?.id ?? assert.fail();
  const issued = await call('POST', 'admin/users/target/reset-link', { headers });
  const reset = (JSON.parse(issued.text) as { token: string }).token;
  const history = (await call('GET', 'pet/70/history', { headers })).text;
  const version = (JSON.parse(history) as { version: number }[])[0]?.version;
  const upload = fileUpload(await makePhoto());
  await call('POST', 'pet/70/uploadImage', { ...upload, headers: { ...upload.headers, ...headers } });
  const photos = (await call('GET', 'pet/70/photos')).text;
  const digest = (JSON.parse(photos) as { digest: string }[])[0]?.digest;
  const hook = { url: 'https://pets.invalid/', events: ['account.deleted'] };
  const made = await call('POST', 'admin/webhooks', { headers, json: hook });
  const webhook = `admin/webhooks/${(JSON.parse(made.text) as { id: string }).id}`;
  const { token: playgroundToken } = await createPlayground(call, { contents: 'empty' }, headers);
  const playground = `playgrounds/${playgroundToken}`;
  const snapshot = await call('POST', `${playground}/snapshots`);
  const { id: snapshotId } = JSON.parse(snapshot.text) as { id: string };
  const otto = { username: 'otto', password: PASSWORDS['otto'] ?? '' };
  return {
    signInWithCode: ['sign-in/code', { json: { step: 'none', factor: 'totp', code: '000000' } }, 400],
    startPasskeySignIn: ['sign-in/passkey/options', {}, 400],
    signInWithPasskey: ['sign-in/passkey', { json: { step: 'none', credential: {} } }, 400],
    startPasskeyProof: ['account/proof/passkey', {}, 400],
    proveOwnership: ['account/proof', { json: { password: PASSWORDS['root'] } }],
    startTotp: ['account/factors/totp'],
    confirmTotp: ['account/factors/totp/confirm', { json: { step: 'none', code: '000000' } }, 400],
    deleteTotp: ['account/factors/totp', {}, 404],
    replaceRecoveryCodes: ['account/factors/recovery-codes', {}, 409],
    startPasskey: ['account/passkeys/options', {}, 400],
    addPasskey: ['account/passkeys', { json: { step: 'none', name: 'Stolen', credential: {} } }, 400],
    renamePasskey: ['account/passkeys/none', { json: { name: 'Stolen' } }, 404],
    deletePasskey: ['account/passkeys/none', {}, 404],
    resetUserFactors: ['admin/users/target/factors'],
    unlinkUserProvider: ['admin/users/target/providers/none', {}, 404],
    requestEmailConfirmation: ['account/email-confirmation', {}, 409],
    confirmEmail: ['email-confirmation', { json: { token: 'A'.repeat(43) } }, 409],
    requestPasswordReset: ['password-reset-request', { json: { email: 'root@example.org' } }, 409],
    createSavedSearch: [
      'saved-searches',
      { json: { email: 'ada@example.org', search: 'species=dog', language: 'en' } },
      409,
    ],
    confirmSavedSearch: ['saved-searches/confirm', { json: { token: 'A'.repeat(43) } }, 409],
    stopSavedSearch: [`saved-searches/${'A'.repeat(43)}/stop`],
    eraseSavedSearches: ['saved-searches/erase', { json: { email: 'ada@example.org' } }],
    giveConsent: ['oauth/consent', { json: { isAllowed: true, parameters: {} } }, 400],
    createOAuthClient: [
      'account/oauth-clients',
      {
        json: { name: 'Intruder', redirectUris: ['https://intruder.invalid/'], scopes: ['write:pets'], isPublic: true },
      },
    ],
    deleteOAuthClient: ['account/oauth-clients/none', {}, 404],
    deleteAnyOAuthClient: ['admin/oauth-clients/none', {}, 404],
    resendInvitation: ['admin/users/target/invitation', {}, 409],
    retryDeadMail: ['admin/mail/dead/none/retry', {}, 409],
    deleteDeadMail: ['admin/mail/dead/none', {}, 404],
    testMail: ['admin/mail/test', { json: { to: 'root@example.org' } }, 409],
    createPlayground: ['playgrounds', { json: { contents: 'empty' } }],
    resetPlayground: [`${playground}/reset`],
    takePlaygroundSnapshot: [`${playground}/snapshots`],
    restorePlaygroundSnapshot: [`${playground}/snapshots/${snapshotId}/restore`],
    deletePlaygroundRequests: [`${playground}/requests`],
    setPlaygroundFaults: [`${playground}/faults`, { json: { rules: [] } }],
    setPlaygroundBugs: [`${playground}/bugs`, { json: { on: [] } }],
    deletePlayground: [playground],
    createWebhook: ['admin/webhooks', { json: { url: 'https://intruder.invalid/', events: ['*'] } }],
    updateWebhook: [webhook, { json: { url: 'https://intruder.invalid/' } }],
    testWebhook: [`${webhook}/test`],
    rotateWebhookSecret: [`${webhook}/secret-rotation`],
    endSecretRotation: [`${webhook}/secret-rotation`],
    retryDeadLetters: [`${webhook}/dead-letters/retry`],
    retryDeadLetter: [`${webhook}/dead-letters/1/retry`, {}, 404],
    deleteWebhook: [webhook],
    startBackup: ['admin/backups', {}, 409],
    updatePetPhoto: [`pet/70/photos/${digest}`, { json: { alt: 'Intruder' } }],
    reorderPetPhotos: ['pet/70/photos', { json: { photos: [digest] } }],
    deletePetPhoto: [`pet/70/photos/${digest}`],
    addPet: ['pet', { json: { id: 71, name: 'Intruder' } }],
    updatePet: ['pet', { json: { id: 70, name: 'Intruder' } }],
    updatePetWithForm: ['pet/70', { form: { name: 'Intruder' } }],
    patchPet: ['pet/70', { json: { name: 'Patched' } }],
    replacePetProfile: ['pet/70/profile', { json: { unit: 'A1' } }],
    patchPetProfile: ['pet/70/profile', { json: { unit: 'A2' } }],
    updateOrganisation: ['organisation', { json: { name: 'Shelter' } }],
    updateLogo: ['organisation/logo', fileUpload(await makePhoto())],
    deleteLogo: ['organisation/logo'],
    updateOwnFields: ['own-fields', { json: { fields: [] } }],
    updateEmbedding: ['embedding', { json: { sites: 'all' } }],
    uploadFile: ['pet/70/uploadImage', fileUpload(await makePhoto())],
    changePets: [
      'bulk',
      {
        body: Buffer.from('{"op":"create","pet":{"name":"Intruder","status":"available"}}'),
        headers: { 'content-type': 'application/x-ndjson' },
      },
    ],
    restorePetVersion: [`pet/70/history/${version}/restore`],
    deletePet: ['pet/70'],
    restorePet: ['pet/70/restore'],
    createUser: ['user', { json: { username: 'intruder' } }],
    createUsersWithArrayInput: ['user/createWithArray', { json: [{ username: 'intruder-1' }] }],
    createUsersWithListInput: ['user/createWithList', { json: [{ username: 'intruder-2' }] }],
    updateUser: ['user/target', { json: { ...json, phone: '1', password: undefined } }],
    changePassword: [
      'account/password',
      { json: { oldPassword: PASSWORDS['root'], newPassword: PASSWORDS['root'], revokeKeys: false } },
    ],
    createKey: ['account/keys', { json: { name: 'stolen', scopes: ['write:pets'] } }],
    revokeKey: [`account/keys/${key.id}`],
    linkProvider: ['account/providers', { json: { provider: 'none' } }, 404],
    unlinkProvider: ['account/providers/none', {}, 404],
    revokeAnyKey: [`admin/keys/${targetsKey.id}`],
    endSession: [`account/sessions/${sessionId}`, {}, 404],
    endOtherSessions: ['account/sessions'],
    inviteUser: ['admin/users', { json: { username: 'intruder-3' } }],
    setUserRole: ['admin/users/target/role', { json: { role: 'admin' } }],
    resetPassword: ['password-reset', { json: { token: reset, newPassword: `${NEW_PASSWORD} 6` } }],
    endUserSessions: ['admin/users/target/sessions'],
    closeUser: ['admin/users/target/close'],
    reopenUser: ['admin/users/target/reopen'],
    issueResetLink: ['admin/users/target/reset-link'],
    checkHealth: ['admin/health'],
    sendEnquiry: ['pet/70/enquiries', { json: { ...ENQUIRY, token: 'none' } }, 409],
    updateEnquirySettings: ['enquiry-settings', { json: OPEN_FORM }],
    updateEnquiry: ['enquiries/1', { json: { state: 'closed' } }, 404],
    addEnquiryNote: ['enquiries/1/notes', { json: { text: 'Intruder' } }, 404],
    answerEnquiry: ['enquiries/1/answers', { json: { text: 'Intruder' } }, 409],
    deleteEnquiry: ['enquiries/1', {}, 404],
    eraseEnquiries: ['enquiries/erase', { json: { email: ENQUIRY.email } }],
    updateListing: ['admin/listings/open', { json: { on: true } }],
    createFeedKey: ['admin/listings/open/key'],
    revokeFeedKey: ['admin/listings/open/key'],
    updateListingPet: ['admin/listings/open/pets/70', { json: { listed: false } }],
    deleteUser: ['user/target'],
    loginUser: [`user/login?${new URLSearchParams(otto).toString()}`],
    loginUserWithBody: ['user/login', { json: otto }],
    signInWithPassword: ['sign-in/password', { json: otto }],
    logoutUser: ['user/logout'],
  };
}

/** Everything that a change could affect. */
async function stateSeenBy(headers: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const paths = [
    'admin/audit?limit=1',
    'admin/users?limit=1000',
    'pet/70',
    'pet/71',
    'account/keys',
    'account/sessions',
    'admin/users/target/sessions',
    'admin/users/target/keys',
  ];
  const responses = await Promise.all(paths.map((path) => call('GET', path, { headers })));
  return responses.map(({ status, text }) => `${status} ${text}`);
}

/** Operations for pages of all origins do not read the session. */
const isWithSession = ({ path, changes: doesChange }: Endpoint) => doesChange && !isForAllOrigins(path);

void test(
  'with the cookie of an administrator, pages of other sites change nothing; its own page may',
  { skip: skipOnNodes() },
  async () => {
    const token = await logIn(call, 'root');
    const headers = cookieOf(token);
    const changes = await changesOf(token);
    const before = await stateSeenBy(headers);
    const changing = Object.entries(ENDPOINTS).filter(([, endpoint]) => isWithSession(endpoint));
    assert.deepEqual(Object.keys(changes).toSorted(), changing.map(([operation]) => operation).toSorted());
    for (const [operation, { method }] of changing) {
      const [path, options = {}] = changes[operation] ?? assert.fail(operation);
      for (const from of foreign) {
        const context = `${operation} ${JSON.stringify(from)}`;
        const response = await call(method, path, { ...options, headers: { ...options.headers, ...headers, ...from } });
        assertRefused(response, 403, context);
        assert.deepEqual(response.headers.getSetCookie(), [], context);
        for (const name of ['access-control-allow-origin', 'x-expires-after'])
          assert.equal(response.headers.get(name), null, context);
      }
      assert.deepEqual(await stateSeenBy(headers), before, `${operation} changed data`);
    }
    // Without a foreign origin, each has an effect.
    const own = { ...headers, 'sec-fetch-site': 'same-origin', origin: service.origin };
    for (const [operation, [path, options = {}, status = 200]] of Object.entries(changes)) {
      const { method } = ENDPOINTS[operation as keyof typeof ENDPOINTS];
      const response = await call(method, path, { ...options, headers: { ...options.headers, ...own } });
      assert.equal(response.status, status, `${operation}: ${response.text}`);
    }
    assert.equal(await isAlive(token), false);
  },
);

void test('HEAD on login and logout: no way around the rule for other sites', async () => {
  const headers = cookieOf(await logIn(call, 'vera'));
  const from = { ...headers, 'sec-fetch-site': 'cross-site' };
  assert.equal((await call('HEAD', 'user/logout', { headers: from })).status, 405);
  assert.equal((await call('GET', 'account', { headers })).status, 200);
});

void test('allowed page: may use the session; others get no preflight', async () => {
  const token = await logIn(call, 'edna');
  const preflight = (origin: string, method: string, path: string) =>
    call('OPTIONS', path, {
      headers: {
        origin,
        'sec-fetch-site': 'cross-site',
        'access-control-request-method': method,
        'access-control-request-headers': 'content-type,authorization',
      },
    });
  const page = { 'sec-fetch-site': 'cross-site', origin: PAGE, ...cookieOf(token) };
  const requests: [method: string, path: string, options: CallOptions][] = [
    ['GET', 'account', {}],
    ['POST', 'account/keys', { json: { name: 'of a page', scopes: ['read:pets'] } }],
    ['POST', 'pet', { json: { name: 'Rex' } }],
    ['GET', 'user/edna', {}],
    ['DELETE', 'account/sessions', {}],
  ];
  for (const [method, path, options] of requests) {
    const asked = await preflight(PAGE, method, path);
    assert.equal(asked.status, 204);
    assert.equal(asked.headers.get('access-control-allow-origin'), PAGE);
    assert.equal(asked.headers.get('access-control-allow-credentials'), 'true');
    assert.ok(asked.headers.get('access-control-allow-methods')?.split(/, ?/).includes(method));
    const response = await call(method, path, { ...options, headers: page });
    assert.equal(response.status, 200, `${method} ${path} ${response.text}`);
    assert.equal(response.headers.get('access-control-allow-origin'), PAGE);
    assert.equal(response.headers.get('access-control-allow-credentials'), 'true');
    assert.match(response.headers.get('vary') ?? '', /\borigin\b/i);

    for (const origin of [
      'https://evil.example',
      `${PAGE}.evil.example`,
      PAGE.replace('https', 'http'),
      `${PAGE}:8443`,
      'null',
    ]) {
      const refused = await preflight(origin, method, path);
      assert.equal(refused.headers.get('access-control-allow-origin'), null, origin);
      const { status, headers } = await call(method, path, { ...options, headers: { ...page, origin } });
      assert.equal(headers.get('access-control-allow-origin'), null, origin);
      // Browsers block their reads, the service blocks their changes.
      assert.equal(status, method === 'GET' ? 200 : 403, `${method} ${path} ${origin}`);
    }
  }
  assertResponse(await call('GET', 'user/logout', { headers: page }), 200, successText('ok'));
  assert.equal(await isAlive(token), false);
});
