import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { assertRefused, type CallOptions, type HttpResponse } from '../support/client.ts';
import { fileUpload } from '../support/multipart.ts';
import { makePhoto } from '../support/photos.ts';
import { bearer, createKey, logIn, startSecuredService } from '../support/secured.ts';

const service = await startSecuredService({ after });
const { call } = service;
const rootToken = await logIn(call, 'root');
const root = bearer(rootToken);
const edna = bearer(await logIn(call, 'edna'));
const vera = bearer(await logIn(call, 'vera'));

function put(path: string, json: unknown, headers: Readonly<Record<string, string>> = {}): Promise<HttpResponse> {
  return call('PUT', path, { headers: { ...root, ...headers }, json });
}

function logo(photo: Uint8Array | string, headers: Readonly<Record<string, string>> = root): Promise<HttpResponse> {
  const upload: CallOptions = fileUpload(photo);
  return call('PUT', 'organisation/logo', { ...upload, headers: { ...upload.headers, ...headers } });
}

const read = async (path: string, headers = {}) => {
  const { status, text, headers: sent } = await call('GET', path, { headers });
  assert.equal(status, 200, text);
  return { value: JSON.parse(text) as Record<string, unknown>, etag: sent.get('etag') ?? '', text };
};

const ABOUT_HTML = '<h3>Hello</h3>\n<p>We have <em>pets</em>.</p>';

const WHOLE = {
  name: 'Happy Paws',
  accentColour: '#7a3b8f',
  country: 'CH',
  currency: 'EUR',
  summary: 'The shelter by the lake.',
  about: '# Hello\n\nWe have *pets*.',
  contact: {
    telephone: '+49 30 1234567',
    email: 'office@example.org',
    address: 'Am See 1\n12345 Berlin',
    website: 'https://example.org/paws',
    openingHours: 'Mon to Fri 10–16',
  },
  donationUrl: 'https://example.org/give',
  commonQuestions: [{ question: 'How long?', answer: 'Two weeks.\nOr three.' }],
  adoptionSteps: ['Call us', 'Visit us'],
  locations: [{ id: 'lake', name: 'Am See', address: 'Am See 1', latitude: 52.5, longitude: -13.25, place: 'Berlin' }],
};

void test('organisation: empty at first, then replaced at the version that was read', async () => {
  const first = await read('organisation');
  assert.deepEqual([first.value, first.etag], [{}, '"0"']);
  const stored = await put('organisation', WHOLE, { 'if-match': '"0"' });
  assert.equal(stored.status, 200, stored.text);
  assert.equal(stored.headers.get('etag'), '"1"');
  assert.deepEqual(JSON.parse(stored.text), { ...WHOLE, aboutHtml: ABOUT_HTML });
  assert.deepEqual((await read('organisation')).value, { ...WHOLE, aboutHtml: ABOUT_HTML });
  assertRefused(await put('organisation', { name: 'Late' }, { 'if-match': '"0"' }), 412);
  assert.equal((await call('GET', 'organisation', { headers: { 'if-none-match': '"1"' } })).status, 304);
  const smaller = await put('organisation', { name: null, contact: { email: '' }, about: 'Text', logo: 1 });
  assert.equal(smaller.text, '{"about":"Text","aboutHtml":"<p>Text</p>"}');
  const { text } = await put('organisation', { locations: [{ name: 'A' }], contact: {} });
  assert.equal(text, '{"locations":[{"id":"a","name":"A"}]}');
});

void test('organisation: its texts in another language, with HTML, and none that are empty', async () => {
  const german = { about: '# Hallo', adoptionSteps: ['Anrufen'], openingHours: 'Mo bis Fr', summary: 'Hier.' };
  const json = { about: 'Hello', language: 'en', translations: { de: german, en: { about: ' ' } } };
  const stored = await put('organisation', json);
  assert.equal(stored.status, 200, stored.text);
  const expected = {
    about: 'Hello',
    language: 'en',
    translations: { de: { ...german, aboutHtml: '<h3>Hallo</h3>' } },
    aboutHtml: '<p>Hello</p>',
  };
  assert.deepEqual(JSON.parse(stored.text), expected);
  assert.deepEqual((await read('organisation')).value, expected);
  assert.deepEqual(JSON.parse((await put('organisation', expected)).text), expected, 'what is read can be sent');
  const labels = [{ name: ' Hunde ', translation: 'Dogs' }];
  const named = await put('organisation', { language: 'de', translations: { en: { labels } } });
  assert.match(named.text, /"translations":\{"en":\{"labels":\[\{"name":"Hunde","translation":"Dogs"\}\]\}\}/);
  assert.equal((await put('organisation', { language: 'de', translations: { en: {} } })).text, '{"language":"de"}');
});

void test('organisation: the audit log has each change', async () => {
  await put('organisation', { name: 'Audited' });
  const { etag } = await read('organisation');
  const { text } = await call('GET', 'admin/audit?action=organisation.changed&limit=1', { headers: root });
  const [entry] = JSON.parse(text) as { actor: { name: string }; details: { version: string } }[];
  assert.deepEqual([entry?.actor.name, entry?.details.version], ['root', etag.slice(1, -1)]);
});

void test('organisation: bad input names every wrong field, and changes nothing', async () => {
  await put('organisation', WHOLE);
  const before = await read('organisation');
  const wrong: readonly [json: unknown, ...paths: string[]][] = [
    [{ name: 'x'.repeat(101) }, '/name'],
    [{ about: 'x'.repeat(10_001) }, '/about'],
    [{ accentColour: 'red' }, '/accentColour'],
    [{ language: 'fr' }, '/language'],
    [{ translations: { de: { about: 'Text' } } }, '/language'],
    [{ language: 'de', translations: { de: { about: 'Text' } } }, '/translations/de'],
    [{ language: 'en', translations: { de: { about: 'x'.repeat(10_001) } } }, '/translations/de/about'],
    [
      { language: 'en', translations: { de: { adoptionSteps: Array(21).fill('x') } } },
      '/translations/de/adoptionSteps',
    ],
    [{ language: 'en', translations: 'de' }, '/translations'],
    [
      { language: 'en', translations: { de: { labels: [{ name: 'Dogs', translation: '' }] } } },
      '/translations/de/labels/0/translation',
    ],
    [{ country: 'de' }, '/country'],
    [{ country: 'XQ', currency: 'XQQ' }, '/country', '/currency'],
    [{ country: 49 }, '/country'],
    [{ currency: 'euro' }, '/currency'],
    [{ currency: 'XQQ' }, '/currency'],
    [
      { contact: { email: 'office', website: 'example.org', telephone: '?' } },
      '/contact/telephone',
      '/contact/email',
      '/contact/website',
    ],
    [{ summary: 'x'.repeat(201) }, '/summary'],
    [{ donationUrl: 'javascript:alert(1)' }, '/donationUrl'],
    [{ commonQuestions: [{ question: 'Why?', answer: ' ' }] }, '/commonQuestions/0/answer'],
    [{ commonQuestions: Array.from({ length: 21 }, () => ({ question: 'a', answer: 'b' })) }, '/commonQuestions'],
    [{ contact: [] }, '/contact'],
    [{ adoptionSteps: Array(21).fill('x') }, '/adoptionSteps'],
    [{ adoptionSteps: ['x'.repeat(501)] }, '/adoptionSteps/0'],
    [{ locations: [{}] }, '/locations/0/name'],
    [{ locations: [{ name: ' ' }] }, '/locations/0/name'],
    [{ locations: [{ name: 'A', id: 'Ä' }] }, '/locations/0/id'],
    [{ locations: [{ name: 'A', latitude: 91, longitude: '13' }] }, '/locations/0/latitude', '/locations/0/longitude'],
    [{ locations: Array.from({ length: 101 }, () => ({ name: 'A' })) }, '/locations'],
    [[], ''],
  ];
  for (const [json, ...paths] of wrong) {
    const { errors, message } = assertRefused(await put('organisation', json), 400, JSON.stringify(json).slice(0, 80));
    assert.deepEqual(
      errors?.map(({ path }) => path),
      paths,
      message,
    );
  }
  assert.deepEqual(await read('organisation'), before);
});

void test('logo: stored, served in sizes, and deleted', async () => {
  await put('organisation', WHOLE);
  const { etag } = await read('organisation');
  const stored = await logo(await makePhoto({ width: 640, height: 320 }), { ...root, 'if-match': etag });
  assert.equal(stored.status, 200, stored.text);
  const organisation = JSON.parse(stored.text) as typeof WHOLE & {
    logo: { url: string; width: number; sizes: { small: { url: string; width: number } } };
  };
  assert.deepEqual(
    [organisation.logo.width, organisation.logo.sizes.small.width, organisation.name],
    [640, 320, WHOLE.name],
  );
  assert.equal((await fetch(organisation.logo.sizes.small.url)).status, 200);
  assertRefused(await logo(await makePhoto(), { ...root, 'if-match': etag }), 412);
  await put('organisation', { name: 'Other' });
  assert.deepEqual((await read('organisation')).value['logo'], organisation.logo);
  const without = await call('DELETE', 'organisation/logo', { headers: root });
  assert.equal(without.text, '{"name":"Other"}');
});

void test('logo: what is no photo is refused, and changes nothing', async () => {
  const before = await read('organisation');
  assertRefused(await logo('no photo'), 415);
  assertRefused(await call('PUT', 'organisation/logo', { headers: root, json: {} }), 415);
  assertRefused(await logo(await makePhoto(), edna), 403);
  assert.deepEqual(await read('organisation'), before);
});

const CHIP = { key: 'chip', type: 'text', label: { en: 'Chip', de: 'Chip' }, isPublic: false };
const SIZE = {
  key: 'size',
  type: 'choice',
  label: { en: 'Size', de: 'Größe' },
  isPublic: true,
  choices: [{ value: 's', labelEn: 'Small', labelDe: 'Klein' }, { value: 'l' }],
};

void test('own fields: replaced by administrators, and the private ones only for those who change pets', async () => {
  const { value, etag } = await read('own-fields');
  assert.deepEqual([value, etag], [{ fields: [] }, '"0"']);
  const stored = await put('own-fields', { fields: [CHIP, SIZE] }, { 'if-match': '"0"' });
  assert.equal(stored.status, 200, stored.text);
  assert.deepEqual([JSON.parse(stored.text), stored.headers.get('etag')], [{ fields: [CHIP, SIZE] }, '"1"']);
  assertRefused(await put('own-fields', { fields: [] }, { 'if-match': '"0"' }), 412);
  const readingKey = bearer((await createKey(call, rootToken, ['read:pets'])).key);
  for (const headers of [{}, vera, readingKey])
    assert.deepEqual((await read('own-fields', headers)).value, { fields: [SIZE] });
  for (const headers of [edna, root])
    assert.deepEqual((await read('own-fields', headers)).value, { fields: [CHIP, SIZE] });
  assert.equal((await call('GET', 'own-fields')).headers.get('cache-control'), 'no-store');
});

void test('own fields: bad input names every wrong field, and changes nothing', async () => {
  await put('own-fields', { fields: [CHIP] });
  const before = await read('own-fields', root);
  const wrong: readonly [fields: unknown, ...paths: string[]][] = [
    [undefined, '/fields'],
    [{}, '/fields'],
    [[{}], '/fields/0/key', '/fields/0/type', '/fields/0/label', '/fields/0/isPublic'],
    [[{ ...CHIP, key: 'Chip' }], '/fields/0/key'],
    [[{ ...CHIP, key: 'x'.repeat(41) }], '/fields/0/key'],
    [[{ ...CHIP, type: 'boolean' }], '/fields/0/type'],
    [[{ ...CHIP, label: { en: 'Chip' } }], '/fields/0/label/de'],
    [[{ ...CHIP, label: { en: '', de: ' ' } }], '/fields/0/label/en', '/fields/0/label/de'],
    [[{ ...CHIP, isPublic: 'yes' }], '/fields/0/isPublic'],
    [[{ ...CHIP, choices: SIZE.choices }], '/fields/0/choices'],
    [[{ ...SIZE, choices: [{ value: 's' }, { value: ' s' }] }], '/fields/0/choices/1/value'],
    [[{ ...SIZE, choices: [{ value: 'x'.repeat(101) }] }], '/fields/0/choices/0/value'],
    [[{ ...SIZE, choices: Array.from({ length: 51 }, (_, index) => ({ value: `${index}` })) }], '/fields/0/choices'],
    [Array.from({ length: 51 }, (_, index) => ({ ...CHIP, key: `key${index}` })), '/fields'],
  ];
  for (const [fields, ...paths] of wrong) {
    const { errors, message } = assertRefused(await put('own-fields', { fields }), 400);
    assert.deepEqual(
      errors?.map(({ path }) => path),
      paths,
      message,
    );
  }
  assert.deepEqual(await read('own-fields', root), before);
});

void test('embedding: all sites at first, then those that an administrator chooses', async () => {
  const first = await read('embedding');
  assert.deepEqual([first.value, first.etag], [{ sites: 'all', origins: [] }, '"0"']);
  const sent = [
    ' https://www.Example.org/ ',
    'http://localhost:8080',
    'https://tierheim-münchen.de',
    'https://www.example.org',
  ];
  const stored = await put('embedding', { sites: 'listed', origins: sent }, { 'if-match': '"0"' });
  assert.equal(stored.status, 200, stored.text);
  const origins = ['https://www.example.org', 'http://localhost:8080', 'https://xn--tierheim-mnchen-8vb.de'];
  assert.deepEqual(await read('embedding'), {
    value: { sites: 'listed', origins },
    etag: '"1"',
    text: stored.text,
  });
  assertRefused(await put('embedding', { sites: 'none' }, { 'if-match': '"0"' }), 412);
  assert.equal((await call('GET', 'embedding', { headers: { 'if-none-match': '"1"' } })).status, 304);
  const { text } = await call('GET', 'admin/audit?action=embedding', { headers: root });
  assert.match(text, /^\[\{[^[\]]*"action":"embedding\.changed"[^[\]]*"details":\{"version":"1"\}\}\]$/);
});

void test('embedding: refuses what is not the origin of a website', async () => {
  const wrong = [
    'www.example.org',
    'https://www.example.org/pets',
    'https://www.example.org/?a=1',
    'https://www.example.org?',
    'https://www.example.org#',
    'https://root:secret@www.example.org',
    'https://*.example.org',
    // These would end the directive or the policy.
    "https://example.org;script-src'self'",
    'https://example.org,evil.example',
    'https://[::1]',
    'ftp://example.org',
    'file:///home',
    'data:text/html,x',
    'null',
    '*',
  ];
  const before = await read('embedding');
  const { errors, message } = assertRefused(await put('embedding', { sites: 'listed', origins: wrong }), 400);
  assert.deepEqual(
    errors?.map(({ path }) => path),
    wrong.map((_origin, index) => `/origins/${index}`),
  );
  assert.match(message, /must be the beginning of an address, such as https:\/\/www\.example\.org, without a path/);
  assertRefused(await put('embedding', { sites: 'listed' }), 400);
  assertRefused(await put('embedding', { sites: 'some' }), 400);
  assertRefused(await put('embedding', { sites: 'listed', origins: ['https://a.example\u0000'] }), 400);
  const many = Array.from({ length: 51 }, (_, index) => `https://a${index}.example`);
  assertRefused(await put('embedding', { sites: 'listed', origins: many }), 400);
  assert.deepEqual(await read('embedding'), before);
});
