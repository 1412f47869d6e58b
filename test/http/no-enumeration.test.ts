import assert from 'node:assert/strict';
import { argon2 } from 'node:crypto';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { Argon2Hasher } from '../../src/services/crypto/passwords.ts';
import { createAddresses, fromAddress } from '../support/addresses.ts';
import { assertRefused, type HttpResponse, type Call, type CallOptions } from '../support/client.ts';
import { startComposed } from '../support/composed-service.ts';
import { bearer, logIn, newSecuredFolder } from '../support/secured.ts';
import { LIGHT_HASHING } from '../support/service.ts';

/*
 * Neither a response nor its duration reveals whether an account exists. Nearly all of the duration is the hashing of
 * passwords, so the hashes are compared. `login-timing.test.ts` measures durations.
 */

const FREE_ATTEMPTS = 10;
const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2026, 0, 15, 12, 20, 0);

const argon2Async = promisify(argon2);

/** The parameters of all hashes since the last request. */
const hashes: object[] = [];
const passwords = new Argon2Hasher({
  concurrency: 2,
  maxWaiting: 100,
  parameters: LIGHT_HASHING,
  derive: (algorithm, parameters) => {
    const { message: _message, nonce, ...others } = parameters;
    hashes.push({ algorithm, saltBytes: Buffer.byteLength(nonce), ...others });
    return argon2Async(algorithm, parameters);
  },
});
const ONE_HASH = {
  algorithm: 'argon2id',
  saltBytes: 16,
  memory: LIGHT_HASHING.memoryKib,
  passes: LIGHT_HASHING.passes,
  parallelism: 1,
  tagLength: 32,
};

let nowMs = START_MS;
const service = await startComposed(
  { after },
  {
    flags: ['--access', 'secured', '--trusted-proxies', '1'],
    clock: () => nowMs,
    newFolder: newSecuredFolder,
    passwords,
  },
);
const call: Call = (...request) => {
  hashes.length = 0;
  return service.call(...request);
};
const nextAddress = createAddresses();
const root = bearer(await logIn(call, 'root'));

const RIGHT = 'the right password of all of these';
const WRONG = 'no password of anybody is this one';

for (const [username, password] of [
  ['open', RIGHT],
  ['shut', RIGHT],
  ['bare', undefined],
]) {
  const created = await call('POST', 'user', { headers: root, json: { username, password } });
  assert.equal(created.status, 200, created.text);
}
assert.equal((await call('POST', 'admin/users/shut/close', { headers: root })).status, 200);

/** Reasons why a login fails. The first is an unknown name. */
const REASONS: readonly [reason: string, username: string, password: string][] = [
  ['an unknown name', 'none', WRONG],
  ['a wrong password', 'open', WRONG],
  ['a wrong password of an editor', 'edna', WRONG],
  ['the right password of a closed account', 'shut', RIGHT],
  ['a wrong password of a closed account', 'shut', WRONG],
  ['an account without a password', 'bare', WRONG],
];

/** Everything in a response except its request id and time. */
function said({ status, headers, text }: HttpResponse): unknown {
  const rest = [...headers].filter(([name]) => name !== 'x-request-id' && name !== 'date');
  return { status, text, headers: rest };
}

/** Replaces names that occur in responses. */
function saidOf(response: HttpResponse, username: string): unknown {
  return said({ ...response, text: response.text.replaceAll(username, 'NAME') });
}

void test('test accounts: are as expected', async () => {
  assert.equal((await call('POST', 'user/login', { json: { username: 'open', password: RIGHT } })).status, 200);
  assert.deepEqual(hashes, [ONE_HASH]);
  const { text } = await call('GET', 'admin/users/shut', { headers: root });
  assert.equal((JSON.parse(text) as { userStatus: number }).userStatus, 3);
});

const WAYS: readonly [
  title: string,
  ask: (sent: { username: string; password: string }, address: string) => Promise<HttpResponse>,
][] = [
  ['by POST', (json, address) => fromAddress(call, address)('POST', 'user/login', { json })],
  ['in steps', (json, address) => fromAddress(call, address)('POST', 'sign-in/password', { json })],
  [
    'by GET',
    (sent, address) => fromAddress(call, address)('GET', `user/login?${new URLSearchParams(sent).toString()}`),
  ],
  [
    'with a problem document',
    (json, address) =>
      fromAddress(call, address)('POST', 'user/login', { json, headers: { accept: 'application/problem+json' } }),
  ],
];
for (const [title, ask] of WAYS) {
  void test(`failed login ${title}: same response and same hashes for every reason`, async () => {
    let expected: unknown;
    for (const [reason, username, password] of REASONS) {
      const response = await ask({ username, password }, nextAddress());
      assert.equal(response.status, 400, reason);
      assert.ok(response.text.includes('Invalid username/password supplied'), reason);
      expected ??= said(response);
      assert.deepEqual(said(response), expected, reason);
      assert.deepEqual(hashes, [ONE_HASH], reason);
    }
  });
}

void test('throttled login: same response for every reason, and no hash', async () => {
  let expected: unknown;
  for (const [reason, username, password] of REASONS) {
    const client = fromAddress(call, nextAddress());
    const ask = () => client('POST', 'user/login', { json: { username, password } });
    for (let count = 0; count < FREE_ATTEMPTS; count++) {
      assert.equal((await ask()).status, 400, reason);
      assert.deepEqual(hashes, [ONE_HASH], reason);
    }
    const response = await ask();
    assert.equal(response.status, 429, reason);
    expected ??= said(response);
    assert.deepEqual(said(response), expected, reason);
    assert.deepEqual(hashes, [], reason);
  }
});

void test('operations on other accounts: do not reveal whether they exist', async () => {
  const vera = bearer(await logIn(call, 'vera'));
  const edna = bearer(await logIn(call, 'edna'));
  const created = await call('POST', 'account/keys', {
    headers: edna,
    json: { name: 'test', scopes: ['read:pets', 'write:pets'] },
  });
  const { key } = JSON.parse(created.text) as { key: string };
  const requests: [method: string, pathOf: (username: string) => string, options: CallOptions][] = [
    ['GET', (name) => `user/${name}`, {}],
    ['HEAD', (name) => `user/${name}`, {}],
    ['PUT', (name) => `user/${name}`, { json: { phone: '1' } }],
    ['PUT', (name) => `user/${name}`, { json: { password: 'short' } }],
    ['PUT', (name) => `user/${name}`, { json: [] }],
    ['PUT', (name) => `user/${name}`, { json: { username: 'root' } }],
    ['DELETE', (name) => `user/${name}`, {}],
    ['GET', (name) => `admin/users/${name}`, {}],
    ['PUT', (name) => `admin/users/${name}/role`, { json: { role: 'admin' } }],
    ['POST', (name) => `admin/users/${name}/close`, {}],
    ['POST', (name) => `admin/users/${name}/reopen`, {}],
    ['POST', (name) => `admin/users/${name}/reset-link`, {}],
    ['GET', (name) => `admin/users/${name}/sessions`, {}],
    ['DELETE', (name) => `admin/users/${name}/sessions`, {}],
    ['GET', (name) => `admin/users/${name}/keys`, {}],
    ['GET', (name) => `admin/users/${name}/factors`, {}],
    ['DELETE', (name) => `admin/users/${name}/factors`, {}],
  ];
  for (const [method, pathOf, options] of requests) {
    for (const [who, headers, status] of [
      ['a viewer', vera, 403],
      ['an editor', edna, 403],
      ['a key', bearer(key), 401],
      ['nobody', {}, 401],
    ] as const) {
      const responses: unknown[] = [];
      for (const username of ['otto', 'root', 'shut', 'bare', 'none', 'x'.repeat(64)]) {
        const response = await call(method, pathOf(username), { ...options, headers });
        assert.equal(response.status, status, `${method} ${pathOf(username)} by ${who}`);
        assert.deepEqual(hashes, []);
        responses.push(saidOf(response, username));
      }
      for (const response of responses)
        assert.deepEqual(response, responses[0], `${method} ${pathOf('NAME')} by ${who}`);
    }
  }
});

void test('unusable reset link (unknown, used, replaced, expired, or of a closed account): same response', async () => {
  const issue = async (username: string) => {
    const headers = bearer(await logIn(call, 'root'));
    const { text } = await call('POST', `admin/users/${username}/reset-link`, { headers });
    return (JSON.parse(text) as { token: string }).token;
  };
  const reset = (token: string, newPassword = RIGHT) =>
    fromAddress(call, nextAddress())('POST', 'password-reset', { json: { token, newPassword } });
  for (const number of [0, 1, 2, 3]) {
    const json = { username: `link-${number}` };
    assert.equal((await call('POST', 'user', { headers: root, json })).status, 200);
  }
  const expired = await issue('link-2');
  // Without a password, it is an invitation.
  nowMs += 7 * DAY_MS;
  const used = await issue('link-0');
  assert.equal((await reset(used)).status, 200);
  const replaced = await issue('link-1');
  const last = await issue('link-1');
  const ofClosed = await issue('link-3');
  const fresh = bearer(await logIn(call, 'root'));
  assert.equal((await call('POST', 'admin/users/link-3/close', { headers: fresh })).status, 200);
  const expected = await reset('x'.repeat(43));
  assertRefused(expected, 400);
  assert.deepEqual(hashes, []);
  const odd = { short: 'x', long: 'x'.repeat(255), strange: '\u{1F511}', digest: '0'.repeat(64) };
  for (const [title, token] of Object.entries({ used, replaced, expired, ofClosed, ...odd })) {
    assert.deepEqual(said(await reset(token)), said(expected), title);
    assert.deepEqual(hashes, [], title);
    // An invalid password does not reveal the state of a link either.
    assert.deepEqual(said(await reset(token, 'short')), said(expected), `${title}, with a short password`);
    assert.deepEqual(hashes, [], title);
  }
  assert.equal((await reset(last)).status, 200);
});
