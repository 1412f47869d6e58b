import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { after, test } from 'node:test';
import { clientOf, type HttpResponse, type CallOptions } from '../support/client.ts';
import { fileUpload, multipart } from '../support/multipart.ts';
import { makePhoto } from '../support/photos.ts';
import { startTestService } from '../support/service.ts';

/* The column about this service in docs/petstore-differences.md is true, and has no row without a test. */

const document = readFileSync(resolve(import.meta.dirname, '../../docs/petstore-differences.md'), 'utf8');
const rows = document
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .slice(2)
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, request = '', , ours = '']) => ({ request, ours }));

const { base } = await startTestService({ after });
const call = clientOf(base);
const MAX = '9223372036854775807';
const raw = (text: string): CallOptions => ({
  body: Buffer.from(text),
  headers: { 'content-type': 'application/json' },
});
const ok = async (...request: Parameters<typeof call>): Promise<HttpResponse> => {
  const response = await call(...request);
  assert.equal(response.status, 200, response.text);
  return response;
};
const namesIn = ({ text }: HttpResponse) => (JSON.parse(text) as { name: string }[]).map(({ name }) => name);

await ok('POST', 'pet', { json: { id: 20, name: 'Late', status: 'sold', tags: ['calm', 'shy'] } });
await ok('POST', 'pet', { json: { id: 10, name: 'Early', status: 'available' } });
await ok('POST', 'pet', raw(`{"id":${MAX},"name":"Max"}`));
await ok('POST', 'user', { json: { id: 1, username: 'ada', password: 'secret' } });
const photo = fileUpload(await makePhoto());

/** By row: sends its request, asserts facts that are no status, and returns the response. */
const REQUESTS: Readonly<Record<string, () => Promise<HttpResponse>>> = {
  '`POST /pet` without `name`, or with an empty one': async () => {
    assert.equal((await call('POST', 'pet', { json: { name: '' } })).status, 400);
    return call('POST', 'pet', { json: {} });
  },
  '`POST /pet` with a `name` of more than 255 characters': () =>
    call('POST', 'pet', { json: { name: 'x'.repeat(256) } }),
  '`POST /pet` with `"name":123`': () => call('POST', 'pet', { json: { name: 123 } }),
  '`POST /pet` with an unknown `status`': () => call('POST', 'pet', { json: { name: 'x', status: 'lost' } }),
  '`POST /pet` with `"id":"abc"`': () => call('POST', 'pet', { json: { name: 'x', id: 'abc' } }),
  '`POST /pet` with a tag as text, `"tags":["calm"]`': () =>
    call('POST', 'pet', { json: { name: 'Tagged', tags: ['quiet'] } }),
  '`POST /pet` with broken JSON': () => call('POST', 'pet', raw('{"name":}')),
  '`POST /pet` with a category without `id`': async () => {
    const response = await call('POST', 'pet', { json: { name: 'x', category: { name: 'Dogs' } } });
    assert.match(response.text, /"category":\{"name":"Dogs"\}/);
    return response;
  },
  '`POST /pet` without `id`, after one with 9223372036854775807': async () => {
    const response = await call('POST', 'pet', { json: { name: 'New' } });
    assert.match(response.text, /^\{"id":\d{1,4},/);
    assert.match((await ok('GET', `pet/${MAX}`)).text, /"name":"Max"/);
    return response;
  },
  '`POST /pet` for the 1,001st pet': async () => {
    const lines = Array.from({ length: 1001 }, (_, at) => JSON.stringify({ op: 'create', pet: { name: `Pet ${at}` } }));
    await ok('POST', 'bulk', {
      body: Buffer.from(lines.join('\n')),
      headers: { 'content-type': 'application/x-ndjson' },
    });
    return call('GET', 'pet/10');
  },
  '`PUT /pet` with an unknown `id`': () => call('PUT', 'pet', { json: { id: 987654321, name: 'x' } }),
  '`PUT /pet` without `id`': () => call('PUT', 'pet', { json: { name: 'x' } }),
  '`GET /pet/abc`': () => call('GET', 'pet/abc'),
  '`POST /pet/{petId}` for an unknown pet': () => call('POST', 'pet/987654321', { form: { name: 'x' } }),
  '`POST /pet/{petId}` with an unknown `status`': () => call('POST', 'pet/10', { form: { status: 'lost' } }),
  '`DELETE /pet/{petId}` for an unknown pet': () => call('DELETE', 'pet/987654321'),
  '`DELETE /pet/{petId}` with any `api_key`': async () => {
    await ok('POST', 'pet', { json: { id: 30, name: 'x' } });
    return call('DELETE', 'pet/30', { headers: { api_key: 'anything' } });
  },
  '`GET /pet/findByStatus` without `status`': () => call('GET', 'pet/findByStatus'),
  '`GET /pet/findByStatus?status=lost`': () => call('GET', 'pet/findByStatus?status=lost'),
  '`GET /pet/findByStatus?status=available&status=sold`': async () => {
    const response = await call('GET', 'pet/findByStatus?status=available&status=sold');
    assert.deepEqual(namesIn(response), ['Early', 'Late']);
    return response;
  },
  '`GET /pet/findByStatus?status=sold,sold`': async () => {
    const response = await call('GET', 'pet/findByStatus?status=sold,sold');
    assert.deepEqual(namesIn(response), ['Late']);
    return response;
  },
  '`GET /pet/findByTags` without `tags`': () => call('GET', 'pet/findByTags'),
  '`GET /pet/findByTags` with two tags of one pet': async () => {
    const response = await call('GET', 'pet/findByTags?tags=calm,shy');
    assert.deepEqual(namesIn(response), ['Late']);
    return response;
  },
  'both lists': async () => {
    const response = await call('GET', 'pet/findByStatus?status=sold,available');
    assert.deepEqual(namesIn(response), ['Early', 'Late']);
    return response;
  },
  '`POST /pet/{petId}/uploadImage` for an unknown pet': () => call('POST', 'pet/987654321/uploadImage', photo),
  '`POST /pet/{petId}/uploadImage` with a photo': async () => {
    const response = await call('POST', 'pet/10/uploadImage', photo);
    assert.match((await ok('GET', 'pet/10')).text, /"photoUrls":\["http/);
    return response;
  },
  '`POST /pet/{petId}/uploadImage` with another file': () =>
    call('POST', 'pet/10/uploadImage', fileUpload('a text', 'a.txt')),
  '`POST /pet/{petId}/uploadImage` without a file': () =>
    call('POST', 'pet/10/uploadImage', multipart([{ name: 'additionalMetadata', content: 'x' }])),
  '`POST /user` without `username`': () => call('POST', 'user', { json: { id: 2 } }),
  '`POST /user` with a `username` in use': () => call('POST', 'user', { json: { username: 'ada' } }),
  '`POST /user` with an `id` in use': async () => {
    const response = await call('POST', 'user', { json: { id: 1, username: 'eve' } });
    await ok('GET', 'user/ada');
    return response;
  },
  '`POST /user/createWithArray` with an entry without `username`': async () => {
    const response = await call('POST', 'user/createWithArray', { json: [{ username: 'one' }, { id: 2 }] });
    assert.equal((await call('GET', 'user/one')).status, 404);
    return response;
  },
  '`GET /user/{username}`': async () => {
    const response = await call('GET', 'user/ada');
    assert.doesNotMatch(response.text, /password/);
    return response;
  },
  '`PUT /user/{username}` for an unknown user': () => call('PUT', 'user/nobody', { json: { username: 'nobody' } }),
  '`PUT /user/{username}` without `id`': async () => {
    const response = await call('PUT', 'user/ada', { json: { email: 'ada@example.org' } });
    assert.match((await ok('GET', 'user/ada')).text, /^\{"id":1,"username":"ada",/);
    return response;
  },
  '`PUT /user/{username}` without `password`': async () => {
    const response = await call('PUT', 'user/ada', { json: { phone: '1' } });
    await ok('GET', 'user/login?username=ada&password=secret');
    return response;
  },
  '`GET /user/login` with a wrong password': () => call('GET', 'user/login?username=ada&password=wrong'),
  '`GET /user/login`: body': async () => {
    const response = await ok('GET', 'user/login?username=ada&password=secret');
    assert.match(response.text, /^"logged in user session:[\w-]+"$/);
    return response;
  },
  '`GET /user/login`: `X-Expires-After`': async () => {
    const response = await ok('GET', 'user/login?username=ada&password=secret');
    assert.match(response.headers.get('x-expires-after') ?? '', /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    return response;
  },
  '`GET /user/login`: `X-Rate-Limit`': async () => {
    const response = await ok('GET', 'user/login?username=ada&password=secret');
    assert.match(response.headers.get('x-rate-limit') ?? '', /^\d+$/);
    return response;
  },
  '`GET /user/logout`': () => call('GET', 'user/logout'),
  '`GET /pet`': () => call('GET', 'pet'),
  '`PATCH /pet/{petId}` with a merge patch': async () => {
    const headers = { 'content-type': 'application/merge-patch+json' };
    const response = await call('PATCH', 'pet/20', { body: Buffer.from('{"name":"Patched"}'), headers });
    assert.match((await ok('GET', 'pet/20')).text, /"name":"Patched","photoUrls":\[\],"tags":\[\{"name":"calm"\}/);
    return response;
  },
  '`POST /user/login` with a JSON body': async () => {
    const response = await call('POST', 'user/login', { json: { username: 'ada', password: 'secret' } });
    assert.match(response.text, /^"logged in user session:[\w-]+"$/);
    return response;
  },
  '`POST /user` with `Content-Type: text/plain`': async () => {
    const response = await call('POST', 'user', { body: Buffer.from('x'), headers: { 'content-type': 'text/plain' } });
    assert.match(response.text, /Content-Type: application\/json/);
    return response;
  },
  errors: async () => {
    const response = await call('GET', 'user/nobody');
    assert.match(response.text, /^\{"code":1,"type":"error",/);
    return response;
  },
  '`X-HTTP-Method-Override` in a POST': async () => {
    const headers = { 'x-http-method-override': 'PUT' };
    const response = await call('POST', 'pet', { json: { name: 'Posted' }, headers });
    assert.equal(response.status, 200, 'a PUT would be refused without an ID');
    return response;
  },
  '`Access-Control-Allow-Origin`': async () => {
    const response = await call('GET', 'pet/10', { headers: { origin: 'https://other.example' } });
    assert.equal(response.headers.get('access-control-allow-origin'), null);
    return response;
  },
  '`Access-Control-Allow-Methods` and `-Headers`': async () => {
    const headers = { origin: 'http://localhost:3000' };
    const [methods, allowed] = ['access-control-allow-methods', 'access-control-allow-headers'];
    const response = await ok('GET', 'pet/10', { headers });
    assert.deepEqual([response.headers.get(methods), response.headers.get(allowed)], [null, null]);
    const asked = { 'access-control-request-method': 'PUT', 'access-control-request-headers': 'api_key' };
    const preflight = await call('OPTIONS', 'pet/10', { headers: { ...headers, ...asked } });
    assert.match(preflight.headers.get(methods) ?? '', /PUT/);
    assert.match(preflight.headers.get(allowed) ?? '', /api_key/);
    return response;
  },
  '`/store/...`': () => call('GET', 'store/inventory'),
};

void test('differences to Petstore: every row has a test', () => {
  assert.deepEqual(
    rows.map(({ request }) => request),
    Object.keys(REQUESTS),
  );
});

for (const { request, ours } of rows) {
  void test(`differences to Petstore: ${request}`, async () => {
    const { status, text } = (await REQUESTS[request]?.()) ?? assert.fail();
    const [, documented] = /^(\d{3})\b/.exec(ours) ?? [];
    if (documented !== undefined) assert.equal(status, Number(documented), text);
    const [, message] = /^4\d\d `([^`]+)`/.exec(ours) ?? [];
    if (message !== undefined) assert.equal((JSON.parse(text) as { message: string }).message, message);
  });
}
