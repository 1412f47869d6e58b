import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import sharp from 'sharp';
import { thumbHashToApproximateAspectRatio, thumbHashToRGBA } from 'thumbhash';
import { assertResponse, assertRefused, clientOf, errorText, type HttpResponse } from '../support/client.ts';
import { fileUpload, multipart } from '../support/multipart.ts';
import type { PhotoFormat } from '../support/photo-painter.ts';
import { makePhoto } from '../support/photos.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService({ after });
const call = clientOf(service.base);

interface PetPhoto {
  url: string;
  digest: string;
  mediaType: string;
  width: number;
  height: number;
  byteLength: number;
  alt: string | null;
  placeholder: string;
  sizes: Record<string, { url: string; width: number; height: number }>;
}

const FOREIGN = 'https://example.org/rex.jpg';
const photoFiles = await Promise.all([1, 2, 3].map((seed) => makePhoto({ width: 64, height: 48, seed })));

async function petWith(photoUrls: readonly string[] = []): Promise<number> {
  const { text } = await call('POST', 'pet', { json: { name: 'Rex', photoUrls } });
  return (JSON.parse(text) as { id: number }).id;
}

/** A pet with the three photos, and their digests. */
async function petWithPhotos(): Promise<{ id: number; digests: [string, string, string] }> {
  const id = await petWith();
  for (const photoFile of photoFiles) await call('POST', `pet/${id}/uploadImage`, fileUpload(photoFile));
  return { id, digests: digestsIn(await list(id)) as [string, string, string] };
}

async function list(id: number): Promise<PetPhoto[]> {
  const response = await call('GET', `pet/${id}/photos`);
  return photosIn(response);
}

function photosIn(response: HttpResponse): PetPhoto[] {
  assert.equal(response.status, 200, response.text);
  assert.equal(response.headers.get('content-type'), 'application/json');
  return JSON.parse(response.text) as PetPhoto[];
}

const digestsIn = (photos: readonly PetPhoto[]) => photos.map(({ digest }) => digest);

async function etagOf(id: number): Promise<string> {
  return (await call('GET', `pet/${id}`)).headers.get('etag') ?? assert.fail();
}

function upload(id: number, photoFile: Uint8Array, additionalMetadata: string): Promise<HttpResponse> {
  const parts = [
    { name: 'additionalMetadata', content: additionalMetadata },
    { name: 'file', fileName: 'rex.jpg', content: Buffer.from(photoFile) },
  ];
  return call('POST', `pet/${id}/uploadImage`, multipart(parts));
}

void test('photo list: in the order of the pet, with all details', async () => {
  const id = await petWith([FOREIGN]);
  await upload(id, photoFiles[0] ?? assert.fail(), 'A dog on a lawn');
  const response = await call('GET', `pet/${id}/photos`);
  const [foreign, own] = photosIn(response);
  assert.deepEqual(foreign, { url: FOREIGN });
  const { digest = '', placeholder = '', byteLength = 0 } = own ?? {};
  const url = `${service.base}/photo/${digest}`;
  assert.match(digest, /^[0-9a-f]{64}$/);
  assert.deepEqual(own, {
    url,
    digest,
    mediaType: 'image/jpeg',
    width: 64,
    height: 48,
    byteLength,
    alt: 'A dog on a lawn',
    placeholder,
    sizes: {
      small: { url: `${url}/small`, width: 64, height: 48 },
      card: { url: `${url}/card`, width: 64, height: 48 },
      medium: { url: `${url}/medium`, width: 64, height: 48 },
      large: { url: `${url}/large`, width: 64, height: 48 },
    },
  });
  assert.equal((await call('GET', url)).bytes.byteLength, byteLength);
  assert.equal(response.headers.get('etag'), await etagOf(id));
  assert.deepEqual(await list(await petWith()), []);
});

void test('photo list: has the ETag of the pet, and is not sent again to a client that has it', async () => {
  const { id, digests } = await petWithPhotos();
  const etag = (await call('GET', `pet/${id}/photos`)).headers.get('etag') ?? '';
  const again = await call('GET', `pet/${id}/photos`, { headers: { 'if-none-match': etag } });
  assert.deepEqual([again.status, again.text, again.headers.get('etag')], [304, '', etag]);
  await call('PATCH', `pet/${id}/photos/${digests[0]}`, { json: { alt: 'new' } });
  assert.equal((await call('GET', `pet/${id}/photos`, { headers: { 'if-none-match': etag } })).status, 200);
});

/** Sides that rounding makes difficult, and formats that are decoded at a smaller size in different ways. */
const SIDES: [format: PhotoFormat, width: number, height: number][] = [
  ['jpeg', 2000, 100],
  ['jpeg', 42, 1689],
  ['jpeg', 145, 2481],
  ['jpeg', 29, 1425],
  ['jpeg', 321, 320],
  ['webp', 145, 2481],
  ['webp', 1600, 5],
  ['png', 42, 1689],
  ['png', 2500, 1],
];
for (const [format, width, height] of SIDES) {
  void test(`${format} of ${width} by ${height}: exact dimensions of its sizes before they are made`, async () => {
    const id = await petWith();
    await call('POST', `pet/${id}/uploadImage`, fileUpload(await makePhoto({ width, height, format })));
    const [photo] = await list(id);
    assert.deepEqual([photo?.width, photo?.height], [width, height]);
    for (const size of Object.values(photo?.sizes ?? {})) {
      for (const served of height > 320 ? ['jpeg'] : ['webp', 'jpeg', 'avif']) {
        const shown = await sharp((await call('GET', `${size.url}?format=${served}`)).bytes).metadata();
        assert.deepEqual([shown.width, shown.height], [size.width, size.height], served);
      }
    }
    assert.match(photo?.placeholder ?? '', /^[A-Za-z0-9+/]{8,40}=*$/);
  });
}

void test('placeholder: has the colours and approximate shape of its photo', async () => {
  const id = await petWith();
  const halves = await sharp({ create: { width: 300, height: 150, channels: 3, background: 'red' } })
    .composite([{ input: { create: { width: 150, height: 150, channels: 3, background: 'blue' } }, left: 150, top: 0 }])
    .png()
    .toBuffer();
  await call('POST', `pet/${id}/uploadImage`, fileUpload(halves));
  const hash = Buffer.from((await list(id))[0]?.placeholder ?? '', 'base64');
  assert.ok(Math.abs(thumbHashToApproximateAspectRatio(hash) - 2) < 0.5);
  const { w, h, rgba } = thumbHashToRGBA(hash);
  const at = (x: number) => [...rgba.subarray((Math.floor(h / 2) * w + x) * 4).subarray(0, 4)];
  const [left, right] = [at(2), at(w - 3)];
  assert.ok((left[0] ?? 0) > 150 && (left[2] ?? 0) < 110, `${left.join()} is red`);
  assert.ok((right[2] ?? 0) > 150 && (right[0] ?? 0) < 110, `${right.join()} is blue`);
});

void test('new order: keeps the named photos, and releases the others', async () => {
  const { id, digests } = await petWithPhotos();
  const [a, b, c] = digests;
  const response = await call('PUT', `pet/${id}/photos`, { json: { photos: [c, `${service.base}/photo/${a}`, b] } });
  assert.deepEqual(digestsIn(photosIn(response)), [c, a, b]);
  assert.equal(response.headers.get('etag'), await etagOf(id));
  const fewer = await call('PUT', `pet/${id}/photos`, { json: { photos: [b] } });
  assert.deepEqual(digestsIn(photosIn(fewer)), [b]);
  assert.deepEqual(photosIn(await call('PUT', `pet/${id}/photos`, { json: { photos: [] } })), []);
});

void test('unchanged order: creates no version', async () => {
  const { id, digests } = await petWithPhotos();
  const before = await etagOf(id);
  await call('PUT', `pet/${id}/photos`, { json: { photos: digests } });
  await call('PATCH', `pet/${id}/photos/${digests[0]}`, { json: { first: true, alt: null } });
  await call('PATCH', `pet/${id}/photos/${digests[1]}`, { json: {} });
  assert.equal(await etagOf(id), before);
});

void test('new order: keeps external URLs', async () => {
  const id = await petWith([FOREIGN, 'not even an address', FOREIGN]);
  const names = ['not even an address', FOREIGN];
  const response = await call('PUT', `pet/${id}/photos`, { json: { photos: names } });
  assert.deepEqual(
    photosIn(response),
    names.map((url) => ({ url })),
  );
});

void test('invalid order: reported, and changes nothing', async () => {
  const { id, digests } = await petWithPhotos();
  const before = await etagOf(id);
  const unknownDigest = '0'.repeat(64);
  const wrong: [photos: unknown, sentence: RegExp][] = [
    [[digests[0], unknownDigest], /\/photos\/1 names a photo that the pet does not have/],
    [[digests[0], `https://example.org/${digests[1]}`], /\/photos\/1 names a photo that the pet does not have/],
    [[digests[0], digests[0]], /\/photos\/1 names a photo twice/],
    [[digests[0], `${service.base}/photo/${digests[0]}`], /\/photos\/1 names a photo twice/],
    [[''], /\/photos\/0 names/],
    [[7], /\/photos\/0 must be a string/],
    [digests[0], /\/photos must be an array/],
    [Array.from({ length: 101 }, () => digests[0]), /\/photos must be an array of at most 100/],
    [undefined, /\/photos is required/],
  ];
  for (const [photos, sentence] of wrong) {
    const { message } = assertRefused(await call('PUT', `pet/${id}/photos`, { json: { photos } }), 400);
    assert.match(message, sentence);
  }
  for (const body of [[], 'x', null]) assertRefused(await call('PUT', `pet/${id}/photos`, { json: body }), 400);
  assertRefused(await call('PUT', `pet/${id}/photos`, { form: { photos: 'x' } }), 415);
  assert.equal(await etagOf(id), before);
});

void test('one request: moves a photo to the front, and sets its text', async () => {
  const { id, digests } = await petWithPhotos();
  const [a, b, c] = digests;
  const response = await call('PATCH', `pet/${id}/photos/${c}`, {
    json: { first: true, alt: '  Rex 🐕 in the snow ' },
  });
  assert.deepEqual(
    photosIn(response).map(({ digest, alt }) => [digest, alt]),
    [
      [c, 'Rex 🐕 in the snow'],
      [a, null],
      [b, null],
    ],
  );
  const merged = await call('PATCH', `pet/${id}/photos/${c}`, {
    headers: { 'content-type': 'application/merge-patch+json' },
    body: Buffer.from('{"alt":null}'),
  });
  assert.deepEqual(
    photosIn(merged).map(({ alt }) => alt),
    [null, null, null],
  );
  await call('PATCH', `pet/${id}/photos/${c}`, { json: { alt: 'said' } });
  const empty = photosIn(await call('PATCH', `pet/${id}/photos/${c}`, { json: { alt: ' \n ' } }));
  assert.equal(empty[0]?.alt, null);
});

void test('text of a photo: creates a version, with an unchanged pet', async () => {
  const { id, digests } = await petWithPhotos();
  const before = await call('GET', `pet/${id}`);
  const said = await call('PATCH', `pet/${id}/photos/${digests[1]}`, { json: { alt: 'Two cats' } });
  const now = await call('GET', `pet/${id}`);
  assert.equal(now.text, before.text);
  assert.notEqual(now.headers.get('etag'), before.headers.get('etag'));
  assert.equal(said.headers.get('etag'), now.headers.get('etag'));
  // Petstore's clients send back what they received, which must keep the texts.
  await call('PUT', 'pet', { json: { ...(JSON.parse(now.text) as object), name: 'Rex II' } });
  assert.deepEqual(
    (await list(id)).map(({ alt }) => alt),
    [null, 'Two cats', null],
  );
});

const wrongEdits: [title: string, json: unknown][] = [
  ['too long a text', { alt: 'x'.repeat(1001) }],
  ['a text with U+0000', { alt: 'a\0b' }],
  ['a number', { alt: 7 }],
  ['first as a text', { first: 'yes' }],
  ['a list', []],
  ['nothing', null],
];
for (const [title, json] of wrongEdits) {
  void test(`text of a photo: refuses ${title}`, async () => {
    const { id, digests } = await petWithPhotos();
    const before = await etagOf(id);
    assertRefused(await call('PATCH', `pet/${id}/photos/${digests[0]}`, { json }), 400);
    assert.equal(await etagOf(id), before);
  });
}

void test('text of a photo: a thousand characters at most', async () => {
  const { id, digests } = await petWithPhotos();
  const alt = `${'y'.repeat(999)}z`;
  assert.equal(photosIn(await call('PATCH', `pet/${id}/photos/${digests[0]}`, { json: { alt } }))[0]?.alt, alt);
});

const metadata: [sent: string, alt: string | null][] = [
  ['  A cat\n ', 'A cat'],
  ['', null],
  [' \t\n', null],
  ['a\0b', 'ab'],
  [`${'x'.repeat(999)}🐕 and more`, 'x'.repeat(999)],
  [`${'x'.repeat(998)}🐕 and more`, `${'x'.repeat(998)}🐕`],
  ['x'.repeat(60_000), 'x'.repeat(1000)],
  ['<b>"quoted"</b> & é 猫', '<b>"quoted"</b> & é 猫'],
];
for (const [sent, alt] of metadata) {
  void test(`upload with ${JSON.stringify(sent.slice(0, 30))} (${sent.length}): sets ${alt === null ? 'no text' : `a text of ${alt.length}`}`, async () => {
    const id = await petWith();
    const response = await upload(id, photoFiles[1] ?? assert.fail(), sent);
    assert.equal(response.status, 200, response.text);
    assert.ok((JSON.parse(response.text) as { message: string }).message.startsWith(`additionalMetadata: ${sent}\n`));
    assert.equal((await list(id))[0]?.alt, alt);
  });
}

void test('repeated upload: replaces the text, or keeps it without a new one', async () => {
  const id = await petWith();
  const photoFile = photoFiles[0] ?? assert.fail();
  await upload(id, photoFile, 'one');
  const first = await etagOf(id);
  await upload(id, photoFile, 'one');
  await call('POST', `pet/${id}/uploadImage`, fileUpload(photoFile));
  assert.equal(await etagOf(id), first);
  await upload(id, photoFile, 'two');
  assert.notEqual(await etagOf(id), first);
  assert.deepEqual(
    (await list(id)).map(({ alt }) => alt),
    ['two'],
  );
});

void test('changes of photos: If-Match applies to each', async () => {
  const { id, digests } = await petWithPhotos();
  const [a, b] = digests;
  const stale = { 'if-match': '"1"' };
  const changes: [method: string, path: string, json?: unknown][] = [
    ['PUT', `pet/${id}/photos`, { photos: [b] }],
    ['PATCH', `pet/${id}/photos/${a}`, { alt: 'late', first: true }],
    ['DELETE', `pet/${id}/photos/${a}`],
  ];
  const before = await call('GET', `pet/${id}/photos`);
  for (const [method, path, json] of changes) {
    assertRefused(await call(method, path, { json, headers: stale }), 412);
    assertRefused(await call(method, path, { json, headers: { 'if-match': 'no tag' } }), 400);
  }
  assert.equal((await call('GET', `pet/${id}/photos`)).text, before.text);
  for (const [method, path, json] of changes.toReversed()) {
    const response = await call(method, path, { json, headers: { 'if-match': await etagOf(id) } });
    assert.equal(response.status, method === 'PATCH' ? 404 : 200, response.text);
  }
});

void test('unknown pet or photo: 404 for every operation', async () => {
  const { id, digests } = await petWithPhotos();
  const noPet = errorText('Pet not found');
  assertResponse(await call('GET', 'pet/987654321/photos'), 404, noPet);
  assertResponse(await call('PUT', 'pet/987654321/photos', { json: { photos: [] } }), 404, noPet);
  assertResponse(await call('DELETE', `pet/987654321/photos/${digests[0]}`), 404, noPet);
  for (const petId of ['x', '1.5', '99999999999999999999'])
    assertResponse(await call('GET', `pet/${petId}/photos`), 400, errorText('Invalid ID supplied'));
  const noPhoto = errorText('The pet does not have this photo');
  assertResponse(await call('DELETE', `pet/${id}/photos/${'0'.repeat(64)}`), 404, noPhoto);
  for (const digest of ['x', '%00', digests[0].toUpperCase()]) {
    assertRefused(await call('DELETE', `pet/${id}/photos/${digest}`), 404, digest);
    assertRefused(await call('PATCH', `pet/${id}/photos/${digest}`, { json: { alt: 'x' } }), 404, digest);
  }
});

void test('concurrent changes of the photos of a pet: all are applied', async () => {
  const { id, digests } = await petWithPhotos();
  const responses = await Promise.all([
    ...digests.map((digest) => call('PATCH', `pet/${id}/photos/${digest}`, { json: { alt: `This is ${digest}` } })),
    call('DELETE', `pet/${id}/photos/${digests[1]}`).then((response) => response),
  ]);
  const failed = responses.filter(({ status }) => status !== 200 && status !== 404);
  assert.deepEqual(failed, []);
  assert.deepEqual(
    (await list(id)).map(({ alt }) => alt),
    [digests[0], digests[2]].map((digest) => `This is ${digest}`),
  );
});
