import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { crc32, inflateSync } from 'node:zlib';
import { pino } from 'pino';
import sharp from 'sharp';
import {
  assertResponse,
  assertRefused,
  clientOf,
  errorText,
  successText,
  type Call,
  type CallOptions,
} from '../support/client.ts';
import { startComposed } from '../support/composed-service.ts';
import { inTime } from '../support/deadline.ts';
import {
  avifThatClaims,
  blackPng,
  gifOnLargeScreen,
  jpegWithScans,
  pngText,
  withLongProfile,
} from '../support/hostile-photos.ts';
import { BOUNDARY, fileUpload, multipart } from '../support/multipart.ts';
import { overriding } from '../support/overriding.ts';
import { openSocket } from '../support/raw-http.ts';
import { startNodes } from '../support/nodes.ts';
import { filesIn, padded, petWith, photoUrlsOf, uploaded } from '../support/pet-photos.ts';
import type { PhotoFormat } from '../support/photo-painter.ts';
import { makePhoto } from '../support/photos.ts';
import { startTestService, testConfigOn, withSettings } from '../support/service.ts';

/* Accepted and refused photos, and how they are stored. */

const service = await startTestService({ after });
const call = clientOf(service.base);

/** Uploads a file that must be refused without a trace to a new pet. */
async function refuse(client: Call, upload: CallOptions, status: number, context = ''): Promise<void> {
  const id = await petWith(client);
  assertRefused(await client('POST', `pet/${id}/uploadImage`, upload), status, context);
  assert.deepEqual(await photoUrlsOf(client, id), [], context);
}

const LANDSCAPE = { width: 120, height: 80 };
const jpeg = await makePhoto({ ...LANDSCAPE, orientation: 6 });

const stored: [format: PhotoFormat, mediaType: string][] = [
  ['jpeg', 'image/jpeg'],
  ['png', 'image/png'],
  ['webp', 'image/webp'],
  ['gif', 'image/png'],
  ['avif', 'image/webp'],
];
for (const [format, mediaType] of stored) {
  void test(`${format}: accepted under any file name, and served as ${mediaType}`, async () => {
    const url = await uploaded(call, await makePhoto({ ...LANDSCAPE, format }), 'document.pdf');
    const { status, headers, bytes } = await call('GET', url);
    assert.equal(status, 200);
    assert.equal(headers.get('content-type'), mediaType);
    assert.equal(headers.get('content-length'), String(bytes.byteLength));
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    const { width, height, format: shown } = await sharp(bytes).metadata();
    assert.deepEqual({ width, height }, LANDSCAPE);
    assert.equal(`image/${shown}`, mediaType);
  });
}

void test('png: stored without loss', async () => {
  const sent = await makePhoto({ ...LANDSCAPE, format: 'png' });
  const { bytes } = await call('GET', await uploaded(call, sent));
  assert.deepEqual(await sharp(bytes).raw().toBuffer(), await sharp(sent).raw().toBuffer());
});

for (const format of ['jpeg', 'png', 'webp', 'avif'] as const) {
  void test(`${format} with EXIF: rotated upright, and without EXIF in every size`, async () => {
    const sent = await makePhoto({ ...LANDSCAPE, format, orientation: 6 });
    assert.ok(sent.includes('Secretcam'), 'the upload must contain EXIF');
    const url = await uploaded(call, sent);
    for (const address of [url, `${url}/small`, `${url}/card`, `${url}/medium`, `${url}/large`]) {
      const { bytes } = await call('GET', address);
      for (const trace of ['Exif', 'EXIF', 'Secretcam', 'Somebody', 'GPS', 'eXIf', 'xmp', 'photoshop'])
        assert.ok(!bytes.includes(trace), `${trace} in ${address}`);
      const { width, height, orientation, exif, xmp, iptc } = await sharp(bytes).metadata();
      assert.deepEqual({ width, height }, { width: 80, height: 120 }, address);
      assert.deepEqual(
        { orientation, exif, xmp, iptc },
        { orientation: undefined, exif: undefined, xmp: undefined, iptc: undefined },
      );
    }
  });
}

void test('rotated photo: has the right corner at the top', async () => {
  const upright = await sharp({ create: { width: 40, height: 20, channels: 3, background: 'black' } })
    .composite([{ input: { create: { width: 10, height: 10, channels: 3, background: 'white' } }, left: 0, top: 0 }])
    .jpeg()
    .withMetadata({ orientation: 6 })
    .toBuffer();
  const { bytes } = await call('GET', await uploaded(call, upright));
  const { data, info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true });
  const brightness = (x: number, y: number) => data[(y * info.width + x) * info.channels] ?? -1;
  assert.deepEqual([info.width, info.height], [20, 40]);
  // Orientation 6: the stored top left belongs at the top right.
  assert.ok(brightness(17, 3) > 200 && brightness(3, 3) < 50 && brightness(17, 36) < 50);
});

const tiny = await makePhoto({ width: 30, height: 30, format: 'png', seed: 9 });
const notPhotos: [title: string, content: Uint8Array | string, fileName: string][] = [
  ['a TIFF', await makePhoto({ format: 'tiff' }), 'rex.tiff'],
  ['a TIFF that is named .jpg', await makePhoto({ format: 'tiff', seed: 1 }), 'rex.jpg'],
  [
    'an SVG',
    '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>',
    'rex.svg',
  ],
  ['a text', 'This is no picture.', 'rex.jpg'],
  ['HTML that is named .jpg', '<!doctype html><script>alert(1)</script>', 'rex.jpg'],
  ['HTML after the first bytes of a JPEG', '\xff\xd8\xff\xe0<!doctype html><script>alert(1)</script>', 'rex.jpg'],
  ['a PDF', '%PDF-1.7\n%%EOF', 'rex.pdf'],
  ['a truncated JPEG', jpeg.subarray(0, Math.floor(jpeg.byteLength / 2)), 'rex.jpg'],
  ['the header of a JPEG', jpeg.subarray(0, 20), 'rex.jpg'],
  ['a truncated PNG', tiny.subarray(0, Math.floor(tiny.byteLength / 2)), 'rex.png'],
  ['a single byte', 'x', 'rex.jpg'],
];
for (const [title, content, fileName] of notPhotos) {
  void test(`${title}: refused as a photo`, async () => {
    await refuse(
      call,
      fileUpload(typeof content === 'string' ? Buffer.from(content, 'latin1') : content, fileName),
      415,
    );
  });
}

void test('photo sizes: WebP with a limited longer side', async () => {
  const sides = [
    {
      sent: { width: 2000, height: 1000 },
      small: [320, 160],
      card: [540, 270],
      medium: [800, 400],
      large: [1600, 800],
    },
    { sent: { width: 900, height: 1800 }, small: [160, 320], card: [270, 540], medium: [400, 800], large: [800, 1600] },
  ];
  for (const { sent, ...sizes } of sides) {
    const url = await uploaded(call, await makePhoto(sent));
    for (const [size, [width, height]] of Object.entries(sizes)) {
      const { status, headers, bytes } = await call('GET', `${url}/${size}`);
      assert.equal(status, 200);
      assert.equal(headers.get('content-type'), 'image/webp');
      assert.equal(headers.get('content-length'), String(bytes.byteLength));
      const shown = await sharp(bytes).metadata();
      assert.deepEqual([shown.format, shown.width, shown.height], ['webp', width, height], size);
    }
  }
});

void test('photo sizes: never enlarged', async () => {
  const url = await uploaded(call, await makePhoto({ width: 330, height: 10, seed: 2 }));
  for (const [size, width] of [
    ['small', 320],
    ['medium', 330],
    ['large', 330],
  ] as const)
    assert.equal((await sharp((await call('GET', `${url}/${size}`)).bytes).metadata()).width, width);
});

void test('upload of exactly 10 MiB: accepted, and refused with one byte more', async () => {
  const limit = 10 * 1024 * 1024;
  const id = await petWith(call);
  const response = await call('POST', `pet/${id}/uploadImage`, fileUpload(padded(jpeg, limit)));
  assertResponse(response, 200, successText(`additionalMetadata: null\nFile uploaded to ./rex.jpg, ${limit} bytes`));
  await refuse(call, fileUpload(padded(jpeg, limit + 1)), 413);
  await refuse(call, fileUpload(padded(jpeg, limit + 5 * 1024 * 1024)), 413);
  assert.deepEqual(await filesIn(service.dataDir, 'uploads'), []);
});

function plain(width: number, height: number): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
}

function inBase64(content: Buffer): CallOptions {
  return multipart([{ name: 'file', fileName: 'a.jpg', encoding: 'base64', content: content.toString('base64') }]);
}

void test('upload in base64: has the same limits', async () => {
  const limit = 10 * 1024 * 1024;
  const id = await petWith(call);
  assert.equal((await call('POST', `pet/${id}/uploadImage`, inBase64(padded(jpeg, limit)))).status, 200);
  await refuse(call, inBase64(padded(jpeg, limit + 1)), 413);
  const file = { name: 'file', fileName: 'a.jpg', content: jpeg };
  const text = { name: 'additionalMetadata', encoding: 'base64' };
  for (const [length, status] of [
    [64 * 1024, 200],
    [64 * 1024 + 1, 413],
  ] as const) {
    const content = Buffer.alloc(length, 'x').toString('base64');
    assert.equal((await call('POST', `pet/${id}/uploadImage`, multipart([{ ...text, content }, file]))).status, status);
  }
});

void test('configured limits of bytes and pixels: exact', async (t) => {
  const small = await startTestService(t, {
    flags: ['--empty', '--max-photo-bytes', '4096'],
    config: { http: { maxPhotoPixels: 10_000 } },
  });
  const client = clientOf(small.base);
  const photo = await makePhoto({ width: 20, height: 20 });
  await uploaded(client, padded(photo, 4096));
  await refuse(client, fileUpload(padded(photo, 4097)), 413);
  // Other parts do not count toward the file, in any position.
  const id = await petWith(client);
  const text = { name: 'additionalMetadata', content: 'x'.repeat(5000) };
  const file = { name: 'file', fileName: 'a.jpg', content: padded(photo, 4096) };
  for (const parts of [
    [text, file],
    [file, text],
  ])
    assert.equal((await client('POST', `pet/${id}/uploadImage`, multipart(parts))).status, 200);

  await uploaded(client, await plain(100, 100));
  await uploaded(client, await plain(10_000, 1));
  await refuse(client, fileUpload(await plain(10_001, 1)), 413);
  await refuse(client, fileUpload(await plain(101, 100)), 413);
  assert.deepEqual(await filesIn(small.dataDir, 'uploads'), []);
});

void test('small file with gigantic dimensions: refused by its pixels', async () => {
  const bomb = Buffer.from(tiny);
  bomb.writeUInt32BE(6325, 16);
  bomb.writeUInt32BE(6325, 20);
  bomb.writeUInt32BE(crc32(bomb.subarray(12, 29)), 29);
  await refuse(call, fileUpload(bomb, 'bomb.png'), 413);
  bomb.writeUInt32BE(60_000, 16);
  bomb.writeUInt32BE(60_000, 20);
  bomb.writeUInt32BE(crc32(bomb.subarray(12, 29)), 29);
  await refuse(call, fileUpload(bomb, 'bomb.png'), 413);
});

const tooLong: [width: number, height: number][] = [
  [16_385, 1],
  [1, 16_385],
  [10_000_000, 4],
  [1, 39_000_000],
];
for (const [width, height] of tooLong) {
  void test(`photo of ${width} x ${height}: refused by its longer side`, async () => {
    await refuse(call, fileUpload(blackPng(width, height), 'thin.png'), 413);
  });
}

const narrow: [format: PhotoFormat, width: number, height: number][] = [
  ['png', 16_384, 1],
  ['jpeg', 3, 16_384],
  // A lossy photo is stored as WebP, which has shorter sides.
  ['avif', 16_383, 2],
];
for (const [format, width, height] of narrow) {
  void test(`${format} of ${width} x ${height}: has sizes in every format`, async () => {
    const url = await uploaded(call, await makePhoto({ width, height, format }));
    for (const query of ['small?format=webp', 'card?format=avif', 'medium?format=jpeg', 'large?format=avif'])
      assert.equal((await call('GET', `${url}/${query}`)).status, 200, query);
  });
}

void test('lossy photo: limited to the longest side of a WebP, which it is stored as', async () => {
  const avif = await makePhoto({ ...LANDSCAPE, format: 'avif' });
  await refuse(call, fileUpload(avifThatClaims(avif, 16_384, 2)), 413);
});

void test('photo beyond the current limits: its original and existing sizes are served, and no new ones are made', async (t) => {
  const generous = await startTestService(t);
  const before = clientOf(generous.base);
  const { pathname } = new URL(await uploaded(before, await plain(200, 100)));
  assert.equal((await before('GET', `${generous.origin}${pathname}/small`)).status, 200);
  await generous.stop();
  const config = withSettings(await testConfigOn(generous.dataDir, ['--empty']), { http: { maxPhotoPixels: 10_000 } });
  const strict = await startNodes(config, pino({ level: 'silent' }));
  try {
    const now = clientOf(`${strict.origin}/v2`);
    assert.equal((await now('GET', `${strict.origin}${pathname}`)).status, 200);
    assert.equal((await now('GET', `${strict.origin}${pathname}/small`)).status, 200);
    assertRefused(await now('GET', `${strict.origin}${pathname}/medium`), 404);
  } finally {
    await strict.stop();
  }
});

void test('JPEG: as many scans as encoders write, not a thousand', async () => {
  await uploaded(call, jpegWithScans(64, 100));
  await refuse(call, fileUpload(jpegWithScans(64, 101)), 413);
});

void test('PNG: its texts are not decompressed', async () => {
  const text = pngText(40 * 1024 * 1024);
  const count = 90;
  const photo = blackPng(
    20,
    20,
    Array.from({ length: count }, () => text),
  );
  const onceUs = await cpuTimeOf(async () => inflateSync(text.subarray(TEXT_START, -4)));
  const uploadUs = await cpuTimeOf(() => uploaded(call, photo));
  // Compared with the same work, because machines differ. An upload takes the time of ten texts at most.
  assert.ok(uploadUs < (count / 2) * onceUs, `${uploadUs} and ${onceUs} µs`);
});

/** After the length, the type and the keyword of the chunk. */
const TEXT_START = 8 + 'Comment'.length + 2;

/** The processor time of all threads. */
async function cpuTimeOf(work: () => Promise<unknown>): Promise<number> {
  const start = process.cpuUsage();
  await work();
  return process.cpuUsage(start).user;
}

function pixelsOf(photo: Buffer): Promise<Buffer> {
  return sharp(photo).toColourspace('srgb').raw().toBuffer();
}

void test('colour profile with executable steps: not applied', async () => {
  // With thousands of steps, applying it takes seconds.
  const plainPhoto = await makePhoto({ width: 64, height: 64 });
  const profiled = withLongProfile(plainPhoto, 20);
  const pixels = await pixelsOf(plainPhoto);
  assert.ok(!pixels.equals(await pixelsOf(profiled)), 'the profile changes the colours');
  const [sent, expected] = [await uploaded(call, profiled), await uploaded(call, plainPhoto)];
  const served = async (url: string) => pixelsOf((await call('GET', url)).bytes);
  assert.deepEqual(await served(sent), await served(expected));
});

void test('GIF: its size is that of the frame, whatever the screen', async () => {
  await uploaded(call, gifOnLargeScreen(1, 1));
  await refuse(call, fileUpload(gifOnLargeScreen(60_000, 60_000)), 413);
  await refuse(call, fileUpload(gifOnLargeScreen(65_535, 1)), 413);
});

void test('animation: the first frame is stored', async () => {
  const frames = [makePhoto({ format: 'png', seed: 1 }), makePhoto({ format: 'png', seed: 2 })];
  for (const format of ['gif', 'webp'] as const) {
    const animation = sharp(await Promise.all(frames), { join: { animated: true } }).toFormat(format);
    const { bytes } = await call('GET', await uploaded(call, await animation.toBuffer()));
    const { width, height, pages = 1 } = await sharp(bytes).metadata();
    assert.deepEqual({ width, height, pages }, { ...LANDSCAPE, pages: 1 });
  }
});

void test('AVIF with wrong dimensions in its headers: refused', async () => {
  const avif = await makePhoto({ ...LANDSCAPE, format: 'avif' });
  await refuse(call, fileUpload(avifThatClaims(avif, 12, 8)), 415);
  await refuse(call, fileUpload(avifThatClaims(avif, 1200, 800)), 415);
  await refuse(call, fileUpload(avifThatClaims(avif, 12_000, 8000)), 413);
});

void test('client waiting for its response: not disconnected as idle', async (t) => {
  const released = Promise.withResolvers<void>();
  const received = Promise.withResolvers<void>();
  const { origin, call } = await startComposed(t, {
    config: { http: { idleTimeoutMs: 1000 } },
    change: ({ pets }) => ({
      pets: overriding(pets, {
        apply: async (change) => {
          if (change.kind !== 'put') {
            received.resolve();
            await released.promise;
          }
          return pets.apply(change);
        },
      }),
    }),
  });
  t.after(() => released.resolve());
  const id = await petWith(call);
  const response = call('POST', `pet/${id}/uploadImage`, fileUpload(jpeg));
  await inTime('the upload', received.promise);
  // A later connection that is idle as well is closed.
  const idle = await openSocket(origin);
  idle.write('GET /livez HTTP/1.1\r\n');
  idle.resume();
  await inTime('the end of the idle connection', new Promise((resolve) => idle.once('close', resolve)));
  released.resolve();
  assert.equal((await response).status, 200);
});

const whole = fileUpload(jpeg);
const brokenUploads: [title: string, upload: CallOptions, status: number][] = [
  ['only a text', multipart([{ name: 'additionalMetadata', content: 'x' }]), 400],
  ['a file in a part of another name', multipart([{ name: 'picture', fileName: 'a.jpg', content: jpeg }]), 400],
  ['an empty file', fileUpload(''), 400],
  ['no parts', { ...whole, body: Buffer.from(`--${BOUNDARY}--\r\n`) }, 400],
  ['an empty body', { ...whole, body: new Uint8Array() }, 400],
  ['no boundary', { ...whole, headers: { 'content-type': 'multipart/form-data' } }, 400],
  ['a wrong boundary', { ...whole, headers: { 'content-type': 'multipart/form-data; boundary=other' } }, 400],
  ['a missing end', { ...whole, body: whole.body.subarray(0, -20) }, 400],
  ['an end in the middle of the file', { ...whole, body: whole.body.subarray(0, 300) }, 400],
  ['an end in the header of a part', { ...whole, body: whole.body.subarray(0, 40) }, 400],
  ['JSON', { json: { file: 'x' } }, 415],
  ['a form', { form: { file: 'x' } }, 415],
  ['the bare photo', { body: Buffer.from(jpeg), headers: { 'content-type': 'image/jpeg' } }, 415],
  ['the bare photo without a content type', { body: Buffer.from(jpeg) }, 415],
  ['another multipart type', { ...whole, headers: { 'content-type': `multipart/mixed; boundary=${BOUNDARY}` } }, 415],
  ['a compressed body', { ...whole, headers: { ...whole.headers, 'content-encoding': 'gzip' } }, 415],
  [
    'a text that is far too long',
    multipart([
      { name: 'additionalMetadata', content: 'x'.repeat(100_000) },
      { name: 'file', fileName: 'a.jpg', content: jpeg },
    ]),
    413,
  ],
];
for (const [title, upload, status] of brokenUploads) {
  void test(`upload with ${title}: refused (${status})`, async () => {
    await refuse(call, upload, status);
    assert.deepEqual(await filesIn(service.dataDir, 'uploads'), []);
  });
}

void test('upload without a body: reported as a missing file', async () => {
  await refuse(call, {}, 400);
});

void test('upload to an unknown pet: 404, and leaves nothing behind', async () => {
  const before = await filesIn(service.dataDir, 'photos');
  const photo = await makePhoto({ seed: 77 });
  assertResponse(await call('POST', 'pet/987654321/uploadImage', fileUpload(photo)), 404, errorText('Pet not found'));
  assertResponse(await call('POST', 'pet/x/uploadImage', fileUpload(photo)), 400, errorText('Invalid ID supplied'));
  assert.deepEqual(await filesIn(service.dataDir, 'uploads'), []);
  assert.deepEqual(await filesIn(service.dataDir, 'photos'), before);
});
