import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  assertResponse,
  assertRefused,
  successText,
  type HttpResponse,
  type Call,
  type CallOptions,
} from '../support/client.ts';
import { openConnection } from '../support/connection.ts';
import { skipOnNodes } from '../support/nodes.ts';
import { bearer, logIn, newSecuredFolder, PASSWORDS, startSecuredService, tokenOf } from '../support/secured.ts';
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

// Pages of other sites: access-matrix.test.ts requests each operation from them.

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
