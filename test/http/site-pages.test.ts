import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, test } from 'node:test';
import { BOOTSTRAP_ID, type Bootstrap } from '../../src/api/web/bootstrap.ts';
import { clientOf } from '../support/client.ts';
import { fileUpload } from '../support/multipart.ts';
import { makePhoto } from '../support/photos.ts';
import { bearer, logIn, startSecuredService } from '../support/secured.ts';

/* What the pages of the web application show of the organisation, before any script runs. */

const service = await startSecuredService({ after }, { web: true });
const { call } = service;
const headers = bearer(await logIn(call, 'root'));
const at = clientOf(service.origin);
const get = (path: string) => at('GET', path.slice(1), { headers: { accept: 'text/html', 'accept-language': 'en' } });

function bootstrapIn(html: string): Bootstrap {
  const [, text = ''] =
    new RegExp(`<script type="application/json" id="${BOOTSTRAP_ID}">([^<]*)</script>`).exec(html) ?? [];
  return JSON.parse(text) as Bootstrap;
}

const WHOLE = {
  name: 'Paws & "Claws" </title>',
  accentColour: '#7a3b8f',
  about: 'First paragraph,\nsecond line.\n\n<script>alert(1)</script>',
  contact: {
    telephone: '+49 (30) 123-4567',
    email: 'office@example.org',
    website: 'https://example.org/',
    openingHours: 'Mon 10-16',
  },
  adoptionSteps: ['Call us', 'Visit us'],
  locations: [{ name: 'Am See', address: 'Am See 1', place: 'Berlin' }],
};

void test('pages of a site without a name: have that of the software', async () => {
  const { text, headers: sent } = await get('/about');
  assert.match(text, /<title>About us - Menagerie<\/title>/);
  assert.deepEqual(bootstrapIn(text).site, { name: 'Menagerie' });
  assert.doesNotMatch(text, /<style>/);
  assert.match(sent.get('content-security-policy') ?? '', /style-src 'self';/);
  assert.equal((JSON.parse((await get('/manifest.webmanifest')).text) as { name: string }).name, 'Menagerie');
});

void test('pages of a site: have its name, logo, contact and accent colour', async () => {
  const { text: pet } = await call('POST', 'pet', { headers, json: { name: 'Luna', status: 'available' } });
  const { id } = JSON.parse(pet) as { id: number };
  await call('PUT', 'organisation', { headers, json: WHOLE });
  const upload = fileUpload(await makePhoto({ width: 640, height: 320 }));
  await call('PUT', 'organisation/logo', { ...upload, headers: { ...upload.headers, ...headers } });

  const { text, headers: sent } = await get(`/pets/${id}`);
  assert.match(text, /<title>Luna - Paws &amp; &quot;Claws&quot; &lt;\/title&gt;<\/title>/);
  const { site } = bootstrapIn(text);
  assert.equal(site.name, WHOLE.name);
  assert.deepEqual([site.contact, site.isDescribed, site.logo?.width], [WHOLE.contact, true, 320]);
  assert.equal((await at('GET', (site.logo?.src ?? '').slice(1))).status, 200);
  assert.match(text, new RegExp(`<header[^>]*>.*<img src="${site.logo?.src}".*Paws &amp; .*</header>`, 's'));
  assert.match(text, /<a [^>]*href="\/about#contact">Contact the shelter<\/a>/);
  const [, styles = ''] = /<style>([^<]*)<\/style>/.exec(text) ?? [];
  assert.match(styles, /^:root:root\{--accent:light-dark\(#7a3b8f,#[0-9a-f]{6}\);/);
  const digest = createHash('sha256').update(styles).digest('base64');
  assert.ok(sent.get('content-security-policy')?.includes(`style-src 'self' 'sha256-${digest}'`));

  const manifest = await get('/manifest.webmanifest');
  assert.equal((JSON.parse(manifest.text) as { name: string }).name, WHOLE.name);
  const etag = manifest.headers.get('etag') ?? '';
  await call('PUT', 'organisation', { headers, json: { ...WHOLE, name: 'Other' } });
  const again = await at('GET', 'manifest.webmanifest', { headers: { 'if-none-match': etag } });
  assert.equal(again.status, 200, 'a new name is a new manifest');
});

async function addPet(status: string): Promise<number> {
  const { text } = await call('POST', 'pet', { headers, json: { name: 'Rex', status } });
  return (JSON.parse(text) as { id: number }).id;
}

void test('page of a pet: links to the form for enquiries while it is open, unless the pet is adopted', async () => {
  const [free, adopted] = [await addPet('available'), await addPet('sold')];
  const link = new RegExp(`<a [^>]*href="/pets/${free}/enquire"[^>]*>Ask about this pet</a>`);
  for (const enabled of [true, false]) {
    const { status } = await call('PUT', 'enquiry-settings', { headers, json: { enabled } });
    assert.equal(status, 200);
    const { text } = await get(`/pets/${free}`);
    assert.equal(link.test(text), enabled);
    assert.deepEqual(bootstrapIn(text).site.features, enabled ? ['enquiries'] : undefined);
    assert.doesNotMatch((await get(`/pets/${adopted}`)).text, /\/enquire"/);
  }
});

void test('page of the organisation: readable without scripts', async () => {
  await call('PUT', 'organisation', { headers, json: WHOLE });
  const { text, status } = await get('/about');
  assert.equal(status, 200);
  const [, main = ''] = /<main[^>]*>(.*)<\/main>/s.exec(text) ?? [];
  for (const part of [
    'First paragraph,<br>\nsecond line.',
    '&lt;script&gt;',
    'href="tel:+49301234567"',
    'href="mailto:office@example.org"',
    'href="https://example.org/"',
    'Mon 10-16',
    'Call us',
    'Visit us',
    'Am See 1',
    'Berlin',
  ])
    assert.ok(main.includes(part), part);
  assert.ok('/v2/organisation' in bootstrapIn(text).responses);
  const german = await at('GET', 'about', {
    headers: { accept: 'text/html', 'accept-language': 'de' },
  });
  assert.match(german.text, /Über uns.*Öffnungszeiten/s);
});

async function readPage(page: Promise<{ text: string }>) {
  const { text } = await page;
  return { text, ownFields: bootstrapIn(text).responses['/v2/own-fields'] };
}

void test('page of a pet: has the definitions and values of own fields that its reader may see', async () => {
  const label = { en: 'Toy', de: 'Spielzeug' };
  const fields = [
    { key: 'toy', type: 'text', label, isPublic: true },
    { key: 'donor', type: 'text', label: { en: 'Given up by', de: 'Abgegeben von' }, isPublic: false },
  ];
  assert.equal((await call('PUT', 'own-fields', { headers, json: { fields } })).status, 200);
  const { text: pet } = await call('POST', 'pet', { headers, json: { name: 'Nala', status: 'available' } });
  const { id } = JSON.parse(pet) as { id: number };
  const profile = { own: { toy: 'A ball', donor: 'Ms Smith' } };
  assert.equal((await call('PUT', `pet/${id}/profile`, { headers, json: profile })).status, 200);

  const anonymous = await readPage(get(`/pets/${id}`));
  const { text, headers: sent } = await call('GET', 'own-fields');
  assert.deepEqual(anonymous.ownFields, { text, etag: sent.get('etag') });
  assert.match(anonymous.text, /<dt[^>]*>Toy<\/dt><dd[^>]*>A ball<\/dd>/);
  assert.doesNotMatch(anonymous.text, /donor|Given up by|Ms Smith/);

  const staff = await readPage(at('GET', `pets/${id}`, { headers: { ...headers, accept: 'text/html' } }));
  assert.equal(staff.ownFields?.text, (await call('GET', 'own-fields', { headers })).text);
  // Private facts are shown by code for staff, which is loaded after the page.
  assert.match(staff.text, /Ms Smith/);
});

void test('pages of a site: what is not asked in its country is not shown, and stays stored', async () => {
  const id = await addPet('available');
  const profile = { species: 'cat', isDeclawed: true, isAltered: true };
  await call('PUT', `pet/${id}/profile`, { headers, json: profile });
  const shown = async (country: string) => {
    await call('PUT', 'organisation', { headers, json: { country } });
    const { text } = await get(`/pets/${id}`);
    return { text, site: bootstrapIn(text).site };
  };
  const german = await shown('DE');
  assert.deepEqual(german.site.unasked, ['isDeclawed']);
  assert.equal(german.site.isDescribed, undefined, 'a country alone fills no page');
  assert.match(german.text, /<dt[^>]*>Spayed or neutered</);
  assert.doesNotMatch(german.text, /<dt[^>]*>Declawed</);
  const american = await shown('US');
  assert.equal(american.site.unasked, undefined);
  assert.match(american.text, /<dt[^>]*>Declawed</);
  await shown('DE');
  assert.deepEqual(JSON.parse((await call('GET', `pet/${id}/profile`)).text), profile);
});

async function aboutIn(language: string): Promise<string> {
  const { text } = await at('GET', 'about', { headers: { accept: 'text/html', 'accept-language': language } });
  return text;
}

void test('pages of a site: its texts in the language of the page, or marked as being in the other one', async () => {
  const json = {
    about: 'Hello',
    adoptionSteps: ['Call us'],
    contact: { openingHours: 'Mon to Fri' },
    language: 'en',
    translations: { de: { about: 'Hallo', openingHours: 'Mo bis Fr' } },
  };
  await call('PUT', 'organisation', { headers, json });
  const german = await aboutIn('de');
  assert.match(german, /<div><p>Hallo<\/p>/);
  assert.match(german, /<ol lang="en"><li>Call us</);
  assert.match(german, /<span>\s*Mo bis Fr</);
  const english = await aboutIn('en');
  assert.match(english, /<div><p>Hello<\/p>/);
  assert.match(english, /<ol><li>Call us</);
  assert.match(english, /<span>\s*Mon to Fri</);
  // Only in the other language.
  await call('PUT', 'organisation', { headers, json: { language: 'en', translations: { de: { about: 'Hallo' } } } });
  assert.match(await aboutIn('en'), /<div lang="de"><p>Hallo<\/p>/);
  // As earlier versions stored it: nothing says in which language.
  await call('PUT', 'organisation', { headers, json: { about: 'Hallo' } });
  for (const language of ['de', 'en']) assert.match(await aboutIn(language), /<div><p>Hallo<\/p>/, language);
});
