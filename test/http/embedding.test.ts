import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { PAGE_PATHS } from '../../src/api/pages.ts';
import { EMBED_TOKENS } from '../../src/features/embedding/http/embed-styles.ts';
import { clientOf, type HttpResponse } from '../support/client.ts';
import { fileUpload } from '../support/multipart.ts';
import { makePhoto } from '../support/photos.ts';
import { createPlayground } from '../support/playgrounds.ts';
import { bearer, logIn, PASSWORDS, startSecuredService } from '../support/secured.ts';
import { startTestService } from '../support/service.ts';

/* The pages that websites of others show in a frame, and the script that adds the frames. */

const service = await startSecuredService({ after }, { web: true });
const { call, origin } = service;
const root = bearer(await logIn(call, 'root'));
const at = clientOf(origin);
const get = (path: string, headers: Record<string, string> = {}) => at('GET', path.slice(1), { headers });

const HOSTILE = `</h2><script>alert("1" & '2')</script><img src=x onerror=alert(3)>`;

async function addPet(id: number, name: string, { profile, ...pet }: Record<string, unknown>): Promise<void> {
  const json = { id, name, status: 'available', ...pet };
  assert.equal((await call('POST', 'pet', { headers: root, json })).status, 200);
  if (profile !== undefined) await call('PUT', `pet/${id}/profile`, { headers: root, json: profile });
}

const CAT = { species: 'cat', breedPrimary: 'Siamese', sex: 'female', medicalNote: 'a secret of staff' };
await addPet(1, 'Minka', { category: { id: 1, name: 'Cats' }, tags: [{ id: 1, name: 'calm' }], profile: CAT });
await addPet(2, 'Rex', { category: { id: 2, name: 'Dogs' }, profile: { species: 'dog' } });
await addPet(3, 'Draft', { profile: { species: 'cat', isPublished: false } });
await addPet(4, 'Gone', { status: 'sold' });
await addPet(5, HOSTILE, { category: { id: 3, name: HOSTILE }, tags: [{ id: 2, name: HOSTILE }] });
const upload = fileUpload(await makePhoto({ width: 900, height: 600 }));
await call('POST', 'pet/1/uploadImage', { ...upload, headers: { ...upload.headers, ...root } });

function namesIn({ text }: HttpResponse): readonly string[] {
  return [...text.matchAll(/<h2 dir="auto"><a [^>]*>([^<]*)<\/a>/g)].map(([, name = '']) => name);
}

function policyOf({ headers }: HttpResponse): Record<string, string> {
  const policy = headers.get('content-security-policy') ?? '';
  return Object.fromEntries(policy.split('; ').map((directive) => [directive.split(' ')[0], directive]));
}

function hashesOf(text: string, element: string): string {
  const [, content = ''] = new RegExp(`<${element}>(.*?)</${element}>`, 's').exec(text) ?? [];
  return `${element}-src 'sha256-${createHash('sha256').update(content).digest('base64')}'`;
}

async function allow(json: object): Promise<void> {
  assert.equal((await call('PUT', 'embedding', { headers: root, json })).status, 200);
}

void test('embedded pets: those that everyone sees, available ones by default', async () => {
  const all = await get('/embed/pets');
  assert.equal(all.status, 200);
  assert.deepEqual(namesIn(all).toSorted(), [escaped(HOSTILE), 'Minka', 'Rex'].toSorted());
  assert.deepEqual(namesIn(await get('/embed/pets?species=cat')), ['Minka']);
  assert.deepEqual(namesIn(await get('/embed/pets?category=Dogs&utm_source=x')), ['Rex']);
  assert.deepEqual(namesIn(await get('/embed/pets?status=sold')), ['Gone']);
  assert.equal(namesIn(await get('/embed/pets?limit=2')).length, 2);
  assert.equal(namesIn(await get('/embed/pets?limit=0&columns=99&theme=x&language=fr')).length, 3);
  const { text } = await get('/embed/pets?species=cat');
  assert.match(text, /<p>Siamese · female<\/p>\s*<p class="tags">calm<\/p>/);
  assert.match(text, /<img src="\/v2\/photo\/[0-9a-f]{64}\/medium" srcset="[^"]+" [^>]*alt="" loading="lazy">/);
  assert.match(text, /<a href="\/pets\/1" target="_blank" rel="noopener">Minka<\/a>/);
  assert.match(text, /<a href="\/\?species=cat" target="_blank" rel="noopener">Show all pets<\/a>/);
  for (const { text: page } of [all, await get('/embed/pets?status=any')])
    // The script below has a secret of the website around the frame.
    assert.doesNotMatch(page.replace(/<script>.*<\/script>/s, ''), /Draft|secret|https?:/);
});

void test('embedded pets: say in one sentence that there are none, or that something failed', async () => {
  const none = await get('/embed/pets?text=nothing-like-this&language=de');
  assert.deepEqual([none.status, namesIn(none)], [200, []]);
  assert.match(none.text, /<html lang="de">.*<p class="note">Keine Tiere gefunden\.<\/p>/s);
  const wrong = await get('/embed/pets?species=dragon');
  assert.deepEqual([wrong.status, wrong.headers.get('cache-control')], [400, 'no-store']);
  assert.match(wrong.text, /<p class="note">The pets cannot be shown at the moment\.<\/p>/);
  for (const id of ['3', '99', 'x', '%00', '..%2f'])
    assert.match((await get(`/embed/pets/${id}`)).text, /<p class="note">This pet is no longer listed\.<\/p>/, id);
  assert.deepEqual(namesIn(await get('/embed/pets/1')), ['Minka']);
  assert.match((await get('/embed/pets/4?language=de')).text, /<span class="status sold">Vermittelt<\/span>/);
});

void test('embedded pets: texts of users are escaped', async () => {
  await call('PUT', 'organisation', { headers: root, json: { name: HOSTILE, accentColour: '#7a3b8f' } });
  const query = new URLSearchParams({ text: HOSTILE, category: HOSTILE, tag: HOSTILE, language: HOSTILE });
  for (const path of ['/embed/pets', '/embed/pets/5', `/embed/pets?${query.toString()}`]) {
    const page = await get(path);
    assert.equal(page.text.match(/<script/g)?.length, 1, path);
    assert.equal(page.text.match(/onerror=/g)?.length, page.text.match(/&lt;img src=x onerror=/g)?.length, path);
    // Only the style and the script of the service may run.
    const { 'script-src': script, 'style-src': style } = policyOf(page);
    assert.deepEqual([script, style], [hashesOf(page.text, 'script'), hashesOf(page.text, 'style')]);
  }
  assert.match((await get('/embed/pets')).text, /:root:root\{--accent:light-dark\(#7a3b8f,#[0-9a-f]{6}\)/);
  await call('PUT', 'organisation', { headers: root, json: {} });
});

void test('embedded pets: no cookie is set or read, and credentials change nothing', async () => {
  const login = await at('POST', 'v2/user/login', { json: { username: 'root', password: PASSWORDS['root'] } });
  const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? assert.fail();
  for (const path of ['/embed/pets?species=cat', '/embed/pets/1', '/embed.js', '/embed/pets/3']) {
    const anonymous = await get(path);
    const known = await get(path, { cookie: `${cookie}; menagerie_language=de`, ...root });
    assert.equal(known.text, anonymous.text, path);
    for (const { headers } of [anonymous, known]) assert.equal(headers.get('set-cookie'), null);
  }
  assert.doesNotMatch((await get('/embed/pets')).headers.get('vary') ?? '', /cookie/i);
});

void test('embedded pets: hide drafts in open access as well, where everyone is staff', async (t) => {
  const open = await startTestService(t, { web: true, flags: ['--empty'] });
  const client = clientOf(open.base);
  await client('POST', 'pet', { json: { id: 3, name: 'Draft', status: 'available' } });
  await client('PUT', 'pet/3/profile', { json: { isPublished: false } });
  assert.deepEqual(namesIn(await client('GET', `${open.origin}/embed/pets`)), []);
  assert.equal((await client('GET', `${open.origin}/embed/pets/3`)).status, 404);
});

void test('embedded pets: themes, columns and languages', async () => {
  const styles = async (query: string) => /<style>([^<]*)/.exec((await get(`/embed/pets?${query}`)).text)?.[1] ?? '';
  assert.match(await styles(''), /^:root\{color-scheme:light dark;/);
  assert.match(await styles('theme=dark&columns=3'), /color-scheme:dark;.*--column:[^;]*- 2\*\.75rem\)\/3/);
  const german = await get('/embed/pets', { 'accept-language': 'de' });
  assert.match(german.text, /<html lang="de">.*weiblich.*Alle Tiere zeigen/s);
  assert.match((await get('/embed/pets?language=en', { 'accept-language': 'de' })).text, /<html lang="en">/);
  const tokens = await readFile(join(import.meta.dirname, '../../src/web/design/tokens.css'), 'utf8');
  for (const [token, value] of Object.entries(EMBED_TOKENS)) assert.ok(tokens.includes(`  ${token}: ${value};`), token);
});

void test('embedded pets: may be framed by the sites that an administrator chooses', async () => {
  const ancestors = async () => policyOf(await get('/embed/pets'))['frame-ancestors'];
  assert.equal(await ancestors(), undefined);
  await allow({ sites: 'none', origins: ['https://a.example'] });
  assert.equal(await ancestors(), "frame-ancestors 'self'");
  await allow({ sites: 'listed', origins: ['https://a.example', 'http://b.example:8080'] });
  assert.equal(await ancestors(), "frame-ancestors 'self' https://a.example http://b.example:8080");
  assert.equal(
    policyOf(await get('/embed/pets/1'))['frame-ancestors'],
    "frame-ancestors 'self' https://a.example http://b.example:8080",
  );
  await allow({ sites: 'all' });
  assert.deepEqual(Object.keys(policyOf(await get('/embed/pets'))), [
    'default-src',
    'script-src',
    'style-src',
    'img-src',
    'form-action',
    'base-uri',
  ]);
});

void test('all other addresses: no website may frame them', async () => {
  const pages = PAGE_PATHS.map((path) => path.replace('$petId', '1').replace(/\$\w+/, 'root'));
  const others = ['/docs', '/embed', '/embed/', '/embed/other', '/embed.js', '/nothing', '/feed.atom', '/feed.json'];
  const files = [
    '/robots.txt',
    '/sitemap.xml',
    '/manifest.webmanifest',
    '/llms.txt',
    '/livez',
    '/v2/pet/1',
    '/v2/pet/x',
  ];
  for (const accept of ['text/html', '*/*'])
    for (const path of [...pages, ...others, ...files]) {
      const response = await get(path, { accept });
      const policy = policyOf(response);
      assert.equal(policy['frame-ancestors'], "frame-ancestors 'none'", `${path} ${response.status}`);
      // Only the page with the preview may have frames itself.
      const hasPreview = path === '/admin/embedding';
      assert.equal(policy['frame-src'], hasPreview ? "frame-src 'self'" : undefined, path);
    }
});

void test('embedded pets: are cached for minutes, and revalidated', async () => {
  const first = await get('/embed/pets');
  assert.equal(first.headers.get('cache-control'), 'public, max-age=300');
  const etag = first.headers.get('etag') ?? '';
  const again = await get('/embed/pets', { 'if-none-match': etag });
  assert.deepEqual([again.status, again.headers.get('etag'), again.text], [304, etag, '']);
  assert.equal(again.headers.get('content-security-policy'), first.headers.get('content-security-policy'));
  // A browser that has the page gets the policy as well.
  await allow({ sites: 'none' });
  assert.equal((await get('/embed/pets', { 'if-none-match': etag })).status, 200);
  await allow({ sites: 'all' });
  const head = await at('HEAD', 'embed/pets');
  assert.deepEqual([head.status, head.text], [200, '']);
});

void test('embed.js: pages of all origins may load it', async () => {
  const script = await get('/embed.js', { origin: 'https://shelter.example' });
  assert.match(script.headers.get('content-type') ?? '', /^text\/javascript/);
  assert.equal(script.headers.get('cross-origin-resource-policy'), 'cross-origin');
  assert.equal(script.headers.get('access-control-allow-origin'), '*');
  const etag = script.headers.get('etag') ?? '';
  assert.equal((await get('/embed.js', { 'if-none-match': etag })).status, 304);
});

void test('embedded pets: in a playground and below a path, links have its path', async (t) => {
  const { base } = await createPlayground(call, { contents: 'empty' }, root);
  const playground = clientOf(base.replace(/\/v2$/, ''));
  const path = new URL(base).pathname.replace(/\/v2$/, '');
  await clientOf(base)('POST', 'pet', { json: { id: 8, name: 'Ada', status: 'available' } });
  const { text } = await playground('GET', 'embed/pets');
  assert.match(text, new RegExp(`<a href="${path}/pets/8" .*<a href="${path}/" `, 's'));
  const below = await startSecuredService(t, { web: true, flags: ['--public-url', 'https://example.org/zoo'] });
  const headers = bearer(await logIn(below.call, 'root'));
  await below.call('POST', 'pet', { headers, json: { id: 9, name: 'Bo', status: 'available' } });
  for (const prefix of ['', '/zoo'])
    assert.match(
      (await below.call('GET', `${below.origin}${prefix}/embed/pets`)).text,
      /<a href="\/zoo\/pets\/9" .*<a href="\/zoo\/" /s,
    );
});

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
