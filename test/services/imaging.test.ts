import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import sharp from 'sharp';
import { Failure } from '../../src/domain/failure.ts';
import { PHOTO_FORMATS } from '../../src/domain/photos/photo.ts';
import { convertAvif } from '../../src/services/imaging/avif.ts';
import { cicpProfile } from '../../src/services/imaging/icc-profile.ts';
import { SharpImaging } from '../../src/services/imaging/imaging.ts';
import { damagedPhotos } from '../support/damaged-photos.ts';
import { avifWithMoreFrames } from '../support/hostile-photos.ts';
import { storedColours, STRIP, type Rgb } from '../support/patches.ts';
import { colourSamples } from '../support/photo-samples.ts';
import { makePhoto } from '../support/photos.ts';

/* How uploads are decoded. `test/web/pages/uploaded-photos.test.ts` compares all samples with a browser. */

const imaging = new SharpImaging({ maxPixels: 40_000_000, concurrency: 2, maxWaiting: 1000 });

const isRefused = (error: unknown) => error instanceof Failure && error.code === 'unsupported-media-type';
const isTooLarge = (error: unknown) => error instanceof Failure && error.code === 'too-large';

void test('AVIF with many large frames: its decoder is killed', async () => {
  const avif = await makePhoto({ format: 'avif', width: 800, height: 800 });
  assert.equal((await convertAvif(avifWithMoreFrames(avif, 1), 40_000_000)).format, 'webp');
  await assert.rejects(convertAvif(avifWithMoreFrames(avif, 1000), 40_000_000, 1), isTooLarge);
});

function assertColours(
  actual: readonly number[][],
  expected: readonly Rgb[],
  tolerance: number,
  context: string,
): void {
  for (const [index, colour] of expected.entries())
    for (const [channel, value] of colour.entries())
      assert.ok(Math.abs(value - (actual[index]?.[channel] ?? -1)) <= tolerance, `${context}: ${actual.join(' | ')}`);
}

const SAME: readonly Rgb[] = [
  [200, 110, 40],
  [20, 40, 200],
  [90, 200, 180],
];
const DISPLAY_P3: readonly Rgb[] = [
  [214, 104, 0],
  [12, 41, 208],
  [0, 203, 180],
];
const LINEAR: readonly Rgb[] = [
  [229, 176, 110],
  [79, 110, 229],
  [160, 229, 219],
];

/** The first, the fourth and the last colour, as Chromium shows them. */
const shownColours: [name: string, colours: readonly Rgb[]][] = [
  ['PNG, rgb, 8 bits, no profile', SAME],
  ['PNG, rgb, 16 bits, sRGB', SAME],
  ['PNG, rgb, 16 bits, Display P3', DISPLAY_P3],
  ['PNG, rgba, 16 bits, Display P3', DISPLAY_P3],
  ['PNG, palette, 4 bits, Display P3', DISPLAY_P3],
  ['PNG, rgb, 16 bits, Display P3 by numbers', DISPLAY_P3],
  ['PNG, rgb, 16 bits, a linear profile', LINEAR],
  ['PNG, rgb, 8 bits, a broken profile', SAME],
  [
    'PNG, grey, 16 bits, a grey profile',
    [
      [147, 147, 147],
      [68, 68, 68],
      [180, 180, 180],
    ],
  ],
  [
    'JPEG, grey, a wide profile',
    [
      [130, 130, 130],
      [49, 49, 49],
      [166, 166, 166],
    ],
  ],
  ['JPEG, cmyk, no profile', SAME],
  ['JPEG, ycck, no profile', SAME],
  [
    'JPEG, cmyk, a CMYK profile',
    [
      [203, 121, 59],
      [38, 58, 204],
      [102, 204, 186],
    ],
  ],
  ['WebP, lossless, Display P3', DISPLAY_P3],
  ['AVIF, 8 bits, 12/13', DISPLAY_P3],
  ['AVIF, 10 bits, Display P3', DISPLAY_P3],
];

void test('colours: stored as browsers show them', async () => {
  const samples = new Map(colourSamples().map(({ name, make }) => [name, make]));
  for (const [name, expected] of shownColours) {
    const file = await samples.get(name)?.();
    const { bytes } = await imaging.prepare(file ?? assert.fail(name));
    const colours = await storedColours(bytes);
    assertColours(
      [0, 3, 7].map((index) => colours[index] ?? []),
      expected,
      5,
      name,
    );
    assert.equal((await sharp(bytes).metadata()).icc, undefined, name);
  }
});

void test('photo size: the colours of the stored photo, in every format', async () => {
  const sample = colourSamples().find(({ name }) => name === 'PNG, rgb, 16 bits, Display P3');
  const { bytes } = await imaging.prepare((await sample?.make()) ?? assert.fail());
  const expected = await storedColours(bytes);
  for (const format of PHOTO_FORMATS) {
    const size = await storedColours(await imaging.resize(bytes, STRIP, format));
    assertColours(
      size,
      expected.map(([r = 0, g = 0, b = 0]) => [r, g, b]),
      16,
      format,
    );
  }
});

void test('profile of sRGB: the file has the content of cicpProfile(1, 13), as version 2', async () => {
  const profile = cicpProfile(1, 13) ?? assert.fail();
  profile[8] = 2;
  assert.deepEqual(await readFile(join(import.meta.dirname, '../../assets/srgb.icc')), profile);
});

void test('damaged file: accepted if it contains all pixels', async () => {
  for (const { name, file, original, isWhole } of await damagedPhotos())
    if (isWhole) assert.equal((await imaging.prepare(file)).digest, (await imaging.prepare(original)).digest, name);
    else await assert.rejects(imaging.prepare(file), isRefused, name);
});

const FRAME = { width: 64, height: 32 };

/** A frame of one colour, or of another one in its left half. */
async function frameOf(background: string, left = background): Promise<Buffer> {
  const half = { create: { ...FRAME, width: FRAME.width / 2, channels: 4 as const, background: left } };
  const whole = sharp({ create: { ...FRAME, channels: 4, background } });
  return whole
    .composite([{ input: half, left: 0, top: 0 }])
    .png()
    .toBuffer();
}

async function firstPixel(file: Buffer): Promise<readonly number[]> {
  const { bytes } = await imaging.prepare(file);
  const data = await sharp(bytes).ensureAlpha().raw().toBuffer();
  return [...data.subarray(0, 4)];
}

void test('animation that fades in: the first frame that shows something is stored', async () => {
  const shown = await frameOf('blue', 'red');
  for (const blank of ['white', 'transparent']) {
    const frames = [
      await frameOf(blank),
      await frameOf(blank),
      await frameOf('#000019', '#190000'),
      shown,
      await frameOf(blank),
    ];
    const joined = sharp(frames, { join: { animated: true } });
    const files = {
      gif: await joined.clone().gif().toBuffer(),
      webp: await joined.clone().webp({ lossless: true }).toBuffer(),
    };
    for (const [format, file] of Object.entries(files)) {
      assertColours([[...(await firstPixel(file))]], [[255, 0, 0]], 5, `${format}, ${blank}`);
    }
  }
  const plain = [await frameOf('white'), await frameOf('blue')];
  const file = await sharp(plain, { join: { animated: true } })
    .gif()
    .toBuffer();
  assert.deepEqual(await firstPixel(file), [255, 255, 255, 255]);
});
