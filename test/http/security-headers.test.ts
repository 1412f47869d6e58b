import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ENDPOINTS } from '../../src/api/endpoints.ts';
import { assertNothingLeaks, callAs, clientOf, type HttpResponse, type CallOptions } from '../support/client.ts';
import { fileUpload } from '../support/multipart.ts';
import { makePhoto } from '../support/photos.ts';
import { rawExchange } from '../support/raw-http.ts';
import { bearer, createKey, logIn, newSecuredFolder, PASSWORDS, startSecuredService } from '../support/secured.ts';
import { removeFolder, startTestService } from '../support/service.ts';
import { openTables } from '../support/stored.ts';

/* Security headers for browsers and caches, on every response. */

const PAGE = 'https://pets.example.org';
const dataDir = await newSecuredFolder();
const flags = ['--max-body-bytes=2048', '--max-photo-bytes=20000', '--trusted-proxies=1', `--cors-origins=${PAGE}`];
const service = await startSecuredService({ after }, { dataDir, flags, config: { http: { headersTimeoutMs: 1000 } } });
const { call } = service;
after(async () => {
  await service.stop();
  await removeFolder(dataDir);
});

const vera = bearer(await logIn(call, 'vera'));
const edna = bearer(await logIn(call, 'edna'));
const rootToken = await logIn(call, 'root');
const root = bearer(rootToken);

await call('POST', 'pet', { headers: edna, json: { id: 7, name: 'Rex', status: 'sold', tags: ['tame'] } });
await call('POST', 'pet/7/uploadImage', {
  ...fileUpload(await makePhoto()),
  headers: { ...fileUpload('').headers, ...edna },
});
const pet = await call('GET', 'pet/7');
const etag = pet.headers.get('etag') ?? '';
const [photoUrl = ''] = (JSON.parse(pet.text) as { photoUrls: string[] }).photoUrls;
for (let count = 0; count < 150; count++)
  await call('POST', 'pet', { headers: edna, json: { name: 'Many', status: 'available' } });

/** Headers of every response over HTTP. */
function assertGuarded({ headers }: Pick<HttpResponse, 'headers'>, context: string): void {
  assert.equal(headers.get('x-content-type-options'), 'nosniff', context);
  const policy = headers.get('content-security-policy') ?? '';
  assert.match(policy, /(?:^|; )default-src 'none'(?:;|$)/, context);
  assert.doesNotMatch(policy, /unsafe|\*|https?:/, context);
  const isFramed = headers.get('x-frame-options') !== 'DENY' && !policy.includes("frame-ancestors 'none'");
  assert.ok(!isFramed, `${context}: framing must be forbidden`);
  assert.equal(headers.get('referrer-policy'), 'no-referrer', context);
  assert.match(headers.get('cross-origin-resource-policy') ?? '', /^(?:same-origin|cross-origin)$/, context);
  for (const name of ['server', 'x-powered-by', 'via', 'x-aspnet-version'])
    assert.equal(headers.get(name), null, `${context}: ${name}`);
  // Browsers may interpret duplicate headers either way.
  for (const [name, value] of headers)
    if (name !== 'vary' && !name.startsWith('access-control-') && name !== 'allow')
      assert.doesNotMatch(value, /nosniff, nosniff|DENY, DENY|no-store, no-store/, context);
}

function isUncacheable({ headers }: HttpResponse): boolean {
  return headers.get('cache-control')?.split(/, ?/).includes('no-store') === true;
}

const json = (value: unknown): CallOptions => ({ json: value, headers: edna });
const whole = (path: string) => service.base.replace(/\/v2$/, path);

type Kind = [title: string, status: number, method: string, path: string, options?: CallOptions];

const kinds: Kind[] = [
  ['a pet', 200, 'GET', 'pet/7'],
  ['HEAD of a pet', 200, 'HEAD', 'pet/7'],
  ['a streamed list', 200, 'GET', 'pet/findByStatus?status=available'],
  ['a page of a list', 200, 'GET', 'pet/findByStatus?status=available&limit=2'],
  ['a list by tags', 200, 'GET', 'pet/findByTags?tags=tame'],
  ['the audit log', 200, 'GET', 'admin/audit', { headers: root }],
  ['the audit log as NDJSON', 200, 'GET', 'admin/audit', { headers: { ...root, accept: 'application/x-ndjson' } }],
  ['a photo', 200, 'GET', photoUrl],
  ['a small photo', 200, 'GET', `${photoUrl}/small`],
  ['HEAD of a photo', 200, 'HEAD', photoUrl],
  ['the start page', 200, 'GET', whole('/')],
  ['the API', 200, 'GET', whole('/v2')],
  ['the API with a slash', 200, 'GET', whole('/v2/')],
  ['livez', 200, 'GET', whole('/livez')],
  ['readyz', 200, 'GET', whole('/readyz')],
  ['refused metrics', 401, 'GET', whole('/metrics')],
  ['the page of a reset link', 200, 'GET', whole('/reset-password')],
  ['OPTIONS', 204, 'OPTIONS', 'pet/7'],
  [
    'a preflight',
    204,
    'OPTIONS',
    'pet',
    { headers: { origin: PAGE, 'sec-fetch-site': 'cross-site', 'access-control-request-method': 'POST' } },
  ],
  [
    'a preflight of another site',
    204,
    'OPTIONS',
    'pet',
    { headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' } },
  ],
  ['an unchanged pet', 304, 'GET', 'pet/7', { headers: { 'if-none-match': etag } }],
  ['an unchanged photo', 304, 'GET', photoUrl, { headers: { 'if-none-match': '*' } }],
  ['a wrong id', 400, 'GET', 'pet/x'],
  ['a wrong status', 400, 'GET', 'pet/findByStatus?status=x'],
  [
    'broken JSON',
    400,
    'POST',
    'pet',
    { body: Buffer.from('{'), headers: { ...edna, 'content-type': 'application/json' } },
  ],
  ['a pet without a name', 400, 'POST', 'pet', json({})],
  ['broken percent-encoding', 400, 'GET', 'user/%ff'],
  ['broken percent-encoding of a page', 400, 'GET', 'user/%ff', { headers: { origin: PAGE } }],
  ['a wrong login', 400, 'GET', 'user/login?username=x'],
  [
    'an upload without a file',
    400,
    'POST',
    'pet/7/uploadImage',
    { ...fileUpload(''), headers: { ...edna, ...fileUpload('').headers } },
  ],
  ['an anonymous change', 401, 'POST', 'pet', { json: { name: 'Rex' } }],
  ['an anonymous request for an account', 401, 'GET', 'account'],
  ['a problem document', 401, 'GET', 'account', { headers: { accept: 'application/problem+json' } }],
  ['a change by a viewer', 403, 'POST', 'pet', { json: { name: 'Rex' }, headers: vera }],
  [
    'a page of another site',
    403,
    'POST',
    'pet',
    { json: { name: 'Rex' }, headers: { ...edna, 'sec-fetch-site': 'cross-site' } },
  ],
  ['an unknown pet', 404, 'GET', 'pet/987654321'],
  ['an unknown photo', 404, 'GET', `photo/${'0'.repeat(64)}`],
  ['an unknown size', 404, 'GET', `${photoUrl}/huge`],
  ['an unknown path', 404, 'GET', 'nothing'],
  ['an unknown path outside of the API', 404, 'GET', whole('/favicon.ico')],
  ['a POST to an unknown path', 404, 'POST', whole('/wp-login.php')],
  ['a parameter far too long', 404, 'GET', `user/${'x'.repeat(14_000)}/y`],
  ['a wrong method', 405, 'PUT', 'pet/7'],
  ['an unknown method', 405, 'PROPFIND', 'account'],
  ['a wrong Accept header', 406, 'GET', 'pet/7', { headers: { accept: 'image/png' } }],
  ['a name in use', 409, 'POST', 'user', { json: { username: 'vera' } }],
  ['a wrong precondition', 412, 'DELETE', 'pet/7', { headers: { ...edna, 'if-match': '"other"' } }],
  [
    'a body too large',
    413,
    'POST',
    'pet',
    json({ name: 'Rex', photoUrls: Array.from({ length: 30 }, () => 'x'.repeat(100)) }),
  ],
  [
    'a photo too large',
    413,
    'POST',
    'pet/7/uploadImage',
    { ...fileUpload(Buffer.alloc(30_000)), headers: { ...edna, ...fileUpload('').headers } },
  ],
  [
    'a body of another type',
    415,
    'POST',
    'pet',
    { body: Buffer.from('x'), headers: { ...edna, 'content-type': 'text/plain' } },
  ],
  [
    'a file that is no photo',
    415,
    'POST',
    'pet/7/uploadImage',
    { ...fileUpload('no picture'), headers: { ...edna, ...fileUpload('').headers } },
  ],
  ['headers too large', 431, 'GET', 'pet/7', { headers: { 'x-long': 'x'.repeat(20_000) } }],
];
for (const [title, status, method, path, options] of kinds) {
  void test(`security headers: on ${title} (${status})`, async () => {
    const response = await call(method, path, options);
    assert.equal(response.status, status, response.text.slice(0, 200));
    assertGuarded(response, title);
    assert.equal(response.headers.get('strict-transport-security'), null, 'the header has no meaning over HTTP');
    assert.equal(response.headers.has('www-authenticate'), status === 401);
  });
}

/** The response to bytes that are hardly HTTP. */
async function rawResponse(origin: string, bytes: string): Promise<HttpResponse> {
  const { text } = await rawExchange(origin, bytes, { patienceMs: 30_000 });
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const [first = '', ...lines] = head.split('\r\n');
  const headers = new Headers();
  for (const line of lines) {
    const [, name = '', value = ''] = /^([^:]+): ?(.*)$/.exec(line) ?? [];
    headers.append(name, value);
  }
  return { status: Number(/^HTTP\/1\.[01] (\d{3}) /.exec(first)?.[1]), headers, text: body, bytes: Buffer.from(body) };
}

const close = 'Host: localhost\r\nConnection: close\r\n';
const raws: [title: string, status: number, bytes: string][] = [
  ['bytes that are not HTTP', 400, 'hello\r\n\r\n'],
  ['a line of zeros', 400, `${'\0'.repeat(50)}\r\n\r\n`],
  ['TLS', 400, '\u0016\u0003\u0001\u0002\0\u0001\0\u0001\u00fc\u0003\u0003'],
  ['a malformed method', 400, `G@T /v2/pet/7 HTTP/1.1\r\n${close}\r\n`],
  ['an invalid header', 400, `GET /v2/pet/7 HTTP/1.1\r\n${close}bad header: x\r\n\r\n`],
  ['two lengths', 400, `POST /v2/pet HTTP/1.1\r\n${close}Content-Length: 1\r\nContent-Length: 2\r\n\r\nxx`],
  [
    'a length and chunks',
    400,
    `POST /v2/pet HTTP/1.1\r\n${close}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  ],
  ['no host', 400, 'GET /v2/pet/7 HTTP/1.1\r\nConnection: close\r\n\r\n'],
  ['two hosts', 400, `GET /v2/pet/7 HTTP/1.1\r\nHost: a\r\n${close}\r\n`],
  ['bytes that are no UTF-8 in the path', 400, `GET /v2/user/%c3%28 HTTP/1.1\r\n${close}\r\n`],
  ['a header far too large', 431, `GET /v2/pet/7 HTTP/1.1\r\nX-Long: ${'x'.repeat(20_000)}\r\n${close}\r\n`],
  ['an address far too long', 431, `GET /v2/${'x'.repeat(20_000)} HTTP/1.1\r\n${close}\r\n`],
  ['an unknown expectation', 417, `GET /v2/pet/7 HTTP/1.1\r\nExpect: wonders\r\n${close}\r\n`],
  ['an upgrade', 200, 'GET /v2/pet/7 HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n'],
  ['HTTP/1.0', 200, 'GET /v2/pet/7 HTTP/1.0\r\nHost: localhost\r\n\r\n'],
  ['a header that never ends', 408, 'GET /v2/pet/7 HTTP/1.1\r\nHost: localhost\r\nX-'],
];
for (const [title, status, bytes] of raws) {
  void test(`security headers: on ${title} (${status}), sent raw`, async () => {
    const response = await rawResponse(service.origin, bytes);
    assert.equal(response.status, status);
    assertGuarded(response, title);
    assertNothingLeaks(response, title);
  });
}

void test('security headers: once each in the raw response', async () => {
  const own = `${close}Authorization: ${edna['authorization'] ?? ''}\r\n`;
  const photo = new URL(photoUrl).pathname;
  const requests: [title: string, bytes: string][] = [
    ['a pet', `GET /v2/pet/7 HTTP/1.1\r\n${own}\r\n`],
    ['HEAD', `HEAD /v2/pet/7 HTTP/1.1\r\n${own}\r\n`],
    ['304', `GET /v2/pet/7 HTTP/1.1\r\n${own}If-None-Match: ${etag}\r\n\r\n`],
    ['OPTIONS', `OPTIONS /v2/pet HTTP/1.1\r\n${own}\r\n`],
    ['a list', `GET /v2/pet/findByStatus?status=available HTTP/1.1\r\n${own}\r\n`],
    ['a photo', `GET ${photo} HTTP/1.1\r\n${own}\r\n`],
    ['HEAD of a photo', `HEAD ${photo} HTTP/1.1\r\n${own}\r\n`],
    ['the page of a reset link', `GET /reset-password HTTP/1.1\r\n${own}\r\n`],
    ['405', `PATCH /v2/pet HTTP/1.1\r\n${own}\r\n`],
    ['417', `GET /v2/pet/7 HTTP/1.1\r\n${own}Expect: wonders\r\n\r\n`],
    ['408', 'GET /v2/pet/7 HTTP/1.1\r\nHost: localhost\r\nX-'],
    [
      '100 and 200',
      `POST /v2/pet HTTP/1.1\r\n${own}Expect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\r\n{"name":"x"}`,
    ],
  ];
  for (const [title, bytes] of requests) {
    // The connection ends after the response.
    const { text } = await rawExchange(service.origin, bytes, { quietMs: 30_000, patienceMs: 30_000 });
    const isContinued = title.startsWith('100');
    assert.equal(text.startsWith('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 '), isContinued, title);
    const [head = ''] = text.split('\r\n\r\n').slice(isContinued ? 1 : 0);
    const names = head
      .split('\r\n')
      .slice(1)
      .map((line) => line.slice(0, line.indexOf(':')).toLowerCase());
    assert.equal(new Set(names).size, names.length, `${title}: ${names.join()}`);
    for (const name of ['x-content-type-options', 'content-security-policy', 'referrer-policy'])
      assert.ok(names.includes(name), `${title} has no ${name}`);
    assert.equal(names.includes('x-request-id'), title !== '408', title);
  }
});

/** The request id of the response to a request with this one. */
async function idOf(id: string): Promise<string> {
  const { headers } = await callAs(service.base, 'GET', 'pet/7', { headers: { 'x-request-id': id } });
  return headers.get('x-request-id') ?? assert.fail();
}

void test('X-Request-Id: returned if harmless, otherwise replaced', async () => {
  for (const id of ['a', 'req-1.2:3_4', 'x'.repeat(64)]) assert.equal(await idOf(id), id);
  for (const id of ['x'.repeat(65), 'x'.repeat(5000), 'a b', 'a,b', '<script>', 'é', '%0d%0aset-cookie:a=b'])
    assert.match(await idOf(id), /^[0-9a-f]{8}-[0-9a-z]+$/, id);
  for (const evil of ['a\rb: c', 'a\nb: c', 'a\r\n b']) {
    const { text } = await rawExchange(
      service.origin,
      `GET /v2/pet/7 HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: ${evil}\r\n\r\n`,
    );
    assert.match(text, /^HTTP\/1\.1 400 /);
    assert.doesNotMatch(text, /^(?:b: c| ?b$)/m);
  }
});

void test('throttled login (429): has security headers, and is not cached', async () => {
  const from = { 'x-forwarded-for': '203.0.113.200' };
  const reset = () => call('POST', 'password-reset', { headers: from, json: { token: 'x', newPassword: 'x' } });
  for (let count = 0; count < 20; count++) assert.equal((await reset()).status, 400);
  const response = await reset();
  assert.equal(response.status, 429);
  assertGuarded(response, '429');
  assert.match(response.headers.get('retry-after') ?? '', /^\d+$/);
});

void test('internal error (500): has security headers, and reveals nothing', async (t) => {
  const headers = root;
  const made = await call('POST', 'user', { headers, json: { username: 'broken', password: PASSWORDS['otto'] } });
  assert.equal(made.status, 200);
  // A manual change of the database.
  const { query } = await openTables(t, dataDir);
  await query("update account set password_hash = 'md5:0123' where username = 'broken'");
  for (const accept of ['application/json', 'application/problem+json']) {
    const response = await call('POST', 'user/login', {
      headers: { accept },
      json: { username: 'broken', password: PASSWORDS['otto'] },
    });
    assert.equal(response.status, 500, response.text);
    assert.equal(response.headers.get('content-type'), accept);
    assertGuarded(response, '500');
    assertNothingLeaks(response);
    assert.doesNotMatch(response.text, /md5|hash|password/i);
    assert.ok(response.text.includes(response.headers.get('x-request-id') ?? assert.fail()));
  }
});

void test('HTTPS: Strict-Transport-Security on every kind of response', async (t) => {
  const secure = await startSecuredService(t, { flags: ['--public-url', 'https://pets.example.org'] });
  const token = bearer(await logIn(secure.call, 'vera'));
  const responses: [title: string, response: HttpResponse][] = [
    ['login', await secure.call('POST', 'user/login', { json: { username: 'vera', password: PASSWORDS['vera'] } })],
    ['account', await secure.call('GET', 'account', { headers: token })],
    ['400', await secure.call('GET', 'pet/x')],
    ['401', await secure.call('GET', 'account')],
    ['404', await secure.call('GET', 'nothing')],
    ['405', await secure.call('PATCH', 'pet')],
    ['page', await secure.call('GET', `${secure.origin}/reset-password`)],
    ['bad encoding', await secure.call('GET', 'user/%ff')],
    ['no HTTP', await rawResponse(secure.origin, 'hello\r\n\r\n')],
    ['expectation', await rawResponse(secure.origin, `GET / HTTP/1.1\r\nExpect: x\r\n${close}\r\n`)],
    ['too large', await secure.call('GET', 'pet/7', { headers: { 'x-long': 'x'.repeat(20_000) } })],
  ];
  for (const [title, response] of responses) {
    assertGuarded(response, title);
    assert.match(response.headers.get('strict-transport-security') ?? '', /^max-age=\d{7,}/, title);
  }
});

void test('public URL over HTTP: no Strict-Transport-Security', async (t) => {
  const plain = await startSecuredService(t, { flags: ['--public-url', 'http://pets.example.org'] });
  const { headers } = await plain.call('GET', 'pet/7');
  assert.equal(headers.get('strict-transport-security'), null);
});

for (const access of ['open', 'sandbox']) {
  void test(`security headers: in ${access} access as well`, async (t) => {
    const free = await startTestService(t, { flags: ['--empty', '--access', access] });
    const client = clientOf(free.base);
    await client('POST', 'user', { json: { username: 'ada', password: 'pw' } });
    const responses: HttpResponse[] = [];
    for (const path of [
      'pet/1',
      'pet/x',
      'user/ada',
      'account',
      'nothing',
      'user/login?username=ada&password=pw',
      'user/%ff',
      'openapi.json',
      'events',
      'pet/findByStatus?status=sold',
      `${free.origin}/docs`,
      `${free.origin}/livez`,
      `${free.origin}/metrics`,
      `photo/${'0'.repeat(64)}`,
    ])
      responses.push(await client('GET', path));
    responses.push(await client('OPTIONS', 'pet', { headers: { 'access-control-request-method': 'POST' } }));
    responses.push(await client('PATCH', 'pet'));
    responses.push(await client('POST', 'pet', { body: Buffer.from('x'), headers: { 'content-type': 'image/png' } }));
    responses.push(await rawResponse(free.origin, `GET / HTTP/1.1\r\nExpect: x\r\n${close}\r\n`));
    responses.push(await callAs(free.base, 'GET', 'pet/1', { headers: { host: 'evil.example' } }));
    responses.push(await rawResponse(free.origin, 'hello\r\n\r\n'));
    for (const response of responses) {
      const title = `${response.status} ${response.text}`;
      assertGuarded(response, title);
      assert.equal(response.headers.get('menagerie-access'), access === 'sandbox' ? 'sandbox' : null);
      // No request had an Origin.
      assert.equal(response.headers.get('access-control-allow-origin'), access === 'sandbox' ? '*' : null, title);
      assert.equal(response.headers.has('access-control-expose-headers'), access === 'sandbox', title);
    }
  });
}

// Responses about accounts.

void test('401: has WWW-Authenticate for every operation', async () => {
  for (const [operation, { method, path, permission }] of Object.entries(ENDPOINTS)) {
    const response = await call(method, path.slice('/v2/'.length).replaceAll(/\{\w+\}/g, '1'));
    assert.equal(
      response.status === 401,
      (permission !== undefined && permission !== 'sign up') || operation === 'revokeToken',
      `${operation} ${response.status}`,
    );
    if (response.status === 401)
      assert.match(response.headers.get('www-authenticate') ?? '', /^(?:Bearer|Basic) realm="[^"]+"/, operation);
  }
  const { key } = await createKey(call, rootToken, ['read:pets']);
  for (const path of ['account', 'admin/users', 'user/root']) {
    const { status, headers } = await call('GET', path, { headers: bearer(key) });
    assert.equal(status, 401);
    assert.match(headers.get('www-authenticate') ?? '', /^Bearer /);
  }
});

const aboutAccounts = Object.entries(ENDPOINTS).filter(([, { path }]) =>
  /^\/v2\/(?:user|account|admin|password-reset)(?:\/|$)/.test(path),
);
const clients: [title: string, headers: Readonly<Record<string, string>>][] = [
  ['nobody', {}],
  ['a viewer', vera],
  ['an administrator', root],
  ['a page of another site', { ...root, 'sec-fetch-site': 'cross-site' }],
  ['a wrong token', bearer('x'.repeat(43))],
];
for (const [title, headers] of clients) {
  void test(`cache: keeps no response about accounts for ${title}`, async () => {
    const kept: string[] = [];
    for (const [operation, { method, path }] of aboutAccounts) {
      const isHarmless = !('authorization' in headers) || 'sec-fetch-site' in headers;
      // These would end sessions that later operations need.
      if (!isHarmless && (operation === 'endOtherSessions' || operation === 'logoutUser')) continue;
      // With an unknown name and id and without a body, permitted operations fail harmlessly.
      const target = path.slice('/v2/'.length).replaceAll(/\{\w+\}/g, 'no-such-thing');
      const response = await call(method, target, { headers });
      assert.ok(response.status < 500, response.text);
      if (!isUncacheable(response)) kept.push(`${operation} ${response.status}`);
    }
    assert.deepEqual(kept, []);
  });
}

const anonymousCases: [title: string, status: number, method: string, path: string, options?: CallOptions][] = [
  ['a login', 200, 'POST', 'user/login', { json: { username: 'otto', password: PASSWORDS['otto'] } }],
  [
    'a login by GET',
    200,
    'GET',
    `user/login?${new URLSearchParams({ username: 'otto', password: PASSWORDS['otto'] ?? '' }).toString()}`,
  ],
  ['a failed login', 400, 'POST', 'user/login', { json: { username: 'otto', password: 'wrong' } }],
  ['a logout', 200, 'GET', 'user/logout'],
  ['a sign-up', 200, 'POST', 'user', { json: { username: 'new-one' } }],
  ['a sign-up with a name in use', 409, 'POST', 'user', { json: { username: 'vera' } }],
  ['several sign-ups', 200, 'POST', 'user/createWithList', { json: [{ username: 'new-two' }], headers: root }],
  ['an own account', 200, 'GET', 'user/vera', { headers: vera }],
  ['an account', 200, 'GET', 'admin/users/vera', { headers: root }],
  ['an unknown user', 404, 'GET', 'user/no-such-thing', { headers: root }],
  ['a name too long', 400, 'GET', `user/${'x'.repeat(65)}`, { headers: root }],
  ['an unsupported Accept header', 406, 'GET', 'account', { headers: { ...root, accept: 'image/png' } }],
  ['an invalid reset link', 400, 'POST', 'password-reset', { json: { token: 'x', newPassword: 'x' } }],
  ['the page of a reset link', 200, 'GET', whole('/reset-password')],
  ['a list of sessions', 200, 'GET', 'account/sessions', { headers: vera }],
  ['a new key', 200, 'POST', 'account/keys', { headers: vera, json: { name: 'x', scopes: ['read:pets'] } }],
];
for (const [title, status, method, path, options] of anonymousCases) {
  void test(`cache: does not keep the response to ${title} (${status})`, async () => {
    const response = await call(method, path, options);
    assert.equal(response.status, status, response.text);
    assert.ok(isUncacheable(response), String(response.headers.get('cache-control')));
  });
}

void test('cache: may keep photos and pets, which are public', async () => {
  assert.match((await call('GET', photoUrl)).headers.get('cache-control') ?? '', /immutable/);
  assert.doesNotMatch((await call('GET', 'pet/7')).headers.get('cache-control') ?? '', /no-store/);
});
