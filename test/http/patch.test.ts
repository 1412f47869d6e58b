import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { assertResponse, assertRefused, clientOf, errorText, type HttpResponse } from '../support/client.ts';
import { fileUpload } from '../support/multipart.ts';
import { makePhoto } from '../support/photos.ts';
import { startTestService } from '../support/service.ts';

const PATCH_TYPE = { 'content-type': 'application/merge-patch+json' };
const ACCEPTED = 'application/merge-patch+json, application/json';
const MAX_INT64 = '9223372036854775807';

const call = clientOf((await startTestService({ after })).base);
let count = 100;

const patch = (
  id: number | string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<HttpResponse> =>
  call('PATCH', `pet/${id}`, { body: Buffer.from(body), headers: { ...PATCH_TYPE, ...headers } });

function urlsOf({ text }: HttpResponse): readonly string[] {
  return (JSON.parse(text) as { photoUrls: string[] }).photoUrls;
}

async function addPet(fields: string): Promise<number> {
  const id = ++count;
  const body = Buffer.from(`{"id":${id},${fields}}`);
  assert.equal((await call('POST', 'pet', { body, headers: { 'content-type': 'application/json' } })).status, 200);
  return id;
}

const FULL = `"category":{"id":1,"name":"Dogs"},"name":"Rex","photoUrls":["https://example.org/a"],"tags":[{"id":2,"name":"t"}],"status":"sold"`;

const merges: { title: string; pet?: string; sent: string; stored: string }[] = [
  { title: 'nothing', sent: '{}', stored: FULL },
  { title: 'a name', sent: '{"name":"Max"}', stored: FULL.replace('Rex', 'Max') },
  { title: 'no status', sent: '{"status":null}', stored: FULL.replace(',"status":"sold"', '') },
  { title: 'no category', sent: '{"category":null}', stored: FULL.replace('"category":{"id":1,"name":"Dogs"},', '') },
  {
    title: 'a category without its name',
    sent: '{"category":{"name":null}}',
    stored: FULL.replace(',"name":"Dogs"', ''),
  },
  {
    title: 'a category with another id',
    sent: `{"category":{"id":"${MAX_INT64}"}}`,
    stored: FULL.replace('"id":1', `"id":${MAX_INT64}`),
  },
  {
    title: 'an empty category',
    sent: '{"category":{"id":null,"name":null}}',
    stored: FULL.replace('{"id":1,"name":"Dogs"}', '{}'),
  },
  {
    title: 'a category for a pet without one',
    pet: '"name":"Rex"',
    sent: '{"category":{"id":null,"name":"Cats"}}',
    stored: '"category":{"name":"Cats"},"name":"Rex","photoUrls":[],"tags":[]',
  },
  {
    title: 'other tags, whole',
    sent: '{"tags":["a",{"id":3}]}',
    stored: FULL.replace('{"id":2,"name":"t"}', '{"name":"a"},{"id":3}'),
  },
  { title: 'no tags', sent: '{"tags":null}', stored: FULL.replace('{"id":2,"name":"t"}', '') },
  { title: 'no photos', sent: '{"photoUrls":null}', stored: FULL.replace('"https://example.org/a"', '') },
  {
    title: 'unknown fields',
    sent: '{"owner":{"name":"x"},"name":"Max"}',
    stored: FULL.replace('Rex', 'Max'),
  },
];
for (const { title, pet = FULL, sent, stored } of merges) {
  void test(`merge patch: applies ${title} according to RFC 7396`, async () => {
    const id = await addPet(pet);
    const response = await patch(id, sent);
    assertResponse(response, 200, `{"id":${id},${stored}}`);
    const read = await call('GET', `pet/${id}`);
    assertResponse(read, 200, response.text);
    assert.equal(response.headers.get('etag'), read.headers.get('etag'));
  });
}

const wrongPatches: { title: string; sent: string; paths: readonly string[] }[] = [
  { title: 'a null name', sent: '{"name":null}', paths: ['/name'] },
  { title: 'an empty name', sent: '{"name":""}', paths: ['/name'] },
  { title: 'a name of spaces', sent: '{"name":"  "}', paths: ['/name'] },
  { title: 'a number as the name', sent: '{"name":1}', paths: ['/name'] },
  { title: 'an unknown status', sent: '{"status":"lost"}', paths: ['/status'] },
  { title: 'another id', sent: '{"id":1}', paths: ['/id'] },
  { title: 'a null id', sent: '{"id":null}', paths: ['/id'] },
  { title: 'an id beyond int64', sent: '{"id":9223372036854775808}', paths: ['/id'] },
  { title: 'a category that is a string', sent: '{"category":"Dogs"}', paths: ['/category'] },
  { title: 'a category with a rounded id', sent: '{"category":{"id":1e17}}', paths: ['/category/id'] },
  { title: 'a tag that is a number', sent: '{"tags":[1]}', paths: ['/tags/0'] },
  { title: 'too many tags', sent: JSON.stringify({ tags: Array(101).fill('t') }), paths: ['/tags'] },
  {
    title: 'an address that is too long',
    sent: JSON.stringify({ photoUrls: ['x'.repeat(2049)] }),
    paths: ['/photoUrls/0'],
  },
  {
    title: 'several errors',
    sent: '{"name":null,"status":1,"category":{"name":2}}',
    paths: ['/name', '/status', '/category/name'],
  },
  { title: 'a list', sent: '[]', paths: [''] },
  { title: 'null', sent: 'null', paths: [''] },
  { title: 'a text', sent: '"Rex"', paths: [''] },
  { title: 'nothing at all', sent: '', paths: [''] },
];
for (const { title, sent, paths } of wrongPatches) {
  void test(`merge patch: refuses ${title}, naming the fields`, async () => {
    const id = await addPet(FULL);
    const before = await call('GET', `pet/${id}`);
    const { errors = [] } = assertRefused(await patch(id, sent), 400);
    assert.deepEqual(errors.map(({ path }) => path).toSorted(), paths.toSorted());
    const now = await call('GET', `pet/${id}`);
    assert.deepEqual([now.text, now.headers.get('etag')], [before.text, before.headers.get('etag')]);
  });
}

void test('merge patch: may repeat the id of the path, as a number or digits', async () => {
  const body = Buffer.from(`{"id":${MAX_INT64},"name":"Last"}`);
  await call('POST', 'pet', { body, headers: { 'content-type': 'application/json' } });
  for (const id of [MAX_INT64, `"${MAX_INT64}"`])
    assertResponse(
      await patch(MAX_INT64, `{"id":${id}}`),
      200,
      `{"id":${MAX_INT64},"name":"Last","photoUrls":[],"tags":[]}`,
    );
  assertRefused(await patch(MAX_INT64, '{"id":9223372036854775806}'), 400);
});

void test('merge patch: 404 for an unknown pet, 400 for a malformed id', async () => {
  assertResponse(await patch(987654321, '{"name":"x"}'), 404, errorText('Pet not found'));
  assertResponse(await patch('x', '{"name":"x"}'), 400, errorText('Invalid ID supplied'));
});

void test('merge patch: 415 for other media types, with Accept-Patch as from OPTIONS', async () => {
  const id = await addPet(FULL);
  for (const type of [
    'application/json-patch+json',
    'application/vnd.pets+json',
    'text/plain',
    'application/xml',
    'application/x-www-form-urlencoded',
  ]) {
    const refused = await patch(id, '{"name":"Max"}', { 'content-type': type });
    assertRefused(refused, 415, type);
    assert.equal(refused.headers.get('accept-patch'), ACCEPTED, type);
  }
  for (const type of ['application/json', 'text/json; charset=utf-8', 'Application/Merge-Patch+JSON'])
    assert.equal((await patch(id, '{"name":"Max"}', { 'content-type': type })).status, 200, type);
  const options = await call('OPTIONS', `pet/${id}`);
  assert.equal(options.headers.get('accept-patch'), ACCEPTED);
  assert.equal(options.headers.get('allow'), 'GET, POST, DELETE, PATCH, HEAD, OPTIONS');
  assert.equal((await call('OPTIONS', 'pet')).headers.get('accept-patch'), null);
});

void test('merge patch: If-Match applies, and a patch without effect creates no version', async () => {
  const id = await addPet(FULL);
  const etag = (await call('GET', `pet/${id}`)).headers.get('etag') ?? '';
  const same = await patch(id, '{"name":"Rex"}', { 'if-match': etag });
  assert.equal(same.headers.get('etag'), etag);
  const changed = await patch(id, '{"name":"Max"}', { 'if-match': etag });
  assert.notEqual(changed.headers.get('etag'), etag);
  assertRefused(await patch(id, '{"name":"Late"}', { 'if-match': etag }), 412);
  assert.equal((await call('GET', `pet/${id}`)).text, changed.text);
});

void test('merge patch: concurrent patches of different fields are all applied', async () => {
  const id = await addPet(FULL);
  const sent = [
    '{"name":"Max"}',
    '{"status":"pending"}',
    '{"category":{"name":"Cats"}}',
    '{"category":{"id":7}}',
    '{"tags":["z"]}',
    '{"photoUrls":["/b"]}',
  ];
  const responses = await Promise.all(sent.map((body) => patch(id, body)));
  assert.deepEqual(
    responses.map(({ status }) => status),
    sent.map(() => 200),
  );
  assert.equal(
    (await call('GET', `pet/${id}`)).text,
    `{"id":${id},"category":{"id":7,"name":"Cats"},"name":"Max","photoUrls":["/b"],"tags":[{"name":"z"}],"status":"pending"}`,
  );
});

void test('merge patch: recognizes own photos on any host', async () => {
  const id = await addPet('"name":"Pictured"');
  await call('POST', `pet/${id}/uploadImage`, fileUpload(await makePhoto({ width: 8, height: 8 })));
  const [here = ''] = urlsOf(await call('GET', `pet/${id}`));
  const there = here.replace(/^http:\/\/[^/]+/, 'https://old-host.example');
  assert.deepEqual(urlsOf(await patch(id, JSON.stringify({ photoUrls: ['/x', there] }))), ['/x', here]);
});
