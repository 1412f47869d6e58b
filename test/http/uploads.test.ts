import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { crc32 } from 'node:zlib';
import { pino } from 'pino';
import sharp from 'sharp';
import {
  assertAnswer,
  assertRefused,
  clientOf,
  errorText,
  successText,
  type Call,
  type CallOptions,
} from '../support/client.ts';
import {
  avifThatClaims,
  blackPng,
  gifOnLargeScreen,
  jpegWithScans,
  pngText,
  withLongProfile,
} from '../support/hostile-pictures.ts';
import { BOUNDARY, fileUpload, multipart } from '../support/multipart.ts';
import { startNodes } from '../support/nodes.ts';
import { filesIn, padded, petWith, photoUrlsOf, uploaded } from '../support/pet-pictures.ts';
import { makePicture, type PictureFormat } from '../support/pictures.ts';
import { startTestService, testConfigOn } from '../support/service.ts';

/*
 * What is taken as a picture, what is made of it, and what is refused.
 */

const service = await startTestService({ after });
const call = clientOf(service.base);

/** Uploads to a new pet what is to be refused; then nothing may be left of it. */
async function refuse(client: Call, upload: CallOptions, status: number, context = ''): Promise<void> {
  const id = await petWith(client);
  assertRefused(await client('POST', `pet/${id}/uploadImage`, upload), status, context);
  assert.deepEqual(await photoUrlsOf(client, id), [], context);
}

const LANDSCAPE = { width: 120, height: 80 };
const jpeg = await makePicture({ ...LANDSCAPE, orientation: 6 });

const stored: [format: PictureFormat, mediaType: string][] = [
  ['jpeg', 'image/jpeg'],
  ['png', 'image/png'],
  ['webp', 'image/webp'],
  ['gif', 'image/png'],
  ['avif', 'image/webp'],
];
for (const [format, mediaType] of stored) {
  void test(`a ${format} is taken whatever its name says, and served as ${mediaType}`, async () => {
    const url = await uploaded(call, await makePicture({ ...LANDSCAPE, format }), 'document.pdf');
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

for (const format of ['jpeg', 'png', 'webp', 'avif'] as const) {
  void test(`a ${format} with EXIF is turned upright, and nothing of the EXIF is left in any size`, async () => {
    const sent = await makePicture({ ...LANDSCAPE, format, orientation: 6 });
    assert.ok(sent.includes('Secretcam'), 'the picture has what is to be stripped');
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

void test('a picture that lies on its side is shown with the right corner up', async () => {
  const upright = await sharp({ create: { width: 40, height: 20, channels: 3, background: 'black' } })
    .composite([{ input: { create: { width: 10, height: 10, channels: 3, background: 'white' } }, left: 0, top: 0 }])
    .jpeg()
    .withMetadata({ orientation: 6 })
    .toBuffer();
  const { bytes } = await call('GET', await uploaded(call, upright));
  const { data, info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true });
  const brightness = (x: number, y: number) => data[(y * info.width + x) * info.channels] ?? -1;
  assert.deepEqual([info.width, info.height], [20, 40]);
  // Orientation 6: the top left of what is stored belongs to the top right.
  assert.ok(brightness(17, 3) > 200 && brightness(3, 3) < 50 && brightness(17, 36) < 50);
});

const tiny = await makePicture({ width: 30, height: 30, format: 'png', seed: 9 });
const notPictures: [title: string, content: Uint8Array | string, fileName: string][] = [
  ['a TIFF', await makePicture({ format: 'tiff' }), 'rex.tiff'],
  ['a TIFF that is named .jpg', await makePicture({ format: 'tiff', seed: 1 }), 'rex.jpg'],
  [
    'an SVG',
    '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>',
    'rex.svg',
  ],
  ['a text', 'This is no picture.', 'rex.jpg'],
  ['HTML that is named .jpg', '<!doctype html><script>alert(1)</script>', 'rex.jpg'],
  ['HTML behind the first bytes of a JPEG', '\xff\xd8\xff\xe0<!doctype html><script>alert(1)</script>', 'rex.jpg'],
  ['a PDF', '%PDF-1.7\n%%EOF', 'rex.pdf'],
  ['a truncated JPEG', jpeg.subarray(0, Math.floor(jpeg.byteLength / 2)), 'rex.jpg'],
  ['the header of a JPEG', jpeg.subarray(0, 20), 'rex.jpg'],
  ['a truncated PNG', tiny.subarray(0, Math.floor(tiny.byteLength / 2)), 'rex.png'],
  ['a single byte', 'x', 'rex.jpg'],
];
for (const [title, content, fileName] of notPictures) {
  void test(`${title} is no picture that we take`, async () => {
    await refuse(
      call,
      fileUpload(typeof content === 'string' ? Buffer.from(content, 'latin1') : content, fileName),
      415,
    );
  });
}

void test('each size is a WebP whose longer side is at most as long as it says', async () => {
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
    const url = await uploaded(call, await makePicture(sent));
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

void test('no size is an enlargement', async () => {
  const url = await uploaded(call, await makePicture({ width: 330, height: 10, seed: 2 }));
  for (const [size, width] of [
    ['small', 320],
    ['medium', 330],
    ['large', 330],
  ] as const)
    assert.equal((await sharp((await call('GET', `${url}/${size}`)).bytes).metadata()).width, width);
});

void test('a picture of exactly 10 MiB is taken, one byte more is too much', async () => {
  const limit = 10 * 1024 * 1024;
  const id = await petWith(call);
  const answer = await call('POST', `pet/${id}/uploadImage`, fileUpload(padded(jpeg, limit)));
  assertAnswer(answer, 200, successText(`additionalMetadata: null\nFile uploaded to ./rex.jpg, ${limit} bytes`));
  await refuse(call, fileUpload(padded(jpeg, limit + 1)), 413);
  await refuse(call, fileUpload(padded(jpeg, limit + 5 * 1024 * 1024)), 413);
  assert.deepEqual(await filesIn(service.dataDir, 'uploads'), []);
});

function plain(width: number, height: number): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
}

void test('the limits of bytes and pixels are those of the configuration, exactly', async (t) => {
  const small = await startTestService(t, {
    flags: ['--empty', '--max-photo-bytes', '4096', '--max-photo-pixels', '10000'],
  });
  const client = clientOf(small.base);
  const picture = await makePicture({ width: 20, height: 20 });
  await uploaded(client, padded(picture, 4096));
  await refuse(client, fileUpload(padded(picture, 4097)), 413);
  // Other parts do not count as the picture, wherever they stand.
  const id = await petWith(client);
  const text = { name: 'additionalMetadata', content: 'x'.repeat(5000) };
  const file = { name: 'file', fileName: 'a.jpg', content: padded(picture, 4096) };
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

void test('a small file that claims to be a gigantic picture is refused by its pixels', async () => {
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
  void test(`a picture of ${width} x ${height} is refused by its longer side`, async () => {
    await refuse(call, fileUpload(blackPng(width, height), 'thin.png'), 413);
  });
}

const narrow: [format: PictureFormat, width: number, height: number][] = [
  ['png', 16_384, 1],
  ['png', 1, 16_384],
  ['jpeg', 16_384, 3],
  ['webp', 2, 16_383],
  ['avif', 16_383, 2],
];
for (const [format, width, height] of narrow) {
  void test(`a ${format} of ${width} x ${height} has every size in every format`, async () => {
    const url = await uploaded(call, await makePicture({ width, height, format }));
    for (const size of ['small', 'card', 'medium', 'large'])
      for (const sent of ['webp', 'avif', 'jpeg'])
        assert.equal((await call('GET', `${url}/${size}?format=${sent}`)).status, 200, `${size} as ${sent}`);
  });
}

void test('a lossy picture is refused by the longest side of a WebP, which it would be stored as', async () => {
  await refuse(call, fileUpload(await makePicture({ width: 16_384, height: 2, format: 'avif' })), 413);
});

void test('a stored picture beyond the current limits: its original and its existing sizes are served, no new ones made', async (t) => {
  const generous = await startTestService(t);
  const before = clientOf(generous.base);
  const { pathname } = new URL(await uploaded(before, await plain(200, 100)));
  assert.equal((await before('GET', `${generous.origin}${pathname}/small`)).status, 200);
  await generous.stop();
  const flags = ['--empty', '--max-photo-pixels', '10000'];
  const strict = await startNodes(await testConfigOn(generous.dataDir, flags), pino({ level: 'silent' }));
  try {
    const now = clientOf(`${strict.origin}/v2`);
    assert.equal((await now('GET', `${strict.origin}${pathname}`)).status, 200);
    assert.equal((await now('GET', `${strict.origin}${pathname}/small`)).status, 200);
    assertRefused(await now('GET', `${strict.origin}${pathname}/medium`), 404);
  } finally {
    await strict.stop();
  }
});

void test('a JPEG may have as many scans as encoders write, and not a thousand', async () => {
  await uploaded(call, jpegWithScans(64, 100));
  await refuse(call, fileUpload(jpegWithScans(64, 101)), 413);
});

void test('the texts of a PNG are not decompressed', async () => {
  const text = pngText(40 * 1024 * 1024);
  const picture = blackPng(
    20,
    20,
    Array.from({ length: 40 }, () => text),
  );
  // To decompress 1.6 GB takes twice as long.
  await uploadedWithin(5, picture);
});

void test('a colour profile with thousands of steps is not applied', async () => {
  // To apply it takes twice as long.
  await uploadedWithin(5, withLongProfile(await makePicture({ width: 600, height: 600 }), 2000));
});

/** Uploads, and fails beyond this processor time. */
async function uploadedWithin(seconds: number, picture: Buffer): Promise<void> {
  const { user } = process.cpuUsage();
  await uploaded(call, picture);
  assert.ok((process.cpuUsage().user - user) / 1e6 < seconds);
}

void test('a GIF is as large as its frame, whatever screen it is for', async () => {
  await uploaded(call, gifOnLargeScreen(1, 1));
  await refuse(call, fileUpload(gifOnLargeScreen(60_000, 60_000)), 413);
  await refuse(call, fileUpload(gifOnLargeScreen(65_535, 1)), 413);
});

void test('of an animation, the first frame is stored', async () => {
  const frames = [makePicture({ format: 'png', seed: 1 }), makePicture({ format: 'png', seed: 2 })];
  for (const format of ['gif', 'webp'] as const) {
    const animation = sharp(await Promise.all(frames), { join: { animated: true } }).toFormat(format);
    const { bytes } = await call('GET', await uploaded(call, await animation.toBuffer()));
    const { width, height, pages = 1 } = await sharp(bytes).metadata();
    assert.deepEqual({ width, height, pages }, { ...LANDSCAPE, pages: 1 });
  }
});

void test('an AVIF that claims another size than it has is refused', async () => {
  const avif = await makePicture({ ...LANDSCAPE, format: 'avif' });
  await refuse(call, fileUpload(avifThatClaims(avif, 12, 8)), 415);
  await refuse(call, fileUpload(avifThatClaims(avif, 1200, 800)), 415);
  await refuse(call, fileUpload(avifThatClaims(avif, 12_000, 8000)), 413);
});

void test('a client that waits for its answer is not cut off as idle, behind large pictures or thin ones', async (t) => {
  const hasty = await startTestService(t, { flags: ['--empty', '--idle-timeout-seconds', '1'] });
  // The last answer waits for seconds of work, and for minutes beside other work.
  const client = clientOf(hasty.base, 300_000);
  const upload = async (picture: Uint8Array) =>
    (await client('POST', `pet/${await petWith(client)}/uploadImage`, fileUpload(picture))).status;
  const ordinary = await makePicture({ seed: 5 });
  for (const [expensive, status] of [
    [blackPng(10_000_000, 4), 413],
    // Together, they take longer than a connection may be idle.
    [blackPng(5000, 5000), 200],
  ] as const) {
    const pictures = [expensive, expensive, expensive, expensive, ordinary];
    assert.deepEqual(await Promise.all(pictures.map(upload)), [status, status, status, status, 200]);
  }
});

const whole = fileUpload(jpeg);
const brokenUploads: [title: string, upload: CallOptions, status: number][] = [
  ['only a text', multipart([{ name: 'additionalMetadata', content: 'x' }]), 400],
  ['a file in a part of another name', multipart([{ name: 'picture', fileName: 'a.jpg', content: jpeg }]), 400],
  ['an empty file', fileUpload(''), 400],
  ['no parts', { ...whole, body: Buffer.from(`--${BOUNDARY}--\r\n`) }, 400],
  ['an empty body', { ...whole, body: new Uint8Array() }, 400],
  ['no boundary', { ...whole, headers: { 'content-type': 'multipart/form-data' } }, 400],
  [
    'another boundary than it says',
    { ...whole, headers: { 'content-type': 'multipart/form-data; boundary=other' } },
    400,
  ],
  ['no end', { ...whole, body: whole.body.subarray(0, -20) }, 400],
  ['an end in the middle of the file', { ...whole, body: whole.body.subarray(0, 300) }, 400],
  ['an end in the header of a part', { ...whole, body: whole.body.subarray(0, 40) }, 400],
  ['JSON', { json: { file: 'x' } }, 415],
  ['a form', { form: { file: 'x' } }, 415],
  ['the bare picture', { body: Buffer.from(jpeg), headers: { 'content-type': 'image/jpeg' } }, 415],
  ['the bare picture without a content type', { body: Buffer.from(jpeg) }, 415],
  [
    'a multipart body of another kind',
    { ...whole, headers: { 'content-type': `multipart/mixed; boundary=${BOUNDARY}` } },
    415,
  ],
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
  void test(`an upload with ${title} is refused (${status})`, async () => {
    await refuse(call, upload, status);
    assert.deepEqual(await filesIn(service.dataDir, 'uploads'), []);
  });
}

void test('an upload without anything has no file', async () => {
  await refuse(call, {}, 400);
});

void test('an upload to a pet that is not there finds none, and leaves nothing', async () => {
  const before = await filesIn(service.dataDir, 'photos');
  const picture = await makePicture({ seed: 77 });
  assertAnswer(await call('POST', 'pet/987654321/uploadImage', fileUpload(picture)), 404, errorText('Pet not found'));
  assertAnswer(await call('POST', 'pet/x/uploadImage', fileUpload(picture)), 400, errorText('Invalid ID supplied'));
  assert.deepEqual(await filesIn(service.dataDir, 'uploads'), []);
  assert.deepEqual(await filesIn(service.dataDir, 'photos'), before);
});
