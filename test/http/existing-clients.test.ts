import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ENDPOINTS } from '../../src/api/endpoints.ts';
import { assertResponse, assertRefused, clientOf, successText, type CallOptions } from '../support/client.ts';
import { fileUpload } from '../support/multipart.ts';
import { makePhoto } from '../support/photos.ts';
import { rawExchange } from '../support/raw-http.ts';
import { startTestService } from '../support/service.ts';

/*
 * Habits of existing Petstore v2 clients.
 */

const service = await startTestService({ after }, { flags: [] });
const call = clientOf(service.base);

const trailing: [method: string, path: string, options?: CallOptions][] = [
  ['POST', 'pet/', { json: { id: 700, name: 'Rex', status: 'pending' } }],
  ['PUT', 'pet/', { json: { id: 700, name: 'Rex', status: 'sold', tags: ['slash'] } }],
  ['GET', 'pet/findByStatus/?status=sold'],
  ['GET', 'pet/findByTags/?tags=slash'],
  ['GET', 'pet/700/'],
  [
    'POST',
    'pet/700/',
    { body: Buffer.from('name=Max'), headers: { 'content-type': 'application/x-www-form-urlencoded' } },
  ],
  ['POST', 'pet/700/uploadImage/', fileUpload(await makePhoto())],
  ['DELETE', 'pet/700/'],
  ['POST', 'user/', { json: { username: 'slash', password: 'pw' } }],
  ['POST', 'user/createWithArray/', { json: [{ username: 'slash1' }] }],
  ['POST', 'user/createWithList/', { json: [{ username: 'slash2' }] }],
  ['GET', 'user/login/?username=slash&password=pw'],
  ['GET', 'user/logout/'],
  ['GET', 'user/slash/'],
  ['PUT', 'user/slash/', { json: { firstName: 'Ada' } }],
  ['DELETE', 'user/slash/'],
];
void test('trailing slash: makes no difference on any of the sixteen operations', async () => {
  for (const [method, path, options] of trailing) {
    const { status, text } = await call(method, path, options);
    assert.equal(status, 200, `${method} ${path} ${text}`);
  }
  const { status, headers } = await call('PATCH', 'user/login/');
  assert.deepEqual([status, headers.get('allow')], [405, 'GET, POST, OPTIONS']);
  assert.equal((await call('PURGE', 'pet/findByStatus/')).status, 405);
  assert.equal(trailing.length, 16);
  assert.equal(Object.keys(ENDPOINTS).indexOf('deleteUser'), 15);
});

void test('user id: may be that of a sample user, also in a list, and be sent again in an update', async () => {
  assert.match((await call('GET', 'user/user5')).text, /^\{"id":5,/);
  const posted = await call('POST', 'user', { json: { id: 5, username: 'theirs', password: 'pw' } });
  assertResponse(posted, 200, successText('5'));
  const json = [1, 2, 2].map((id, index) => ({ id, username: `theirs${index}` }));
  assertResponse(await call('POST', 'user/createWithArray', { json }), 200, successText('ok'));
  for (const { id, username } of json)
    assertResponse(await call('GET', `user/${username}`), 200, `{"id":${id},"username":"${username}"}`);
  const user = JSON.parse((await call('GET', 'user/theirs')).text) as object;
  assertResponse(await call('PUT', 'user/theirs', { json: { ...user, id: 6, phone: '1' } }), 200, successText('6'));
  assertResponse(await call('GET', 'user/theirs'), 200, '{"id":6,"username":"theirs","phone":"1"}');
  assert.match((await call('GET', 'user/user5')).text, /^\{"id":5,"username":"user5","firstName":"Sample",/);
});

for (const [title, request, names] of [
  ['JSON', 'GET /v2/pet/1 HTTP/1.1', ['Content-Type', 'Content-Length', 'ETag', 'Vary', 'X-Request-Id', 'Date']],
  ['a login', 'GET /v2/user/login?username=user1&password=x HTTP/1.1', ['Content-Type', 'Cache-Control']],
  ['a streamed list', 'GET /v2/events HTTP/1.1', ['Content-Type', 'X-Content-Type-Options', 'Transfer-Encoding']],
  ['no HTTP', 'nonsense', ['Content-Type', 'Content-Length', 'Connection', 'Referrer-Policy']],
  ['an unknown method', 'PURGE /v2/pet/1 HTTP/1.1', ['Allow', 'Content-Type']],
] as const) {
  void test(`header names: in canonical case in the response to ${title}`, async () => {
    const { host } = new URL(service.origin);
    const { text } = await rawExchange(service.origin, `${request}\r\nHost: ${host}\r\n\r\n`);
    const head = text.slice(0, text.indexOf('\r\n\r\n'));
    const sent = head
      .split('\r\n')
      .slice(1)
      .map((line) => line.slice(0, line.indexOf(':')));
    for (const name of names) assert.ok(sent.includes(name), `${name} in ${sent.join()}`);
    for (const name of sent) assert.match(name, /^(?:[A-Z][a-z]*(?:-[A-Z][a-z]*)*|ETag|WWW-Authenticate)$/);
  });
}

void test('user status: may be a string of digits', async () => {
  assert.equal((await call('POST', 'user', { json: { username: 'digits', userStatus: '2' } })).status, 200);
  assert.match((await call('GET', 'user/digits')).text, /"userStatus":2\}/);
  assert.equal((await call('PUT', 'user/digits', { json: { userStatus: '-2147483648' } })).status, 200);
  assert.match((await call('GET', 'user/digits')).text, /"userStatus":-2147483648\}/);
  for (const userStatus of ['2147483648', '-2147483649', '1.5', '', ' 1', '1e3', '99999999999', true]) {
    const refused = assertRefused(await call('PUT', 'user/digits', { json: { userStatus } }), 400, String(userStatus));
    assert.match(refused.message, /userStatus must be a 32-bit integer/);
  }
  assertRefused(
    await call('POST', 'user/createWithList', {
      json: [{ username: 'a' }, { username: 'b', userStatus: '9999999999' }],
    }),
    400,
  );
});

void test('sample pets: have tags with ids, one for each name', async () => {
  const ids = new Map<string, number>();
  for (let id = 1; id <= 20; id++) {
    const { tags } = JSON.parse((await call('GET', `pet/${id}`)).text) as { tags: { id: number; name: string }[] };
    for (const tag of tags) {
      assert.ok(Number.isInteger(tag.id));
      assert.equal(ids.get(tag.name) ?? tag.id, tag.id);
      ids.set(tag.name, tag.id);
    }
  }
  assert.equal(new Set(ids.values()).size, ids.size);
});

void test('form without a content type: changes the pet, and 404 for an unknown one', async () => {
  const { host } = new URL(service.origin);
  const send = async (id: number, body: string) =>
    (
      await rawExchange(
        service.origin,
        `POST /v2/pet/${id} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      )
    ).text;
  assert.match(await send(987654321, 'name=Max'), /^HTTP\/1\.1 404 /);
  assert.match(await send(987654321, ''), /^HTTP\/1\.1 404 /);
  const response = await send(2, 'name=Max&status=sold');
  assert.match(response, /^HTTP\/1\.1 200 /);
  assert.ok(response.endsWith(successText('2')), response);
  assert.match((await call('GET', 'pet/2')).text, /"name":"Max",.*"status":"sold"/);
});

void test('swagger.json: has the security definitions of Petstore', async () => {
  const document = JSON.parse((await call('GET', 'swagger.json')).text) as {
    securityDefinitions: Record<
      string,
      { type: string; name?: string; flow?: string; scopes?: Record<string, string> }
    >;
    paths: Record<string, Record<string, { security?: Record<string, string[]>[] }>>;
  };
  const { petstore_auth: oauth, api_key: key, ...others } = document.securityDefinitions;
  assert.deepEqual(
    [oauth?.type, oauth?.flow, Object.keys(oauth?.scopes ?? {})],
    ['oauth2', 'accessCode', ['read:pets', 'write:pets']],
  );
  assert.deepEqual([key?.type, key?.name], ['apiKey', 'api_key']);
  assert.deepEqual(others, {});
  const { security } = document.paths['/pet']?.['post'] ?? {};
  assert.deepEqual(security, [{}, { api_key: [] }, { petstore_auth: ['read:pets', 'write:pets'] }]);
});
