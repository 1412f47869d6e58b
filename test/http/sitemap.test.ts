import assert from 'node:assert/strict';
import { after, before, describe, it, test } from 'node:test';
import { XMLParser } from 'fast-xml-parser';
import { callAs, clientOf, type HttpResponse } from '../support/client.ts';
import { fileUpload } from '../support/multipart.ts';
import { makePhoto } from '../support/photos.ts';
import { bearer, logIn, startSecuredService } from '../support/secured.ts';
import { startTestService } from '../support/service.ts';

/* The sitemap, and the other files for crawlers. */

interface Entry {
  loc: string;
  lastmod?: string;
  'image:image'?: { 'image:loc': string };
}

const parser = new XMLParser({ parseTagValue: false, isArray: (name) => name === 'url' || name === 'sitemap' });

function filesIn({ text }: HttpResponse): readonly Entry[] {
  return (parser.parse(text) as { sitemapindex: { sitemap: Entry[] } }).sitemapindex.sitemap;
}

function entriesIn({ text }: HttpResponse): readonly Entry[] {
  return (parser.parse(text) as { urlset: { url: Entry[] } }).urlset.url;
}

const tagOf = (response: HttpResponse) => response.headers.get('etag') ?? assert.fail('no entity tag');

const service = await startTestService({ after }, { web: true });
const { origin, base } = service;
const call = clientOf(base);
const get = (path: string, headers: Record<string, string> = {}) => call('GET', origin + path, { headers });

async function listedUrls(): Promise<readonly string[]> {
  return entriesIn(await get('/sitemap-1.xml')).map(({ loc }) => loc);
}

void describe('sitemap', () => {
  before(async () => {
    for (const [id, status] of [
      [1, 'available'],
      [2, 'sold'],
      [3, 'pending'],
      [5, undefined],
    ])
      await call('POST', 'pet', { json: { id, name: `Pet ${id}`, status } });
    await call('POST', 'pet/3/uploadImage', fileUpload(await makePhoto()));
  });

  void it('index: refers to a file, with the time of the last change', async () => {
    const index = await get('/sitemap.xml');
    assert.equal(index.status, 200);
    assert.equal(index.headers.get('content-type'), 'application/xml; charset=utf-8');
    const [file, ...others] = filesIn(index);
    assert.equal(file?.loc, `${origin}/sitemap-1.xml`);
    assert.equal(others.length, 0);
    assert.ok(Math.abs(Date.parse(file.lastmod ?? '') - Date.now()) < 3_600_000);
  });

  void it('file: the catalogue and all pets except adopted ones, with their first photo', async () => {
    const entries = entriesIn(await get('/sitemap-1.xml'));
    assert.deepEqual(
      entries.map(({ loc }) => loc),
      [`${origin}/`, ...[1, 3, 5].map((id) => `${origin}/pets/${id}`)],
    );
    for (const { loc, lastmod } of entries.slice(1)) assert.match(lastmod ?? '', /^\d{4}-\d\d-\d\dT[\d:.]+Z$/, loc);
    const photos = entries.map((entry) => entry['image:image']?.['image:loc']);
    assert.deepEqual(
      photos.map((photo) => photo !== undefined),
      [false, false, true, false],
    );
    assert.equal((await call('GET', photos[2] ?? '')).status, 200);
    for (const { loc } of entries)
      assert.equal((await call('GET', loc, { headers: { accept: 'text/html' } })).status, 200);
  });

  void it('conditional requests: 304 until a pet changes', async () => {
    for (const path of ['/sitemap.xml', '/sitemap-1.xml']) {
      const before = tagOf(await get(path));
      const unchanged = await get(path, { 'if-none-match': before });
      assert.deepEqual([unchanged.status, unchanged.text, tagOf(unchanged)], [304, '', before]);
      await call('PATCH', 'pet/5', { json: { name: `Pet 5 ${path}` } });
      const changed = await get(path, { 'if-none-match': before });
      assert.equal(changed.status, 200);
      await call('PATCH', 'pet/2', { json: { name: `Pet 2 ${path}` } });
      assert.equal((await get(path, { 'if-none-match': tagOf(changed) })).status, 304, 'an adopted pet is not listed');
      await call('PATCH', 'pet/5', { json: { status: 'sold' } });
      assert.notEqual(tagOf(await get(path)), tagOf(changed));
      await call('PATCH', 'pet/5', { json: { status: 'pending' } });
    }
  });

  void it('drafts: not listed until they are published', async () => {
    await call('PATCH', 'pet/1/profile', { json: { isPublished: false } });
    assert.ok(!(await listedUrls()).includes(`${origin}/pets/1`));
    await call('PATCH', 'pet/1/profile', { json: { isPublished: true } });
    assert.ok((await listedUrls()).includes(`${origin}/pets/1`));
  });

  void it('HEAD: the headers only', async () => {
    for (const path of ['/sitemap.xml', '/sitemap-1.xml']) {
      const head = await call('HEAD', origin + path);
      assert.deepEqual([head.status, head.text, tagOf(head)], [200, '', tagOf(await get(path))]);
    }
  });

  void it('files that do not exist: 404', async () => {
    for (const path of ['/sitemap-0.xml', '/sitemap-2.xml', '/sitemap-x.xml', '/sitemap-1.xmlx', '/sitemap-.xml'])
      assert.equal((await get(path)).status, 404, path);
  });

  void it('without pets: has the catalogue', async (t) => {
    const empty = await startTestService(t, { web: true });
    const [file] = filesIn(await call('GET', `${empty.origin}/sitemap.xml`));
    assert.deepEqual(file, { loc: `${empty.origin}/sitemap-1.xml` });
    assert.deepEqual(entriesIn(await call('GET', file.loc)), [{ loc: `${empty.origin}/` }]);
  });

  void it('large: several files, each pet once, and none above 50 MB', async (t) => {
    // The longer the addresses, the fewer fit into a file.
    const path = `/${'zoo/'.repeat(2000)}pets`;
    const flags = ['--empty', '--public-url', `http://127.0.0.1${path}`];
    const there = await startTestService(t, { web: true, flags });
    const count = 7000;
    const lines = Array.from({ length: count }, (_, at) => `{"op":"create","pet":{"name":"Pet ${at + 1}"}}`);
    const headers = { 'content-type': 'application/x-ndjson' };
    await clientOf(there.base)('POST', 'bulk', { body: Buffer.from(lines.join('\n')), headers });
    const read = (url: string) => callAs(there.origin, 'GET', url.slice(url.lastIndexOf('/') + 1));
    const files = filesIn(await read('/sitemap.xml'));
    assert.ok(files.length > 2 && files.length < 5, `${files.length}`);
    const ids: number[] = [];
    for (const { loc } of files) {
      const file = await read(loc);
      assert.ok(file.bytes.length < 50 * 1024 * 1024);
      ids.push(...entriesIn(file).flatMap((entry) => Number(/\/pets\/(\d+)$/.exec(entry.loc)?.[1] ?? []) || []));
    }
    assert.deepEqual(
      ids,
      Array.from({ length: count }, (_, at) => at + 1),
    );
  });
});

void describe('robots.txt', () => {
  void it('names the sitemap, and allows what pages need', async () => {
    const { status, headers, text } = await get('/robots.txt');
    assert.deepEqual([status, headers.get('content-type')], [200, 'text/plain; charset=utf-8']);
    assert.match(text, /^User-agent: \*\nAllow: \/v2\/photo\/\n/);
    assert.ok(text.endsWith(`\n\nSitemap: ${origin}/sitemap.xml\n`));
    for (const path of ['/v2/', '/admin/', '/account', '/*?*&'])
      assert.ok(text.includes(`\nDisallow: ${path}\n`), path);
  });

  void it('has the path of the public URL', async (t) => {
    const flags = ['--empty', '--public-url', 'http://127.0.0.1/zoo'];
    const there = await startTestService(t, { web: true, flags });
    const { text } = await callAs(there.origin, 'GET', 'robots.txt');
    assert.match(text, /\nDisallow: \/zoo\/v2\/\n/);
    assert.match(text, /\nSitemap: http:\/\/127\.0\.0\.1\/zoo\/sitemap\.xml\n/);
    for (const [, path] of text.matchAll(/^(?:Allow|Disallow): (.*)$/gm)) assert.match(path ?? '', /^\/zoo\//);
  });

  void it('sandbox access: forbids everything', async (t) => {
    const there = await startTestService(t, { web: true, flags: ['--empty', '--access', 'sandbox'] });
    assert.equal((await callAs(there.origin, 'GET', 'robots.txt')).text, 'User-agent: *\nDisallow: /\n');
  });
});

void describe('security.txt', () => {
  void it('does not exist without a contact', async () => {
    assert.equal((await get('/.well-known/security.txt')).status, 404);
  });

  void it('has the contact, and expires within a year', async (t) => {
    const flags = ['--empty', '--security-contact', 'security@pets.example', '--public-url', 'http://127.0.0.1'];
    const there = await startTestService(t, { flags });
    const { status, headers, text } = await callAs(there.origin, 'GET', '.well-known/security.txt');
    assert.deepEqual([status, headers.get('content-type')], [200, 'text/plain; charset=utf-8']);
    const fields = new Map(
      text
        .trimEnd()
        .split('\n')
        .map((line) => line.split(': ') as [string, string]),
    );
    assert.deepEqual([...fields.keys()], ['Contact', 'Expires', 'Canonical']);
    assert.equal(fields.get('Contact'), 'mailto:security@pets.example');
    assert.equal(fields.get('Canonical'), 'http://127.0.0.1/.well-known/security.txt');
    assert.match(fields.get('Expires') ?? '', /^\d{4}-\d\d-\d\dT00:00:00Z$/);
    const days = (Date.parse(fields.get('Expires') ?? '') - Date.now()) / 86_400_000;
    assert.ok(days > 100 && days < 365, `${days}`);
  });
});

void test('sitemap and search engines: have the page of an organisation that says something about itself', async (t) => {
  const secured = await startSecuredService(t, { web: true });
  const headers = bearer(await logIn(secured.call, 'root'));
  const read = (path: string) => secured.call('GET', secured.origin + path);
  const urls = async () => entriesIn(await read('/sitemap-1.xml')).map(({ loc }) => loc);
  const before = tagOf(await read('/sitemap-1.xml'));
  assert.deepEqual(await urls(), [`${secured.origin}/`]);
  assert.match((await read('/about')).text, /<meta name="robots" content="noindex">/);
  const json = { name: 'Happy Paws', about: 'We have pets.' };
  const stored = await secured.call('PUT', 'organisation', { headers, json });
  assert.equal(stored.status, 200, stored.text);
  assert.deepEqual(await urls(), [`${secured.origin}/`, `${secured.origin}/about`]);
  assert.notEqual(tagOf(await read('/sitemap-1.xml')), before);
  const { text } = await read('/about');
  assert.doesNotMatch(text, /noindex/);
  assert.match(text, new RegExp(`<link rel="canonical" href="${secured.origin}/about">`));
  assert.match(text, /<title>About us - Happy Paws<\/title>/);
});
