import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { assertRefused, callAs, clientOf, type CallOptions } from '../support/client.ts';
import { fileUpload } from '../support/multipart.ts';
import { makePhoto } from '../support/photos.ts';
import { rawExchange } from '../support/raw-http.ts';
import { logIn, startSecuredService } from '../support/secured.ts';
import { startTestService } from '../support/service.ts';

/*
 * Open access has no logins, so only this machine may reach the service, and no web page may change anything through a
 * local user's browser: access-matrix.test.ts requests each operation from pages of other sites.
 */

const PAGE = 'https://pets.example.org';

const service = await startSecuredService({ after }, { flags: ['--access', 'open'] });
const { call } = service;
const { port } = new URL(service.origin);
await call('POST', 'pet', { json: { id: 7, name: 'Rex', status: 'available' } });
await call('POST', 'user', { json: { username: 'ada', password: 'pw' } });

const hosts: [host: string, status: number][] = [
  [`127.0.0.1:${port}`, 200],
  ['127.0.0.1', 200],
  ['127.1.2.3:80', 200],
  [`localhost:${port}`, 200],
  ['LocalHost', 200],
  ['pets.localhost', 200],
  [`[::1]:${port}`, 200],
  ['[::1]', 200],
  ['pets.example.org', 403],
  [`pets.example.org:${port}`, 403],
  ['localhost.example.org', 403],
  ['127.0.0.1.example.org', 403],
  ['127.0.0.1.nip.io', 403],
  ['notlocalhost', 403],
  ['example.org#localhost', 403],
  ['localhost@example.org', 403],
  ['example.org/localhost', 403],
  ['0.0.0.0', 403],
  ['128.0.0.1', 403],
  ['10.0.0.1', 403],
  ['192.168.0.1', 403],
  ['169.254.169.254', 403],
  ['[::]', 403],
  ['[::ffff:10.0.0.1]', 403],
  ['localhost, example.org', 403],
  ['', 403],
];
for (const [host, status] of hosts) {
  void test(`host "${host}": ${status === 200 ? 'accepted' : 'refused, for any operation'}`, async () => {
    const { text } = await rawExchange(
      service.origin,
      `GET /v2/pet/7 HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
    );
    assert.match(text, status === 200 ? /^HTTP\/1\.1 200 / : /^HTTP\/1\.1 40[03] /);
    if (status === 200 || !/^[\w.:[\]-]+$/.test(host)) return;
    for (const [method, path] of [
      ['GET', 'pet/7'],
      ['DELETE', 'pet/7'],
      ['GET', 'pet/findByStatus?status=available'],
      ['GET', 'nothing'],
      ['PATCH', 'pet/7'],
      ['OPTIONS', 'pet/7'],
      ['GET', `photo/${'0'.repeat(64)}`],
    ] as const) {
      const response = await callAs(service.base, method, path, { headers: { host } });
      assertRefused(response, 403, `${method} ${path}`);
      assert.ok(!response.text.includes('Rex'));
    }
    assert.equal((await call('GET', 'pet/7')).status, 200);
  });
}

void test('missing host: refused', async () => {
  const { text } = await rawExchange(service.origin, 'GET /v2/pet/7 HTTP/1.0\r\n\r\n');
  assert.match(text, /^HTTP\/1\.[01] 403 /);
  assert.doesNotMatch(text, /Rex/);
  assert.match((await rawExchange(service.origin, 'GET /v2/pet/7 HTTP/1.1\r\n\r\n')).text, /^HTTP\/1\.1 40[03] /);
});

void test('foreign host in the request line: refused', async () => {
  const { text } = await rawExchange(
    service.origin,
    'GET http://localhost/v2/pet/7 HTTP/1.1\r\nHost: pets.example.org\r\nConnection: close\r\n\r\n',
  );
  assert.match(text, /^HTTP\/1\.1 40[03] /);
});

void test('refused host: the message says how to fix it', async () => {
  const { message } = assertRefused(
    await callAs(service.base, 'GET', 'pet/7', { headers: { host: 'example.org' } }),
    403,
  );
  assert.match(message, /localhost.*--access secured or --access sandbox/);
});

void test('HEAD on login and logout: does not circumvent the rule', async () => {
  for (const path of ['user/login?username=ada&password=pw', 'user/logout']) {
    const response = await call('HEAD', path, { headers: { 'sec-fetch-site': 'cross-site' } });
    assert.equal(response.status, 405);
    assert.equal(response.headers.get('set-cookie'), null);
  }
});

void test('logout from another site: ends no session', async (t) => {
  const metered = await startTestService(t, { config: { sessions: { requestsPerHour: 2 } }, clock: () => 0 });
  const client = clientOf(metered.base);
  await client('POST', 'user', { json: { username: 'ada', password: 'pw' } });
  const cookie =
    (await client('GET', 'user/login?username=ada&password=pw')).headers.get('set-cookie')?.split(';')[0] ?? '';
  assertRefused(await client('GET', 'user/logout', { headers: { cookie, 'sec-fetch-site': 'cross-site' } }), 403);
  const statuses = [];
  for (let count = 0; count < 3; count++) statuses.push((await client('GET', 'pet/1', { headers: { cookie } })).status);
  assert.equal(statuses.at(-1), 429, 'the session must still exist');
});

void test('pages of other sites: may not read responses either', async () => {
  for (const path of ['pet/7', 'pet/findByStatus?status=available', 'user/ada', 'nothing']) {
    const { headers } = await call('GET', path, { headers: { origin: PAGE } });
    assert.equal(headers.get('access-control-allow-origin'), null);
  }
  const preflight = await call('OPTIONS', 'pet', {
    headers: { origin: PAGE, 'access-control-request-method': 'POST' },
  });
  assert.equal(preflight.headers.get('access-control-allow-origin'), null);
  assert.equal(preflight.headers.get('access-control-allow-methods'), null);
});

const own: Record<string, string>[] = [
  {},
  { 'sec-fetch-site': 'same-origin', origin: service.origin },
  { 'sec-fetch-site': 'same-origin' },
  { 'sec-fetch-site': 'none' },
  { origin: service.origin },
];
for (const headers of own) {
  void test(`own pages and programs may make changes: ${JSON.stringify(headers)}`, async () => {
    const steps: [method: string, path: string, options: CallOptions][] = [
      ['POST', 'pet', { json: { id: 9, name: 'Own' } }],
      ['PUT', 'pet', { json: { id: 9, name: 'Own' } }],
      ['DELETE', 'pet/9', {}],
      ['GET', 'user/login?username=ada&password=pw', {}],
      ['GET', 'user/logout', {}],
    ];
    for (const [method, path, options] of steps)
      assert.equal((await call(method, path, { ...options, headers })).status, 200, `${method} ${path}`);
  });
}

void test('own page under another name of this machine: may make changes', async () => {
  const headers = { host: `localhost:${port}`, origin: `http://localhost:${port}`, 'content-type': 'application/json' };
  const response = await callAs(service.base, 'POST', 'pet', { headers, body: '{"id":9,"name":"Own"}' });
  assert.equal(response.status, 200, response.text);
});

for (const origin of [
  'http://localhost:5173',
  `http://127.0.0.1:${Number(port) + 1}`,
  `https://127.0.0.1:${port}`,
  'http://[::1]:3000',
  'http://app.localhost',
]) {
  void test(`open access: a page of ${origin} may read, change, and log in`, async () => {
    const headers = { origin, 'sec-fetch-site': origin.includes('127.0.0.1') ? 'same-site' : 'cross-site' };
    for (const [method, path, options] of [
      ['POST', 'pet', { json: { id: 9, name: 'Front end' } }],
      ['DELETE', 'pet/9', {}],
      ['GET', 'user/login?username=ada&password=pw', {}],
      ['GET', 'pet/7', {}],
    ] as [string, string, CallOptions][]) {
      const response = await call(method, path, { ...options, headers });
      assert.equal(response.status, 200, `${method} ${path} ${response.text}`);
      assert.equal(response.headers.get('access-control-allow-origin'), origin);
      assert.equal(response.headers.get('access-control-allow-credentials'), 'true');
    }
  });
}

void test('open access: Vary includes Origin', async () => {
  assert.equal((await call('GET', 'pet/7')).headers.get('vary'), 'Accept, Origin');
});

void test('sandbox access: pages of every origin may read and change, as anonymous', async (t) => {
  const sandbox = await startSecuredService(t, { flags: ['--access', 'sandbox'] });
  const cookie = `menagerie_session=${await logIn(sandbox.call, 'root')}`;
  for (const origin of [PAGE, 'null', 'http://localhost:5173']) {
    const headers = { origin, 'sec-fetch-site': 'cross-site', cookie };
    const created = await sandbox.call('POST', 'pet', { json: { id: 9, name: 'Front end' }, headers });
    assert.equal(created.status, 200, created.text);
    assert.equal(created.headers.get('access-control-allow-origin'), '*');
    assert.equal(created.headers.get('access-control-allow-credentials'), null);
    // The cookie of an administrator is ignored.
    assertRefused(await sandbox.call('POST', 'admin/users/vera/close', { headers }), 401);
    const preflight = await sandbox.call('OPTIONS', 'pet', {
      headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' },
    });
    assert.equal(preflight.headers.get('access-control-allow-origin'), '*');
    assert.equal(preflight.headers.get('access-control-allow-headers'), 'content-type');
  }
  const { headers } = await sandbox.call('OPTIONS', 'pet/1');
  assert.match(headers.get('access-control-allow-methods') ?? '', /GET.*PUT.*DELETE/);
  assert.equal(headers.get('access-control-allow-headers'), '*');
  assertRefused(await sandbox.call('GET', 'user/logout', { headers: { 'sec-fetch-site': 'cross-site', cookie } }), 403);
  assert.equal((await sandbox.call('GET', 'account', { headers: { cookie } })).status, 200);
});

void test('sandbox access: a configured origin may send credentials', async (t) => {
  const sandbox = await startTestService(t, { flags: ['--access', 'sandbox', '--cors-origins', PAGE] });
  for (const [origin, allowed] of [
    [PAGE, PAGE],
    ['https://other.example', '*'],
  ] as const) {
    const { headers } = await clientOf(sandbox.base)('GET', 'pet/1', { headers: { origin } });
    assert.equal(headers.get('access-control-allow-origin'), allowed);
    assert.equal(headers.get('access-control-allow-credentials'), allowed === PAGE ? 'true' : null);
    assert.equal(headers.get('vary'), 'Accept, Origin');
  }
});

// With an allowed page.

const allowing = await startTestService(
  { after },
  {
    flags: ['--empty', '--cors-origins', `${PAGE},http://localhost:5173`],
    config: { sessions: { requestsPerHour: 2 } },
    clock: () => 0,
  },
);
const ask = clientOf(allowing.base);
await ask('POST', 'user', { json: { username: 'ada', password: 'pw' } });

void test('allowed page: preflight succeeds', async () => {
  for (const origin of [PAGE, 'http://localhost:5173']) {
    for (const [path, method] of [
      ['pet', 'PUT'],
      ['pet/7', 'DELETE'],
      ['pet/7', 'PATCH'],
      ['pet/7/uploadImage', 'POST'],
      ['user/ada', 'PUT'],
    ] as const) {
      const { status, headers, text } = await ask('OPTIONS', path, {
        headers: {
          origin,
          'access-control-request-method': method,
          'access-control-request-headers': 'content-type,if-match,api_key,authorization',
          'sec-fetch-site': 'cross-site',
        },
      });
      assert.equal(status, 204);
      assert.equal(text, '');
      assert.equal(headers.get('access-control-allow-origin'), origin);
      assert.equal(headers.get('access-control-allow-credentials'), 'true');
      assert.ok(headers.get('access-control-allow-methods')?.split(/, ?/).includes(method), path);
      for (const name of ['content-type', 'if-match', 'api_key', 'authorization'])
        assert.ok(headers.get('access-control-allow-headers')?.toLowerCase().includes(name), name);
      assert.match(headers.get('vary') ?? '', /\borigin\b/i);
    }
  }
});

const allowed = { origin: PAGE, 'sec-fetch-site': 'cross-site' };

void test('allowed page: may read and change, and sees the exposed headers', async () => {
  const created = await ask('POST', 'pet', { json: { id: 7, name: 'Rex', status: 'sold' }, headers: allowed });
  assert.equal(created.status, 200, created.text);
  const login = await ask('GET', 'user/login?username=ada&password=pw', { headers: allowed });
  assert.equal(login.status, 200);
  for (const { headers } of [created, login, await ask('GET', 'pet/7', { headers: allowed })]) {
    assert.equal(headers.get('access-control-allow-origin'), PAGE);
    assert.equal(headers.get('access-control-allow-credentials'), 'true');
    assert.match(headers.get('vary') ?? '', /\borigin\b/i);
    const exposed = new Set(headers.get('access-control-expose-headers')?.toLowerCase().split(/, ?/));
    for (const name of ['etag', 'link', 'deprecation', 'x-expires-after', 'x-rate-limit', 'retry-after', 'ratelimit'])
      assert.ok(exposed.has(name), name);
  }
});

const refusals: [title: string, method: string, path: string, headers: Record<string, string>, status: number][] = [
  ['a wrong id', 'GET', 'pet/x', {}, 400],
  ['an unknown pet', 'GET', 'pet/987654321', {}, 404],
  ['an unknown path', 'GET', 'nothing', {}, 404],
  ['a wrong method', 'PUT', 'pet/7', {}, 405],
  ['a wrong Accept header', 'GET', 'pet/7', { accept: 'image/png' }, 406],
  ['a wrong precondition', 'DELETE', 'pet/7', { 'if-match': '"other"' }, 412],
  ['broken percent-encoding', 'GET', 'user/%ff', {}, 400],
];
for (const [title, method, path, headers, status] of refusals) {
  void test(`allowed page: can read the error for ${title}`, async () => {
    const response = await ask(method, path, { headers: { ...allowed, ...headers } });
    assertRefused(response, status);
    assert.equal(response.headers.get('access-control-allow-origin'), PAGE);
  });
}

void test('allowed page: can read Retry-After (429)', async () => {
  const login = await ask('GET', 'user/login?username=ada&password=pw');
  const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? '';
  for (let count = 0; count < 2; count++) await ask('GET', 'pet/7', { headers: { cookie } });
  const response = await ask('GET', 'pet/7', { headers: { ...allowed, cookie } });
  assertRefused(response, 429);
  assert.equal(response.headers.get('access-control-allow-origin'), PAGE);
  assert.match(response.headers.get('access-control-expose-headers') ?? '', /retry-after/i);
});

void test('other pages: get no CORS headers', async () => {
  for (const origin of [
    'https://evil.example',
    `${PAGE}.evil.example`,
    PAGE.replace('https', 'http'),
    `${PAGE}:8443`,
    'null',
  ]) {
    const headers = { origin, 'sec-fetch-site': 'cross-site' };
    assertRefused(await ask('POST', 'pet', { json: { name: 'Intruder' }, headers }), 403, origin);
    const { headers: sent } = await ask('GET', 'pet/7', { headers });
    assert.equal(sent.get('access-control-allow-origin'), null, origin);
    const preflight = await ask('OPTIONS', 'pet', { headers: { ...headers, 'access-control-request-method': 'PUT' } });
    assert.equal(preflight.headers.get('access-control-allow-origin'), null, origin);
  }
});

void test('public URL: used in the addresses of photos and pages', async (t) => {
  const published = await startTestService(t, { flags: ['--empty', '--public-url', `${PAGE}/menagerie/`] });
  const client = clientOf(published.base);
  await client('POST', 'pet', { json: { id: 1, name: 'Rex', status: 'sold' } });
  await client('POST', 'pet', { json: { id: 2, name: 'Rex', status: 'sold' } });
  await client('POST', 'pet/1/uploadImage', fileUpload(await makePhoto()));
  const { text } = await client('GET', 'pet/1');
  const [url = ''] = (JSON.parse(text) as { photoUrls: string[] }).photoUrls;
  assert.match(url, new RegExp(`^${PAGE}/menagerie/v2/photo/[0-9a-f]{64}$`));
  const { headers } = await client('GET', 'pet/findByStatus?status=sold&limit=1');
  assert.ok(headers.get('link')?.startsWith(`<${PAGE}/menagerie/v2/pet/findByStatus?`));
});

void test('public URL: own pages may make changes with an Origin header alone', async (t) => {
  const published = await startTestService(t, { flags: ['--empty', '--public-url', `${PAGE}/menagerie`] });
  const json = { id: 1, name: 'Rex' };
  assert.equal((await clientOf(published.base)('POST', 'pet', { json, headers: { origin: PAGE } })).status, 200);
  assertRefused(
    await clientOf(published.base)('POST', 'pet', { json, headers: { origin: 'https://evil.example' } }),
    403,
  );
});
