import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { readFile, rm, watch, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { assertRefused, clientOf, type HttpResponse } from '../support/client.ts';
import { fileUpload } from '../support/multipart.ts';
import { filesIn, lastPetId, padded, petWith, photoUrlsOf, uploaded } from '../support/pet-photos.ts';
import { makePhoto } from '../support/photos.ts';
import { openSocket } from '../support/raw-http.ts';
import { startTestService } from '../support/service.ts';
import { until } from '../support/until.ts';

const service = await startTestService({ after });
const call = clientOf(service.base);

const LANDSCAPE = { width: 120, height: 80 };
const jpeg = await makePhoto({ ...LANDSCAPE, orientation: 6 });

void test('photo: cached forever, and 304 for a client that has it', async () => {
  const url = await uploaded(call, jpeg);
  const etags = new Set<string>();
  for (const address of [url, `${url}/small`, `${url}/medium`]) {
    const { headers } = await call('GET', address);
    const cacheControl = headers.get('cache-control') ?? '';
    assert.match(cacheControl, /\bpublic\b/);
    assert.match(cacheControl, /\bimmutable\b/);
    assert.match(cacheControl, /\bmax-age=31536000\b/);
    const etag = headers.get('etag') ?? '';
    assert.match(etag, /^"[^"]+"$/);
    etags.add(etag);
    for (const header of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      for (const method of ['GET', 'HEAD']) {
        const again = await call(method, address, { headers: { 'if-none-match': header } });
        assert.equal(again.status, 304, `${method} with ${header}`);
        assert.equal(again.text, '');
        assert.equal(again.headers.get('etag'), etag);
        assert.equal(again.headers.get('cache-control'), cacheControl);
      }
    }
    assert.equal((await call('GET', address, { headers: { 'if-none-match': '"other"' } })).status, 200);
  }
  assert.equal(etags.size, 3, 'each size must have its own ETag');
});

void test('HEAD of a photo: same headers as GET, without the bytes', async () => {
  const url = await uploaded(call, jpeg);
  for (const address of [`${url}/large`, url]) {
    const head = await call('HEAD', address);
    const get = await call('GET', address);
    assert.equal(head.status, 200);
    assert.equal(head.bytes.byteLength, 0);
    for (const name of ['content-type', 'content-length', 'etag', 'cache-control'])
      assert.equal(head.headers.get(name), get.headers.get(name), name);
  }
});

void test('photo: served for any Accept header, and to pages of other sites', async () => {
  const url = await uploaded(call, jpeg);
  for (const headers of [
    { accept: 'image/avif,image/webp,*/*;q=0.8' },
    { accept: 'image/png' },
    { 'sec-fetch-site': 'cross-site' },
  ])
    assert.equal((await call('GET', url, { headers })).status, 200);
});

void test('photo: three sizes, and 404 for unknown ones', async () => {
  const url = await uploaded(call, jpeg);
  for (const size of ['huge', 'original', 'Small', '..', '%2e%2e', '__proto__', 'constructor', '1', 'small%00'])
    assert.equal((await call('GET', `${url}/${size}`)).status, 404, size);
  const digest = url.slice(-64);
  for (const unknown of [
    '0'.repeat(64),
    digest.toUpperCase(),
    digest.slice(1),
    `${digest}0`,
    'x',
    '%00',
    '..%2f..%2fmenagerie.db',
  ])
    for (const path of [`photo/${unknown}`, `photo/${unknown}/small`])
      assertRefused(await call('GET', path), 404, path);
});

void test('photo size: made once for twenty concurrent requests', async () => {
  // By one node: several may each make it.
  const { origin = '' } = service.nodes[0] ?? {};
  const url = (await uploaded(call, await makePhoto({ width: 700, height: 600, seed: 3 }))).replace(
    service.origin,
    origin,
  );
  const folder = join(service.dataDir, 'photos', 'incoming');
  const names = new Set<string>();
  const watching = new AbortController();
  const incoming = (async () => {
    try {
      for await (const { filename } of watch(folder, { signal: watching.signal }))
        if (filename !== null) names.add(filename);
    } catch (error) {
      if (!watching.signal.aborted) throw error;
    }
  })();
  const responses = await Promise.all(Array.from({ length: 20 }, () => call('GET', `${url}/medium`)));
  assert.deepEqual(new Set(responses.map(({ status }) => status)), new Set([200]));
  assert.equal(new Set(responses.map(({ bytes }) => bytes.toString('base64'))).size, 1);
  await call('GET', `${url}/medium`);
  assert.deepEqual(await filesIn(folder), []);
  // Events arrive in order: after the one of this file, all earlier ones have arrived.
  await writeFile(join(folder, 'last'), '');
  await until('the event of the last file', async () => names.delete('last'));
  watching.abort();
  await incoming;
  await rm(join(folder, 'last'));
  assert.equal(names.size, 1, 'expected one file');
});

void test('photo: stored once for any number of pets', async (t) => {
  const other = await startTestService(t);
  const client = clientOf(other.base);
  const urls = [];
  for (let count = 0; count < 3; count++) urls.push(await uploaded(client, jpeg, `name-${count}.jpg`));
  const together = await Promise.all(Array.from({ length: 5 }, () => uploaded(client, jpeg)));
  assert.equal(new Set([...urls, ...together]).size, 1);
  assert.equal((await filesIn(other.dataDir, 'photos')).length, 1);
  await uploaded(client, await makePhoto({ ...LANDSCAPE, orientation: 1 }));
  assert.equal((await filesIn(other.dataDir, 'photos')).length, 2);
  assert.deepEqual(await filesIn(other.dataDir, 'uploads'), []);
});

void test('HEIC photo: refused by its name', async () => {
  // As an iPhone writes it.
  const heic = Buffer.concat([Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1'), Buffer.alloc(1000)]);
  const response = await call('POST', `pet/${await petWith(call)}/uploadImage`, fileUpload(heic));
  assertRefused(response, 415);
  assert.match(response.text, /The file is a HEIC photo\. Save it as JPEG, PNG, WebP, GIF or AVIF\./);
});

void test('interrupted upload: leaves no file, and no photo', async () => {
  const id = await petWith(call);
  const photo = padded(jpeg, 2 * 1024 * 1024);
  const { headers, body } = fileUpload(photo);
  const socket = await openSocket(service.origin);
  socket.on('error', () => {});
  socket.write(
    `POST /v2/pet/${id}/uploadImage HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${headers['content-type']}\r\nContent-Length: ${body.byteLength}\r\n\r\n`,
  );
  socket.write(body.subarray(0, 1024 * 1024));
  await until('the upload begins', async () => (await filesIn(service.dataDir, 'uploads')).length > 0);
  socket.destroy();
  await until('the upload is deleted', async () => (await filesIn(service.dataDir, 'uploads')).length === 0);
  assert.deepEqual(await photoUrlsOf(call, id), []);
});

const DAY_MS = 24 * 3_600_000;

void test('unused photo: deleted with its sizes after the grace time; others stay', async (t) => {
  let aheadMs = 0;
  const passing = await startTestService(t, { clock: () => Date.now() + aheadMs });
  const client = clientOf(passing.base);
  const status = async (url: string): Promise<number> => (await client('GET', url)).status;
  const clear = async (days: number): Promise<number> => {
    aheadMs = days * DAY_MS;
    return passing.photoFiles.clearUnused();
  };

  const kept = await uploaded(client, await makePhoto({ seed: 41 }));
  const replaced = await uploaded(client, await makePhoto({ seed: 42 }));
  await client('PUT', 'pet', { json: { id: lastPetId(), name: 'Rex', photoUrls: ['https://example.org/a.jpg'] } });
  const orphaned = await uploaded(client, await makePhoto({ seed: 43 }));
  await client('DELETE', `pet/${lastPetId()}`);
  const adopted = await uploaded(client, await makePhoto({ seed: 44 }));
  await client('DELETE', `pet/${lastPetId()}`);
  for (const url of [kept, replaced, orphaned, adopted]) assert.equal(await status(`${url}/small`), 200);
  assert.equal((await filesIn(passing.dataDir, 'photos')).length, 8);

  assert.equal(await clear(0), 0);
  assert.equal(await clear(29.9), 0);
  for (const url of [kept, replaced, orphaned]) assert.equal(await status(url), 200);
  await petWith(client, [adopted]);

  assert.equal(await clear(30.1), 2);
  for (const url of [replaced, orphaned]) {
    assert.equal(await status(url), 404);
    assert.equal(await status(`${url}/small`), 404);
  }
  for (const url of [kept, adopted]) {
    assert.equal(await status(url), 200);
    assert.equal(await status(`${url}/small`), 200);
  }
  assert.equal((await filesIn(passing.dataDir, 'photos')).length, 4);
  assert.equal(await clear(10_000), 0);
  assert.equal(await status(kept), 200);

  assert.equal(
    await uploaded(client, await makePhoto({ seed: 42 })),
    replaced,
    'a deleted photo may be uploaded again',
  );
  assert.equal(await status(`${replaced}/small`), 200);
});

void test('grace time: configurable; afterwards, the trash keeps the original for a week', async (t) => {
  let aheadMs = 0;
  const passing = await startTestService(t, {
    flags: ['--empty', '--photo-grace-hours', '2'],
    clock: () => Date.now() + aheadMs,
  });
  const client = clientOf(passing.base);
  const url = await uploaded(client, jpeg);
  await client('DELETE', `pet/${lastPetId()}`);
  aheadMs = 1.9 * 3_600_000;
  assert.equal(await passing.photoFiles.clearUnused(), 0);
  aheadMs = 2.1 * 3_600_000;
  assert.equal(await passing.photoFiles.clearUnused(), 1);
  const response: HttpResponse = await client('GET', url);
  assert.equal(response.status, 404);
  const digest = /[0-9a-f]{64}/.exec(url)?.[0] ?? assert.fail(url);
  const trashed = join(passing.dataDir, 'photos', 'trash', digest.slice(0, 2), digest, 'original');
  aheadMs = 6.9 * DAY_MS;
  assert.equal(await passing.photoFiles.clearUnused(), 0);
  assert.equal(hash('sha256', await readFile(trashed)), digest);
  aheadMs = 7.1 * DAY_MS;
  assert.equal(await passing.photoFiles.clearUnused(), 0);
  assert.deepEqual(await filesIn(passing.dataDir, 'photos'), []);
});
