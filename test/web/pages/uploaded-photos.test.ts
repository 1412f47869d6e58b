import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { SharpImaging } from '../../../src/services/imaging/imaging.ts';
import { centres, STRIP } from '../../support/patches.ts';
import { damagedPhotos } from '../../support/damaged-photos.ts';
import { colourSamples } from '../../support/photo-samples.ts';
import { getBrowser, skipWithoutBrowser } from '../support/browser.ts';

/* Uploads are stored as the browser shows them. */

const imaging = new SharpImaging({ maxPixels: 40_000_000, concurrency: 2, maxWaiting: 100 });
let page: Page;

before(async () => {
  if (skipWithoutBrowser === false) page = await getBrowser().newPage();
});
after(() => page?.close());

/** The pixels of a photo in the browser, scaled to this size. Undefined if it is not shown. */
async function shown(photo: Uint8Array, size = STRIP): Promise<Buffer | undefined> {
  const pixels = await page.evaluate(
    async ({ base64, width, height }) => {
      const image = new Image();
      image.src = URL.createObjectURL(await (await fetch(`data:;base64,${base64}`)).blob());
      await image.decode().catch(() => {});
      if (image.naturalWidth === 0) return undefined;
      const canvas = new OffscreenCanvas(width, height).getContext('2d');
      if (canvas === null) throw new Error('no canvas');
      canvas.imageSmoothingEnabled = false;
      canvas.drawImage(image, 0, 0, width, height);
      const { data } = canvas.getImageData(0, 0, width, height);
      return btoa(Array.from(data, (byte) => String.fromCharCode(byte)).join(''));
    },
    { base64: Buffer.from(photo).toString('base64'), ...size },
  );
  return pixels === undefined ? undefined : Buffer.from(pixels, 'base64');
}

/** Lossy formats, and the tables of profiles, are rounded in other ways. */
function toleranceOf(name: string): number {
  return /AVIF|WebP|CMYK/.test(name) ? 5 : 3;
}

void test('uploaded photo: stored with the colours that the browser shows', { skip: skipWithoutBrowser }, async () => {
  const different: string[] = [];
  for (const { name, make } of colourSamples()) {
    const file = await make();
    const original = centres((await shown(file)) ?? assert.fail(name), 4);
    const { bytes } = await imaging.prepare(file);
    const stored = centres((await shown(bytes)) ?? assert.fail(name), 4);
    for (const [index, pixel] of original.entries())
      if (pixel.some((value, channel) => Math.abs(value - (stored[index]?.[channel] ?? 0)) > toleranceOf(name)))
        different.push(`${name}: ${pixel.join()} is stored as ${stored[index]?.join()}`);
  }
  assert.deepEqual(different, []);
});

/** Of JPEGs without an end, the browser leaves out the last rows. They are in the file, and are stored. */
const LEFT_OUT = /^(?:progressive )?JPEG, (?:no|half an) end$/;

/** The browser ignores checksums, and draws a PNG before its end. */
const ONLY_SHOWN =
  /^PNG, (?:(?:a wrong|no) checksum (?:of the pixels|before compression)|the last 18 bytes|a wrong length)/;

/** Of `makePhoto`. */
const PHOTO = { width: 120, height: 80 };

void test('damaged photo: accepted if the browser shows all of it', { skip: skipWithoutBrowser }, async () => {
  const whole: string[] = [];
  const photos = await damagedPhotos();
  for (const { name, file, original } of photos) {
    const [pixels, expected] = [await shown(file, PHOTO), await shown(original, PHOTO)];
    if (pixels !== undefined && expected?.equals(pixels) === true) whole.push(name);
  }
  const accepted = photos.filter(({ isWhole }) => isWhole).map(({ name }) => name);
  assert.deepEqual(
    whole.filter((name) => !ONLY_SHOWN.test(name)),
    accepted.filter((name) => !LEFT_OUT.test(name)),
  );
});
