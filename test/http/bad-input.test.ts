import assert from 'node:assert/strict';
import { after, afterEach, test } from 'node:test';
import { DESCRIPTIONS } from '../../src/api/documents/descriptions.ts';
import type { OperationDescription } from '../../src/api/documents/parts/format.ts';
import { ENDPOINTS, methodsOf, type Endpoint, type OperationId } from '../../src/api/endpoints.ts';
import {
  assertNothingLeaks,
  assertRefused,
  callAs,
  clientOf,
  type HttpResponse,
  type Call,
  type CallOptions,
} from '../support/client.ts';
import { inTime } from '../support/deadline.ts';
import { fileUpload } from '../support/multipart.ts';
import { skipOperation } from '../support/nodes.ts';
import { openSocket, rawExchange } from '../support/raw-http.ts';
import { bearer, logIn, startSecuredService } from '../support/secured.ts';
import { startTestService } from '../support/service.ts';
import { openTables, textOfRow } from '../support/stored.ts';

/* Bad input never causes a 5xx, a hang (every call has a timeout), a leak of internals, or a change. */

// Open access with an administrator, because account operations require a user in every mode.
const service = await startSecuredService({ after }, { flags: ['--access', 'open'] });
const { call } = service;
const root = bearer(await logIn(call, 'root'));

/** Calls a path below the root, as an administrator where an operation requires one. */
const at: Call = (method, path, options = {}) => {
  const headers =
    /^v2\/(?:account|admin|organisation|own-fields|embedding|saved-searches|enquir\w+|export\/enquiries|oauth\/consent)\b/.test(
      path,
    )
      ? { ...root, ...options.headers }
      : options.headers;
  return clientOf(service.origin)(method, path, { ...options, ...(headers !== undefined && { headers }) });
};

const JSON_TYPE = { 'content-type': 'application/json' };
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' };

const PET = { id: 7, name: 'Rex', status: 'available', tags: [{ id: 1, name: 'calm' }] };
await call('POST', 'pet', { json: PET });
await call('POST', 'user', { json: { username: 'ada', password: 'a password' } });

const { query } = await openTables({ after }, service.dataDir);
const TABLES = ['pet', 'pet_version', 'pet_tag', 'photo', 'account', 'used_account_id', 'api_key', 'password_reset'];

/** Everything stored, except sessions. */
async function everythingStored(): Promise<string> {
  const rows = await Promise.all(TABLES.map((table) => query(`select * from ${table}`)));
  return rows.map((ofTable) => ofTable.map(textOfRow).toSorted().join('\n')).join('\n\n');
}

const stored = await everythingStored();

// After each test except the last ones, which store on purpose.
let nothingMayChange = true;
afterEach(async () => {
  if (nothingMayChange) assert.equal(await everythingStored(), stored, 'data was changed');
});

const operations = Object.entries(ENDPOINTS).map(([operation, { method, path, body }]) => ({
  operation: operation as OperationId,
  method,
  path,
  body,
}));

/** The path of an endpoint with these parameters. */
function fill(path: string, values: Readonly<Record<string, string>>): string {
  return path.slice(1).replaceAll(/\{(\w+)\}/g, (_all, name: string) => values[name] ?? 'x');
}

/** Well-formed parameters of records that do not exist. */
const UNKNOWN = {
  petId: '987654321',
  version: '987654321',
  username: 'nobody',
  digest: '0'.repeat(64),
  size: 'small',
  sessionId: 'A'.repeat(16),
  keyId: 'A'.repeat(16),
  webhookId: 'A'.repeat(16),
  letterId: '987654321',
  enquiryId: '987654321',
};

const FIELDS: Readonly<Record<string, unknown>> = {
  id: 987654321,
  name: 'x',
  username: 'nobody',
  password: 'x',
  role: 'editor',
  scopes: ['read:pets'],
  listed: true,
  email: 'x@example.org',
  message: 'x',
  token: 'x',
  photos: [],
};

/** A valid body of each type. */
function goodBody(operation: OperationId, kind: Endpoint['body']): CallOptions {
  const { body }: OperationDescription = DESCRIPTIONS[operation];
  const { properties = {} } = (Object.values(body?.content ?? {})[0] ?? {}) as { properties?: object };
  const known = Object.fromEntries(Object.entries(FIELDS).filter(([name]) => Object.hasOwn(properties, name)));
  if (kind === 'json') return { json: operation.startsWith('createUsers') ? [] : known };
  if (kind === 'merge-patch') return { json: operation === 'patchPet' ? { name: 'x' } : {} };
  if (kind === 'ndjson')
    return { body: Buffer.from('{"op":"delete","id":987654321}'), headers: { 'content-type': 'application/x-ndjson' } };
  if (kind === 'form') return { form: { name: 'x' } };
  return kind === 'multipart' ? fileUpload('no picture') : {};
}

const malformedIds = [
  'abc',
  '1.5',
  '1e3',
  '0x10',
  '1n',
  '-',
  '+1',
  '%20',
  '%201',
  '1%20',
  'null',
  'NaN',
  '%00',
  '1%00',
  '9223372036854775808',
  '-9223372036854775809',
  '99999999999999999999999',
  '1'.repeat(5000),
  '%D9%A1',
  '1,2',
  '1;2',
  '%F0%9F%90%95',
  "1'%20or%201=1",
  '__proto__',
  'findByName',
];
for (const { operation, method, path, body } of operations.filter((endpoint) => endpoint.path.includes('{petId}'))) {
  void test(`${operation} with a malformed id: 400 Invalid ID supplied`, async () => {
    for (const petId of malformedIds) {
      const response = await at(method, fill(path, { ...UNKNOWN, petId }), goodBody(operation, body));
      assert.equal(assertRefused(response, 400, petId).message, 'Invalid ID supplied');
    }
  });
}

const malformedParameters = [
  '%00',
  '%01',
  '%0a',
  '%E2%80%A8',
  'a%2Fb',
  '..%2F..',
  '%2e%2e%2f',
  '%25',
  'x'.repeat(65),
  'x'.repeat(5000),
  '%F0%9F%90%95'.repeat(65),
  "'%20or%20''='",
  '__proto__',
  'constructor',
  '%EF%BF%BE',
];
for (const { operation, method, path, body } of operations.filter(
  ({ path }) => path.includes('{') && !path.includes('{petId}'),
)) {
  void test(`${operation} with an unusual name in its path: nothing found`, async () => {
    for (const value of malformedParameters) {
      for (const name of Object.keys(UNKNOWN).filter((parameter) => path.includes(`{${parameter}}`))) {
        const response = await at(method, fill(path, { ...UNKNOWN, [name]: value }), goodBody(operation, body));
        assert.ok(response.status === 404 || response.status === 400, `${value}: ${response.status} ${response.text}`);
        assertRefused(response, response.status, value);
      }
    }
  });
}

const deep = (depth: number, open: string, close: string, inside = '1') =>
  open.repeat(depth) + inside + close.repeat(depth);
const latin1 = (text: string) => Buffer.from(text, 'latin1');

const noJson: [title: string, body: string | Buffer<ArrayBuffer>][] = [
  ['nothing', ''],
  ['a space', ' '],
  ['truncated JSON', '{"name":"Rex","photoUrls":['],
  ['a truncated string', '{"name":"Rex'],
  ['single quotes', "{'name':'Rex'}"],
  ['a trailing comma', '{"name":"Rex",}'],
  ['two documents', '{"name":"a"}{"name":"b"}'],
  ['a comment', '{"name":"Rex"/* */}'],
  ['NaN', '{"name":"Rex","id":NaN}'],
  ['a number with a leading zero', '{"name":"Rex","id":01}'],
  ['a raw line break in a string', '{"name":"a\nb"}'],
  ['form fields', 'name=Rex'],
  ['XML', '<Pet><name>Rex</name></Pet>'],
  ['HTML', '<script>alert(1)</script>'],
  ['a long run of digits in malformed JSON', `{"id":${'1'.repeat(400)}`],
  ['a number', '1'],
  ['a string', '"Rex"'],
  ['null', 'null'],
  ['true', 'true'],
  ['an array of null', '[null]'],
  ['an array of arrays', '[[]]'],
  ['an array of wrong objects', '[{"name":5,"username":5}]'],
  ['an empty object', '{}'],
  [
    'wrong types everywhere',
    '{"id":{},"name":[],"category":1,"photoUrls":{},"tags":5,"status":[],"username":1,"password":1,"email":{},"userStatus":"x"}',
  ],
  ['invalid UTF-8', latin1('{"name":"\xff\xfe","username":"\xff\xfe","password":"x"}')],
  ['UTF-8 that is cut off', latin1('{"name":"\xc3"}')],
  ['an overlong encoding', latin1('{"name":"\xc0\xaf"}')],
  ['an encoded surrogate', latin1('{"name":"\xed\xa0\x80"}')],
  ['UTF-16', Buffer.from('{"name":"Rex"}', 'utf16le')],
  ['two byte order marks', '\uFEFF\uFEFF{"name":"Rex","username":"x","password":"x"}'],
  ['binary zeros', Buffer.alloc(1000)],
  ['a lone surrogate', '{"name":"a\\ud800","username":"a\\ud800","password":"\\udc00"}'],
  ['a surrogate pair in reverse order', '{"name":"\\udc00\\ud800","username":"\\udc00\\ud800","password":"\\udc00"}'],
  ['U+0000', '{"name":"a\\u0000","username":"a\\u0000","password":"a\\u0000"}'],
  ['a prototype that has the fields', '{"__proto__":{"name":"Rex","username":"x","password":"x"}}'],
  ['a constructor that has the fields', '{"constructor":{"prototype":{"name":"Rex","username":"x","password":"x"}}}'],
];
/** Refused by the reader of JSON, which all operations share. */
const expensiveJson: typeof noJson = [
  ['deep arrays', deep(100_000, '[', ']')],
  ['deep objects', deep(100_000, '{"a":', '}')],
  ['deep arrays that do not end', '['.repeat(200_000)],
  ['deep arrays with a long number, which has its own parser', deep(100_000, '[', ']', '1234567890123456789')],
  ['deep tags', `{"name":1,"username":1,"tags":${deep(50_000, '[', ']')}}`],
  ['a million letters', JSON.stringify({ name: 'x'.repeat(1_000_000), username: 'x'.repeat(1), password: 5 })],
  [
    'a million characters beyond the basic plane',
    JSON.stringify({ name: '🐕'.repeat(200_000), username: '🐕'.repeat(20_000), password: 5 }),
  ],
  ['one byte more than 1 MiB', `{"name":"Rex","username":"x","password":"x"}${' '.repeat(1024 * 1024 + 1 - 44)}`],
  ['many wrong fields', `[${Array.from({ length: 1000 }, () => '{"username":1,"email":2}').join()}]`],
];
/** Operations that take an empty object, and their status. */
const TAKES_AN_EMPTY_OBJECT: Readonly<Record<string, number>> = {
  updateUser: 404,
  updateWebhook: 404,
  replacePetProfile: 404,
  updateOrganisation: 200,
  updateMailSettings: 200,
  createPlayground: 200,
  // The service has no place for backups.
  checkBackup: 409,
};
/** A record, a list, and an operation of the own account. */
const GETS_EXPENSIVE = new Set(['addPet', 'createUsersWithListInput', 'changePassword']);
for (const { operation, method, path } of operations.filter(({ body }) => body === 'json')) {
  void test(`${operation}: refuses malformed bodies`, { skip: skipOperation(operation) }, async () => {
    for (const [title, text] of [...noJson, ...(GETS_EXPENSIVE.has(operation) ? expensiveJson : [])]) {
      const body = Buffer.from(text as string);
      const response = await at(method, fill(path, UNKNOWN), { body, headers: JSON_TYPE });
      if (response.status === 200 && TAKES_AN_EMPTY_OBJECT[operation] === 200) continue;
      const isFine =
        response.status === TAKES_AN_EMPTY_OBJECT[operation] ||
        (title.startsWith('one byte') && response.status === 413);
      assertRefused(response, isFine ? response.status : 400, title);
    }
  });
}

void test('body with many invalid fields: the error has a limited length', async () => {
  const users = Array.from({ length: 1000 }, () => ({ username: 1, email: 'x'.repeat(500) }));
  const response = await call('POST', 'user/createWithList', { json: users });
  const { errors = [] } = assertRefused(response, 400);
  assert.ok(errors.length > 0);
  assert.ok(response.text.length < 20_000, `${response.text.length} characters`);
});

const texts: [field: string, body: (text: string) => object, path: string][] = [
  ['name of a pet', (name) => ({ name }), 'pet'],
  ['category', (name) => ({ name: 'x', category: { name } }), 'pet'],
  ['tag', (name) => ({ name: 'x', tags: [{ name }] }), 'pet'],
  ['plain tag', (name) => ({ name: 'x', tags: [name] }), 'pet'],
  ['photo URL', (url) => ({ name: 'x', photoUrls: [url] }), 'pet'],
  ['user name', (username) => ({ username }), 'user'],
  ['first name', (firstName) => ({ username: 'x', firstName }), 'user'],
  ['last name', (lastName) => ({ username: 'x', lastName }), 'user'],
  ['email', (email) => ({ username: 'x', email }), 'user'],
  ['phone', (phone) => ({ username: 'x', phone }), 'user'],
  ['password', (password) => ({ username: 'x', password }), 'user'],
];
for (const [field, body, path] of texts) {
  void test(`${field}: must not contain U+0000 or lone surrogates`, async () => {
    for (const text of ['a\u0000b', '\u0000', '\ud800', 'a\udfff', '\udc00\ud83d', '🐕\ud83d'])
      assertRefused(await call('POST', path, { json: body(text) }), 400, JSON.stringify(text));
  });
}

const forms: [title: string, body: string | Buffer<ArrayBuffer>, status: number][] = [
  ['broken percent-encoding', 'name=%', 400],
  ['percent-encoding that is no UTF-8', 'name=%ff%fe', 400],
  ['bytes that are no UTF-8', latin1('name=\xff'), 400],
  ['a field twice', 'name=a&name=b', 400],
  ['an unknown status', 'status=lost', 400],
  ['U+0000', 'name=%00', 400],
  ['a prototype', '__proto__=x&constructor=y&status=lost', 400],
  ['JSON', '{"name":"x","status":"x"}&status=x', 400],
  ['more than 1 MiB', `name=${'x'.repeat(1024 * 1024)}`, 413],
  ['a name of a million letters', `name=${'x'.repeat(1_000_000)}`, 400],
  [
    'a hundred thousand fields',
    `${Array.from({ length: 100_000 }, (_, index) => `f${index}=1`).join('&')}&status=x`,
    400,
  ],
];
for (const [title, text, status] of forms) {
  void test(`form with ${title}: refused (${status})`, async () => {
    assertRefused(await call('POST', 'pet/7', { body: Buffer.from(text as string), headers: FORM_TYPE }), status);
  });
}

const otherTypes: Record<string, string>[] = [
  {},
  { 'content-type': 'text/plain' },
  { 'content-type': 'application/xhtml' },
  { 'content-type': 'application/octet-stream' },
  { 'content-type': 'application/jsonp' },
  { 'content-type': 'application/json-seq' },
  { 'content-type': 'text/json5' },
  { 'content-type': 'nonsense' },
  { 'content-type': 'application/' },
  { 'content-type': 'application/json; charset=iso-8859-1' },
  { 'content-type': 'application/json; charset="utf-16"' },
  { 'content-type': 'application/json', 'content-encoding': 'gzip' },
  { 'content-type': 'application/json', 'content-encoding': 'br' },
  { 'content-type': 'application/x-www-form-urlencoded; charset=latin1' },
  { 'content-type': 'application/x-www-form-urlencoded', 'content-encoding': 'deflate' },
  { 'content-type': 'image/png' },
];
for (const { operation, method, path, body } of operations.filter(({ body }) => body !== 'none')) {
  void test(`${operation}: requires its own content type, in UTF-8 and uncompressed`, async () => {
    const others: Record<string, string>[] = [
      // A body without a type counts as a form where a form is expected.
      ...(body === 'form' ? otherTypes.slice(1) : otherTypes),
      ...(body === 'json' || body === 'merge-patch' ? [] : [JSON_TYPE]),
      ...(body === 'form' ? [] : [FORM_TYPE]),
      ...(body === 'multipart' ? [] : [{ 'content-type': 'multipart/form-data; boundary=x' }]),
    ];
    for (const headers of others) {
      const response = await at(method, fill(path, UNKNOWN), {
        body: Buffer.from('{"name":"Rex","username":"x"}'),
        headers,
      });
      assertRefused(response, 415, JSON.stringify(headers));
    }
  });
}

for (const { operation, method, path } of operations.filter(
  ({ body, method }) => body === 'none' && method === 'DELETE',
)) {
  void test(`${operation}: ignores a body`, { skip: skipOperation(operation) }, async () => {
    const types = otherTypes.filter((headers) => /^$|\w\/\w/.test(headers['content-type'] ?? ''));
    for (const headers of [...types, JSON_TYPE, FORM_TYPE]) {
      const response = await at(method, fill(path, UNKNOWN), { body: Buffer.from('{"broken'), headers });
      // Succeeds without a session, because there are no other sessions to end.
      if (operation === 'endOtherSessions') assert.equal(response.status, 200, JSON.stringify(headers));
      else assertRefused(response, 404, JSON.stringify(headers));
    }
  });
}

for (const path of new Set(operations.map((endpoint) => endpoint.path))) {
  const allowed = methodsOf(path);

  void test(`${path}: refuses methods other than ${allowed.join(', ')}`, async () => {
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'PROPFIND', 'SEARCH', 'QUERY', 'LINK']) {
      if (allowed.includes(method)) continue;
      for (const parameters of [UNKNOWN, { petId: 'x', username: '%00', digest: 'x', size: 'x' }]) {
        const response = await call(method, `${service.origin}/${fill(path, parameters)}`);
        if (method === 'HEAD') assert.equal(response.status, 405);
        else assertRefused(response, 405, method);
        assert.deepEqual(response.headers.get('allow')?.split(', ').toSorted(), allowed.toSorted(), method);
      }
    }
  });

  void test(`OPTIONS ${path}: lists its methods`, async () => {
    const response = await call('OPTIONS', `${service.origin}/${fill(path, UNKNOWN)}`);
    assert.equal(response.status, 204);
    assert.deepEqual(response.headers.get('allow')?.split(', ').toSorted(), allowed.toSorted());
    assert.equal(response.text, '');
  });
}

void test('unknown method: refused, in upper or lower case', async () => {
  for (const method of ['BREW', 'get', 'G', 'FINDBYSTATUS']) {
    const { text } = await rawExchange(
      service.origin,
      `${method} /v2/pet/7 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
    );
    assert.match(text, /^HTTP\/1\.1 (?:400|405|501) /, method);
  }
  const { text } = await rawExchange(
    service.origin,
    'TRACE /v2/pet/7 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-Secret: s3cret\r\n\r\n',
  );
  assert.match(text, /^HTTP\/1\.1 405 /);
  assert.ok(!text.includes('s3cret'));
});

const unknownPaths = [
  'v3/pet/7',
  'pet/7',
  'v2/pets',
  'v2/pet/7//',
  'v2/pet/7/uploadimage',
  'v2/pet/7/uploadImage/x',
  'v2/pet/findbystatus/x',
  'v2/store/inventory/x/y',
  'v2/user/ada/x',
  'v2/photo',
  'v2/photo/x/y/z',
  'V2/pet/7',
  '/v2/pet/7',
  'favicon.ico',
  '.env',
  'v2/..%2f..%2fetc%2fpasswd',
  'index.html',
  '%F0%9F%90%95',
  `v2/${'x/'.repeat(2000)}`,
];
void test('unknown path: 404 for every method', async () => {
  for (const path of unknownPaths) {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PROPFIND', 'LINK'])
      assertRefused(await callAs(service.origin, method, path), 404, `${method} ${path}`);
    assert.equal((await callAs(service.origin, 'HEAD', path)).status, 404);
  }
});

void test('malformed percent-encoding in the path: refused', async () => {
  for (const path of [
    '%',
    'v2/pet/%',
    'v2/pet/%E0%A4%A',
    'v2/user/%ff',
    'v2/user/%zz',
    'v2/user/a%',
    'v2/user/%ED%A0%80',
    'v2/photo/%c0%af',
    'v2/pet/%7/uploadImage',
  ]) {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
      const response = await callAs(service.origin, method, path);
      // The router may refuse the method before it decodes the path.
      assertRefused(response, response.status === 405 ? 405 : 400, `${method} ${path}`);
    }
  }
});

void test('malformed percent-encoding in the query: an invalid value', async () => {
  for (const query of [
    '%',
    'status=%',
    'status=%E0%A4',
    'status=%ff',
    'status=%00',
    '%ff=%ff',
    '&&&==&',
    'status=available%',
    `x=${'y'.repeat(8000)}`,
    'status=x&'.repeat(1500),
    '__proto__=available',
    'status[__proto__]=available',
    'status[length]=1',
  ])
    for (const path of ['pet/findByStatus', 'user/login'])
      assertRefused(await call('GET', `${path}?${query}`), 400, query);
});

const unusableAccepts = [
  'text/html',
  'application/json;q=0',
  'text/plain;q=0',
  'nonsense',
  ';;;,,,',
  'a'.repeat(5000),
  `a${' '.repeat(15_000)}b`,
];
void test('Accept without a supported type: 406, before anything is done', async () => {
  for (const { operation, method, path, body } of operations) {
    if (skipOperation(operation) !== false) continue;
    // The header is read in the same way for all operations.
    const accepts = ['image/png', '*/*;q=0', ...(operation === 'addPet' ? unusableAccepts : [])];
    for (const accept of accepts) {
      const parameters = { ...UNKNOWN, petId: '7', username: 'ada' };
      const response = await at(method, fill(path, parameters), {
        ...goodBody(operation, body),
        headers: { accept, ...(body === 'form' && FORM_TYPE) },
      });
      if (operation === 'getPhoto') assertRefused(response, 404, accept);
      // A download is a file in the format of a parameter, whatever the client prefers (RFC 9110, section 12.1).
      else if ((ENDPOINTS as Readonly<Record<string, Endpoint>>)[operation]?.response === 'file')
        assert.ok([200, 404, 409].includes(response.status), `${operation} ${accept}: ${response.status}`);
      else assertRefused(response, 406, `${operation} ${accept}`);
    }
  }
});

void test('Accept with JSON among others: JSON', async () => {
  for (const accept of [
    '*/*',
    'application/*',
    'application/json',
    'application/json; charset=utf-8',
    'text/json',
    'image/png, text/x-json;q=0.5',
    'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'application/xml, application/json',
    'APPLICATION/JSON',
    'image/png, application/json;q=0.1',
    'application/json ; q = 0.1, text/plain; q=0',
    'application/json;v="a,b;q=0";q=0.5',
  ]) {
    const response = await call('GET', 'pet/7', { headers: { accept } });
    assert.equal(response.status, 200, accept);
    assert.equal(response.headers.get('content-type'), 'application/json');
  }
});

function assertProblem(response: HttpResponse, status: number): void {
  assert.equal(response.status, status, response.text);
  assert.equal(response.headers.get('content-type'), 'application/problem+json');
  const problem = JSON.parse(response.text) as Record<string, unknown>;
  assert.equal(problem['status'], status);
  for (const field of ['type', 'title', 'detail']) assert.equal(typeof problem[field], 'string', field);
  for (const field of ['code', 'message']) assert.equal(problem[field], undefined, field);
  assertNothingLeaks(response);
}

void test('Accept preferring problem documents (RFC 9457): errors in that format, successes as JSON', async () => {
  const cases: [status: number, method: string, path: string, options?: CallOptions][] = [
    [400, 'GET', 'pet/x'],
    [400, 'POST', 'pet', { json: {} }],
    [400, 'GET', 'user/%ff'],
    [404, 'GET', 'pet/987654321'],
    [404, 'GET', 'nothing'],
    [405, 'PUT', 'pet/7'],
    [409, 'POST', 'user', { json: { username: 'ada' } }],
    [412, 'DELETE', 'pet/7', { headers: { 'if-match': '"other"' } }],
    [413, 'POST', 'pet', { json: { name: 'x'.repeat(1024 * 1024) } }],
    [415, 'POST', 'pet', { body: Buffer.from('x'), headers: { 'content-type': 'text/plain' } }],
  ];
  for (const accept of ['application/problem+json', 'application/problem+json, application/json;q=0.5']) {
    for (const [status, method, path, options = {}] of cases)
      assertProblem(
        await call(method, path, {
          ...options,
          headers: { ...options.headers, ...(options.json !== undefined && JSON_TYPE), accept },
        }),
        status,
      );
    const success = await call('GET', 'pet/7', { headers: { accept } });
    assert.equal(success.status, 200);
    assert.equal(success.headers.get('content-type'), 'application/json');
  }
  const { text } = await call('POST', 'pet', { json: { name: 5 }, headers: { accept: 'application/problem+json' } });
  assert.equal((JSON.parse(text) as { errors: { path: string }[] }).errors[0]?.path, '/name');
  assertRefused(await call('GET', 'pet/x', { headers: { accept: 'application/json, application/problem+json' } }), 400);
});

/** Asserts that a raw response is an error in JSON. */
function assertRawRefused(text: string, status: number | readonly number[], context: string): void {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const got = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]);
  assert.ok([status].flat().includes(got), `${context}: ${text.slice(0, 200)}`);
  assert.match(head, /^content-type: application\/json\r?$/im, `${context}: ${head}`);
  const body = Buffer.from(rest.join('\r\n\r\n'), 'latin1').toString('utf8');
  const refusal = JSON.parse(body) as { code: number; type: string; message: string };
  assert.deepEqual([refusal.code, refusal.type], [1, 'error'], context);
  assert.match(refusal.message, /\S/);
  assertNothingLeaks(
    { status: got, headers: new Headers(), bytes: Buffer.from(body), text: `${head}\n${body}` },
    context,
  );
}

const HEAD = 'Host: localhost\r\nConnection: close\r\n';
/** The response ends with its connection. */
const UNTIL_CLOSED = { quietMs: 30_000, patienceMs: 30_000 };
const malformed: [title: string, bytes: string, status: number | readonly number[]][] = [
  ['bytes that are not HTTP', 'hello\r\n\r\n', 400],
  ['a TLS greeting', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
  ['an unknown version', `GET /v2/pet/7 HTTP/9.9\r\n${HEAD}\r\n`, 400],
  ['no path', `GET HTTP/1.1\r\n${HEAD}\r\n`, 400],
  ['a space in the path', `GET /v2/pet/7 8 HTTP/1.1\r\n${HEAD}\r\n`, 400],
  ['a header without a colon', `GET /v2/pet/7 HTTP/1.1\r\n${HEAD}nonsense\r\n\r\n`, 400],
  ['a space before the colon', `GET /v2/pet/7 HTTP/1.1\r\n${HEAD}X-Y : 1\r\n\r\n`, 400],
  ['a control character in a header', `GET /v2/pet/7 HTTP/1.1\r\n${HEAD}X-Y: a\x01b\r\n\r\n`, 400],
  ['a header with a zero byte', `GET /v2/pet/7 HTTP/1.1\r\n${HEAD}X-Y: a\x00b\r\n\r\n`, 400],
  ['no Host', 'GET /v2/pet/7 HTTP/1.1\r\nConnection: close\r\n\r\n', [400, 403]],
  ['two Hosts', `GET /v2/pet/7 HTTP/1.1\r\n${HEAD}Host: localhost\r\n\r\n`, 400],
  [
    'a length that is no number',
    `POST /v2/pet HTTP/1.1\r\n${HEAD}Content-Type: application/json\r\nContent-Length: x\r\n\r\n{}`,
    400,
  ],
  [
    'a negative length',
    `POST /v2/pet HTTP/1.1\r\n${HEAD}Content-Type: application/json\r\nContent-Length: -1\r\n\r\n{}`,
    400,
  ],
  ['two lengths', `POST /v2/pet HTTP/1.1\r\n${HEAD}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`, 400],
  [
    'a length and chunks',
    `POST /v2/pet HTTP/1.1\r\n${HEAD}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    400,
  ],
  [
    'a broken chunk',
    `POST /v2/pet HTTP/1.1\r\n${HEAD}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`,
    400,
  ],
  [
    'an unknown transfer encoding',
    `POST /v2/pet HTTP/1.1\r\n${HEAD}Content-Type: application/json\r\nTransfer-Encoding: squeezed\r\n\r\n{}`,
    [400, 501],
  ],
  [
    'an unknown expectation',
    `POST /v2/pet HTTP/1.1\r\n${HEAD}Content-Type: application/json\r\nExpect: the-unexpected\r\nContent-Length: 2\r\n\r\n{}`,
    [400, 417],
  ],
  ['a gigantic header', `GET /v2/pet/7 HTTP/1.1\r\n${HEAD}X-Y: ${'x'.repeat(70_000)}\r\n\r\n`, 431],
  [
    'a thousand headers',
    `GET /v2/pet/7 HTTP/1.1\r\n${HEAD}${Array.from({ length: 1000 }, (_, index) => `X-${index}: ${'y'.repeat(20)}\r\n`).join('')}\r\n`,
    431,
  ],
  ['a gigantic address', `GET /v2/pet/${'7'.repeat(70_000)} HTTP/1.1\r\n${HEAD}\r\n`, [414, 431]],
  ['a gigantic query', `GET /v2/pet/findByTags?tags=${'x'.repeat(70_000)} HTTP/1.1\r\n${HEAD}\r\n`, [414, 431]],
  ['a raw byte in the address', `GET /v2/user/\xff HTTP/1.1\r\n${HEAD}\r\n`, [400, 404]],
  ['a backslash address', `GET \\v2\\pet\\7 HTTP/1.1\r\n${HEAD}\r\n`, [400, 404]],
  ['an asterisk for an address', `GET * HTTP/1.1\r\n${HEAD}\r\n`, [400, 404]],
  ['the address of another scheme', `GET ftp://localhost/v2/pet/7 HTTP/1.1\r\n${HEAD}\r\n`, [400, 404]],
];
for (const [title, bytes, status] of malformed) {
  void test(`${title}: an error response, and the connection closes`, async () => {
    const { text, closed } = await rawExchange(service.origin, bytes, UNTIL_CLOSED);
    assertRawRefused(text, status, title);
    assert.ok(closed, 'the connection must close');
    assert.equal((await call('GET', 'pet/7')).status, 200);
  });
}

void test('request smuggling: changes nothing', async () => {
  const smuggled = 'DELETE /v2/pet/7 HTTP/1.1\r\nHost: localhost\r\n\r\n';
  for (const head of [
    `POST /v2/pet HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${smuggled.length}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    'POST /v2/pet HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: xchunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n',
    'GET /v2/pet/7 HTTP/1.1\r\nHost: localhost\r\nX: y\rDELETE: x\r\n\r\n',
  ])
    await rawExchange(service.origin, head + smuggled);
});

void test('CONNECT: opens no tunnel', async () => {
  const { text, closed } = await rawExchange(
    service.origin,
    'CONNECT localhost:22 HTTP/1.1\r\nHost: localhost:22\r\n\r\n',
    UNTIL_CLOSED,
  );
  assert.doesNotMatch(text, /^HTTP\/1\.1 (?:[25]\d\d)/);
  assert.ok(closed);
});

void test('Upgrade: ignored', async () => {
  for (const upgrade of ['websocket', 'h2c'])
    assert.match(
      (
        await rawExchange(
          service.origin,
          `GET /v2/pet/7 HTTP/1.1\r\n${HEAD.replace('close', 'Upgrade')}Upgrade: ${upgrade}\r\n\r\n`,
        )
      ).text,
      /^HTTP\/1\.1 (?:200|4\d\d) /,
    );
});

void test('pipelined requests: responses in order', async () => {
  const { text } = await rawExchange(
    service.origin,
    ['/v2/pet/7', '/v2/pet/x', '/livez', '/v2/nothing']
      .map(
        (path) =>
          `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${path === '/v2/nothing' ? 'Connection: close\r\n' : ''}\r\n`,
      )
      .join(''),
    UNTIL_CLOSED,
  );
  assert.deepEqual(
    [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status),
    ['200', '400', '200', '404'],
  );
});

void test('absolute URL in the request line: accepted', async () => {
  const { text } = await rawExchange(service.origin, `GET http://localhost/v2/pet/7 HTTP/1.1\r\n${HEAD}\r\n`);
  assert.match(text, /^HTTP\/1\.1 200 /);
});

void test('body without Content-Length: limited as well', async () => {
  const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`;
  const { text } = await rawExchange(
    service.origin,
    `POST /v2/pet HTTP/1.1\r\n${HEAD}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(17)}0\r\n\r\n`,
    UNTIL_CLOSED,
  );
  assertRawRefused(text, 413, 'chunks');
});

void test('body too large: refused on its announcement or on arrival', async () => {
  const response = await call('POST', 'pet', { body: Buffer.alloc(5 * 1024 * 1024, ' '), headers: JSON_TYPE });
  assertRefused(response, 413);
});

void test('incomplete request: disconnected after the timeout, without delaying others', async (t) => {
  const hasty = await startTestService(t, { config: { http: { idleTimeoutMs: 1000 } } });
  const beginnings = [
    '',
    'GET /v2/pet/7',
    'GET /v2/pet/7 HTTP/1.1\r\nHost: localhost\r\n',
    'POST /v2/pet HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"name":',
    'POST /v2/pet HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: ' +
      'chunked\r\n\r\n5\r\n{"nam',
    'POST /v2/pet/7/uploadImage HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; ' +
      'boundary=x\r\nContent-Length: 1000\r\n\r\n--x\r\n',
    'POST /v2/nothing HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nx',
  ];
  const waiting = beginnings.map((bytes) => rawExchange(hasty.origin, bytes, UNTIL_CLOSED));
  assert.equal((await clientOf(hasty.origin)('GET', 'livez')).status, 200);
  for (const [index, { text, closed }] of (await Promise.all(waiting)).entries()) {
    assert.ok(closed, `still connected after: ${beginnings[index]}`);
    assert.doesNotMatch(text, /^HTTP\/1\.1 [25]/);
  }
});

void test('slow request, never idle: refused after the timeout', async (t) => {
  const config = { http: { headersTimeoutMs: 1000, requestTimeoutMs: 1000 } };
  const hasty = await startTestService(t, { config });
  const beginnings = [
    'GET /v2/pet/7 HTTP/1.1\r\nHost: localhost\r\nX-Slow: ',
    'POST /v2/pet HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ' +
      '100000\r\n\r\n{"name":"',
  ];
  const responses = beginnings.map(async (bytes) => {
    const socket = await openSocket(hasty.origin);
    socket.on('error', () => {});
    let text = '';
    socket.setEncoding('latin1').on('data', (chunk) => {
      text += String(chunk);
    });
    socket.write(bytes);
    const drops = setInterval(() => socket.write('x'), 100);
    t.after(() => clearInterval(drops));
    await inTime(`the end of the connection after: ${bytes}`, new Promise((resolve) => socket.once('close', resolve)));
    assertRawRefused(text, 408, bytes);
  });
  await Promise.all(responses);
});

void test('disconnect during a request: changes nothing, and affects no others', async () => {
  const beginnings = [
    'GET /v2/pet/fi',
    'POST /v2/pet HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ' +
      '100\r\n\r\n{"name":"Rex"}',
    'POST /v2/user HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: ' +
      'chunked\r\n\r\n14\r\n{"username":"aborted"}',
    'POST /v2/pet/7 HTTP/1.1\r\nHost: localhost\r\nContent-Type: ' +
      'application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\nname=Aborted',
    'GET /v2/pet/findByStatus?status=available HTTP/1.1\r\nHost: localhost\r\n\r\n',
  ];
  for (const bytes of beginnings) {
    for (const how of ['end', 'resetAndDestroy'] as const) {
      const socket = await openSocket(service.origin);
      socket.on('error', () => {});
      await new Promise((resolve) => socket.write(bytes, resolve));
      socket[how]();
      assert.equal((await call('GET', 'pet/7')).status, 200);
      socket.destroy();
    }
  }
});

// The following tests store pets and accounts on purpose.

void test('end of the read-only tests', () => {
  nothingMayChange = false;
});

const edges: { title: string; path: string; body: (length: number) => object; most: number }[] = [
  { title: 'name of a pet', path: 'pet', body: (length) => ({ name: 'x'.repeat(length) }), most: 255 },
  {
    title: 'name of a pet beyond the basic plane',
    path: 'pet',
    body: (length) => ({ name: '🐕'.repeat(length) }),
    most: 255,
  },
  {
    title: 'name of a pet of combined characters',
    path: 'pet',
    body: (length) => ({ name: `e\u0301${'x'.repeat(length - 2)}` }),
    most: 255,
  },
  {
    title: 'category',
    path: 'pet',
    body: (length) => ({ name: 'x', category: { name: 'ä'.repeat(length) } }),
    most: 255,
  },
  { title: 'tag', path: 'pet', body: (length) => ({ name: 'x', tags: [{ name: '🐕'.repeat(length) }] }), most: 255 },
  { title: 'plain tag', path: 'pet', body: (length) => ({ name: 'x', tags: ['ok', '🐕'.repeat(length)] }), most: 255 },
  {
    title: 'list of tags',
    path: 'pet',
    body: (length) => ({ name: 'x', tags: Array.from({ length }, (_, id) => ({ id })) }),
    most: 100,
  },
  {
    title: 'list of photo URLs',
    path: 'pet',
    body: (length) => ({ name: 'x', photoUrls: Array.from({ length }, () => 'u') }),
    most: 100,
  },
  { title: 'photo URL', path: 'pet', body: (length) => ({ name: 'x', photoUrls: ['u'.repeat(length)] }), most: 2048 },
  { title: 'user name', path: 'user', body: (length) => ({ username: 'u'.repeat(length) }), most: 64 },
  {
    title: 'user name beyond the basic plane',
    path: 'user',
    body: (length) => ({ username: '🐈'.repeat(length) }),
    most: 64,
  },
  {
    title: 'first name',
    path: 'user',
    body: (length) => ({ username: `first${length}`, firstName: 'ü'.repeat(length) }),
    most: 255,
  },
  {
    title: 'email',
    path: 'user',
    body: (length) => ({ username: `email${length}`, email: 'e'.repeat(length) }),
    most: 255,
  },
  {
    title: 'password',
    path: 'user',
    body: (length) => ({ username: `password${length}`, password: 'p'.repeat(length) }),
    most: 1024,
  },
];
for (const { title, path, body, most } of edges) {
  void test(`${title}: may have a length of ${most}, not of ${most + 1}`, async () => {
    const right = body(most);
    const response = await call('POST', path, { json: right });
    assert.equal(response.status, 200, response.text);
    if (path === 'pet') {
      const sent = right as { name: string };
      assert.equal((JSON.parse(response.text) as { name: string }).name, sent.name.normalize('NFC'));
    }
    assertRefused(await call('POST', path, { json: body(most + 1) }), 400);
  });
}

void test('length of a text: counted in code points, not in visible characters', async () => {
  // A dog with a skin tone has two code points, a family seven.
  for (const name of ['👍🏽'.repeat(128), '👨‍👩‍👧‍👦'.repeat(37), 'e\u0301'.repeat(128)])
    assertRefused(await call('POST', 'pet', { json: { name } }), 400, name.slice(0, 4));
  const name = '👍🏽'.repeat(127);
  assert.equal((await call('POST', 'pet', { json: { name } })).status, 200);
});

void test('form: a name may have 255 characters', async () => {
  for (const name of ['x'.repeat(255), '🐕'.repeat(255)])
    assert.equal((await call('POST', 'pet/7', { form: { name } })).status, 200);
  assertRefused(await call('POST', 'pet/7', { form: { name: '🐕'.repeat(256) } }), 400);
});

void test('body of exactly 1 MiB: accepted, with or without Content-Length', async () => {
  const body = Buffer.from('{"id":8,"name":"Rex"}'.padEnd(1024 * 1024, ' '));
  for (const method of ['POST', 'PUT'])
    assert.equal((await call(method, 'pet', { body, headers: JSON_TYPE })).status, 200);
  assertRefused(await call('POST', 'pet', { body: Buffer.concat([body, Buffer.from(' ')]), headers: JSON_TYPE }), 413);
});

void test('body limit: can be configured', async (t) => {
  const small = await startTestService(t, { flags: ['--empty', '--max-body-bytes', '1024'] });
  const post = async (length: number) =>
    (
      await clientOf(small.base)('POST', 'pet', {
        body: Buffer.from('{"name":"Rex"}'.padEnd(length, ' ')),
        headers: JSON_TYPE,
      })
    ).status;
  assert.deepEqual([await post(1024), await post(1025)], [200, 413]);
});

const odd: [title: string, body: string, stored: string][] = [
  ['a byte order mark', '\uFEFF{"id":9,"name":"Rex"}', '{"id":9,"name":"Rex","photoUrls":[],"tags":[]}'],
  [
    'a field twice, of which the last counts',
    '{"id":9,"name":5,"name":"Rex"}',
    '{"id":9,"name":"Rex","photoUrls":[],"tags":[]}',
  ],
  [
    'a field __proto__',
    '{"id":9,"name":"Rex","__proto__":{"status":"sold"}}',
    '{"id":9,"name":"Rex","photoUrls":[],"tags":[]}',
  ],
  [
    'a field __proto__ and a large id',
    '{"id":9223372036854775806,"name":"Rex","__proto__":{"status":"sold"}}',
    '{"id":9223372036854775806,"name":"Rex","photoUrls":[],"tags":[]}',
  ],
  [
    'deep unknown fields',
    `{"id":9,"name":"Rex","x":${deep(1000, '[', ']')}}`,
    '{"id":9,"name":"Rex","photoUrls":[],"tags":[]}',
  ],
  [
    'texts that look like SQL and HTML',
    '{"id":9,"name":"\'); drop table pet; --<script>"}',
    '{"id":9,"name":"\'); drop table pet; --<script>","photoUrls":[],"tags":[]}',
  ],
  [
    'control characters and line separators',
    '{"id":9,"name":"a\\u0001\\n\\u2028\\u007f"}',
    '{"id":9,"name":"a\\u0001\\n\u2028\u007f","photoUrls":[],"tags":[]}',
  ],
  [
    'unassigned characters',
    '{"id":9,"name":"\\uffff\\ufeff\\ufffe"}',
    '{"id":9,"name":"\uffff\ufeff\ufffe","photoUrls":[],"tags":[]}',
  ],
];
for (const [title, body, text] of odd) {
  void test(`pet with ${title}: accepted`, async () => {
    const response = await call('POST', 'pet', { body: Buffer.from(body), headers: JSON_TYPE });
    assert.equal(response.status, 200, response.text);
    assert.equal(response.text, text);
    assert.equal((await call('GET', `pet/${/\d+/.exec(text)?.[0]}`)).text, text);
  });
}
