import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { after, test, type TestContext } from 'node:test';
import { pino } from 'pino';
import {
  assertResponse,
  assertRefused,
  clientOf,
  errorText,
  successText,
  type HttpResponse,
} from '../support/client.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { openTables, readEverythingKept } from '../support/stored.ts';

/*
 * Logins and logouts. In open access, a valid session shows only by its rate limit: with a limit of one request an
 * hour, the second request of a valid session is refused, but not that of an invalid one.
 */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const START_MS = Date.UTC(2026, 0, 15, 12, 20, 0);

const PASSWORD = 'correct horse battery staple 7731';
const LOGIN = `user/login?username=Ada&password=${encodeURIComponent(PASSWORD)}`;
const PREFIX = 'logged in user session:';

let nowMs = START_MS;
const service = await startTestService({ after }, { config: { sessions: { requestsPerHour: 1 } }, clock: () => nowMs });
const call = clientOf(service.base);
await call('POST', 'user', { json: { username: 'Ada', password: PASSWORD, userStatus: 1 } });

/** Starts a new hour, so that earlier requests do not count. */
function atNextHour(): void {
  nowMs = (Math.floor(nowMs / HOUR_MS) + 1) * HOUR_MS;
}

/** Uses the session. */
async function isAlive(token: string): Promise<boolean> {
  atNextHour();
  const headers = { authorization: `Bearer ${token}` };
  assert.equal((await call('GET', 'pet/findByStatus?status=sold', { headers })).status, 200);
  return (await call('GET', 'pet/findByStatus?status=sold', { headers })).status === 429;
}

function tokenOf({ text, status }: HttpResponse): string {
  assert.equal(status, 200, text);
  return /^"logged in user session:([\w-]+)"$/.exec(text)?.[1] ?? assert.fail(text);
}

async function logIn(path = LOGIN): Promise<string> {
  return tokenOf(await call('GET', path));
}

async function countSessions(t: TestContext, { dataDir }: TestService): Promise<number> {
  const { query } = await openTables(t, dataDir);
  return Number((await query('select count(*) as count from session'))[0]?.['count']);
}

void test('login: returns a JSON string, the expiry, the rate limit and a cookie', async () => {
  nowMs = START_MS;
  const response = await call('GET', LOGIN);
  const token = tokenOf(response);
  assert.match(token, /^[\w-]{43}$/);
  const { headers } = response;
  assert.equal(headers.get('content-type'), 'application/json');
  assert.equal(headers.get('x-expires-after'), '2026-01-16T12:20:00.000Z');
  assert.equal(headers.get('x-rate-limit'), '1');
  assert.equal(headers.get('cache-control'), 'no-store');
  const [pair, ...attributes] = headers.getSetCookie()[0]?.split('; ') ?? [];
  assert.equal(headers.getSetCookie().length, 1);
  assert.equal(pair, `menagerie_session=${token}`);
  assert.deepEqual(attributes.toSorted(), ['HttpOnly', 'Max-Age=2592000', 'Path=/', 'SameSite=Lax']);
});

const accepts: [accept: string, plain: boolean][] = [
  ['text/plain', true],
  ['text/plain, application/json;q=0.5', true],
  ['text/plain;q=0.5, application/json', false],
  ['application/json', false],
  ['*/*', false],
  ['application/xml, application/json', false],
];
for (const [accept, plain] of accepts) {
  void test(`login with Accept: ${accept} returns ${plain ? 'plain text' : 'JSON'}`, async () => {
    const response = await call('GET', LOGIN, { headers: { accept } });
    assert.equal(response.status, 200);
    if (plain) {
      assert.match(response.headers.get('content-type') ?? '', /^text\/plain\b/);
      assert.match(response.text, /^logged in user session:[\w-]{43}$/);
    } else tokenOf(response);
  });
}

void test('login accepting only plain text: a wrong password is reported nevertheless', async () => {
  const response = await call('GET', 'user/login?username=Ada&password=wrong', { headers: { accept: 'text/plain' } });
  assertResponse(response, 400, errorText('Invalid username/password supplied'));
});

void test('login: begins a separate session each time', async () => {
  const tokens = [await logIn(), await logIn(), await logIn()];
  assert.equal(new Set(tokens).size, 3);
  for (const token of tokens) assert.ok(await isAlive(token));
});

void test('login over HTTPS: the cookie is bound to the host and Secure', async (t) => {
  const secure = await startTestService(t, { flags: ['--empty', '--public-url', 'https://pets.example.org'] });
  const secureCall = clientOf(secure.base);
  await secureCall('POST', 'user', { json: { username: 'Ada', password: PASSWORD } });
  const { headers } = await secureCall('GET', LOGIN);
  const [pair, ...attributes] = headers.getSetCookie()[0]?.split('; ') ?? [];
  assert.match(pair ?? '', /^__Host-menagerie_session=[\w-]{43}$/);
  assert.deepEqual(attributes.toSorted(), ['HttpOnly', 'Max-Age=2592000', 'Path=/', 'SameSite=Lax', 'Secure']);
  assert.equal(headers.get('x-rate-limit'), '10000000');
});

const noLogins: [title: string, query: string][] = [
  ['nothing', ''],
  ['no password', '?username=Ada'],
  ['no user name', `?password=${encodeURIComponent(PASSWORD)}`],
  ['an empty password', '?username=Ada&password='],
  ['an empty user name', '?username=&password=x'],
  ['a wrong password', '?username=Ada&password=wrong'],
  ['the password in another case', `?username=Ada&password=${encodeURIComponent(PASSWORD.toUpperCase())}`],
  ['a space behind the password', `?username=Ada&password=${encodeURIComponent(PASSWORD)}%20`],
  ['an unknown user name', `?username=Eve&password=${encodeURIComponent(PASSWORD)}`],
  ['two user names', `?username=Ada&username=Ada&password=${encodeURIComponent(PASSWORD)}`],
  ['two passwords', `?username=Ada&password=wrong&password=${encodeURIComponent(PASSWORD)}`],
  ['a password far too long', `?username=Ada&password=${'x'.repeat(5000)}`],
  ['a user name with U+0000', '?username=A%00&password=x'],
  ['broken percent-encoding', '?username=%E0%A4%A&password=%zz'],
];
for (const [title, query] of noLogins) {
  void test(`login with ${title}: always the same error`, async (t) => {
    const before = await countSessions(t, service);
    const response = await call('GET', `user/login${query}`);
    assertResponse(response, 400, errorText('Invalid username/password supplied'));
    for (const name of ['set-cookie', 'x-expires-after', 'x-rate-limit'])
      assert.equal(response.headers.get(name), null);
    assert.equal(await countSessions(t, service), before);
  });
}

void test('login: impossible for an account without a password', async () => {
  await call('POST', 'user', { json: { username: 'no-password' } });
  for (const password of ['', 'null', 'undefined', 'x'])
    assert.equal((await call('GET', `user/login?username=no-password&password=${password}`)).status, 400);
});

void test('login: any password works, percent-encoded', async () => {
  for (const [index, password] of ['a&b=c+d%20', ' ', 'pässwörd 🔑', '"\\', '1'].entries()) {
    const username = `password-${index}`;
    await call('POST', 'user', { json: { username, password } });
    await logIn(`user/login?${new URLSearchParams({ username, password }).toString()}`);
    await logIn(`user/login?username=${username}&password=${encodeURIComponent(password)}`);
  }
});

void test('login by POST: same result, without the password in the URL', async () => {
  const response = await call('POST', 'user/login', { json: { username: 'ada', password: PASSWORD } });
  const token = tokenOf(response);
  assert.equal(response.headers.get('cache-control'), 'no-store');
  assert.match(response.headers.get('set-cookie') ?? '', /^menagerie_session=/);
  assert.ok(response.headers.has('x-expires-after'));
  assert.equal(response.headers.get('x-rate-limit'), '1');
  assert.ok(await isAlive(token));
  for (const json of [
    { username: 'ada', password: 'wrong' },
    { username: 'eve', password: PASSWORD },
    { username: 'ada', password: '' },
  ])
    assertResponse(await call('POST', 'user/login', { json }), 400, errorText('Invalid username/password supplied'));
  for (const json of [
    {},
    { username: 'ada' },
    { username: 'ada', password: null },
    { username: 'ada', password: 5 },
    [],
    'x',
  ])
    assertRefused(await call('POST', 'user/login', { json }), 400);
});

const presentations: [title: string, headers: (token: string) => Record<string, string>][] = [
  ['as the cookie', (token) => ({ cookie: `a=b; menagerie_session=${token}; c=d` })],
  ['as Bearer', (token) => ({ authorization: `Bearer ${token}` })],
  ['as bearer in lower case', (token) => ({ authorization: `bearer ${token}` })],
  ['as Bearer with the prefix', (token) => ({ authorization: `Bearer ${PREFIX}${token}` })],
  ['as api_key', (token) => ({ api_key: token })],
  ['as api_key with the prefix', (token) => ({ api_key: `${PREFIX}${token}` })],
  ['as the cookie with the prefix', (token) => ({ cookie: `menagerie_session=${encodeURIComponent(PREFIX + token)}` })],
];
for (const [title, present] of presentations) {
  void test(`session ${title}: used, and ended by a logout`, async () => {
    const [token, other] = [await logIn(), await logIn()];
    const headers = present(token);
    atNextHour();
    assert.equal((await call('GET', 'pet/findByStatus?status=sold', { headers })).status, 200);
    assert.equal((await call('GET', 'pet/findByStatus?status=sold', { headers })).status, 429, 'it must count as used');
    atNextHour();
    const response = await call('GET', 'user/logout', { headers });
    assertResponse(response, 200, successText('ok'));
    assert.match(response.headers.get('set-cookie') ?? '', /^menagerie_session=;.*Max-Age=0/);
    assert.equal(await isAlive(token), false);
    assert.ok(await isAlive(other), 'no other session may end');
  });
}

void test('logout without a session: succeeds', async () => {
  assertResponse(await call('GET', 'user/logout'), 200, successText('ok'));
  const token = await logIn();
  for (let count = 0; count < 2; count++)
    assertResponse(await call('GET', 'user/logout', { headers: { api_key: token } }), 200, successText('ok'));
});

void test('logout: ends every session that the request presents', async () => {
  const [first, second, third] = [await logIn(), await logIn(), await logIn()];
  const headers = { authorization: `Bearer ${first}`, api_key: second, cookie: `menagerie_session=${third}` };
  assertResponse(await call('GET', 'user/logout', { headers }), 200, successText('ok'));
  for (const token of [first, second, third]) assert.equal(await isAlive(token), false);
});

void test('used-up session: can still log out', async () => {
  const token = await logIn();
  assert.ok(await isAlive(token));
  assertResponse(await call('GET', 'user/logout', { headers: { api_key: token } }), 200, successText('ok'));
  assert.equal(await isAlive(token), false);
});

void test('used-up session: gets Retry-After, and works again then', async () => {
  const token = await logIn();
  const headers = { authorization: `Bearer ${token}` };
  atNextHour();
  nowMs += 20 * 60_000;
  assert.equal((await call('GET', 'pet/findByStatus?status=sold', { headers })).status, 200);
  for (const [method, path] of [
    ['GET', 'pet/findByStatus?status=sold'],
    ['POST', 'pet'],
    ['DELETE', 'pet/1'],
  ] as const) {
    const response = await call(method, path, {
      headers,
      ...(method === 'POST' && { json: { name: 'Rex', tags: ['late'] } }),
    });
    assertRefused(response, 429);
    assert.equal(response.headers.get('retry-after'), String(40 * 60));
  }
  assert.equal((await call('GET', 'pet/findByTags?tags=late')).text, '[]', 'the refused requests must have no effect');
  nowMs += 40 * 60_000;
  assert.equal((await call('GET', 'pet/findByStatus?status=sold', { headers })).status, 200);
});

void test('rate limit: applies to one session, not to others or to anonymous requests', async () => {
  const [busy, fresh] = [await logIn(), await logIn()];
  assert.ok(await isAlive(busy));
  assert.equal((await call('GET', 'pet/findByStatus?status=sold', { headers: { api_key: fresh } })).status, 200);
  assert.equal((await call('GET', 'pet/findByStatus?status=sold')).status, 200);
});

void test('session: ends after a day without use', async () => {
  const token = await logIn();
  nowMs += DAY_MS + 1000;
  assert.equal(await isAlive(token), false);
});

void test('session: lasts for thirty days if it is used', async () => {
  const token = await logIn();
  const endsMs = nowMs + 30 * DAY_MS;
  while (nowMs + 21 * HOUR_MS < endsMs) {
    nowMs += 20 * HOUR_MS;
    assert.ok(await isAlive(token), `alive ${(endsMs - nowMs) / HOUR_MS} hours before the end`);
  }
  nowMs = endsMs;
  assert.equal(await isAlive(token), false);
});

void test('session used just before its idle end: lasts another idle timeout', async () => {
  const token = await logIn();
  nowMs += DAY_MS - 2 * HOUR_MS;
  assert.ok(await isAlive(token));
  nowMs += DAY_MS - 2 * HOUR_MS;
  assert.ok(await isAlive(token));
});

void test('renamed account: keeps its sessions', async () => {
  await call('POST', 'user', { json: { username: 'miss', password: 'pw' } });
  const token = await logIn('user/login?username=miss&password=pw');
  assert.equal((await call('PUT', 'user/miss', { json: { username: 'mrs' } })).status, 200);
  assert.ok(await isAlive(token));
});

/** The log at its most verbose level. */
function recorder() {
  const lines: string[] = [];
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString('utf8'));
      done();
    },
  });
  return { lines, log: pino({ level: 'debug' }, sink) };
}

void test('secrets: passwords and tokens occur in no other response, no log line and no file', async (t) => {
  const { lines, log } = recorder();
  const talkative = await startTestService(t, { log });
  const responses: HttpResponse[] = [];
  const talk = clientOf(talkative.base);
  const ask: typeof talk = async (...args) => {
    const response = await talk(...args);
    responses.push(response);
    return response;
  };
  const json = { username: 'ada', password: PASSWORD };
  await ask('POST', 'user', { json });
  await ask('POST', 'user', { json });
  await ask('POST', 'user/createWithList', { json: [{ ...json, username: 'eve' }, json] });
  await ask('POST', 'user/createWithArray', { json: [{ ...json, username: 5 }] });
  await ask('POST', 'user', { json: { username: 'x', password: PASSWORD.repeat(100) } });
  await ask('POST', 'user', { json: { username: 'x', password: [PASSWORD] } });
  await ask('POST', 'user', {
    body: Buffer.from(`{"username":"x","password":"${PASSWORD}"`),
    headers: { 'content-type': 'application/json' },
  });
  await ask('POST', 'user', { body: Buffer.from(PASSWORD), headers: { 'content-type': 'application/json' } });
  await ask('PUT', 'user/ada', { json });
  await ask('PUT', 'user/nobody', { json });
  await ask('GET', 'user/ada');
  await ask('HEAD', 'user/ada');
  await ask('GET', `${LOGIN}x`);
  await ask('PATCH', LOGIN);
  await ask('GET', LOGIN, { headers: { accept: 'image/png' } });
  await ask('GET', LOGIN, { headers: { 'sec-fetch-site': 'cross-site' } });
  await ask('GET', `nothing?password=${encodeURIComponent(PASSWORD)}`);
  const login = await talk('GET', LOGIN);
  const token = tokenOf(login);
  assert.ok(!login.text.includes(PASSWORD));
  await ask('GET', 'user/ada', { headers: { api_key: token } });
  await ask('GET', 'user/logout', { headers: { authorization: `Bearer ${token}` } });

  const secrets = [PASSWORD, encodeURIComponent(PASSWORD), PASSWORD.replaceAll(' ', '+')];
  for (const { text, headers, status } of responses) {
    for (const secret of secrets) assert.ok(!`${text}${[...headers].join('\n')}`.includes(secret), `${status} ${text}`);
  }
  assert.ok(
    lines.some((line) => line.includes('/v2/user/login')),
    'expected log lines',
  );
  for (const secret of [...secrets, token, '?']) assert.ok(!lines.join('').includes(secret), `${secret} in the log`);
  const files = await readEverythingKept(t, talkative.dataDir);
  assert.ok(
    files.some((bytes) => bytes.includes('argon2id')),
    'expected to read the database',
  );
  for (const bytes of files) assert.ok(!bytes.includes(PASSWORD), 'a file holds the password');
});

void test('session token: not stored', async (t) => {
  const quiet = await startTestService(t);
  const quietCall = clientOf(quiet.base);
  await quietCall('POST', 'user', { json: { username: 'Ada', password: PASSWORD } });
  const token = tokenOf(await quietCall('GET', LOGIN));
  await quietCall('GET', 'pet/1', { headers: { api_key: token } });
  assert.equal(await countSessions(t, quiet), 1);
  for (const bytes of await readEverythingKept(t, quiet.dataDir))
    assert.ok(!bytes.includes(token), 'a file holds the token');
});
