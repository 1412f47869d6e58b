import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Argon2Hasher } from '../../src/services/crypto/passwords.ts';
import { assertRefused, type HttpResponse, type CallOptions } from '../support/client.ts';
import { bearer, createKey, logIn, PASSWORDS, STAFF, startSecuredService } from '../support/secured.ts';
import { openTables } from '../support/stored.ts';

/*
 * Fields that clients may not set. In bodies of Petstore, unknown fields are ignored, so none of these is an error, and
 * none has an effect. All other bodies are refused with them.
 */

const service = await startSecuredService({ after });
const { call } = service;
const { query } = await openTables({ after }, service.dataDir);

const NEW_PASSWORD = 'nine new nettles near the northern gate';
const KNOWN_PASSWORD = 'an intruder knows this one very well';
const KNOWN_HASH = await new Argon2Hasher({ concurrency: 1, maxWaiting: 1 }).hash(KNOWN_PASSWORD);
const KNOWN_TOKEN = 'T'.repeat(43);

const tokens = { root: await logIn(call, 'root'), vera: await logIn(call, 'vera'), otto: await logIn(call, 'otto') };
const root = bearer(tokens.root);
const { accountId: ROOT_ID } = await json<{ accountId: number }>(call('GET', 'account', { headers: root }));

/** JSON texts of fields that try to gain something. Texts, because `__proto__` in an object literal is no field. */
const FORGED: readonly string[] = [
  '"role":"admin"',
  '"Role":"admin"',
  '"roles":["admin"]',
  '"role":["admin"],"roles":"admin"',
  '"admin":true,"isAdmin":true,"is_admin":1,"superuser":true',
  '"scopes":["read:pets","write:pets"]',
  '"permissions":["*"],"authorities":[{"authority":"ROLE_ADMIN"}],"groups":["admin"]',
  `"passwordHash":"${KNOWN_HASH}","password_hash":"${KNOWN_HASH}","hash":"${KNOWN_HASH}"`,
  `"userId":${ROOT_ID},"user_id":${ROOT_ID},"accountId":${ROOT_ID},"account_id":${ROOT_ID},"owner":"root"`,
  '"publicId":77777,"public_id":77777',
  '"usernameKey":"root","username_key":"root","name":"root"',
  '"actor":{"kind":"operator","name":"root"},"actorId":1,"stamp":{"via":"command-line"},"via":"command-line"',
  `"session":{"digest":"${KNOWN_TOKEN}"},"digest":"${KNOWN_TOKEN}","token":"${KNOWN_TOKEN}","key":"mgk_${KNOWN_TOKEN}"`,
  '"keepSession":true,"replacedHash":null,"isList":true,"kind":"set-role"',
  '"user":{"role":"admin"},"profile":{"role":"admin"},"account":{"role":"admin"}',
  '"__proto__":{"role":"admin","isAdmin":true,"scopes":["write:pets"]}',
  '"constructor":{"prototype":{"role":"admin","isAdmin":true}}',
  '"prototype":{"role":"admin"},"toString":"admin","hasOwnProperty":"admin"',
  '"user.role":"admin","user[role]":"admin","role\\u0000":"admin"," role":"admin"',
];
const ALL_FORGED = FORGED.filter((fields) => !fields.startsWith('"role":[')).join();

async function json<T>(response: Promise<HttpResponse>): Promise<T> {
  const { status, text } = await response;
  assert.equal(status, 200, text);
  return JSON.parse(text) as T;
}

/** A body with these fields, and forged ones before and after them. */
function body(fields: object, forged: string): CallOptions {
  const inner = JSON.stringify(fields).slice(1, -1);
  // The last of duplicate fields counts, so the real ones come last.
  return {
    body: Buffer.from(`{${forged},${inner}}`),
    headers: { 'content-type': 'application/json' },
  };
}

function as(headers: Readonly<Record<string, string>>, options: CallOptions): CallOptions {
  return { ...options, headers: { ...options.headers, ...headers } };
}

interface AccountRow {
  id: bigint;
  role: string;
  password_hash: string | null;
  username_key: string;
}

async function rowOf(username: string): Promise<AccountRow> {
  const [row] = await query('select id, role, password_hash, username_key from account where username = $1', username);
  return (row as unknown as AccountRow | undefined) ?? assert.fail(`${username} is not there`);
}

async function allUsers(): Promise<readonly AccountRow[]> {
  return (await query(
    'select id, role, password_hash, username_key from account order by id',
  )) as unknown as readonly AccountRow[];
}

const rootBefore = await rowOf('root');

/** Without the profile, which root replaces on purpose. */

async function assertRootUnharmed(): Promise<void> {
  const { id, role, password_hash: hash } = await rowOf('root');
  assert.deepEqual([id, role, hash], [rootBefore.id, rootBefore.role, rootBefore.password_hash]);
}

void test('sign-up: always creates a viewer', async () => {
  for (const [index, forged] of [...FORGED, ALL_FORGED].entries()) {
    const username = `forger-${index}`;
    const { message } = await json<{ message: string }>(call('POST', 'user', body({ username }, forged)));
    const { id, role, password_hash: hash, username_key: key } = await rowOf(username);
    assert.deepEqual([role, hash, key], ['viewer', null, username], forged);
    assert.equal(String(id), message);
    assert.notEqual(id, ROOT_ID);
    const view = await json<{ role: string }>(call('GET', `admin/users/${username}`, { headers: root }));
    assert.equal(view.role, 'viewer', forged);
  }
  await assertRootUnharmed();
});

void test('sign-up: a given password hash is ignored', async () => {
  await json(call('POST', 'user', body({ username: 'hasher', password: NEW_PASSWORD }, ALL_FORGED)));
  for (const username of ['hasher', `forger-${FORGED.findIndex((fields) => fields.includes('passwordHash'))}`]) {
    for (const password of [KNOWN_PASSWORD, KNOWN_HASH]) {
      const credentials = { username, password };
      assertRefused(await call('POST', 'user/login', { json: credentials }), 400);
    }
  }
  const hasher = bearer(await logIn(call, 'hasher', NEW_PASSWORD));
  assertRefused(await call('POST', 'pet', { headers: hasher, json: { name: 'Forged' } }), 403);
  assertRefused(await call('GET', 'admin/users', { headers: hasher }), 403);
});

void test('sign-up: the user id of another account gives no access to it', async () => {
  for (const [username, id] of [
    ['digits', ROOT_ID],
    ['text', String(ROOT_ID)],
  ]) {
    await json(call('POST', 'user', body({ id, username, password: NEW_PASSWORD }, '"role":"admin"')));
    const { id: accountId, role } = await rowOf(String(username));
    assert.notEqual(accountId, rootBefore.id);
    assert.equal(role, 'viewer');
    const headers = bearer(await logIn(call, String(username), NEW_PASSWORD));
    for (const path of ['admin/users', `admin/users/${ROOT_ID}?by=accountId`, 'user/root'])
      assertRefused(await call('GET', path, { headers }), 403);
    await json(call('DELETE', `user/${username}`, { headers }));
  }
  await assertRootUnharmed();
  assert.equal((await call('GET', 'account', { headers: root })).status, 200);
});

void test('sign-up: cannot take the name of another account', async () => {
  const before = await allUsers();
  for (const fields of [
    { id: ROOT_ID, username: 'root' },
    { username: 'ROOT', password: NEW_PASSWORD },
  ])
    assertRefused(await call('POST', 'user', body(fields, '"role":"admin"')), 409);
  assert.deepEqual(await allUsers(), before);
});

for (const operation of ['createWithArray', 'createWithList']) {
  void test(`${operation}: creates viewers only, even for an administrator`, async () => {
    const texts = [...FORGED, ALL_FORGED].map((forged, index) => `{${forged},"username":"${operation}-${index}"}`);
    const options = { body: Buffer.from(`[${texts.join()}]`), headers: { 'content-type': 'application/json' } };
    await json(call('POST', `user/${operation}`, as(root, options)));
    for (const [index, text] of texts.entries()) {
      const { role, password_hash: hash } = await rowOf(`${operation}-${index}`);
      assert.deepEqual([role, hash], ['viewer', null], text);
    }
    await assertRootUnharmed();
  });
}

void test('sign-up: a body of the wrong shape creates no account', async () => {
  const before = await allUsers();
  const object = body({ username: 'shape', '0': { username: 'shape', role: 'admin' }, length: 1 }, '"role":"admin"');
  assertRefused(await call('POST', 'user/createWithList', as(root, object)), 400);
  assertRefused(await call('POST', 'user', { json: [{ username: 'shape', role: 'admin' }] }), 400);
  assertRefused(await call('PUT', 'user/vera', { headers: bearer(tokens.vera), json: [{ role: 'admin' }] }), 400);
  assert.deepEqual(await allUsers(), before);
});

void test('profile: cannot set rights, nor the account id', async () => {
  const vera = bearer(tokens.vera);
  const before = await rowOf('vera');
  for (const forged of [...FORGED, ALL_FORGED]) {
    for (const [id, stored] of [
      [ROOT_ID, ROOT_ID],
      [0, ROOT_ID],
      ['9223372036854775807', '9223372036854775807'],
      [-1, '9223372036854775807'],
      [String(ROOT_ID), ROOT_ID],
    ]) {
      const response = await json<{ message: string }>(
        call('PUT', 'user/vera', as(vera, body({ id, firstName: 'Vera' }, forged))),
      );
      assert.equal(response.message, String(stored), forged);
    }
    const { id, role, password_hash: hash } = await rowOf('vera');
    assert.deepEqual([id, role, hash], [before.id, before.role, before.password_hash], forged);
  }
  assertRefused(await call('GET', 'admin/users', { headers: vera }), 403);
  assertRefused(await call('POST', 'pet', { headers: vera, json: { name: 'Forged' } }), 403);
  await assertRootUnharmed();
});

void test('rename: does not give access to another account', async () => {
  const vera = bearer(tokens.vera);
  const before = await allUsers();
  for (const username of ['root', 'ROOT', 'Edna'])
    assertRefused(await call('PUT', 'user/vera', as(vera, body({ username }, ALL_FORGED))), 409);
  for (const path of ['user/root', 'user/edna', 'user/otto'])
    assertRefused(await call('PUT', path, as(vera, body({ username: 'vera' }, ALL_FORGED))), 403);
  assert.deepEqual(await allUsers(), before);
});

void test('rename to a former name: gives access to nothing else', async () => {
  await json(call('POST', 'user', { json: { username: 'first', password: NEW_PASSWORD } }));
  await json(call('PUT', 'admin/users/first/role', { headers: root, json: { role: 'admin' } }));
  const first = bearer(await logIn(call, 'first', NEW_PASSWORD));
  await json(call('PUT', 'user/first', { headers: first, json: { username: 'second' } }));
  await json(call('POST', 'user', { json: { username: 'first', password: KNOWN_PASSWORD } }));
  const late = bearer(await logIn(call, 'first', KNOWN_PASSWORD));
  assertRefused(await call('GET', 'admin/users', { headers: late }), 403);
  assertRefused(await call('GET', 'user/second', { headers: late }), 403);
  const account = await json<{ username: string; role: string }>(call('GET', 'account', { headers: first }));
  assert.deepEqual(
    [account.username, account.role],
    ['second', 'admin'],
    'the session must continue under the new name',
  );
});

void test('profile replaced by an administrator: keeps the role', async () => {
  for (const forged of ['"role":"admin"', '"role":"viewer"', ALL_FORGED]) {
    await json(call('PUT', 'user/edna', as(root, body({ firstName: 'Edna' }, forged))));
    assert.equal((await rowOf('edna')).role, 'editor', forged);
    await json(call('PUT', 'user/root', as(root, body({ firstName: 'Root' }, forged))));
    assert.equal((await rowOf('root')).role, 'admin', forged);
  }
});

const statuses = [0, 1, 2, 4, -1, 100, 2 ** 31 - 1];
void test('user status: gives no role', async () => {
  const otto = bearer(tokens.otto);
  for (const userStatus of statuses) {
    await json(call('PUT', 'user/otto', { headers: otto, json: { userStatus } }));
    assert.equal((await rowOf('otto')).role, 'viewer');
    assertRefused(await call('POST', 'pet', { headers: otto, json: { name: 'Forged' } }), 403, String(userStatus));
  }
});

void test('password change: applies to the requesting account, whatever the body names', async () => {
  const fields = { oldPassword: PASSWORDS['otto'], newPassword: NEW_PASSWORD };
  const before = await allUsers();
  const forged = `${ALL_FORGED},"username":"root","id":${ROOT_ID}`;
  const otto = bearer(tokens.otto);
  assertRefused(await call('POST', 'account/password', as(otto, body(fields, forged))), 400);
  assert.deepEqual(await allUsers(), before);
  await json(call('POST', 'account/password', { headers: otto, json: fields }));
  const changed = (await allUsers()).filter(({ password_hash: hash }, index) => hash !== before[index]?.password_hash);
  assert.deepEqual(
    changed.map(({ username_key: key }) => key),
    ['otto'],
  );
  assert.notEqual(changed[0]?.password_hash, KNOWN_HASH);
  assert.equal(changed[0]?.role, 'viewer');
  await logIn(call, 'otto', NEW_PASSWORD);
  await assertRootUnharmed();
});

interface KeyView {
  id: string;
  key?: string;
  name: string;
  scopes: string[];
  createdAt: string;
  expiresAt: string;
  lastUsedAt?: string;
}

void test('API key: has the requested scopes and expiry, and belongs to the requesting account', async () => {
  const edna = bearer(await logIn(call, 'edna'));
  const forgedOnes = [
    ...FORGED.filter((fields) => !fields.startsWith('"scopes"')),
    '"id":"AAAAAAAAAAAAAAAA","expiresAt":"2999-01-01T00:00:00.000Z","expiresAtMs":32472144000000',
    '"createdAt":"1999-01-01T00:00:00.000Z","createdAtMs":1,"lastUsedAt":"1999-01-01T00:00:00.000Z","lastUsedAtMs":1',
    '"lifetimeMs":32472144000000,"expiresIn":999999,"maxOfAccount":1000000,"scope":"write:pets","Scopes":["write:pets"]',
  ];
  for (const forged of forgedOnes) {
    const fields = { name: 'mine', scopes: ['read:pets'], expiresInDays: 1 };
    assertRefused(await call('POST', 'account/keys', as(edna, body(fields, forged))), 400, forged);
    const created = await json<KeyView>(call('POST', 'account/keys', { headers: edna, json: fields }));
    assert.deepEqual(created.scopes, ['read:pets'], forged);
    assert.match(created.key ?? '', /^mgk_[\w-]{43}$/);
    assert.notEqual(created.key, `mgk_${KNOWN_TOKEN}`);
    assert.notEqual(created.id, 'AAAAAAAAAAAAAAAA');
    assert.equal(created.name, 'mine');
    assert.equal(Date.parse(created.expiresAt) - Date.parse(created.createdAt), 24 * 3_600_000, forged);
    assert.ok(Math.abs(Date.parse(created.createdAt) - Date.now()) < 60_000, forged);
    assert.equal(created.lastUsedAt, undefined, forged);
    const headers = { api_key: created.key ?? '' };
    assertRefused(await call('POST', 'pet', { headers, json: { name: 'Forged' } }), 401, forged);
    assertRefused(await call('GET', 'admin/users', { headers }), 401, forged);
  }
  const keysOf = (username: string) => json<KeyView[]>(call('GET', `admin/users/${username}/keys`, { headers: root }));
  assert.equal((await keysOf('edna')).length, forgedOnes.length);
  assert.deepEqual(await keysOf('root'), []);
  const known = { headers: { api_key: `mgk_${KNOWN_TOKEN}` }, json: { name: 'Forged' } };
  assertRefused(await call('POST', 'pet', known), 401, 'a chosen key must not work');
});

void test('prototype: sets no fields', async () => {
  const edna = bearer(await logIn(call, 'edna'));
  const send = (text: string) => ({
    body: Buffer.from(text),
    headers: { ...edna, 'content-type': 'application/json' },
  });
  for (const text of [
    '{"__proto__":{"name":"x","scopes":["write:pets"]}}',
    '{"name":"x","__proto__":{"scopes":["write:pets"]}}',
    '{"name":"x","constructor":{"prototype":{"scopes":["write:pets"]}}}',
  ])
    assertRefused(await call('POST', 'account/keys', send(text)), 400, text);
  const role = await call('PUT', 'admin/users/otto/role', as(root, send('{"__proto__":{"role":"admin"}}')));
  assertRefused(role, 400);
  assert.equal((await rowOf('otto')).role, 'viewer');
});

void test('API key: limited by its scopes and the current role of its owner', async () => {
  const veraKey = await createKey(call, tokens.vera, ['write:pets']);
  const post = () => call('POST', 'pet', { headers: { api_key: veraKey.key }, json: { name: 'Rex' } });
  assertRefused(await post(), 401);
  await json(call('PUT', 'admin/users/vera/role', { headers: root, json: { role: 'editor' } }));
  assert.equal((await post()).status, 200);
  await json(call('PUT', 'admin/users/vera/role', { headers: root, json: { role: 'viewer' } }));
  assertRefused(await post(), 401);
});

void test('role: set for the account in the path, whatever the body names', async () => {
  const before = await allUsers();
  const forged = `${FORGED.filter((fields) => !fields.startsWith('"role":')).join()},"username":"root","id":${ROOT_ID}`;
  assertRefused(await call('PUT', 'admin/users/otto/role', as(root, body({ role: 'editor' }, forged))), 400);
  assert.deepEqual(await allUsers(), before);
  await json(call('PUT', 'admin/users/otto/role', { headers: root, json: { role: 'editor' } }));
  const changed = (await allUsers()).filter(({ role }, index) => role !== before[index]?.role);
  assert.deepEqual(
    changed.map(({ username_key: key, role }) => [key, role]),
    [['otto', 'editor']],
  );
  await json(call('PUT', 'admin/users/otto/role', { headers: root, json: { role: 'viewer' } }));
});

const wrongRoles: unknown[] = ['owner', 'Admin', 'admin ', '', null, true, 1, ['admin'], { role: 'admin' }, 'operator'];
void test('role: must be one of the three', async () => {
  for (const role of wrongRoles) {
    const { errors } = assertRefused(
      await call('PUT', 'admin/users/otto/role', { headers: root, json: { role } }),
      400,
      JSON.stringify(role),
    );
    assert.equal(errors?.[0]?.path, '/role');
  }
  assert.equal((await rowOf('otto')).role, 'viewer');
});

void test('login: begins a session of the account with the password', async () => {
  const credentials = { username: 'vera', password: PASSWORDS['vera'] };
  const response = await call('POST', 'user/login', body(credentials, `${ALL_FORGED},"id":${ROOT_ID}`));
  assert.equal(response.status, 200, response.text);
  const token = /session:([\w-]{43})"/.exec(response.text)?.[1] ?? assert.fail();
  assert.notEqual(token, KNOWN_TOKEN);
  const account = await json<{ username: string; role: string }>(call('GET', 'account', { headers: bearer(token) }));
  assert.deepEqual([account.username, account.role], ['vera', 'viewer']);
  const query = new URLSearchParams({ ...credentials, role: 'admin', userId: String(ROOT_ID) } as Record<
    string,
    string
  >);
  const login = await call('GET', `user/login?${query.toString()}`);
  const other = /session:([\w-]{43})"/.exec(login.text)?.[1] ?? assert.fail(login.text);
  assertRefused(await call('GET', 'admin/users', { headers: bearer(other) }), 403);
});

void test('reset link: sets the password of its account only', async () => {
  const { token } = await json<{ token: string }>(call('POST', 'admin/users/otto/reset-link', { headers: root }));
  const before = await allUsers();
  const forged = FORGED.filter((fields) => !fields.includes('"token"')).join();
  const fields = { token, newPassword: KNOWN_PASSWORD };
  assertRefused(await call('POST', 'password-reset', body({ ...fields, username: 'root' }, forged)), 400);
  assert.deepEqual(await allUsers(), before);
  await json(call('POST', 'password-reset', { json: fields }));
  const changed = (await allUsers()).filter(({ password_hash: hash }, index) => hash !== before[index]?.password_hash);
  assert.deepEqual(
    changed.map(({ username_key: key, role }) => [key, role]),
    [['otto', 'viewer']],
  );
  await logIn(call, 'otto', KNOWN_PASSWORD);
  await assertRootUnharmed();
});

void test('credentials in a body, form or query: ignored', async () => {
  const forged = `"api_key":"${tokens.root}","authorization":"Bearer ${tokens.root}","cookie":"menagerie_session=${tokens.root}"`;
  assertRefused(await call('POST', 'pet', body({ name: 'Forged' }, forged)), 401);
  assertRefused(await call('POST', `pet?api_key=${tokens.root}`, body({ name: 'Forged' }, forged)), 401);
  for (const headers of [
    { 'x-user': 'root', 'x-role': 'admin', 'x-forwarded-user': 'root', 'remote-user': 'root' },
    { 'x-http-method-override': 'GET', 'x-original-url': '/v2/pet/1', 'x-rewrite-url': '/v2/pet/1' },
  ])
    assertRefused(await call('POST', 'pet', { headers, json: { name: 'Forged' } }), 401);
});

void test('all roles: unchanged after these tests', async () => {
  const roles = await query("select username_key, role from account where role <> 'viewer' order by 1");
  assert.deepEqual(
    roles.map((row) => Object.values(row)),
    Object.entries({ ...STAFF, second: 'admin' })
      .filter(([, role]) => role !== 'viewer')
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
});
