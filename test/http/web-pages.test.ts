import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Bootstrap } from '../../src/api/web/bootstrap.ts';
import { RESET_PATH } from '../../src/api/records/account.ts';
import { PAGE_PATHS, PAGES } from '../../src/api/pages.ts';
import { textChunks } from '../../src/http/web/page-chunks.ts';
import type { WebBuild } from '../../src/http/web/web-build.ts';
import { readWebBuild } from '../../src/server/web/web-build.ts';
import { callAs, clientOf, type HttpResponse } from '../support/client.ts';
import { fileUpload } from '../support/multipart.ts';
import { makePhoto } from '../support/photos.ts';
import { bearer, logIn, PASSWORDS, startSecuredService } from '../support/secured.ts';
import type { Lifetime } from '../support/lifetime.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { ensureWebBuilt } from '../support/web-build.ts';

const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const NASTY = '</script><img src=x onerror=alert(1)>\u2028&"';

const service = await startTestService({ after }, { web: true });
const { origin, base } = service;
const interfaceCall = clientOf(base);
const visit = (
  path: string,
  headers: Readonly<Record<string, string>> = BROWSER,
  method = 'GET',
): Promise<HttpResponse> => callAs(origin, method, path.slice(1), { headers });

async function titleOf(headers: Readonly<Record<string, string>>) {
  const { text, headers: sent } = await visit('/', { ...BROWSER, ...headers });
  assert.match(sent.get('vary') ?? '', /Accept-Language, Cookie/);
  return [/<html lang="(\w+)">/.exec(text)?.[1], /<h1 [^>]*>([^<]+)</.exec(text)?.[1]];
}

function bootstrapIn({ text }: HttpResponse): Bootstrap {
  const [, json = ''] = /<script type="application\/json" id="bootstrap">(.*?)<\/script>/.exec(text) ?? [];
  return JSON.parse(json) as Bootstrap;
}

const cookie = (value: string) => ({ ...BROWSER, cookie: `menagerie_session=${value}` });
const photos = ({ text }: HttpResponse) => text.match(/<img [^>]*>/g) ?? [];
const policyOf = ({ headers }: HttpResponse) => headers.get('content-security-policy') ?? '';

before(async () => {
  await interfaceCall('POST', 'pet', { json: { id: 1, name: 'Rex', category: { name: 'Dogs' }, tags: ['calm'] } });
  await interfaceCall('POST', 'pet/1/uploadImage', fileUpload(await makePhoto()));
  await interfaceCall('POST', 'pet', { json: { id: 2, name: NASTY, tags: [{ name: NASTY }] } });
});

void describe('pages', () => {
  for (const path of PAGE_PATHS.map((each) => each.replace('$petId', '1').replace('$username', 'ada')))
    void it(`${path}: exists`, async () => {
      const { status, headers } = await visit(path);
      assert.equal(status, 200);
      assert.equal(headers.get('content-type'), 'text/html; charset=utf-8');
      assert.equal(headers.get('cache-control'), path === RESET_PATH ? 'no-store' : 'private, no-cache');
      assert.equal(headers.get('referrer-policy'), path === RESET_PATH ? 'no-referrer' : 'same-origin');
    });

  for (const path of [
    '/pets/987',
    '/pets/987/edit',
    '/pets/rex',
    '/pets/rex/history',
    '/pets/99999999999999999999',
    '/nothing',
  ])
    void it(`${path}: unknown, reported by the application`, async () => {
      const response = await visit(path);
      assert.equal(response.status, 404);
      assert.equal(bootstrapIn(response).access, 'open');
      assert.deepEqual(bootstrapIn(response).responses, {});
    });

  void it('pet history: a page for deleted and unknown pets as well', async () => {
    const { status } = await visit('/pets/987/history');
    assert.equal(status, 200);
  });

  const notPages = ['/v2/nothing', '/docs/nothing', '/assets/nothing.js', '/v2', '/livez?x'];
  for (const path of notPages)
    void it(`${path}: not a page of the application`, async () => {
      const { headers } = await visit(path);
      assert.equal(headers.get('content-type'), 'application/json');
    });

  void it('API responses: unchanged for programs', async () => {
    for (const accept of ['application/json', 'application/json, text/plain, */*', 'application/problem+json']) {
      const front = await visit('/', { accept });
      assert.match(front.text, /"message":"Menagerie /);
      for (const path of ['/dashboard', '/nothing', '/pets/1']) {
        const { status, headers } = await visit(path, { accept });
        assert.equal(status, 404);
        assert.match(headers.get('content-type') ?? '', /^application\/(?:problem\+)?json$/);
      }
    }
    const unknown = await visit('/nothing', {});
    assert.equal(unknown.headers.get('content-type'), 'application/json');
    const written = await visit('/dashboard', BROWSER, 'POST');
    assert.equal(written.status, 404);
    assert.equal(written.headers.get('content-type'), 'application/json');
  });

  void it('page: sent to clients that accept anything', async () => {
    assert.match((await visit('/', {})).text, /^<!doctype html>/);
    assert.match((await visit('/dashboard', { accept: '*/*' })).text, /^<!doctype html>/);
  });

  void it('page: HEAD has the headers only', async () => {
    for (const path of ['/', '/pets/1', '/nothing']) {
      const head = await visit(path, BROWSER, 'HEAD');
      const { status, headers } = await visit(path);
      assert.equal(head.status, status);
      assert.equal(head.text, '');
      assert.equal(head.headers.get('content-length'), headers.get('content-length'));
    }
  });

  void it('page: compressed if the client accepts it, with the same content', async () => {
    for (const encoding of ['br', 'gzip'] as const) {
      const response = await fetch(`${origin}/pets/1`, { headers: { ...BROWSER, 'accept-encoding': encoding } });
      assert.equal(response.headers.get('content-encoding'), encoding);
      assert.match(response.headers.get('vary') ?? '', /Accept, Accept-Encoding/);
      assert.match(await response.text(), /<title>Rex - Menagerie<\/title>/);
    }
    assert.equal((await visit('/pets/1')).headers.get('content-encoding'), null);
  });

  void it('page in open access: for this machine only', async () => {
    assert.equal((await visit('/', { ...BROWSER, host: 'evil.example' })).status, 403);
  });
});

void describe('pet with the longest possible lists', () => {
  const tags = Array.from({ length: 100 }, (_, place) => ({ name: `${place} ${'x'.repeat(250)}` }));
  const photoUrls = Array.from(
    { length: 100 },
    (_, place) => `https://pets.example/${place}${'\u{1f43e}'.repeat(900)}`,
  );

  before(() => interfaceCall('POST', 'pet', { json: { id: 3, name: 'Longest', tags, photoUrls } }));
  after(() => interfaceCall('DELETE', 'pet/3'));

  void it('is not included in a page, whose description has the part that fits', async () => {
    const page = await visit('/pets/3');
    assert.equal(page.status, 200);
    assert.match(page.text, /<title>Longest - Menagerie<\/title>/);
    assert.match(page.text, /<meta name="description" content="Longest\. 0 x[^"]{280,300}\.\.\.">/);
    assert.deepEqual(Object.keys(bootstrapIn(page).responses), ['/v2/pet/3/profile']);
    const front = Object.keys(bootstrapIn(await visit('/')).responses);
    assert.deepEqual(
      front.map((path) => path.replace(/\?.*/, '')),
      ['/v2/facets'],
    );
  });
});

void describe('content security policy', () => {
  void it('allows own scripts and styles only', async () => {
    for (const path of ['/', '/pets/1', '/nothing']) {
      const policy = policyOf(await visit(path));
      assert.match(policy, /^default-src 'none'; /);
      assert.match(policy, /; style-src 'self'; /);
      assert.doesNotMatch(policy, /unsafe|\*|https?:/);
    }
  });

  void it('allows the inline script by its hash', async () => {
    const response = await visit('/');
    const inline = [...response.text.matchAll(/<script>(.*?)<\/script>/gs)].map(([, source]) => source ?? '');
    assert.equal(inline.length, 1);
    const digest = await crypto.subtle.digest('SHA-256', Buffer.from(inline[0] ?? ''));
    assert.ok(policyOf(response).includes(`script-src 'self' 'sha256-${Buffer.from(digest).toString('base64')}';`));
  });

  void it('allows photos from a configured origin', async (t) => {
    const elsewhere = await startTestService(t, {
      web: true,
      flags: ['--empty', '--public-url', 'https://pets.example/in'],
    });
    const response = await interfaceCall('GET', `${elsewhere.origin}/`, { headers: BROWSER });
    assert.match(policyOf(response), /img-src 'self' data: blob: https:\/\/pets\.example;/);
  });
});

function startAt(t: Lifetime, url: string): Promise<TestService> {
  return startTestService(t, { web: true, flags: ['--empty', '--public-url', url] });
}

void describe('path of the public URL', () => {
  const publicUrl = 'http://127.0.0.1/zoo';

  void it('precedes every address of a page and of the manifest', async (t) => {
    const { origin: there, base: api } = await startAt(t, publicUrl);
    const get = (path: string) => callAs(there, 'GET', path, { headers: { ...BROWSER, 'accept-language': 'de' } });
    await clientOf(api)('POST', 'pet', { json: { id: 1, name: 'Rex', category: { name: 'Dogs' } } });
    await clientOf(api)('POST', 'pet/1/uploadImage', fileUpload(await makePhoto()));
    for (const path of ['', 'pets/1', 'login']) {
      const page = await get(path);
      const addresses = [...page.text.matchAll(/ (?:href|src|srcset)="([^"#][^" ]*)/g)].map(([, each = '']) => each);
      assert.ok(addresses.length > 5, path);
      // The canonical address is absolute.
      for (const address of addresses) assert.match(address, /^(?:http:\/\/127\.0\.0\.1)?\/zoo\//, path);
      for (const address of addresses.filter((each) => /assets|icon|manifest/.test(each)))
        for (const asked of [address, address.slice('/zoo'.length)])
          assert.equal((await get(asked.slice(1))).status, 200, asked);
      const { basePath, responses } = bootstrapIn(page);
      assert.equal(basePath, '/zoo');
      for (const url of Object.keys(responses)) assert.match(url, /^\/v2\//);
    }
    const manifest = JSON.parse((await get('manifest.webmanifest')).text) as Record<string, unknown>;
    const { id, start_url, scope, icons } = manifest;
    assert.deepEqual([id, start_url, scope], ['/zoo/', '/zoo/', '/zoo/']);
    for (const { src } of icons as { src: string }[]) assert.equal((await get(src.slice(1))).status, 200, src);
  });

  void it('requests may contain the path of the service, which is not the path of a page', async (t) => {
    const { origin: there, base: api } = await startAt(t, publicUrl);
    await clientOf(api)('POST', 'pet', { json: { id: 1, name: 'Rex' } });
    const statusOf = async (path: string) => (await callAs(there, 'GET', path, { headers: BROWSER })).status;
    for (const path of [
      'zoo',
      'zoo/',
      'zoo?text=re',
      'zoo/pets/1',
      'zoo/v2/pet/1',
      'v2/pet/1',
      'zoo/docs',
      'zoo/livez',
    ])
      assert.equal(await statusOf(path), 200, path);
    for (const path of ['zoology', 'zoo/zoo/pets/1', 'zoo/pets/2']) assert.equal(await statusOf(path), 404, path);
  });

  void it('is removed by the proxy if the service has such a path itself', async (t) => {
    const { origin: there, base: api } = await startAt(t, 'http://127.0.0.1/pets');
    await clientOf(api)('POST', 'pet', { json: { id: 1, name: 'Rex' } });
    const page = await callAs(there, 'GET', 'pets/1', { headers: BROWSER });
    assert.equal(page.status, 200);
    assert.match(page.text, /<a [^>]*href="\/pets\/"/);
    assert.equal((await callAs(there, 'GET', 'pets/pets/1', { headers: BROWSER })).status, 404);
  });
});

void describe('bootstrap data', () => {
  void it('has the first responses of the API', async () => {
    const { responses } = bootstrapIn(await visit('/?text=re&status=available&status=sold&tag=calm,%20big&sort=name'));
    const urls = Object.keys(responses);
    assert.equal(urls.length, 2);
    for (const url of urls) assert.equal(responses[url]?.text, (await visit(url)).text, url);
    const ofPet = bootstrapIn(await visit('/pets/1')).responses;
    assert.deepEqual(Object.keys(ofPet), ['/v2/pet/1', '/v2/pet/1/photos', '/v2/pet/1/profile']);
    for (const [url, { text, etag }] of Object.entries(ofPet)) {
      const response = await visit(url);
      assert.equal(text, response.text);
      assert.equal(etag, response.headers.get('etag'));
    }
  });

  void it('omits responses that the API would refuse', async () => {
    const { responses } = bootstrapIn(await visit('/?text=a+b+c+d+e+f+g+h+i+j+k'));
    assert.deepEqual(Object.keys(responses), []);
  });

  void it('ignores invalid searches', async () => {
    const { responses } = bootstrapIn(await visit('/?status=lost&sort=upwards&text='));
    assert.ok('/v2/pet?sort=newest&limit=24&covers=true&include=facts' in responses);
  });

  void it('is safe against any name of a pet', async () => {
    for (const path of ['/', '/pets/2']) {
      const response = await visit(path);
      assert.doesNotMatch(response.text, /<img (?!class)/, path);
      assert.doesNotMatch(response.text.slice(response.text.indexOf('id="bootstrap"')), /[\u2028\u2029]/);
      const texts = Object.values(bootstrapIn(response).responses).map(({ text }) => text);
      assert.ok(texts.some((text) => text.includes(JSON.stringify(NASTY))));
    }
  });
});

void describe('head of a page', () => {
  void it('names the pet and its photo', async () => {
    const { text } = await visit('/pets/1');
    assert.match(text, /<title>Rex - Menagerie<\/title>/);
    assert.equal(text.match(/<title>/g)?.length, 1);
    assert.match(text, /<meta property="og:title" content="Rex">/);
    assert.ok(text.includes(`<meta property="og:url" content="${origin}/pets/1">`));
    assert.match(text, /<meta property="og:image" content="http:[^"]*\/v2\/photo\/[0-9a-f]{64}\/large\?format=jpeg">/);
    assert.match(text, /<meta name="description" content="Rex\. Dogs, calm\.">/);
  });

  void it('gives priority to the first visible photos', async () => {
    const [cover, ...others] = photos(await visit('/'));
    assert.match(
      cover ?? '',
      / fetchpriority="high" width="\d+" height="\d+" alt="" sizes="[^"]+" srcset="[^"]*\/small \d+w/i,
    );
    assert.equal(others.length, 0, 'the other pet has no photo');
    assert.match(photos(await visit('/pets/1'))[0] ?? '', /\/small /);
    assert.deepEqual(photos(await visit('/pets/1/edit')), []);
  });

  void it('first view: rendered before the scripts, with any names', async () => {
    const catalogue = (await visit('/')).text;
    assert.match(catalogue, /<h2 [^>]*><a [^>]*href="\/pets\/1" title="Rex">Rex<\/a><\/h2>/);
    assert.match(catalogue, /<h1 [^>]*>Meet the pets<\/h1>/);
    const pet = (await visit('/pets/2')).text;
    for (const text of [catalogue, pet]) {
      assert.ok(text.includes('&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;\u2028&amp;'));
      assert.ok(!text.includes('<img src=x'));
    }
    assert.match(pet, /href="\/\?tag=%3C%2Fscript%3E%3Cimg\+src%3Dx/);
    for (const path of ['/pets/1/edit', '/dashboard', '/pets/987', '/?text=nothing+of+that+kind'])
      assert.match((await visit(path)).text, /<div id="root"><\/div>/, path);
  });

  void it('refers to existing scripts and styles', async () => {
    for (const path of ['/', '/pets/1', '/dashboard']) {
      const { text } = await visit(path);
      const files = [...text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, file]) => file ?? '');
      assert.ok(files.length >= 1);
      assert.equal(new Set(files).size, files.length, 'each file must occur once');
      for (const file of files) assert.equal((await visit(file, {})).status, 200, file);
    }
  });
});

/** The manifest names sources by their path, from another folder with more before it. */
function fileOf({ chunks }: Pick<WebBuild, 'chunks'>, source: string): string {
  const name = Object.keys(chunks).find((each) => each === source || each.endsWith(`/${source}`)) ?? '';
  return chunks[name]?.file ?? assert.fail(`${source} is no longer a separate chunk`);
}

void describe('chunks of the application', () => {
  void it('are preloaded by the pages that start with them', async () => {
    const web = (await readWebBuild(await ensureWebBuilt())) ?? assert.fail();
    for (const [path, source] of Object.entries(PAGES)) {
      const file = fileOf(web, source);
      const { text } = await visit(path.replace('$petId', '1').replace('$username', 'ada'));
      if (path !== RESET_PATH)
        assert.ok(text.includes(`<link rel="modulepreload" crossorigin="" href="/${file}">`), path);
    }
  });

  void it('have their style sheet in the head of pages for staff, and in no other', async () => {
    const web = (await readWebBuild(await ensureWebBuilt())) ?? assert.fail();
    const [own, ...others] = [...web.assets.keys()].filter((name) => /^staff-[^.]+\.css$/.test(name));
    assert.ok(own !== undefined && others.length === 0);
    for (const path of ['/admin/users', '/requests', '/pets/1/edit', '/pets/transfer'])
      assert.match(
        (await visit(path)).text,
        new RegExp(`<link rel="stylesheet" [^>]*/assets/${own}">\\s*<template`),
        path,
      );
    for (const path of ['/', '/pets/1', '/dashboard', '/about', '/login', '/favourites'])
      assert.ok(!(await visit(path)).text.includes(own), path);
  });

  void it('language: from the cookie, otherwise from Accept-Language, in the page and its preloads', async () => {
    const english = ['en', 'Meet the pets'];
    const german = ['de', 'Unsere Tiere'];
    assert.deepEqual(await titleOf({}), english);
    assert.deepEqual(await titleOf({ 'accept-language': 'fr, de;q=0.5' }), german);
    assert.deepEqual(await titleOf({ cookie: 'menagerie_language=de' }), german);
    assert.deepEqual(await titleOf({ 'accept-language': 'de', cookie: 'menagerie_language=en' }), english);
    assert.deepEqual(await titleOf({ 'accept-language': 'de', cookie: 'menagerie_language=constructor' }), german);
  });

  void it('include the texts of the language that the browser prefers', async () => {
    const web = (await readWebBuild(await ensureWebBuilt())) ?? assert.fail();
    const files = textChunks('de', ['profile', 'others']).map((source) => fileOf(web, source));
    const has = async (languages: string) => {
      const { text } = await visit('/login', { ...BROWSER, 'accept-language': languages });
      return files.every((file) => text.includes(`href="/${file}"`));
    };
    assert.equal(await has('de-CH,de;q=0.9,en;q=0.8'), true);
    for (const languages of ['en-GB,en;q=0.9,de;q=0.8', 'fr', '*', '']) assert.equal(await has(languages), false);
  });
});

void describe('user of a page', async () => {
  const { call, origin: secured } = await startSecuredService({ after }, { web: true });
  const token = await logIn(call, 'edna');

  void it('decides which texts the page loads first: visitors see few of them', async () => {
    const web = (await readWebBuild(await ensureWebBuilt())) ?? assert.fail();
    const names = {
      profile: 'texts/en/profile-texts.ts',
      dashboard: 'texts/en/dashboard-texts.ts',
      saved: 'texts/en/saved-texts.ts',
      others: 'texts/en/other-texts.ts',
    };
    const partsIn = ({ text }: { text: string }) =>
      Object.entries(names).flatMap(([part, name]) => {
        const { file } = web.chunks[name] ?? assert.fail(name);
        return text.includes(`href="/${file}"`) ? [part] : [];
      });
    const partsOf = async (path: string, headers: Readonly<Record<string, string>> = {}) =>
      partsIn(await call('GET', `${secured}${path}`, { headers: { ...BROWSER, ...headers } }));
    const all = ['profile', 'dashboard', 'saved', 'others'];
    assert.deepEqual(await partsOf('/'), []);
    assert.deepEqual(await partsOf('/dashboard'), ['dashboard']);
    assert.deepEqual(await partsOf('/pets/1'), ['profile']);
    assert.deepEqual(await partsOf('/favourites'), ['profile', 'saved']);
    assert.deepEqual(await partsOf('/login'), all);
    assert.deepEqual(await partsOf('/', bearer(token)), all);
    assert.deepEqual(partsIn(await visit('/')), all, 'in open access, all may change pets');
  });

  const currentUserOf = async (headers: Readonly<Record<string, string>>) => {
    const response = await call('GET', `${secured}/`, { headers });
    assert.equal(response.status, 200);
    return bootstrapIn(response).currentUser;
  };

  void it('is included, without further data', async () => {
    const response = await call('GET', `${secured}/`, { headers: cookie(token) });
    assert.deepEqual(bootstrapIn(response).currentUser, { username: 'edna', role: 'editor' });
    assert.match(bootstrapIn(response).position ?? '', /^\d+$/, 'the change from which an editor follows the others');
    assert.ok(!response.text.includes(token));
    assert.doesNotMatch(response.text, /argon2|passwordHash|userId|digest":"[^"]{43}"/);
    assert.ok(!response.text.includes(PASSWORDS['edna'] ?? ''));
    assert.equal(response.headers.get('set-cookie'), null);
  });

  void it('is absent without a valid session', async () => {
    assert.equal(await currentUserOf(BROWSER), null);
    assert.equal(
      bootstrapIn(await call('GET', `${secured}/`, { headers: BROWSER })).position,
      undefined,
      'visitors must get no position',
    );
    assert.equal(await currentUserOf(cookie('x'.repeat(43))), null);
    assert.equal(await currentUserOf(cookie('no token')), null);
    const other = await logIn(call, 'vera');
    assert.deepEqual(await currentUserOf(cookie(other)), { username: 'vera', role: 'viewer' });
    await call('GET', 'user/logout', { headers: bearer(other) });
    assert.equal(await currentUserOf(cookie(other)), null);
  });

  void it('gets the rules of this service', async () => {
    const { access, signUp, minPasswordLength } = bootstrapIn(await call('GET', `${secured}/`, { headers: BROWSER }));
    assert.deepEqual([access, signUp, minPasswordLength], ['secured', true, 15]);
  });
});
