import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  assertResponse,
  assertRefused,
  clientOf,
  errorText,
  successText,
  type HttpResponse,
  type CallOptions,
} from '../support/client.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService({ after });
const call = clientOf(service.base);

const MAX_INT64 = '9223372036854775807';

async function addUser(user: object): Promise<string> {
  const response = await call('POST', 'user', { json: user });
  assert.equal(response.status, 200, response.text);
  const id = (JSON.parse(response.text) as { message: string }).message;
  assert.equal(response.text, successText(id));
  return id;
}

function getUser(username: string): Promise<HttpResponse> {
  return call('GET', `user/${encodeURIComponent(username)}`);
}

void test('new account: returns its id as the message, and is shown in field order, without the password', async () => {
  const json = {
    userStatus: 1,
    phone: '+49 30 1234567',
    password: 'a password',
    email: 'ada@example.org',
    lastName: 'Lovelace',
    firstName: 'Ada',
    username: 'ada',
    id: 1001,
  };
  assertResponse(await call('POST', 'user', { json }), 200, successText('1001'));
  assertResponse(
    await getUser('ada'),
    200,
    '{"id":1001,"username":"ada","firstName":"Ada","lastName":"Lovelace","email":"ada@example.org","phone":"+49 ' +
      '30 1234567","userStatus":1}',
  );
  const head = await call('HEAD', 'user/ada');
  assert.equal(head.status, 200);
  assert.equal(head.text, '');
});

const bodies: { title: string; sent: string; stored: string }[] = [
  {
    title: 'absent fields stay absent',
    sent: '{"id":1010,"username":"plain"}',
    stored: '{"id":1010,"username":"plain"}',
  },
  {
    title: 'null means absent',
    sent: '{"id":1011,"username":"nulls","firstName":null,"lastName":null,"email":null,"password":null,"phone":null,"userStatus":null}',
    stored: '{"id":1011,"username":"nulls"}',
  },
  {
    title: 'unknown fields are ignored, including a role',
    sent: '{"id":1012,"username":"unknowns","role":"admin","roles":["admin"],"isAdmin":true,"passwordHash":"x"}',
    stored: '{"id":1012,"username":"unknowns"}',
  },
  {
    title: 'the largest id keeps its digits',
    sent: `{"id":${MAX_INT64},"username":"max"}`,
    stored: `{"id":${MAX_INT64},"username":"max"}`,
  },
  {
    title: 'an id may be a string of digits',
    sent: '{"id":"9007199254740993","username":"digits"}',
    stored: '{"id":9007199254740993,"username":"digits"}',
  },
  {
    title: 'a user status is any int32, zero included',
    sent: '{"id":1013,"username":"status","userStatus":0}',
    stored: '{"id":1013,"username":"status","userStatus":0}',
  },
  {
    title: 'empty texts are kept',
    sent: '{"id":1014,"username":"empties","firstName":"","lastName":"","email":"","phone":"","userStatus":-2147483648}',
    stored:
      '{"id":1014,"username":"empties","firstName":"","lastName":"","email":"","phone":"","userStatus":-2147483648}',
  },
];
for (const { title, sent, stored } of bodies) {
  void test(title, async () => {
    const { id, username } = /"id":"?(?<id>\d+).*"username":"(?<username>\w+)"/.exec(sent)?.groups ?? {};
    const body = Buffer.from(sent);
    const response = await call('POST', 'user', { body, headers: { 'content-type': 'application/json' } });
    assertResponse(response, 200, successText(id ?? ''));
    assertResponse(await getUser(username ?? ''), 200, stored);
  });
}

const wrongUsers: { title: string; user: unknown; paths: readonly string[] }[] = [
  { title: 'no user name', user: { id: 1 }, paths: ['/username'] },
  { title: 'a null username', user: { username: null }, paths: ['/username'] },
  { title: 'a number as the username', user: { username: 5 }, paths: ['/username'] },
  { title: 'an empty username', user: { username: '' }, paths: ['/username'] },
  { title: 'a slash in the user name', user: { username: 'a/b' }, paths: ['/username'] },
  { title: 'a line break in the user name', user: { username: 'a\nb' }, paths: ['/username'] },
  { title: 'a control character (C1) in the user name', user: { username: 'a\u0085b' }, paths: ['/username'] },
  { title: 'a password that is a number', user: { username: 'x', password: 12345 }, paths: ['/password'] },
  { title: 'a user status that is no number', user: { username: 'x', userStatus: 'active' }, paths: ['/userStatus'] },
  { title: 'a user status beyond int32', user: { username: 'x', userStatus: 2147483648 }, paths: ['/userStatus'] },
  { title: 'a fractional user status', user: { username: 'x', userStatus: 1.5 }, paths: ['/userStatus'] },
  { title: 'an id beyond int64', user: { username: 'x', id: '9223372036854775808' }, paths: ['/id'] },
  { title: 'a name that is an object', user: { username: 'x', firstName: {} }, paths: ['/firstName'] },
  { title: 'several errors', user: { email: 1, phone: [] }, paths: ['/email', '/phone', '/username'] },
];
for (const { title, user, paths } of wrongUsers) {
  void test(`account with ${title}: refused, naming the fields`, async () => {
    const alone = assertRefused(await call('POST', 'user', { json: user }), 400);
    assert.deepEqual(alone.errors?.map(({ path }) => path).toSorted(), paths);
    for (const path of ['user/createWithArray', 'user/createWithList']) {
      const response = await call('POST', path, { json: [{ username: 'innocent' }, user] });
      const { errors } = assertRefused(response, 400);
      assert.deepEqual(
        errors?.map((error) => error.path).toSorted(),
        paths.map((field) => `/1${field}`),
      );
    }
    assertResponse(await getUser('innocent'), 404, errorText('User not found'));
  });
}

for (const username of ['login', 'logout', 'createWithArray', 'createWithList', 'LOGIN', 'createwitharray']) {
  void test(`username ${username}: reserved as a path of the service`, async () => {
    const { errors } = assertRefused(await call('POST', 'user', { json: { username } }), 400);
    assert.deepEqual(
      errors?.map(({ path }) => path),
      ['/username'],
    );
    const inList = assertRefused(await call('POST', 'user/createWithList', { json: [{ username }] }), 400);
    assert.deepEqual(
      inList.errors?.map(({ path }) => path),
      ['/0/username'],
    );
    await call('POST', 'user', { json: { username: 'renamable' } });
    assertRefused(await call('PUT', 'user/renamable', { json: { username } }), 400);
    assert.equal((await getUser('renamable')).status, 200);
  });
}

const legalNames = [
  'user?10',
  'two words',
  'a+b',
  '100%',
  '#1',
  'a&b=c',
  'ünïcödé',
  '🐕',
  'a\\b',
  "o'neil",
  '%2F',
  'a;b',
  'x'.repeat(64),
  '🐕'.repeat(64),
];
for (const username of legalNames) {
  void test(`username ${JSON.stringify(username.slice(0, 20))}: allowed, reached percent-encoded`, async () => {
    const id = await addUser({ username, password: 'a password' });
    assertResponse(await getUser(username), 200, `{"id":${id},"username":${JSON.stringify(username)}}`);
    const query = `username=${encodeURIComponent(username)}&password=a%20password`;
    assert.equal((await call('GET', `user/login?${query}`)).status, 200);
    const path = `user/${encodeURIComponent(username)}`;
    assertResponse(await call('PUT', path, { json: { firstName: 'F' } }), 200, successText(id));
    assertResponse(await call('DELETE', path), 200, successText(username));
    assertResponse(await getUser(username), 404, errorText('User not found'));
  });
}

void test('user?10: reached as user%3F10, not as user?10', async () => {
  await addUser({ username: 'user?10', firstName: 'Ten' });
  assert.match((await call('GET', 'user/user%3F10')).text, /"firstName":"Ten"/);
  assert.equal((await call('GET', 'user/user?10')).status, 404);
});

void test('absent, null, zero or negative user id: assigned, small, ascending, never reused', async () => {
  const ids: number[] = [];
  for (const [index, id] of [undefined, null, 0, -7, '0'].entries())
    ids.push(Number(await addUser({ id, username: `assigned${index}` })));
  assert.deepEqual(
    ids,
    ids.toSorted((a, b) => a - b),
  );
  assert.equal(new Set(ids).size, ids.length);
  assert.ok(Math.max(...ids) < 1000);
  await call('DELETE', 'user/assigned4');
  assert.ok(Number(await addUser({ username: 'assigned4' })) > Math.max(...ids));
});

void test('assigned user id: never one that a client chose', async () => {
  const next = Number(await addUser({ username: 'before-chosen' })) + 1;
  await addUser({ id: next, username: 'chosen1' });
  await addUser({ id: next + 1, username: 'chosen2' });
  // The accounts of the two have other, assigned ids.
  assert.equal(await addUser({ username: 'after-chosen' }), String(next + 3));
});

void test('assigned user id: never one that a client chose in an update, or in the same list', async () => {
  const next = Number(await addUser({ username: 'before-changed' })) + 1;
  const changed = await call('PUT', 'user/before-changed', { json: { id: next } });
  assertResponse(changed, 200, successText(String(next)));
  assert.equal(await addUser({ username: 'after-changed' }), String(next + 1));
  const json = [{ username: 'before-listed' }, { username: 'listed', id: next + 2 }];
  assertResponse(await call('POST', 'user/createWithList', { json }), 200, successText('ok'));
  assert.match((await getUser('before-listed')).text, new RegExp(`"id":${next + 3},`));
});

void test('user id: may be shared by two users, who are found by their names', async () => {
  const id = await addUser({ username: 'first-of-two', password: 'one' });
  assert.equal(await addUser({ id, username: 'second-of-two', password: 'two' }), id);
  for (const username of ['first-of-two', 'second-of-two'])
    assertResponse(await getUser(username), 200, `{"id":${id},"username":"${username}"}`);
  assertResponse(await call('DELETE', 'user/first-of-two'), 200, successText('first-of-two'));
  assert.equal((await call('GET', 'user/login?username=second-of-two&password=two')).status, 200);
});

void test('existing account: never overwritten; its name is in use', async () => {
  const id = await addUser({ username: 'Grace', email: 'grace@example.org', password: 'the first' });
  const before = (await getUser('Grace')).text;
  const name = assertRefused(await call('POST', 'user', { json: { username: 'Grace', password: 'the second' } }), 409);
  assert.deepEqual(
    name.errors?.map(({ path }) => path),
    ['/username'],
  );
  const both = assertRefused(await call('POST', 'user', { json: { id, username: 'grace' } }), 409);
  assert.deepEqual(
    both.errors?.map(({ path }) => path),
    ['/username'],
  );
  assert.equal((await getUser('Grace')).text, before);
  assert.equal((await call('GET', 'user/login?username=Grace&password=the%20second')).status, 400);
  assert.equal((await call('GET', 'user/login?username=Grace&password=the%20first')).status, 200);
});

void test('usernames: compared ignoring case, and kept as written', async () => {
  const id = await addUser({ username: 'MixedCase', password: 'pw' });
  for (const username of ['MixedCase', 'mixedcase', 'MIXEDCASE'])
    assertResponse(await getUser(username), 200, `{"id":${id},"username":"MixedCase"}`);
  assertRefused(await call('POST', 'user', { json: { username: 'mixedCASE' } }), 409);
  assert.equal((await call('GET', 'user/login?username=MIXEDcase&password=pw')).status, 200);
  assert.equal((await call('DELETE', 'user/mixedcase')).status, 200);
  assert.equal((await getUser('MixedCase')).status, 404);
});

void test('usernames: the same if they look the same (NFC)', async () => {
  const [composed, decomposed] = ['zo\u00EB', 'zoe\u0308'];
  const id = await addUser({ username: decomposed, password: 'pw' });
  for (const username of [composed, decomposed, 'ZOE\u0308'])
    assertResponse(await getUser(username), 200, `{"id":${id},"username":"${composed}"}`);
  assertRefused(await call('POST', 'user', { json: { username: composed } }), 409);
  assert.equal((await call('GET', `user/login?username=${encodeURIComponent(composed)}&password=pw`)).status, 200);
});

void test('length of a username: measured in NFC, the stored form', async () => {
  // U+0958 is one character that NFC writes as two: 64 of them would be a name of 128, which no path could reach.
  assertRefused(await call('POST', 'user', { json: { username: '\u0958'.repeat(64) } }), 400);
  await addUser({ username: '\u0958'.repeat(32) });
  assert.equal((await getUser('\u0958'.repeat(32))).status, 200);
  // In reverse, NFC composes e and a combining accent.
  await addUser({ username: 'e\u0301'.repeat(64) });
  assert.equal((await getUser('\u00E9'.repeat(64))).status, 200);
});

for (const path of ['user/createWithArray', 'user/createWithList']) {
  const tag = path.slice(-5).toLowerCase();

  void test(`${path}: creates all`, async () => {
    const users = [{ username: `${tag}-1`, password: 'pw' }, { username: `${tag}-2`, id: 0 }, { username: `${tag}-3` }];
    assertResponse(await call('POST', path, { json: users }), 200, successText('ok'));
    for (const { username } of users) assert.equal((await getUser(username)).status, 200);
    assert.equal((await call('GET', `user/login?username=${tag}-1&password=pw`)).status, 200);
    assertResponse(await call('POST', path, { json: [] }), 200, successText('ok'));
  });

  void test(`${path}: stores users whose ids are in use or repeated`, async () => {
    const existing = await addUser({ username: `${tag}-owner` });
    const ids = [existing, 770001, '770001', existing];
    const json = ids.map((id, index) => ({ id, username: `${tag}-shares-${index}` }));
    assertResponse(await call('POST', path, { json }), 200, successText('ok'));
    for (const { id, username } of json)
      assertResponse(await getUser(username), 200, `{"id":${id},"username":"${username}"}`);
  });

  const conflicts: { title: string; users: (existing: string) => object[]; paths: readonly string[] }[] = [
    {
      title: 'a name in use, in another case',
      users: () => [{ username: `${tag}-a` }, { username: `${tag}-TAKEN` }, { username: `${tag}-b` }],
      paths: ['/1/username'],
    },
    {
      title: 'a name twice in the list',
      users: () => [{ username: `${tag}-a` }, { username: `${tag}-b` }, { username: `${tag}-A` }],
      paths: ['/2/username'],
    },
    {
      title: 'several offending entries',
      users: (existing) => [
        { username: `${tag}-taken` },
        { username: `${tag}-a` },
        { username: `${tag}-Taken`, id: existing },
      ],
      paths: ['/0/username', '/2/username'],
    },
    {
      title: 'a single entry with a name in use',
      users: () => [{ username: `${tag}-taken` }],
      paths: ['/0/username'],
    },
  ];
  for (const { title, users, paths } of conflicts) {
    void test(`${path} with ${title}: creates none, and names the offending entries`, async () => {
      await call('POST', 'user', { json: { username: `${tag}-taken` } });
      const existing = /\d+/.exec((await getUser(`${tag}-taken`)).text)?.[0] ?? '';
      const { errors } = assertRefused(await call('POST', path, { json: users(existing) }), 409);
      assert.deepEqual(errors?.map((error) => error.path).toSorted(), paths);
      for (const name of ['a', 'b']) assert.equal((await getUser(`${tag}-${name}`)).status, 404);
    });
  }

  void test(`${path}: requires an array of users`, async () => {
    for (const json of [{ username: 'x' }, 'x', 5, null, [null], ['x'], [[]], [{ username: 'x' }, 7]])
      assertRefused(await call('POST', path, { json }), 400, JSON.stringify(json));
  });

  void test(`${path}: accepts a thousand users, and not one more`, async () => {
    const users = Array.from({ length: 1001 }, (_, index) => ({ username: `${tag}-mass-${index}` }));
    assertRefused(await call('POST', path, { json: users }), 400);
    assert.equal((await getUser(`${tag}-mass-0`)).status, 404);
    assertResponse(await call('POST', path, { json: users.slice(0, 1000) }), 200, successText('ok'));
    assert.equal((await getUser(`${tag}-mass-999`)).status, 200);
  });
}

void test('twenty concurrent sign-ups with one name: one succeeds', async () => {
  const responses = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      call('POST', 'user', { json: { username: index % 2 ? 'Wanted' : 'wanted' } }),
    ),
  );
  assert.deepEqual(
    responses.map(({ status }) => status).toSorted((a, b) => a - b),
    [200, ...Array.from({ length: 19 }, () => 409)],
  );
});

void test('update: replaces the profile; omitted fields are deleted, except the id', async () => {
  const id = await addUser({
    username: 'updated',
    firstName: 'Old',
    email: 'old@example.org',
    phone: '1',
    userStatus: 1,
  });
  const json = { username: 'updated', lastName: 'New', userStatus: 2, role: 'admin' };
  assertResponse(await call('PUT', 'user/UPDATED', { json }), 200, successText(id));
  assertResponse(await getUser('updated'), 200, `{"id":${id},"username":"updated","lastName":"New","userStatus":2}`);
  assertResponse(await call('PUT', 'user/updated', { json: {} }), 200, successText(id));
  assertResponse(await getUser('updated'), 200, `{"id":${id},"username":"updated"}`);
});

void test('update with another id: changes it', async () => {
  const other = await addUser({ username: 'has-the-id' });
  const id = await addUser({ username: 'renumbered', password: 'kept' });
  for (const [sent, expected] of [
    [0, id],
    [-1, id],
    [null, id],
    [MAX_INT64, MAX_INT64],
    [other, other],
    [undefined, other],
  ]) {
    assertResponse(await call('PUT', 'user/renumbered', { json: { id: sent } }), 200, successText(String(expected)));
    assertResponse(await getUser('renumbered'), 200, `{"id":${expected},"username":"renumbered"}`);
  }
  assertRefused(await call('PUT', 'user/renumbered', { json: { id: '9223372036854775808' } }), 400);
  assert.equal((await call('GET', 'user/login?username=renumbered&password=kept')).status, 200);
  assertResponse(await getUser('has-the-id'), 200, `{"id":${other},"username":"has-the-id"}`);
});

for (const [title, change] of [
  ['no password', {}],
  ['a null password', { password: null }],
  ['an empty password', { password: '' }],
] as const) {
  void test(`update with ${title}: keeps the password`, async () => {
    const username = `keeper-${title.replaceAll(' ', '-')}`;
    await addUser({ username, password: 'kept' });
    assert.equal((await call('PUT', `user/${username}`, { json: { username, ...change } })).status, 200);
    assert.equal((await call('GET', `user/login?username=${username}&password=kept`)).status, 200);
    assert.equal((await call('GET', `user/login?username=${username}&password=`)).status, 400);
  });
}

void test('update with a password: changes it', async () => {
  await addUser({ username: 'changer', password: 'before' });
  assert.equal((await call('PUT', 'user/changer', { json: { password: 'behind' } })).status, 200);
  assert.equal((await call('GET', 'user/login?username=changer&password=before')).status, 400);
  assert.equal((await call('GET', 'user/login?username=changer&password=behind')).status, 200);
});

void test('update with another username: renames', async () => {
  const id = await addUser({ username: 'old-name', password: 'pw', phone: '5' });
  await addUser({ username: 'other-name' });
  const taken = assertRefused(await call('PUT', 'user/old-name', { json: { username: 'OTHER-name' } }), 409);
  assert.deepEqual(
    taken.errors?.map(({ path }) => path),
    ['/username'],
  );
  assert.match((await getUser('old-name')).text, /"phone":"5"/, 'nothing must change');

  assertResponse(await call('PUT', 'user/old-name', { json: { username: 'New-Name' } }), 200, successText(id));
  assertResponse(await getUser('old-name'), 404, errorText('User not found'));
  assertResponse(await getUser('new-name'), 200, `{"id":${id},"username":"New-Name"}`);
  assert.equal((await call('GET', 'user/login?username=new-name&password=pw')).status, 200);
  assert.equal((await call('GET', 'user/login?username=old-name&password=pw')).status, 400);

  assertResponse(await call('PUT', 'user/new-name', { json: { username: 'NEW-NAME' } }), 200, successText(id));
  assertResponse(await getUser('new-name'), 200, `{"id":${id},"username":"NEW-NAME"}`);
  assert.notEqual(await addUser({ username: 'old-name' }), id);
});

void test('update or deletion of an unknown user: 404, without any effect', async () => {
  for (const path of ['user/nobody', 'user/no%3Fbody']) {
    assertResponse(await call('GET', path), 404, errorText('User not found'));
    assertResponse(
      await call('PUT', path, { json: { username: 'nobody', password: 'x' } }),
      404,
      errorText('User not found'),
    );
    assertResponse(await call('DELETE', path), 404, errorText('User not found'));
  }
  assert.equal((await getUser('nobody')).status, 404);
});

const strayCredentials: Record<string, string>[] = [
  { authorization: 'Bearer' },
  { authorization: 'Bearer ' },
  { authorization: 'Bearer null' },
  { authorization: `Bearer ${'x'.repeat(43)}` },
  { authorization: 'Basic dXNlcjpwYXNz' },
  { authorization: 'special-key' },
  { api_key: 'special-key' },
  { api_key: 'x'.repeat(43) },
  { api_key: 'logged in user session:1234567890' },
  { cookie: `menagerie_session=${'x'.repeat(43)}` },
  { cookie: 'menagerie_session=%zz; =; a' },
  { authorization: 'Bearer x', api_key: 'special-key', cookie: 'menagerie_session=' },
];
for (const headers of strayCredentials) {
  void test(`invalid credentials: ignored: ${JSON.stringify(headers)}`, async () => {
    const steps: [method: string, path: string, options: CallOptions][] = [
      ['POST', 'pet', { json: { id: 5000, name: 'Rex', status: 'sold' } }],
      ['GET', 'pet/5000', {}],
      ['PUT', 'pet', { json: { id: 5000, name: 'Rex' } }],
      ['GET', 'pet/findByStatus?status=sold', {}],
      ['POST', 'pet/5000', { form: { name: 'Bello' } }],
      ['DELETE', 'pet/5000', {}],
      ['POST', 'user', { json: { username: 'stray', password: 'pw' } }],
      ['GET', 'user/stray', {}],
      ['PUT', 'user/stray', { json: {} }],
      ['GET', 'user/login?username=stray&password=pw', {}],
      ['GET', 'user/logout', {}],
      ['DELETE', 'user/stray', {}],
    ];
    for (const [method, path, options] of steps) {
      const response = await call(method, path, { ...options, headers });
      assert.equal(response.status, 200, `${method} ${path}: ${response.text}`);
    }
  });
}
