import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  assertResponse,
  assertRefused,
  callAs,
  clientOf,
  errorText,
  successText,
  type HttpResponse,
  type CallOptions,
} from '../support/client.ts';
import { fileUpload, multipart, type Part } from '../support/multipart.ts';
import { makePhoto } from '../support/photos.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService({ after });
const call = clientOf(service.base);

const JSON_TYPE = { 'content-type': 'application/json' };
const MAX_INT64 = '9223372036854775807';

async function addPet(pet: object): Promise<HttpResponse> {
  const response = await call('POST', 'pet', { json: { name: 'Rex', ...pet } });
  assert.equal(response.status, 200, response.text);
  return response;
}

function idOf({ text }: HttpResponse): string {
  return /^\{"id":(\d+),/.exec(text)?.[1] ?? assert.fail(`no record: ${text}`);
}

function etagOf({ headers }: HttpResponse): string {
  return headers.get('etag') ?? assert.fail('no ETag');
}

void test('pet: has its fields in order, compact, the id first', async () => {
  const sent = {
    status: 'available',
    tags: [{ name: 'calm', id: 3 }, { id: 4 }, { name: 'old' }],
    photoUrls: ['https://example.org/rex.jpg', ''],
    name: 'Rex "the" Dög 🐕',
    category: { name: 'Dogs', id: 1 },
    id: 1001,
  };
  const text =
    '{"id":1001,"category":{"id":1,"name":"Dogs"},"name":"Rex \\"the\\" Dög 🐕","photoUrls":["https://example.org/rex.jpg",""],' +
    '"tags":[{"id":3,"name":"calm"},{"id":4},{"name":"old"}],"status":"available"}';
  assertResponse(await call('POST', 'pet', { json: sent }), 200, text);
  assertResponse(await call('GET', 'pet/1001'), 200, text);
  assertResponse(await call('PUT', 'pet', { json: sent }), 200, text);
});

const bodies: { title: string; sent: string; stored: string }[] = [
  {
    title: 'absent fields stay absent, except the lists',
    sent: '{"id":1010,"name":"Rex"}',
    stored: '{"id":1010,"name":"Rex","photoUrls":[],"tags":[]}',
  },
  {
    title: 'null means absent',
    sent: '{"id":1011,"category":null,"name":"Rex","photoUrls":null,"tags":null,"status":null}',
    stored: '{"id":1011,"name":"Rex","photoUrls":[],"tags":[]}',
  },
  {
    title: 'null inside a category and a tag means absent as well',
    sent: '{"id":1012,"category":{"id":null,"name":"Dogs"},"name":"Rex","tags":[{"id":2,"name":null}]}',
    stored: '{"id":1012,"category":{"name":"Dogs"},"name":"Rex","photoUrls":[],"tags":[{"id":2}]}',
  },
  {
    title: 'a tag may be a plain string',
    sent: '{"id":1013,"name":"Rex","tags":["calm",{"id":1,"name":"old"},""]}',
    stored: '{"id":1013,"name":"Rex","photoUrls":[],"tags":[{"name":"calm"},{"id":1,"name":"old"},{"name":""}]}',
  },
  {
    title: 'unknown fields are ignored, at every depth',
    sent: '{"id":1014,"name":"Rex","owner":{"id":1},"category":{"id":1,"colour":"red"},"tags":[{"name":"a","x":[1]}],"role":"admin"}',
    stored: '{"id":1014,"category":{"id":1},"name":"Rex","photoUrls":[],"tags":[{"name":"a"}]}',
  },
  {
    title: 'the largest int64 keeps its digits in every field',
    sent: `{"id":${MAX_INT64},"category":{"id":${MAX_INT64}},"name":"Rex","tags":[{"id":${MAX_INT64}},{"id":9007199254740993}]}`,
    stored: `{"id":${MAX_INT64},"category":{"id":${MAX_INT64}},"name":"Rex","photoUrls":[],"tags":[{"id":${MAX_INT64}},{"id":9007199254740993}]}`,
  },
  {
    title: 'ids may be strings of digits, and are returned as numbers',
    sent: `{"id":"9223372036854775806","category":{"id":"1"},"name":"Rex","tags":[{"id":"${MAX_INT64}"}]}`,
    stored: `{"id":9223372036854775806,"category":{"id":1},"name":"Rex","photoUrls":[],"tags":[{"id":${MAX_INT64}}]}`,
  },
  {
    title: 'only the id of the pet is assigned: category and tags may have any int64',
    sent: '{"id":1016,"category":{"id":0},"name":"Rex","tags":[{"id":-9223372036854775808}]}',
    stored: '{"id":1016,"category":{"id":0},"name":"Rex","photoUrls":[],"tags":[{"id":-9223372036854775808}]}',
  },
  {
    title: 'digits in texts are unchanged',
    sent: '{"id":1017,"name":"9223372036854775807","tags":["12345678901234567890"]}',
    stored: '{"id":1017,"name":"9223372036854775807","photoUrls":[],"tags":[{"name":"12345678901234567890"}]}',
  },
  {
    title: 'names, categories and tags are stored in NFC, without outer spaces; photo URLs are unchanged',
    sent: '{"id":1019,"category":{"name":" Ka\u0308tzchen\\n"},"name":"\u00a0Zoe\u0308  Ko\u0308ter ","photoUrls":[" e\u0308 "],"tags":[" \u1e9b\u0323",{"name":"  "}]}',
    stored:
      '{"id":1019,"category":{"name":"Kätzchen"},"name":"Zoë  Köter","photoUrls":[" e\u0308 ' +
      '"],"tags":[{"name":"\u1e9b\u0323"},{"name":""}]}',
  },
  {
    title: 'every name of JSON is accepted, with a charset in every form',
    sent: '{"id":1018,"name":"Rex"}',
    stored: '{"id":1018,"name":"Rex","photoUrls":[],"tags":[]}',
  },
];
for (const { title, sent, stored } of bodies) {
  void test(title, async () => {
    const body = Buffer.from(sent);
    for (const [method, type] of [
      ['POST', 'application/json'],
      ['PUT', 'Application/JSON; Charset="UTF-8"'],
      ['PUT', 'application/vnd.pets+json'],
      ['PUT', 'text/json'],
      ['PUT', 'text/x-json; charset=utf8'],
      ['PUT', 'application/x-json; profile="x"; charset=\'utf-8\''],
      ['PUT', 'application/json;charset=ascii;'],
      ['PUT', 'application/json; charset='],
      ['PUT', 'text/vnd.pets!v2+json ; charset = UTF_8'],
    ] as const)
      assertResponse(await call(method, 'pet', { body, headers: { 'content-type': type } }), 200, stored);
    const id = /\d+/.exec(stored)?.[0];
    assertResponse(await call('GET', `pet/${id}`), 200, stored);
  });
}

const wrongPets: { title: string; sent: string; paths: readonly string[] }[] = [
  { title: 'no name', sent: '{"id":1}', paths: ['/name'] },
  { title: 'a null name', sent: '{"name":null}', paths: ['/name'] },
  { title: 'a number as the name', sent: '{"name":123}', paths: ['/name'] },
  { title: 'an empty name', sent: '{"name":""}', paths: ['/name'] },
  { title: 'a name of spaces', sent: '{"name":" \\t\\u00a0"}', paths: ['/name'] },
  // In NFC, the letter has two code points.
  { title: 'a name that is too long in NFC', sent: `{"name":"${'\u0958'.repeat(128)}"}`, paths: ['/name'] },
  { title: 'an unknown status', sent: '{"name":"a","status":"lost"}', paths: ['/status'] },
  { title: 'a status in capitals', sent: '{"name":"a","status":"SOLD"}', paths: ['/status'] },
  { title: 'an id beyond int64', sent: '{"name":"a","id":9223372036854775808}', paths: ['/id'] },
  { title: 'an id below int64', sent: '{"name":"a","id":"-9223372036854775809"}', paths: ['/id'] },
  { title: 'a fractional id', sent: '{"name":"a","id":1.5}', paths: ['/id'] },
  { title: 'a rounded id', sent: '{"name":"a","id":1e17}', paths: ['/id'] },
  { title: 'an id of letters', sent: '{"name":"a","id":"abc"}', paths: ['/id'] },
  { title: 'an empty id', sent: '{"name":"a","id":""}', paths: ['/id'] },
  { title: 'a boolean id', sent: '{"name":"a","id":true}', paths: ['/id'] },
  { title: 'one photo URL instead of a list', sent: '{"name":"a","photoUrls":"x"}', paths: ['/photoUrls'] },
  { title: 'a photo URL that is a number', sent: '{"name":"a","photoUrls":["x",1]}', paths: ['/photoUrls/1'] },
  { title: 'a tag that is a number', sent: '{"name":"a","tags":["b",7]}', paths: ['/tags/1'] },
  { title: 'a tag whose name is a number', sent: '{"name":"a","tags":[{"name":7}]}', paths: ['/tags/0/name'] },
  {
    title: 'a tag with an id beyond int64',
    sent: '{"name":"a","tags":[{"id":"9223372036854775808"}]}',
    paths: ['/tags/0/id'],
  },
  { title: 'a category that is a string', sent: '{"name":"a","category":"Dogs"}', paths: ['/category'] },
  {
    title: 'several errors',
    sent: '{"name":1,"status":"x","tags":[{"name":2}]}',
    paths: ['/name', '/status', '/tags/0/name'],
  },
];
for (const { title, sent, paths } of wrongPets) {
  void test(`pet with ${title}: refused, naming the fields`, async () => {
    for (const method of ['POST', 'PUT']) {
      const response = await call(method, 'pet', { body: Buffer.from(sent), headers: JSON_TYPE });
      const { errors = [] } = assertRefused(response, 400);
      assert.deepEqual(errors.map(({ path }) => path).toSorted(), paths.toSorted());
    }
  });
}

void test('absent, null, zero or negative id: assigned, small, ascending, never reused', async () => {
  const assigned: number[] = [];
  for (const id of [undefined, null, 0, -1, '0', '-9223372036854775808', -9007199254740991]) {
    assigned.push(Number(idOf(await addPet({ id }))));
  }
  assert.deepEqual(
    assigned,
    assigned.toSorted((a, b) => a - b),
  );
  assert.equal(new Set(assigned).size, assigned.length);
  assert.ok(Math.max(...assigned) < 1000, `not small: ${assigned.join()}`);

  const last = assigned.at(-1);
  assert.equal((await call('DELETE', `pet/${last}`)).status, 200);
  assert.ok(Number(idOf(await addPet({}))) > Number(last));
});

void test('assigned id: never one that a client chose, even after the largest of all', async () => {
  const next = Number(idOf(await addPet({}))) + 1;
  const chosen = [next, next + 1, next + 3];
  for (const id of [...chosen, MAX_INT64, Number.MAX_SAFE_INTEGER]) await addPet({ id, name: 'chosen' });
  const assigned = [];
  for (let count = 0; count < 3; count++) assigned.push(Number(idOf(await addPet({}))));
  assert.deepEqual(assigned, [next + 2, next + 4, next + 5]);
  for (const id of chosen) assert.match((await call('GET', `pet/${id}`)).text, /"name":"chosen"/);
});

void test('POST of an existing id: replaces the pet', async () => {
  const first = await addPet({ id: 1100, name: 'Old', tags: ['x'], status: 'sold' });
  const second = await addPet({ id: 1100, name: 'New' });
  assert.equal(second.text, '{"id":1100,"name":"New","photoUrls":[],"tags":[]}');
  assert.notEqual(etagOf(second), etagOf(first));
});

void test('POST with If-None-Match: * only creates', async () => {
  const headers = { 'if-none-match': '*' };
  assert.equal((await call('POST', 'pet', { json: { id: 1110, name: 'First' }, headers })).status, 200);
  assertRefused(await call('POST', 'pet', { json: { id: 1110, name: 'Second' }, headers }), 412);
  assert.match((await call('GET', 'pet/1110')).text, /"name":"First"/);
  assert.equal((await call('POST', 'pet', { json: { name: 'Assigned' }, headers })).status, 200);
});

void test('PUT: requires the id of an existing pet', async () => {
  assertResponse(await call('PUT', 'pet', { json: { id: 987654321, name: 'Rex' } }), 404, errorText('Pet not found'));
  for (const id of [undefined, null, 0, -5]) {
    const { errors } = assertRefused(await call('PUT', 'pet', { json: { id, name: 'Rex' } }), 400);
    assert.equal(errors?.[0]?.path, '/id');
  }
});

void test('status: may be set, changed and removed in any order', async () => {
  const { text } = await addPet({ id: 1120, status: 'sold' });
  assert.match(text, /"status":"sold"/);
  for (const status of ['available', 'pending', 'sold', 'pending', 'available', undefined, 'sold', 'sold'])
    assert.match(
      (await call('PUT', 'pet', { json: { id: 1120, name: 'Rex', status } })).text,
      status === undefined ? /"tags":\[\]\}$/ : new RegExp(`"status":"${status}"`),
    );
});

void test('unknown pet: 404', async () => {
  for (const id of ['987654321', '0', '-1', MAX_INT64.replace(/7$/, '5')]) {
    assertResponse(await call('GET', `pet/${id}`), 404, errorText('Pet not found'));
    assertResponse(await call('POST', `pet/${id}`, { form: { name: 'x' } }), 404, errorText('Pet not found'));
    assertResponse(await call('DELETE', `pet/${id}`), 404, errorText('Pet not found'));
  }
});

void test('ETag: strong, equal for every read of a version, new after every change', async () => {
  const created = await addPet({ id: 1200 });
  const etag = etagOf(created);
  assert.match(etag, /^"[\x21\x23-\x7e]+"$/);
  assert.equal(etagOf(await call('GET', 'pet/1200')), etag);
  assert.equal(etagOf(await call('HEAD', 'pet/1200')), etag);

  const seen = new Set([etag]);
  const changes: [method: string, path: string, options: CallOptions][] = [
    ['PUT', 'pet', { json: { id: 1200, name: 'Two' } }],
    ['POST', 'pet/1200', { form: { name: 'Three' } }],
    ['POST', 'pet', { json: { id: 1200, name: 'Rex' } }],
  ];
  for (const change of changes) {
    assert.equal((await call(...change)).status, 200);
    seen.add(etagOf(await call('GET', 'pet/1200')));
  }
  await call('DELETE', 'pet/1200');
  seen.add(etagOf(await addPet({ id: 1200 })));
  assert.equal(seen.size, 5);
});

void test('If-None-Match: no body for a client that has the version', async () => {
  const etag = etagOf(await addPet({ id: 1210 }));
  const cases: [header: string, status: number][] = [
    [etag, 304],
    [`W/${etag}`, 304],
    [`"other", ${etag}`, 304],
    [`"a,b" , W/${etag},"c"`, 304],
    ['*', 304],
    ['"other"', 200],
    ['W/"other", "another"', 200],
    [etag.replace(/"$/, '0"'), 200],
    [`, ,\t${etag},, ,`, 304],
    ['no entity tag', 400],
    ['"other" "another"', 400],
    ['"other', 400],
    ['"a b"', 400],
    ['w/"other"', 400],
    ['"a"*', 400],
    [',', 400],
    [`"a"${','.repeat(10_000)}x`, 400],
    [`"a"${' ,'.repeat(7000)}"`, 400],
    [`W/${'"a",'.repeat(3000)}"`, 400],
  ];
  for (const [header, status] of cases) {
    for (const method of ['GET', 'HEAD']) {
      const response = await call(method, 'pet/1210', { headers: { 'if-none-match': header } });
      assert.equal(response.status, status, `${method} ${header}`);
      if (status !== 304) continue;
      assert.equal(response.text, '');
      assert.equal(etagOf(response), etag);
    }
  }
});

const photo = await makePhoto({ width: 20, height: 10 });

const guarded: { title: string; change: (id: number) => [method: string, path: string, options: CallOptions] }[] = [
  { title: 'PUT', change: (id) => ['PUT', 'pet', { json: { id, name: 'Changed' } }] },
  { title: 'the form', change: (id) => ['POST', `pet/${id}`, { form: { name: 'Changed' } }] },
  { title: 'the upload', change: (id) => ['POST', `pet/${id}/uploadImage`, fileUpload(photo)] },
  { title: 'POST', change: (id) => ['POST', 'pet', { json: { id, name: 'Changed' } }] },
  { title: 'DELETE', change: (id) => ['DELETE', `pet/${id}`, {}] },
];
for (const [index, { title, change }] of guarded.entries()) {
  void test(`If-Match: ${title} changes only the version that the client has seen`, async () => {
    const id = 1300 + index;
    const old = etagOf(await addPet({ id, name: 'Before' }));
    const current = await addPet({ id, name: 'Now' });
    const etag = etagOf(current);
    const [method, path, options] = change(id);
    const attempt = (ifMatch: string) =>
      call(method, path, { ...options, headers: { ...options.headers, 'if-match': ifMatch } });

    // If-Match compares strongly: a weak tag matches nothing (RFC 9110, section 13.1.1).
    for (const header of [old, '"other"', `W/${etag}`, `${old}, "other"`])
      assertRefused(await attempt(header), 412, header);
    assertRefused(await attempt('no entity tag'), 400);
    assert.equal((await call('GET', `pet/${id}`)).text, current.text, 'nothing must change');

    assert.equal((await attempt(`"other", ${etag}`)).status, 200);
    await addPet({ id, name: 'Again' });
    assert.equal((await attempt('*')).status, 200);
  });
}

function pet1400(name: string, status: string): string {
  return `{"id":1400,"category":{"id":1},"name":"${name}","photoUrls":[],"tags":[{"id":7,"name":"calm"}],"status":"${status}"}`;
}

void test('form: changes only the fields that are given and not empty', async () => {
  await addPet({ id: 1400, name: 'Rex', status: 'available', tags: [{ id: 7, name: 'calm' }], category: { id: 1 } });
  const steps: [form: Record<string, string>, after: string][] = [
    [{ name: 'Bello' }, pet1400('Bello', 'available')],
    [{ status: 'sold' }, pet1400('Bello', 'sold')],
    [{ name: '', status: 'pending' }, pet1400('Bello', 'pending')],
    [{ name: 'Wölfi & Co', status: '' }, pet1400('Wölfi & Co', 'pending')],
    [{ name: 'Rex', status: 'available' }, pet1400('Rex', 'available')],
    [{ name: '', status: '' }, pet1400('Rex', 'available')],
    [{ id: '5', tags: 'x', role: 'admin', __proto__x: 'y' }, pet1400('Rex', 'available')],
    [{}, pet1400('Rex', 'available')],
  ];
  for (const [form, expected] of steps) {
    assertResponse(await call('POST', 'pet/1400', { form }), 200, successText('1400'));
    assert.equal((await call('GET', 'pet/1400')).text, expected);
  }
});

void test('empty form: changes nothing', async () => {
  const { text } = await addPet({ id: 1401, status: 'sold' });
  for (const options of [{}, { form: {} }, { headers: { 'content-type': 'application/x-www-form-urlencoded' } }]) {
    assertResponse(await call('POST', 'pet/1401', options), 200, successText('1401'));
    assert.equal((await call('GET', 'pet/1401')).text, text);
  }
});

const wrongForms: [title: string, form: Record<string, string>, path: string][] = [
  ['an unknown status', { status: 'lost' }, '/status'],
  ['a name of spaces', { name: '   ' }, '/name'],
  ['a name that is too long', { name: 'x'.repeat(256) }, '/name'],
];
for (const [title, form, path] of wrongForms) {
  void test(`form with ${title}: refused as a whole`, async () => {
    const { text } = await addPet({ id: 1410, name: 'Rex', status: 'sold' });
    const { errors } = assertRefused(await call('POST', 'pet/1410', { form: { name: 'Bello', ...form } }), 400);
    assert.deepEqual(
      errors?.map((error) => error.path),
      [path],
    );
    assert.equal((await call('GET', 'pet/1410')).text, text);
  });
}

void test('form: works for the largest id, and keeps its digits', async () => {
  await addPet({ id: MAX_INT64 });
  assertResponse(await call('POST', `pet/${MAX_INT64}`, { form: { name: 'Max' } }), 200, successText(MAX_INT64));
  assertResponse(
    await call('GET', `pet/${MAX_INT64}`),
    200,
    `{"id":${MAX_INT64},"name":"Max","photoUrls":[],"tags":[]}`,
  );
});

void test('deleted pet: 404, whatever api_key the request had', async () => {
  for (const headers of [{}, { api_key: 'special-key' }, { api_key: '' }, { api_key: '<API_KEY>' }]) {
    await addPet({ id: MAX_INT64, status: 'pending', tags: ['going'] });
    assertResponse(await call('DELETE', `pet/${MAX_INT64}`, { headers }), 200, successText(MAX_INT64));
    assertResponse(await call('DELETE', `pet/${MAX_INT64}`, { headers }), 404, errorText('Pet not found'));
    assertResponse(await call('GET', `pet/${MAX_INT64}`), 404, errorText('Pet not found'));
    assertResponse(await call('PUT', 'pet', { json: { id: MAX_INT64, name: 'x' } }), 404, errorText('Pet not found'));
    assert.equal((await call('GET', 'pet/findByTags?tags=going')).text, '[]');
  }
});

void test('HEAD: same headers as GET, without the body', async () => {
  await addPet({ id: 1500, name: 'Zoë' });
  const get = await call('GET', 'pet/1500');
  const head = await call('HEAD', 'pet/1500');
  assert.equal(head.status, 200);
  assert.equal(head.text, '');
  for (const name of ['content-type', 'content-length', 'etag'])
    assert.equal(head.headers.get(name), get.headers.get(name), name);
  const missing = await call('HEAD', 'pet/987654321');
  assert.equal(missing.status, 404);
  assert.equal(missing.text, '');
});

const size = photo.byteLength;
const metadata = { name: 'additionalMetadata', content: 'from behind' };
const uploads: { title: string; body: CallOptions; message: string }[] = [
  {
    title: 'the text before the file',
    body: multipart([metadata, { name: 'file', fileName: 'rex.jpg', contentType: 'image/jpeg', content: photo }]),
    message: `additionalMetadata: from behind\nFile uploaded to ./rex.jpg, ${size} bytes`,
  },
  {
    title: 'the text after the file',
    body: multipart([{ name: 'file', fileName: 'rex.jpg', contentType: 'image/jpeg', content: photo }, metadata]),
    message: `additionalMetadata: from behind\nFile uploaded to ./rex.jpg, ${size} bytes`,
  },
  {
    title: 'no text',
    body: multipart([{ name: 'file', fileName: 'rex.jpg', contentType: 'image/jpeg', content: photo }]),
    message: `additionalMetadata: null\nFile uploaded to ./rex.jpg, ${size} bytes`,
  },
  {
    title: 'an empty text',
    body: multipart([
      { ...metadata, content: '' },
      { name: 'file', fileName: 'rex.jpg', content: photo },
    ]),
    message: `additionalMetadata: \nFile uploaded to ./rex.jpg, ${size} bytes`,
  },
  {
    title: 'a text and a file name that are not ASCII',
    body: multipart([
      { ...metadata, content: 'süß 🐕' },
      { name: 'file', fileName: 'Zoë.jpg', content: photo },
    ]),
    message: `additionalMetadata: süß 🐕\nFile uploaded to ./Zoë.jpg, ${size} bytes`,
  },
  {
    title: 'a wrong content type of the file',
    body: multipart([{ name: 'file', fileName: 'rex.png', contentType: 'text/plain', content: photo }]),
    message: `additionalMetadata: null\nFile uploaded to ./rex.png, ${size} bytes`,
  },
  {
    title: 'a file name that is a path',
    body: multipart([{ name: 'file', fileName: '../../etc/rex.jpg', content: photo }]),
    message: `additionalMetadata: null\nFile uploaded to ./rex.jpg, ${size} bytes`,
  },
  {
    title: 'unknown parts',
    body: multipart([
      { name: 'other', content: 'x' },
      { name: 'file', fileName: 'rex.jpg', content: photo },
      { name: 'document', fileName: 'a.pdf', contentType: 'application/pdf', content: '%PDF' },
    ]),
    message: `additionalMetadata: null\nFile uploaded to ./rex.jpg, ${size} bytes`,
  },
];
for (const { title, body, message } of uploads) {
  void test(`upload with ${title}: accepted, with Petstore's message`, async () => {
    await addPet({ id: 1600 });
    assertResponse(await call('POST', 'pet/1600/uploadImage', body), 200, successText(message));
    assert.match((await call('GET', 'pet/1600')).text, /"photoUrls":\["[^"]+\/v2\/photo\/[0-9a-f]{64}"\]/);
  });
}

const wrapped = (text: string) => text.replaceAll(/.{40}/g, '$&\r\n');
const base64 = (text: string | Buffer) => wrapped(Buffer.from(text).toString('base64'));
const encodedTexts: [title: string, part: Omit<Part, 'name'>, text: string][] = [
  ['JSON', { contentType: 'application/json', content: '"süß \\"1\\""' }, 'süß "1"'],
  ['JSON of a Blob', { contentType: 'text/json; charset=utf-8', fileName: 'blob', content: String.raw`"\u00e4"` }, 'ä'],
  ['JSON that is null', { contentType: 'application/json', content: 'null' }, 'null'],
  ['a JSON object', { contentType: 'application/vnd.a+json', content: '{"a": 1}' }, '{"a": 1}'],
  ['text that is called JSON', { contentType: 'application/json', content: 'calm' }, 'calm'],
  ['bytes', { contentType: 'application/octet-stream', content: 'süß' }, 'süß'],
  ['base64', { encoding: 'base64', content: base64('süß 🐕'.repeat(20)) }, 'süß 🐕'.repeat(20)],
  ['Latin-1 in base64', { encoding: 'BASE64', content: Buffer.from('süß', 'latin1').toString('base64') }, 'süß'],
  ['text that is called base64', { encoding: 'base64', content: 'süß.' }, 'süß.'],
  ['quoted-printable', { encoding: 'Quoted-Printable', content: 's=C3=BC=C3=9F =\r\n1=3D1' }, 'süß 1=1'],
  ['Latin-1 in quoted-printable', { encoding: 'quoted-printable', content: 's=FC=df =ZZ' }, 'süß =ZZ'],
  ['8bit', { encoding: '8bit', content: '=41' }, '=41'],
  ['an unknown encoding', { encoding: 'constructor', content: '=41' }, '=41'],
  [
    'JSON in quoted-printable',
    { contentType: 'application/json', encoding: 'quoted-printable', content: '"s=C3=BC=C3=9F"' },
    'süß',
  ],
];
for (const [title, part, text] of encodedTexts) {
  void test(`upload with ${title} as additionalMetadata: decoded`, async () => {
    await addPet({ id: 1602 });
    const body = multipart([
      { ...metadata, ...part },
      { name: 'file', fileName: 'rex.jpg', content: photo },
    ]);
    const message = `additionalMetadata: ${text}\nFile uploaded to ./rex.jpg, ${size} bytes`;
    assertResponse(await call('POST', 'pet/1602/uploadImage', body), 200, successText(message));
  });
}

void test('upload of an encoded file: decoded', async () => {
  await addPet({ id: 1603 });
  const quoted = [...photo].map((byte) => `=${byte.toString(16).padStart(2, '0').toUpperCase()}`);
  const contents = [
    ['base64', base64(photo)],
    ['quoted-printable', quoted.join('').replaceAll(/.{75}/g, '$&=\r\n')],
    ['binary', photo],
  ] as const;
  for (const [encoding, content] of contents) {
    const upload = multipart([{ name: 'file', fileName: 'rex.jpg', encoding, content }]);
    const message = `additionalMetadata: null\nFile uploaded to ./rex.jpg, ${size} bytes`;
    assertResponse(await call('POST', 'pet/1603/uploadImage', upload), 200, successText(message));
  }
  assert.equal((JSON.parse((await call('GET', 'pet/1603')).text) as { photoUrls: string[] }).photoUrls.length, 1);
});

void test('upload without a file name: accepted, before or after the text', async () => {
  await addPet({ id: 1601 });
  const file = { name: 'file', content: photo };
  for (const parts of [
    [file, metadata],
    [metadata, file],
    [{ ...file, contentType: 'image/jpeg' }, metadata],
  ]) {
    const { status, text } = await call('POST', 'pet/1601/uploadImage', multipart(parts));
    assert.equal(status, 200, text);
    const message = (JSON.parse(text) as { message: string }).message;
    assert.match(message, new RegExp(`^additionalMetadata: from behind\\nFile uploaded to \\./\\S*, ${size} bytes$`));
  }
});

void test('upload of the same photo: adds it once, and another one after it', async () => {
  await addPet({ id: 1610, photoUrls: ['https://example.org/first.jpg'] });
  const upload = (content: Buffer) => call('POST', 'pet/1610/uploadImage', fileUpload(content));
  const urls = async () => (JSON.parse((await call('GET', 'pet/1610')).text) as { photoUrls: string[] }).photoUrls;
  await upload(photo);
  const once = await urls();
  assert.equal(once.length, 2);
  assert.equal(once[0], 'https://example.org/first.jpg');
  const etag = etagOf(await call('GET', 'pet/1610'));
  assert.equal((await upload(photo)).status, 200);
  assert.deepEqual(await urls(), once);
  assert.equal(etagOf(await call('GET', 'pet/1610')), etag, 'the ETag must not change');
  await upload(await makePhoto({ seed: 5 }));
  assert.deepEqual((await urls()).slice(0, 2), once);
  assert.equal((await urls()).length, 3);
});

void test('concurrent uploads: one URL for the same photo, all for different ones', async () => {
  await addPet({ id: 1611 });
  const responses = await Promise.all(
    Array.from({ length: 20 }, () => call('POST', 'pet/1611/uploadImage', fileUpload(photo))),
  );
  assert.deepEqual(new Set(responses.map(({ status }) => status)), new Set([200]));
  const { photoUrls } = JSON.parse((await call('GET', 'pet/1611')).text) as { photoUrls: string[] };
  assert.equal(photoUrls.length, 1);
});

void test('photo URLs: absolute, with the host that the client used, in records and lists', async () => {
  await addPet({ id: 1620, status: 'pending', tags: ['pictured'] });
  await call('POST', 'pet/1620/uploadImage', fileUpload(photo));
  const { port } = new URL(service.base);
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`, `pets.localhost:${port}`]) {
    const headers = { host };
    for (const path of [
      'pet/1620',
      'pet/findByTags?tags=pictured',
      'pet/findByStatus?status=pending',
      'pet/findByStatus?status=pending&limit=1000',
    ]) {
      const { text } = await callAs(service.base, 'GET', path, { headers });
      const own = text.match(/"[^"]*\/v2\/photo\/[0-9a-f]{64}"/g) ?? [];
      assert.equal(own.length, 1, path);
      assert.ok(own[0]?.startsWith(`"http://${host}/v2/photo/`), `${path} as ${host}: ${own[0]}`);
    }
  }
});

void test('photo URL: works on the host of the request that returned it', async () => {
  await addPet({ id: 1621 });
  await call('POST', 'pet/1621/uploadImage', fileUpload(photo));
  const { photoUrls } = JSON.parse((await call('GET', 'pet/1621')).text) as { photoUrls: string[] };
  const response = await call('GET', photoUrls[0] ?? '');
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'image/jpeg');
});

void test('own photo URL sent back with another host: kept; external URLs are unchanged', async () => {
  await addPet({ id: 1630 });
  await call('POST', 'pet/1630/uploadImage', fileUpload(photo));
  const { photoUrls } = JSON.parse((await call('GET', 'pet/1630')).text) as { photoUrls: string[] };
  const here = photoUrls[0] ?? '';
  const unknown = `https://elsewhere.example/v2/photo/${'0'.repeat(64)}`;
  for (const there of [
    here.replace(/^http:\/\/[^/]+/, 'https://old-host.example'),
    here.replace(/^http:\/\/[^/]+/, 'https://old-host.example/menagerie'),
    here,
  ]) {
    const sent = { id: 1630, name: 'Rex', photoUrls: ['https://example.org/a.jpg', there, unknown] };
    const response = await call('PUT', 'pet', { json: sent });
    const stored = (JSON.parse(response.text) as { photoUrls: string[] }).photoUrls;
    assert.deepEqual(stored, ['https://example.org/a.jpg', here, unknown], there);
  }
});

void test('relative URL that resembles an own photo: unchanged', async () => {
  const unknownPhoto = `/v2/photo/${'0'.repeat(64)}`;
  const { text } = await addPet({ id: 1640, photoUrls: [unknownPhoto, '/v2/photo/x', '\\/v2/photo/y'] });
  assert.deepEqual((JSON.parse(text) as { photoUrls: string[] }).photoUrls, [
    unknownPhoto,
    '/v2/photo/x',
    '\\/v2/photo/y',
  ]);
});

void test('text that resembles the mark of a photo: unchanged', async () => {
  const tricky = ['"\\/', '\\/v2/photo/', '"/', '$&', '$`'];
  const { text } = await addPet({ id: 1641, name: '"\\/v2', tags: tricky });
  const pet = JSON.parse(text) as { name: string; tags: { name: string }[] };
  assert.equal(pet.name, '"\\/v2');
  assert.deepEqual(
    pet.tags.map(({ name }) => name),
    tricky,
  );
});
