import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { after, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip } from 'node:zlib';
import sharp from 'sharp';
import { callAs } from '../support/client.ts';
import { rawExchange } from '../support/raw-http.ts';
import { startTestService } from '../support/service.ts';
import { ensureWebBuilt } from '../support/web-build.ts';

const { origin } = await startTestService({ after }, { web: true });
const folder = await ensureWebBuilt();
const names = (await readdir(`${folder}/assets`)).filter((name) => !/\.(?:br|gz)$/.test(name));
const sizeOf = (name: string) => statSync(`${folder}/assets/${name}`).size;
const scripts = names.filter((name) => name.endsWith('.js')).toSorted((a, b) => sizeOf(b) - sizeOf(a));
const script = scripts[0] ?? assert.fail();
const get = (path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
  callAs(origin, method, path.slice(1), { headers });

void describe('files of the web application', () => {
  void it('are cached forever, since their names contain a hash', async () => {
    for (const name of names) {
      const { status, headers } = await get(`/assets/${name}`);
      assert.equal(status, 200, name);
      assert.match(name, /(?:^|-)[\w-]{7,8}\.\w+$/);
      assert.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable');
      assert.equal(headers.get('vary'), 'Accept-Encoding, Origin');
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.equal(headers.get('set-cookie'), null);
    }
    assert.equal((await get(`/assets/${script}`)).headers.get('content-type'), 'text/javascript; charset=utf-8');
  });

  void it('are sent in the smallest encoding that the client accepts', async () => {
    const plain = await get(`/assets/${script}`);
    assert.equal(plain.headers.get('content-encoding'), null);
    const unpack = { br: promisify(brotliDecompress), gzip: promisify(gunzip) };
    for (const [accepted, encoding] of [
      ['gzip, deflate, br, zstd', 'br'],
      ['gzip;q=1.0, *;q=0', 'gzip'],
      ['br;q=0, gzip', 'gzip'],
    ] as const) {
      const packed = await get(`/assets/${script}`, { 'accept-encoding': accepted });
      assert.equal(packed.headers.get('content-encoding'), encoding);
      assert.ok(packed.bytes.byteLength < plain.bytes.byteLength / 2);
      assert.deepEqual(await unpack[encoding](packed.bytes), plain.bytes);
    }
    for (const accepted of ['identity', 'deflate', '', 'identity, br;q=0.5', 'gzip;q=0.9, identity'])
      assert.deepEqual((await get(`/assets/${script}`, { 'accept-encoding': accepted })).bytes, plain.bytes);
  });

  void it('respond to HEAD with the headers only', async () => {
    const head = await get(`/assets/${script}`, {}, 'HEAD');
    assert.equal(head.status, 200);
    assert.equal(head.text, '');
    const { bytes } = await get(`/assets/${script}`);
    assert.equal(head.headers.get('content-length'), String(bytes.byteLength));
  });

  const others = [
    '/assets/',
    '/assets/nothing.js',
    `/assets/${script}.br`,
    '/assets/index.html',
    '/stamp',
    '/index.html',
  ];
  const ways = [
    '/assets/..%2fstamp',
    '/assets/%2e%2e%2f%2e%2e%2fpackage.json',
    '/assets/..%5cstamp',
    '/.vite/manifest.json',
    '/.vite/first-view.mjs',
  ];
  for (const path of [...others, ...ways])
    void it(`do not include ${path}`, async () => {
      const { status, headers } = await get(path);
      assert.equal(status, 404);
      assert.equal(headers.get('cache-control'), null);
    });

  void it('do not include paths that no client would send', async () => {
    for (const path of ['/assets/../stamp', '/assets/../../package.json', '/assets/./../../../etc/passwd']) {
      const { text } = await rawExchange(
        origin,
        `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
      );
      assert.match(text, /^HTTP\/1\.1 404 /);
    }
  });
});

async function linkedIcons(): Promise<readonly string[]> {
  const page = await get('/', { accept: 'text/html' });
  assert.match(page.headers.get('content-security-policy') ?? '', /(?:^|; )manifest-src 'self'(?:;|$)/);
  const links = page.text.matchAll(/<link rel="(?:icon|apple-touch-icon|manifest)" href="([^"]+)"/g);
  return [...links].map(([, path = '']) => path);
}

void describe('icons and manifest', () => {
  const MEDIA_TYPES: Readonly<Record<string, string>> = {
    '/favicon.ico': 'image/x-icon',
    '/favicon.svg': 'image/svg+xml',
    '/apple-touch-icon.png': 'image/png',
    '/manifest.webmanifest': 'application/manifest+json',
  };

  void it('are linked by every page, and served with their media types', async () => {
    const paths = await linkedIcons();
    assert.deepEqual(paths.toSorted(), Object.keys(MEDIA_TYPES).toSorted());
    for (const path of paths) {
      const { status, headers } = await get(path);
      assert.equal(status, 200, path);
      assert.equal(headers.get('content-type'), MEDIA_TYPES[path]);
      assert.equal(headers.get('cache-control'), 'public, max-age=86400');
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'/);
      const again = await get(path, { 'if-none-match': headers.get('etag') ?? '' });
      assert.equal(again.status, 304, path);
    }
  });

  void it('have the sizes that the manifest gives', async () => {
    const { icons, start_url } = JSON.parse((await get('/manifest.webmanifest')).text) as {
      icons: readonly { src: string; type: string; sizes: string; purpose: string }[];
      start_url: string;
    };
    assert.equal(start_url, '/');
    for (const { src, type, sizes } of icons) {
      const { bytes, headers } = await get(src);
      assert.equal(headers.get('content-type'), type);
      if (type !== 'image/png') continue;
      const { width, height, format } = await sharp(bytes).metadata();
      assert.deepEqual([format, `${width}x${height}`], ['png', sizes]);
    }
    assert.deepEqual(new Set(icons.map(({ purpose }) => purpose)), new Set(['any', 'maskable']));
    const ico = (await get('/favicon.ico')).bytes;
    assert.equal((await sharp(ico.subarray(22)).metadata()).width, 32);
  });
});

void describe('service without a build of the web application', () => {
  void it('says so on its start page, and works otherwise', async (t) => {
    const bare = await startTestService(t);
    const getFromBare = (path: string, accept: string) => callAs(bare.origin, 'GET', path, { headers: { accept } });
    const front = await getFromBare('', 'text/html');
    assert.equal(front.status, 200);
    assert.match(front.text, /npm run build:web/);
    assert.match(front.headers.get('content-security-policy') ?? '', /^default-src 'none'; frame-ancestors 'none'$/);
    assert.match((await getFromBare('', 'application/json')).text, /"message":"Menagerie /);
    assert.equal((await getFromBare('dashboard', 'text/html')).headers.get('content-type'), 'application/json');
  });
});
