import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { bearer, logIn, startSecuredService } from '../support/secured.ts';
import { chunkOf } from '../web/support/chunk-files.ts';

/*
 * Breeds and colours that were entered in English are German on German pages. The API has what was entered.
 */

const { call, origin } = await startSecuredService({ after }, { web: true });
const headers = bearer(await logIn(call, 'root'));

const PROFILE = {
  species: 'cat',
  breedPrimary: 'Persian',
  breedIsMixed: true,
  colours: ['Black', 'Salt and pepper', 'Lakritz'],
  pattern: 'Tortoiseshell',
};

const { text } = await call('POST', 'pet', { headers, json: { name: 'Minka', status: 'available' } });
const id = /"id":(\d+)/.exec(text)?.[1] ?? assert.fail(text);
await call('PUT', `pet/${id}/profile`, { headers, json: PROFILE });

async function page(path: string, language: string): Promise<string> {
  const response = await fetch(`${origin}${path}`, { headers: { accept: 'text/html', 'accept-language': language } });
  assert.equal(response.status, 200, path);
  return response.text();
}

void test('German words: on the page of a pet, before any script runs', async () => {
  const german = await page(`/pets/${id}`, 'de');
  const facts = [...german.matchAll(/<dt[^>]*>([^<]*)<\/dt><dd[^>]*>([^<]*)</g)].map(([, ...fact]) => fact.join(': '));
  assert.ok(facts.includes('Rasse: Perser-Mischling'), facts.join());
  assert.ok(facts.includes('Farben: Schwarz, Pfeffer-Salz und Lakritz'), facts.join());
  assert.ok(facts.includes('Zeichnung: Schildpatt'), facts.join());
  const english = await page(`/pets/${id}`, 'en');
  for (const word of ['Persian mix', 'Black, Salt and pepper, and Lakritz', 'Tortoiseshell'])
    assert.ok(english.includes(`>${word}<`), word);
});

void test('German words: in cards, descriptions, structured data and frames of other websites', async () => {
  assert.match(await page('/', 'de'), /<main[^>]*>.*Perser-Mischling.*<\/main>/s);
  const german = await page(`/pets/${id}`, 'de');
  assert.match(german, /<meta name="description" content="Minka sucht ein Zuhause. Perser-Mischling/);
  assert.match(german, /"color":"Schwarz, Pfeffer-Salz, Lakritz"/);
  assert.match(german, /"name":"breed","value":"Perser"/);
  assert.match(await page('/embed/pets?language=de', 'en'), /Perser-Mischling/);
  assert.match(await page('/embed/pets?language=en', 'de'), /Persian mix/);
});

void test('German words: the page preloads them, and English pages do not', async () => {
  const words = await chunkOf('german-words.ts');
  assert.ok((await page('/', 'de')).includes(`<link rel="modulepreload" crossorigin="" href="/${words}">`));
  assert.ok(!(await page('/', 'en')).includes(words));
});

void test('German words: the API has what was entered, in every language', async () => {
  const german = { 'accept-language': 'de' };
  const profile = await call('GET', `pet/${id}/profile`, { headers: german });
  assert.deepEqual(JSON.parse(profile.text), PROFILE);
  assert.match((await call('GET', 'facets', { headers: german })).text, /"name":"Persian"/);
});
