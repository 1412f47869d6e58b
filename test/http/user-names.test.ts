import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { assertRefused } from '../support/client.ts';
import { bearer, logIn, newSecuredFolder, PASSWORDS, STAFF, startSecuredService } from '../support/secured.ts';
import { removeFolder } from '../support/service.ts';

/* Valid usernames, and access to accounts whose names cannot occur in a URL. */

/** Names that could be chosen before there were rules. */
const ODD = { '.': 'viewer', '..': 'viewer', 'odd\u200B': 'viewer' } as const;
const dataDir = await newSecuredFolder({ staff: { ...STAFF, ...ODD } });
const service = await startSecuredService({ after }, { dataDir });
const { call } = service;
after(async () => {
  await service.stop();
  await removeFolder(dataDir);
});
const root = bearer(await logIn(call, 'root'));
const password = 'a password that is long enough';

for (const username of ['otto ', '\uFEFFotto', 'ot\u200Bto', '.', '..', '\uFF0E', 'log\u00ADin']) {
  void test(`sign-up: ${JSON.stringify(username)} is not a valid username`, async () => {
    const response = await call('POST', 'user', { json: { username, password } });
    assertRefused(response, 400);
    assert.match(response.text, /username must have 1 to 64 characters/);
  });
}

for (const username of ['OTTO', '\uFF4F\uFF54\uFF54\uFF4F', 'r\u043E\u043Et', 'ro0t', '\u0435dn\u0430']) {
  void test(`sign-up: ${username} is in use, or resembles the name of staff`, async () => {
    assertRefused(await call('POST', 'user', { json: { username, password } }), 409);
  });
}

void test('sign-up: a name may resemble that of a viewer', async () => {
  assert.equal((await call('POST', 'user', { json: { username: 'v\u0435ra', password } })).status, 200);
});

void test('profile: a name that resembles that of staff is refused, unless an administrator sets it', async () => {
  const vera = bearer(await logIn(call, 'vera'));
  const json = { username: 'r\u043E\u043Et' };
  assertRefused(await call('PUT', 'user/vera', { headers: vera, json }), 409);
  assertRefused(await call('PUT', 'user/vera', { headers: vera, json: { username: 'vera\u200D' } }), 400);
  assert.equal((await call('PUT', 'user/vera', { headers: root, json })).status, 200);
});

void test('rename: attempts at names that resemble staff are throttled like others', async () => {
  const otto = bearer(await logIn(call, 'otto'));
  const statuses = new Set<number>();
  for (let tries = 0; tries < 150; tries++)
    statuses.add((await call('PUT', 'user/otto', { headers: otto, json: { username: 'r\u043E\u043Et' } })).status);
  assert.deepEqual(statuses, new Set([409, 429]));
});

void test('name from before the rules: its owner can log in, and keep it in a new profile', async () => {
  const odd = encodeURIComponent('odd\u200B');
  const owner = bearer(await logIn(call, 'odd\u200B', PASSWORDS['odd\u200B']));
  const json = { username: 'odd\u200B', firstName: 'Odd' };
  assert.equal((await call('PUT', `user/${odd}`, { headers: owner, json })).status, 200);
  assert.match((await call('GET', `user/${odd}`, { headers: owner })).text, /"firstName":"Odd"/);
});

void test('name that no URL can contain: administrators reach the account by its account id', async () => {
  const { text } = await call('GET', 'admin/users?text=.', { headers: root });
  const dots = (JSON.parse(text) as { accountId: number; username: string }[]).filter(
    ({ username }) => username in ODD,
  );
  assert.deepEqual(
    dots.map(({ username }) => username),
    ['.', '..'],
  );
  for (const { accountId, username } of dots) {
    const closed = await call('POST', `admin/users/${accountId}/close?by=accountId`, { headers: root });
    assert.equal((JSON.parse(closed.text) as { message: string }).message, username);
    assert.match(
      (await call('GET', `admin/users/${accountId}?by=accountId`, { headers: root })).text,
      /"userStatus":3/,
    );
  }
  for (const [address, status] of [
    ['admin/users/987654?by=accountId', 404],
    ['admin/users/-1?by=accountId', 404],
    ['admin/users/root?by=accountId', 400],
    ['admin/users/root?by=email', 400],
  ] as const) {
    assertRefused(await call('GET', address, { headers: root }), status);
  }
});

void test('user id chosen by a client: is not taken for an account id', async () => {
  const viewOf = async (address: string) => {
    const { text } = await call('GET', `admin/users/${address}`, { headers: root });
    return JSON.parse(text) as { id: number; accountId: number; username: string };
  };
  const { accountId: rootId } = await viewOf('root');
  for (const [username, id] of [
    ['imitator', rootId],
    ['elsewhere', 5_000_000],
  ] as const) {
    assert.equal((await call('POST', 'user', { headers: root, json: { id, username, password } })).status, 200);
    assert.equal((await viewOf(username)).id, id);
  }
  const imitator = bearer(await logIn(call, 'imitator', password));
  assertRefused(await call('GET', `admin/users/${rootId}?by=accountId`, { headers: imitator }), 403);
  assertRefused(await call('GET', 'user/root', { headers: imitator }), 403);
  assert.equal((await viewOf(`${rootId}?by=accountId`)).username, 'root');
  assertRefused(await call('POST', 'admin/users/5000000/close?by=accountId', { headers: root }), 404);
  const { accountId } = await viewOf('imitator');
  assert.equal((await call('POST', `admin/users/${accountId}/close?by=accountId`, { headers: root })).status, 200);
  assertRefused(await call('GET', 'account', { headers: imitator }), 401);
  assert.equal((await call('GET', 'account', { headers: root })).status, 200);
});
