import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import sharp from 'sharp';
import { assertRefused, clientOf } from '../support/client.ts';
import { fileUpload } from '../support/multipart.ts';
import { makePhoto } from '../support/photos.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService({ after });
const call = clientOf(service.base);

/** Uploads to a new pet, and returns the URL of the photo. */
async function uploaded(content: Uint8Array): Promise<string> {
  const pet = JSON.parse((await call('POST', 'pet', { json: { name: 'Rex' } })).text) as { id: number };
  assert.equal((await call('POST', `pet/${pet.id}/uploadImage`, fileUpload(content))).status, 200);
  const { text } = await call('GET', `pet/${pet.id}`);
  return (JSON.parse(text) as { photoUrls: string[] }).photoUrls[0] ?? assert.fail('no photo URL');
}

const url = await uploaded(await makePhoto({ width: 500, height: 333 }));

/** The left half is transparent. */
const transparent = await sharp({ create: { width: 40, height: 20, channels: 4, background: '#0000' } })
  .composite([{ input: { create: { width: 20, height: 20, channels: 4, background: 'red' } }, left: 20, top: 0 }])
  .png()
  .toBuffer();

/** Accept headers of browsers for images, and of programs. */
const chosen: [accept: string | undefined, format: 'avif' | 'webp' | 'jpeg', title: string][] = [
  [undefined, 'webp', 'no Accept header'],
  ['*/*', 'webp', 'curl'],
  ['image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8', 'avif', 'Chrome'],
  ['image/avif,image/webp,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5', 'avif', 'Firefox'],
  ['image/webp,image/avif,image/jxl,image/heic,video/*;q=0.8,image/png,image/*;q=0.8,*/*;q=0.5', 'avif', 'Safari'],
  ['image/webp,image/apng,image/*,*/*;q=0.8', 'webp', 'Chrome before AVIF'],
  [
    'image/png,image/svg+xml,image/*;q=0.8,video/*;q=0.8,*/*;q=0.5',
    'webp',
    'Safari before WebP, which accepts anything',
  ],
  ['text/html,application/xhtml+xml,*/*;q=0.8', 'webp', 'an opened link'],
  ['image/avif,image/webp,*/*', 'avif', 'equal preferences'],
  ['image/jpeg', 'jpeg', 'JPEG only'],
  ['image/jpeg, image/webp;q=0.9', 'jpeg', 'JPEG preferred'],
  ['image/jpeg;q=0.5, image/webp;q=0.4, image/avif;q=0.6', 'avif', 'AVIF preferred'],
  ['image/avif;q=0.9, image/webp', 'webp', 'WebP preferred'],
  ['image/webp;q=0, */*', 'jpeg', 'no WebP'],
  ['image/webp;q=0, image/jpeg;q=0, image/avif;q=0.001', 'avif', 'AVIF as the last choice'],
  ['IMAGE/JPEG ; Q=1.0', 'jpeg', 'upper case'],
  ['image/avif', 'avif', 'AVIF only'],
];
for (const [accept, format, title] of chosen) {
  void test(`photo size: ${format} for ${title}`, async () => {
    const headers: Record<string, string> = accept === undefined ? {} : { accept };
    const response = await call('GET', `${url}/small`, { headers });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), `image/${format}`);
    assert.match(response.headers.get('vary') ?? '', /\bAccept\b/);
    assert.equal(response.headers.get('content-length'), String(response.bytes.byteLength));
    const shown = await sharp(response.bytes).metadata();
    assert.equal(shown.format === 'heif' ? shown.compression : shown.format, format === 'avif' ? 'av1' : format);
    assert.deepEqual([shown.width, shown.height], [320, 213]);
  });
}

void test('photo size: 406 with the available formats, in JSON', async () => {
  for (const accept of ['image/png', 'text/html', 'application/json', 'image/*;q=0', 'image/webp;q=0,image/jpeg;q=0']) {
    const response = await call('GET', `${url}/small`, { headers: { accept } });
    assertRefused(response, 406, accept);
    assert.match(response.headers.get('vary') ?? '', /\bAccept\b/);
  }
});

void test('photo size: the format parameter overrides Accept', async () => {
  for (const format of ['webp', 'avif', 'jpeg']) {
    const response = await call('GET', `${url}/medium?format=${format}`, { headers: { accept: 'text/html' } });
    assert.equal(response.headers.get('content-type'), `image/${format}`);
  }
  for (const format of ['png', '', 'JPEG', 'jpeg&format=webp'])
    assertRefused(await call('GET', `${url}/medium?format=${format}`), 400, format);
});

void test('photo size: each format has its own ETag, and is cached forever', async () => {
  const etags = new Set<string>();
  for (const accept of ['image/webp', 'image/avif', 'image/jpeg']) {
    for (const size of ['small', 'medium']) {
      const { headers } = await call('GET', `${url}/${size}`, { headers: { accept } });
      const etag = headers.get('etag') ?? '';
      assert.match(etag, /^"[^"]+"$/);
      etags.add(etag);
      assert.match(headers.get('cache-control') ?? '', /\bimmutable\b/);
      const again = await call('GET', `${url}/${size}`, { headers: { accept, 'if-none-match': etag } });
      assert.equal(again.status, 304);
      assert.match(again.headers.get('vary') ?? '', /\bAccept\b/);
      const other = accept === 'image/webp' ? 'image/jpeg' : 'image/webp';
      assert.equal(
        (await call('GET', `${url}/${size}`, { headers: { accept: other, 'if-none-match': etag } })).status,
        200,
      );
    }
  }
  assert.equal(etags.size, 6);
});

void test('original photo: served whatever the client accepts', async () => {
  for (const accept of ['image/avif,image/webp', 'image/webp', 'image/png']) {
    const response = await call('GET', url, { headers: { accept } });
    assert.equal(response.headers.get('content-type'), 'image/jpeg');
    assert.equal(response.headers.get('etag'), `"${url.slice(-64)}"`);
  }
});

void test('transparency: kept in WebP and AVIF, on white in JPEG', async () => {
  const photo = await uploaded(transparent);
  for (const [format, hasAlpha] of [
    ['webp', true],
    ['avif', true],
    ['jpeg', false],
  ] as const) {
    const { bytes } = await call('GET', `${photo}/small?format=${format}`);
    const { data, info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true });
    assert.equal(info.channels, hasAlpha ? 4 : 3, format);
    const left = data.subarray(5 * info.channels, 6 * info.channels);
    if (hasAlpha) assert.ok((left[3] ?? 255) < 10, format);
    else
      assert.ok(
        left.every((value) => value > 245),
        `${format} ${left.join()}`,
      );
  }
});

void test('EXIF: in no format', async () => {
  const photo = await uploaded(await makePhoto({ width: 60, height: 40, orientation: 6 }));
  for (const format of ['avif', 'jpeg']) {
    const { bytes } = await call('GET', `${photo}/small?format=${format}`);
    for (const trace of ['Exif', 'Secretcam', 'Somebody', 'GPS']) assert.ok(!bytes.includes(trace), trace);
    assert.deepEqual(
      await sharp(bytes)
        .metadata()
        .then(({ width, height }) => [width, height]),
      [40, 60],
    );
  }
});

void test('photo size: each format is made once for concurrent requests', async () => {
  const { origin = '' } = service.nodes[0] ?? {};
  const photo = (await uploaded(await makePhoto({ width: 700, height: 500, seed: 5 }))).replace(service.origin, origin);
  const formats = ['webp', 'avif', 'jpeg'];
  const responses = await Promise.all(
    Array.from({ length: 30 }, (_, index) => call('GET', `${photo}/medium?format=${formats[index % 3]}`)),
  );
  assert.deepEqual(new Set(responses.map(({ status }) => status)), new Set([200]));
  assert.equal(new Set(responses.map(({ bytes }) => bytes.toString('base64'))).size, 3);
  const digest = photo.slice(-64);
  const files = await readdir(join(service.dataDir, 'photos', digest.slice(0, 2), digest));
  const names = files.map((file) => file.split('-')[0]);
  assert.deepEqual(new Set(names), new Set(['medium', 'medium.avif', 'medium.jpeg', 'original']));
  assert.equal(names.length, 4);
});
