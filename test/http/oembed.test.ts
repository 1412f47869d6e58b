import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { XMLParser } from 'fast-xml-parser';
import { assertRefused, clientOf } from '../support/client.ts';
import { fileUpload } from '../support/multipart.ts';
import { makePhoto } from '../support/photos.ts';
import { createPlayground } from '../support/playgrounds.ts';
import { bearer, logIn, startSecuredService } from '../support/secured.ts';

/* oEmbed (https://oembed.com): frames for the addresses of the catalogue and of pets. */

const service = await startSecuredService({ after }, { web: true });
const { call, origin } = service;
const headers = bearer(await logIn(call, 'root'));
const NAME = `Luna & "Co" <script>alert(1)</script>`;

await call('POST', 'pet', { headers, json: { id: 1, name: NAME, status: 'available', tags: ['calm'] } });
await call('POST', 'pet', { headers, json: { id: 2, name: 'Draft', status: 'available' } });
await call('PUT', 'pet/2/profile', { headers, json: { isPublished: false } });
const upload = fileUpload(await makePhoto({ width: 900, height: 600 }));
await call('POST', 'pet/1/uploadImage', { ...upload, headers: { ...upload.headers, ...headers } });

interface Answer {
  type: string;
  version: string;
  title: string;
  provider_name: string;
  provider_url: string;
  html: string;
  width: number;
  height: number;
  thumbnail_url?: string;
  thumbnail_width?: number;
}

const ask = (parameters: Record<string, string>, at = clientOf(origin)) =>
  at('GET', `oembed?${new URLSearchParams(parameters).toString()}`);

async function answerTo(parameters: Record<string, string>, at?: ReturnType<typeof clientOf>): Promise<Answer> {
  const { status, text } = await ask(parameters, at);
  assert.equal(status, 200, text);
  return JSON.parse(text) as Answer;
}

function unescaped(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
}

/** The attributes of the frame, and nothing else. */
function frameIn({ html }: Answer): Record<string, string> {
  const [, attributes = ''] = /^<iframe((?: [a-z]+="[^"<>]*")+)><\/iframe>$/.exec(html) ?? assert.fail(html);
  return Object.fromEntries(
    [...attributes.matchAll(/ ([a-z]+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, unescaped(value)]),
  );
}

void test('oEmbed: the frame of a pet', async () => {
  const answer = await answerTo({ url: `${origin}/pets/1` });
  assert.deepEqual([answer.type, answer.version, answer.width], ['rich', '1.0', 320]);
  assert.deepEqual(
    [answer.title, answer.provider_name, answer.provider_url],
    [`${NAME} - Menagerie`, 'Menagerie', `${origin}/`],
  );
  const { src, title, width, height } = frameIn(answer);
  assert.deepEqual([src, title], [`${origin}/embed/pets/1`, `${NAME} - Menagerie`]);
  assert.deepEqual([width, height], [String(answer.width), String(answer.height)]);
  const thumbnail = await fetch(answer.thumbnail_url ?? '');
  assert.deepEqual([thumbnail.headers.get('content-type'), answer.thumbnail_width], ['image/jpeg', 320]);
  assert.equal((await fetch(src ?? '')).status, 200);
});

void test('oEmbed: the frame of a search has its filters', async () => {
  const url = `${origin}/?tag=calm&tag=a%26b&utm_source=x&theme=dark&limit=3&language=de`;
  const { src } = frameIn(await answerTo({ url, format: 'json' }));
  assert.equal(src, `${origin}/embed/pets?tag=calm&tag=a%26b&limit=3&theme=dark&language=de`);
  assert.equal(frameIn(await answerTo({ url: origin })).src, `${origin}/embed/pets`);
});

void test('oEmbed: never larger than the editor allows', async () => {
  for (const url of [origin, `${origin}/pets/1`]) {
    const answer = await answerTo({ url, maxwidth: '200', maxheight: '160' });
    assert.ok(answer.width <= 200 && answer.height <= 160);
    assert.deepEqual([frameIn(answer)['width'], answer.thumbnail_url], [String(answer.width), undefined]);
  }
  for (const wrong of ['0', '-5', 'x', '', '1e9', '999999'])
    assertRefused(await ask({ url: origin, maxwidth: wrong }), 400);
});

void test('oEmbed: in XML, with the same content', async () => {
  const url = `${origin}/pets/1`;
  const { status, text, headers: sent } = await ask({ url, format: 'xml' });
  assert.deepEqual([status, sent.get('content-type')], [200, 'text/xml; charset=utf-8']);
  const { oembed } = new XMLParser().parse(text) as { oembed: Answer };
  const json = await answerTo({ url });
  assert.deepEqual({ ...oembed, version: '1.0' }, json);
});

void test('oEmbed: refuses what has no frame, as the specification says', async () => {
  for (const format of ['yaml', 'JSON', '']) {
    const { status, text } = await ask({ url: origin, format });
    assert.deepEqual([status, /json or xml/.test(text)], [501, true]);
  }
  assertRefused(await ask({}), 400);
  for (const path of ['/pets/2', '/pets/99', '/pets/x', '/about', '/login', '/nothing', '/embed.js'])
    assertRefused(await ask({ url: origin + path }), 404, path);
  for (const url of ['https://evil.example/pets/1', 'pets/1', '', 'javascript:alert(1)', `${origin}.evil.example/`])
    assertRefused(await ask({ url }), 404, url);
  for (const path of ['/admin/users', '/account', '/pets/1/edit', '/pets/new'])
    assertRefused(await ask({ url: origin + path }), 401, path);
  await call('PUT', 'embedding', { headers, json: { sites: 'none' } });
  assertRefused(await ask({ url: origin }), 401);
  await call('PUT', 'embedding', { headers, json: { sites: 'all' } });
});

void test('oEmbed: pages of all origins may read it, and caches keep it for minutes', async () => {
  const at = clientOf(origin);
  const from = { origin: 'https://editor.example', cookie: 'menagerie_session=x' };
  const { headers: sent } = await at('GET', `oembed?url=${encodeURIComponent(origin)}`, { headers: from });
  assert.deepEqual(
    ['access-control-allow-origin', 'cache-control', 'set-cookie'].map((name) => sent.get(name)),
    ['*', 'public, max-age=300', null],
  );
});

void test('oEmbed: pages link to it', async () => {
  const at = clientOf(origin);
  for (const path of ['', '?tag=calm', 'pets/1']) {
    const { text } = await at('GET', path, { headers: { accept: 'text/html' } });
    for (const type of ['application/json+oembed', 'text/xml+oembed']) {
      const link = new RegExp(`<link rel="alternate" type="${type.replace('+', '\\+')}" [^>]*href="([^"]*)">`).exec(
        text,
      );
      const address = unescaped(link?.[1] ?? assert.fail(`${path} ${type}`));
      const response = await at('GET', address.slice(origin.length + 1));
      assert.equal(response.status, 200, address);
      assert.match(response.headers.get('content-type') ?? '', type.includes('json') ? /json/ : /xml/);
    }
  }
  for (const path of ['about', 'pets/99', 'login'])
    assert.doesNotMatch((await at('GET', path, { headers: { accept: 'text/html' } })).text, /oembed/);
});

void test('oEmbed: in a playground, and below a path behind a proxy', async (t) => {
  const { base } = await createPlayground(call, { contents: 'empty' }, headers);
  const root = base.replace(/\/v2$/, '');
  await clientOf(base)('POST', 'pet', { json: { id: 1, name: 'Ada', status: 'available' } });
  const inside = await answerTo({ url: `${root}/pets/1` }, clientOf(root));
  assert.equal(frameIn(inside).src, `${root}/embed/pets/1`);
  assertRefused(await ask({ url: `${origin}/pets/1` }, clientOf(root)), 404);

  const below = await startSecuredService(t, { web: true, flags: ['--public-url', 'https://example.org/zoo'] });
  const at = clientOf(below.origin);
  // Some editors change the scheme.
  for (const url of ['https://example.org/zoo', 'http://example.org/zoo/?tag=calm'])
    assert.match(frameIn(await answerTo({ url }, at)).src ?? '', /^https:\/\/example\.org\/zoo\/embed\/pets/);
  assertRefused(await ask({ url: 'https://example.org/zoology' }, at), 404);
});
