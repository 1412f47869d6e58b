import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { assertRefused, clientOf, type CallOptions, type HttpResponse } from '../support/client.ts';
import { fileUpload } from '../support/multipart.ts';
import { makePhoto } from '../support/photos.ts';
import { bearer, logIn, startSecuredService } from '../support/secured.ts';
import { startTestService } from '../support/service.ts';

const NOW_MS = Date.UTC(2026, 10, 26, 12);
const MAX_INT64 = '9223372036854775807';
const call = clientOf((await startTestService({ after }, { clock: () => NOW_MS })).base);
let count = 100;

async function newPet(): Promise<string> {
  const id = `${++count}`;
  await call('POST', 'pet', { json: { id: count, name: 'Rex', status: 'available' } });
  return `pet/${id}`;
}

async function ok(method: string, path: string, options: CallOptions = {}): Promise<HttpResponse> {
  const response = await call(method, path, options);
  assert.equal(response.status, 200, `${method} ${path}: ${response.text}`);
  return response;
}

const etagOf = ({ headers }: HttpResponse) => headers.get('etag') ?? '';

void test('profile: an empty object until it is written, and exact afterwards', async () => {
  const pet = await newPet();
  assert.equal((await ok('GET', `${pet}/profile`)).text, '{}');
  const text =
    '{"species":"dog","breedPrimary":"Boxer","birthDate":"2024-02-29","weightKg":19.99,"colours":["red"],' +
    `"goodWithCats":false,"bondedWith":[{"id":${MAX_INT64}}],"description":"**Calm**"}`;
  const stored = await ok('PUT', `${pet}/profile`, {
    body: Buffer.from(text),
    headers: { 'content-type': 'application/json' },
  });
  const returned = text.replace(/}$/, ',"descriptionHtml":"<p><strong>Calm</strong></p>"}');
  assert.equal(stored.text, returned);
  assert.equal((await ok('GET', `${pet}/profile`)).text, returned);
  const unchanged = await call('GET', `${pet}/profile`, { headers: { 'if-none-match': etagOf(stored) } });
  assert.equal(unchanged.status, 304);
});

void test('profile: the story in HTML is only in responses of the profile', async () => {
  const pet = await newPet();
  const sent = { description: '<script>\n\n# Luna', descriptionHtml: '<script>' };
  const { text } = await ok('PUT', `${pet}/profile`, { json: sent });
  assert.deepEqual(JSON.parse(text), { ...sent, descriptionHtml: '<p>&lt;script&gt;</p>\n<h3>Luna</h3>' });
  assert.deepEqual(await ok('PATCH', `${pet}/profile`, { json: { descriptionHtml: 'x' } }).then((r) => r.text), text);
  assert.doesNotMatch((await ok('GET', `${pet}/history`)).text, /descriptionHtml/);
  assert.doesNotMatch((await ok('GET', 'export/pets?format=csv')).text, /descriptionHtml/);
  assert.equal((await ok('PATCH', `${pet}/profile`, { json: { description: null } })).text, '{}');
});

void test('profile: has each story in HTML, for pages in its language', async () => {
  const pet = await newPet();
  const sent = { description: '*Ruhig*', summaryEn: 'Calm', descriptionEn: '*Calm*' };
  const { text } = await ok('PUT', `${pet}/profile`, { json: sent });
  const html = { descriptionHtml: '<p><em>Ruhig</em></p>', descriptionEnHtml: '<p><em>Calm</em></p>' };
  assert.deepEqual(JSON.parse(text), { ...sent, ...html });
});

void test('profile: has its own entity tag, which a change of the pet leaves as it is', async () => {
  const pet = await newPet();
  const first = await ok('PUT', `${pet}/profile`, { json: { size: 'M' } });
  await ok('PATCH', pet, { json: { name: 'Max' } });
  const headers = { 'if-match': etagOf(first) };
  const second = await ok('PATCH', `${pet}/profile`, { json: { energy: 'low' }, headers });
  assert.equal(second.text, '{"size":"M","energy":"low"}');
  assertRefused(await call('PATCH', `${pet}/profile`, { json: { size: 'L' }, headers }), 412);
  // An empty patch changes nothing.
  assert.equal(etagOf(await ok('PATCH', `${pet}/profile`, { json: {} })), etagOf(second));
});

void test('profile: is in the history, with the fields that differ, and restored with the pet', async () => {
  const pet = await newPet();
  await ok('PUT', `${pet}/profile`, { json: { size: 'M', energy: 'low' } });
  await ok('PATCH', `${pet}/profile`, { json: { size: 'L' } });
  const entries = JSON.parse((await ok('GET', `${pet}/history`)).text) as { version: number; changes: unknown[] }[];
  assert.deepEqual(entries[0]?.changes, [{ field: 'profile', before: { size: 'M' }, after: { size: 'L' } }]);
  const version = entries[1]?.version ?? assert.fail();
  assert.match((await ok('GET', `${pet}/history/${version}`)).text, /"profile":\{"size":"M","energy":"low"\}\}$/);
  await ok('POST', `${pet}/history/${version}/restore`);
  assert.equal((await ok('GET', `${pet}/profile`)).text, '{"size":"M","energy":"low"}');
});

const INVALID: readonly (readonly [field: string, value: unknown])[] = [
  ['species', 'unicorn'],
  ['sex', true],
  ['breedPrimary', ''],
  ['breedPrimary', 'x'.repeat(101)],
  ['breedPrimary', '  '],
  ['birthDate', '2026-02-30'],
  ['birthDate', '26.11.2026'],
  ['birthDate', '2026-11-28'],
  ['intakeDate', '9999-01-01'],
  ['isAltered', 'yes'],
  ['weightKg', -1],
  ['weightKg', 1.0005],
  ['weightKg', '7'],
  ['feeAmount', 1e9],
  ['feeCurrency', 'EURO'],
  ['feeCurrency', 'XQQ'],
  ['colours', []],
  ['colours', ['red', 'red']],
  ['colours', ['a', 'b', 'c', 'd']],
  ['bondedWith', [{ id: 1e300 }]],
  ['bondedWith', [7]],
  ['videoUrls', ['javascript:alert(1)']],
  ['summary', 'x'.repeat(201)],
  ['description', 'x'.repeat(20_001)],
  ['location', 'nowhere'],
  ['own', { unknown: 1 }],
  ['own', 'text'],
  ['isPublished', 0],
];

for (const [field, value] of INVALID)
  void test(`profile: ${field} must not be ${JSON.stringify(value).slice(0, 40)}`, async () => {
    const pet = await newPet();
    const before = await ok('PUT', `${pet}/profile`, { json: { unit: 'K1' } });
    for (const method of ['PUT', 'PATCH']) {
      const { errors = [] } = assertRefused(await call(method, `${pet}/profile`, { json: { [field]: value } }), 400);
      assert.ok(errors.every(({ path }) => path.startsWith(`/${field}`)));
    }
    assert.equal(etagOf(await ok('GET', `${pet}/profile`)), etagOf(before));
  });

/** The operations that store a whole pet. */
const STORES = ['POST', 'PUT'] as const;

for (const method of [...STORES, 'PATCH'] as const)
  void test(`profile in the body of ${method} pet: is stored in one change with the pet`, async () => {
    const pet = await newPet();
    await ok('PUT', `${pet}/profile`, { json: { size: 'M', energy: 'low' } });
    const { id, send } = changeOf(method, pet);
    const stored = await send({ name: 'Max', profile: { size: 'L', bondedWith: [{ id: MAX_INT64 }], unit: null } });
    assert.match(
      stored.text,
      new RegExp(`^\\{"id":${id},"name":"Max","photoUrls":\\[\\],"tags":\\[\\](?:,"status":"\\w+")?\\}$`),
    );
    const profile = await ok('GET', `${pet}/profile`);
    const merged = method === 'PATCH' ? ',"energy":"low"' : '';
    assert.equal(profile.text, `{"size":"L"${merged},"bondedWith":[{"id":${MAX_INT64}}]}`);
    assert.equal(etagOf(profile), etagOf(stored));
    const [last] = JSON.parse((await ok('GET', `${pet}/history`)).text) as { version: number; changes: object[] }[];
    assert.equal(`"${last?.version}"`, etagOf(stored));
    const unchanged = await send({ name: 'Moritz' });
    assert.equal((await ok('GET', `${pet}/profile`)).text, profile.text);
    const late = await call(method, method === 'PATCH' ? pet : 'pet', {
      json: { id, name: 'Late', profile: { size: 'S' } },
      headers: { 'if-match': etagOf(stored) },
    });
    assertRefused(late, 412);
    assert.equal(etagOf(await ok('GET', pet)), etagOf(unchanged));
  });

/** How a method changes a pet. */
function changeOf(method: string, pet: string) {
  const id = Number(pet.slice('pet/'.length));
  const path = method === 'PATCH' ? pet : 'pet';
  return { id, path, send: (fields: object) => ok(method, path, { json: { id, ...fields } }) };
}

for (const [field, value] of [...INVALID, ['', null], ['', 7], ['', []]] as readonly (readonly [string, unknown])[])
  void test(`profile in the body of a pet: ${field} must not be ${JSON.stringify(value).slice(0, 40)}`, async () => {
    const pet = await newPet();
    const before = etagOf(await ok('GET', pet));
    const profile = field === '' ? value : { [field]: value };
    for (const method of [...STORES, 'PATCH']) {
      if (method !== 'PATCH' && profile === null) continue;
      const { id, path } = changeOf(method, pet);
      const { errors = [] } = assertRefused(await call(method, path, { json: { id, name: 'Max', profile } }), 400);
      assert.ok(errors.length > 0);
      for (const { path: place } of errors)
        assert.ok(place.startsWith(field === '' ? '/profile' : `/profile/${field}`), place);
    }
    assert.equal(etagOf(await ok('GET', pet)), before);
  });

void test('profile in the body of a pet: null leaves it as it is, {} empties it', async () => {
  for (const method of STORES) {
    const pet = await newPet();
    await ok('PUT', `${pet}/profile`, { json: { size: 'M' } });
    const { send } = changeOf(method, pet);
    await send({ name: 'Max', profile: null });
    assert.equal((await ok('GET', `${pet}/profile`)).text, '{"size":"M"}');
    await send({ name: 'Max', profile: {} });
    assert.equal((await ok('GET', `${pet}/profile`)).text, '{}');
  }
});

void test('profile in the body of a pet: an external id of another pet is a conflict that changes nothing', async () => {
  const [one, other] = [await newPet(), await newPet()];
  await ok('PUT', `${one}/profile`, { json: { externalId: 'B-1' } });
  const before = etagOf(await ok('GET', other));
  for (const method of [...STORES, 'PATCH']) {
    const { id, path } = changeOf(method, other);
    const json = { id, name: 'Max', profile: { externalId: 'B-1' } };
    assertRefused(await call(method, path, { json }), 409);
    assertRefused(await call('POST', 'pet', { json: { ...json, id: undefined } }), 409);
  }
  assert.equal(etagOf(await ok('GET', other)), before);
});

void test('profile in a form or in XML: is refused, not ignored', async () => {
  const pet = await newPet();
  const before = etagOf(await ok('GET', pet));
  for (const name of ['profile', 'profile[isPublished]', 'profile.isPublished']) {
    const { errors } = assertRefused(await call('POST', pet, { form: { name: 'Max', [name]: 'false' } }), 400, name);
    assert.deepEqual(errors, [{ path: '/profile', message: 'must be sent as JSON, with PATCH /v2/pet/{petId}' }]);
  }
  const id = pet.slice('pet/'.length);
  for (const element of ['<profile><isPublished>false</isPublished></profile>', '<Profile>draft</Profile>']) {
    const body = Buffer.from(`<Pet><id>${id}</id><name>Max</name>${element}</Pet>`);
    for (const method of STORES) {
      const refused = await call(method, 'pet', { body, headers: { 'content-type': 'application/xml' } });
      assert.equal(refused.status, 400);
      assert.match(refused.text, /\/profile must be sent as JSON/);
    }
  }
  assert.equal(etagOf(await ok('GET', pet)), before);
  await ok('POST', pet, { form: { name: 'Max', profile: '', profiles: 'x' } });
  const body = Buffer.from(`<Pet><id>${id}</id><name>Moritz</name><profile/></Pet>`);
  await ok('PUT', 'pet', { body, headers: { 'content-type': 'application/xml' } });
});

void test('draft: another profile without isPublished does not publish it', async () => {
  const pet = await newPet();
  const id = Number(pet.slice('pet/'.length));
  const draft = await ok('PUT', `${pet}/profile`, { json: { size: 'M', isPublished: false } });
  const replaced = await ok('PUT', `${pet}/profile`, { json: { size: 'L' } });
  assert.deepEqual(JSON.parse(replaced.text), { size: 'L', isPublished: false });
  for (const method of STORES) {
    await ok(method, 'pet', { json: { id, name: 'Max', photoUrls: [], profile: {} } });
    assert.equal((await ok('GET', `${pet}/profile`)).text, '{"isPublished":false}');
  }
  await ok('PUT', `${pet}/profile`, { json: { isPublished: true } });
  await ok('PUT', `${pet}/profile`, { json: { isPublished: false } });
  await ok('PATCH', `${pet}/profile`, { json: { isPublished: null } });
  assert.equal((await ok('GET', `${pet}/profile`)).text, '{}');
  assert.notEqual(etagOf(draft), etagOf(replaced));
});

void test('profile: an external id belongs to one pet', async () => {
  const [one, other] = [await newPet(), await newPet()];
  await ok('PUT', `${one}/profile`, { json: { externalId: ' A-1 ' } });
  const { message } = assertRefused(await call('PUT', `${other}/profile`, { json: { externalId: 'A-1' } }), 409);
  assert.equal(message, `${one.replace('pet/', 'Pet ')} already has the externalId "A-1".`);
  await ok('DELETE', one);
  await ok('PUT', `${other}/profile`, { json: { externalId: 'A-1' } });
});

void test('profile: of a pet that does not exist is not found', async () => {
  for (const method of ['GET', 'PUT', 'PATCH'])
    assertRefused(await call(method, 'pet/999999/profile', method === 'GET' ? {} : { json: {} }), 404);
  assertRefused(await call('GET', 'pet/x/profile'), 400);
});

const secured = await startSecuredService({ after });
const SECRET = { microchip: 'chip-985', medicalNote: 'note-secret', holdUntil: '2031-01-01', unit: 'unit-secret' };

void test('private fields: reach staff only, in every interface', async () => {
  const editor = { headers: bearer(await logIn(secured.call, 'edna')) };
  const viewer = { headers: bearer(await logIn(secured.call, 'vera')) };
  await secured.call('POST', 'pet', { ...editor, json: { id: 7, name: 'Rex', status: 'available' } });
  const written = await secured.call('PUT', 'pet/7/profile', { ...editor, json: { size: 'M', ...SECRET } });
  assert.equal(written.status, 200, written.text);
  assert.match((await secured.call('GET', 'pet/7/profile', editor)).text, /note-secret/);
  for (const options of [{}, viewer]) {
    const response = await secured.call('GET', 'pet/7/profile', options);
    assert.equal(response.text, '{"size":"M"}');
    assert.match(etagOf(response), /-public"$/);
    for (const path of ['pet', 'export/pets', 'export/pets?format=csv', 'export/pet-history', 'facets', 'statistics']) {
      const { status, text } = await secured.call('GET', path, options);
      assert.equal(status, 200, path);
      for (const secret of Object.values(SECRET)) assert.ok(!text.includes(secret), path);
    }
  }
});

void test('drafts: exist for staff only, and so do their photos and events', async () => {
  const editor = { headers: bearer(await logIn(secured.call, 'edna')) };
  const viewer = { headers: bearer(await logIn(secured.call, 'vera')) };
  const json = { id: 8, name: 'Hidden', status: 'sold', tags: ['draft'] };
  await secured.call('POST', 'pet', { ...editor, json });
  const upload = fileUpload(await makePhoto());
  const headers = { ...upload.headers, ...editor.headers };
  await secured.call('POST', 'pet/8/uploadImage', { ...upload, headers });
  const [url = assert.fail()] = (
    JSON.parse((await secured.call('GET', 'pet/8', editor)).text) as { photoUrls: string[] }
  ).photoUrls;
  const photo = url.slice(url.indexOf('/v2/') + 4);
  const lists = ['pet/findByStatus?status=sold', 'pet/findByTags?tags=draft', 'pet/findByStatus?status=sold&limit=5'];
  const single = ['pet/8', 'pet/8/profile', 'pet/8/photos', photo, `${photo}/small`];
  const published = await statusesOf(single, viewer);
  assert.deepEqual(published, [200, 200, 200, 200, 200]);
  await secured.call('PATCH', 'pet/8/profile', { ...editor, json: { isPublished: false } });
  for (const options of [{}, viewer]) {
    assert.deepEqual(await statusesOf(single, options), [404, 404, 404, 404, 404]);
    for (const list of lists) assert.equal((await secured.call('GET', list, options)).text, '[]', list);
    const history = (await secured.call('GET', 'export/pet-history', options)).text;
    assert.match(history, /"type":"pet\.deleted"[^\n]*"id":8,"pet":null\}/);
  }
  assert.deepEqual(await statusesOf(single, editor), [200, 200, 200, 200, 200]);
  assert.match((await secured.call('GET', photo, editor)).headers.get('cache-control') ?? '', /private/);
  for (const list of lists) assert.match((await secured.call('GET', list, editor)).text, /"id":8/);
});

async function statusesOf(paths: readonly string[], options: CallOptions): Promise<readonly number[]> {
  return Promise.all(paths.map(async (path) => (await secured.call('GET', path, options)).status));
}
