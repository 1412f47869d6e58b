import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { skipWithoutBrowser } from '../support/browser.ts';
import { paintPhoto, samplePhoto, type PhotoFile } from '../support/photo-files.ts';
import { checkState } from '../support/pages.ts';
import { addPet, startStaffedService } from '../support/stock.ts';
import { openVisit } from '../support/visit.ts';
import { waitForValue } from '../support/waiting.ts';

/*
 * Uploads that end with the page, and photos that are larger than the service accepts.
 */

// Low limits, so that photos beyond them cost little.
const LIMITS = { bytes: 500_000, pixels: 2_000_000 };
const { service, call, root } = await startStaffedService(
  { after },
  { config: { http: { maxPhotoBytes: LIMITS.bytes, maxPhotoPixels: LIMITS.pixels } } },
);
const options = { skip: skipWithoutBrowser };

async function choose(page: Page, files: readonly PhotoFile[]): Promise<void> {
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Choose photos' }).click(),
  ]);
  await chooser.setFiles([...files]);
}

interface StoredPhoto {
  digest: string;
  width: number;
  height: number;
}

async function photosOf(id: string): Promise<readonly StoredPhoto[]> {
  return JSON.parse((await call('GET', `pet/${id}/photos`)).text) as StoredPhoto[];
}

async function storedPhoto(digest: string): Promise<Buffer> {
  return Buffer.from(await (await fetch(`${service.base}/photo/${digest}`)).arrayBuffer());
}

for (const how of ['reloaded', 'closed'] as const)
  void test(`lost uploads: listed after the page was ${how}`, options, async (t) => {
    const id = await addPet(call, { name: 'Luna' }, root);
    const visit = await openVisit(t, service, { loggedInAs: 'edna', width: how === 'closed' ? 375 : 1440 });
    visit.allow(/ERR_ABORTED|ERR_FAILED/);
    const { page, context } = visit;
    // The first photo arrives, the others wait.
    let uploads = 0;
    await context.route('**/uploadImage', async (route) => {
      uploads += 1;
      if (uploads === 1) await route.continue();
    });
    await visit.open(`/pets/${id}/edit`);
    const sent = [
      await samplePhoto('cat-luna.jpg'),
      await samplePhoto('cat-miso.jpg'),
      await samplePhoto('cat-ziggy.jpg'),
    ];
    await visit.expectShifts(async () => {
      await choose(page, sent);
      await page.getByText('cat-luna.jpg').waitFor({ state: 'detached' });
      await waitForValue(async () => (await photosOf(id)).length, 1);
      await waitForValue(() => Promise.resolve(uploads), 2);
    });
    page.on('dialog', (dialog) => void dialog.accept());
    let next = page;
    if (how === 'reloaded') await page.goto('/');
    else {
      await page.close({ runBeforeUnload: true });
      next = await context.newPage();
      await next.goto('/');
    }
    await context.unroute('**/uploadImage');
    const notice = next.getByRole('alert').filter({ hasText: '2 photos of Luna were not added.' });
    await notice.getByRole('button', { name: 'View' }).click();
    await next.getByText('These photos were not uploaded, because the page was closed.').waitFor();
    assert.deepEqual(await next.getByRole('region', { name: 'Uploads' }).getByRole('listitem').allTextContents(), [
      'cat-miso.jpg',
      'cat-ziggy.jpg',
    ]);
    await checkState(next, `lost uploads ${how}`);
    // A photo that is added again disappears from the list.
    await choose(next, [await samplePhoto('cat-miso.jpg')]);
    await next.getByText('This photo was not uploaded').waitFor();
    await next.getByRole('button', { name: 'Hide list' }).click();
    await next.getByText('This photo was not uploaded').waitFor({ state: 'detached' });
    assert.deepEqual(await next.evaluate(() => Object.keys(localStorage).filter((key) => key.includes('uploads'))), []);
  });

function fileOf(name: string, buffer: Buffer): PhotoFile {
  return { name, mimeType: `image/${name.split('.').at(-1)}`, buffer };
}

const RED = { r: 200, g: 30, b: 30, alpha: 1 };

void test('large photos: made smaller before the upload, upright and with their transparency', options, async (t) => {
  const blank = (width: number, height: number, background = RED) =>
    sharp({ create: { width, height, channels: 4, background } });
  const large = await paintPhoto('large', { width: 1600 });
  assert.ok(large.buffer.byteLength > LIMITS.bytes);
  const files = [
    large,
    fileOf('pixels.jpeg', await blank(1700, 1200).jpeg().toBuffer()),
    // The camera was turned: it is 1,200 pixels wide.
    fileOf('turned.jpeg', await blank(1700, 1200).jpeg().withMetadata({ orientation: 6 }).toBuffer()),
    fileOf(
      'clear.png',
      await blank(1700, 1200, { ...RED, alpha: 0 })
        .png()
        .toBuffer(),
    ),
  ];
  const id = await addPet(call, { name: 'Titan' }, root);
  const visit = await openVisit(t, service, { loggedInAs: 'edna', width: 375, theme: 'dark' });
  const { page } = visit;
  const sizes: number[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/uploadImage')) sizes.push(request.postDataBuffer()?.byteLength ?? 0);
  });
  await visit.open(`/pets/${id}/edit`);
  await page.getByText('Photos above 500\u00a0kB or 2 megapixels are made smaller.').waitFor();
  await visit.expectShifts(async () => {
    await choose(page, files);
    await waitForValue(async () => (await photosOf(id)).length, files.length);
  });
  const photos = await photosOf(id);
  for (const [index, { width, height }] of photos.entries()) {
    const name = files[index]?.name;
    assert.ok(width * height <= LIMITS.pixels, `${name}: ${width} x ${height}`);
    assert.ok(width * height > LIMITS.pixels / 4, `${name} keeps what it can: ${width} x ${height}`);
    const ratio = name === 'turned.jpeg' ? 1200 / 1700 : name === 'large.jpg' ? 4 / 3 : 1700 / 1200;
    assert.ok(Math.abs(width / height - ratio) < 0.01, `${name}: ${width} x ${height}`);
  }
  const clear = await sharp(await storedPhoto(photos[3]?.digest ?? '')).stats();
  assert.equal(clear.isOpaque, false);
});

void test('large photos: a chosen one of a new pet is announced, and HEIC is explained', options, async (t) => {
  const visit = await openVisit(t, service, { loggedInAs: 'edna' });
  const { page } = visit;
  await visit.open('/pets/new');
  const heic = Buffer.from('\0\0\0\u0018ftypheic\0\0\0\0mif1heic');
  await choose(page, [await paintPhoto('large', { width: 1600 }), fileOf('IMG_1.heic', heic)]);
  await page.getByText('Large: it is made smaller before the upload.').waitFor();
  await page.getByText("This browser can't read HEIC photos.").waitFor();
  await checkState(page, 'large photos');
  await page.getByLabel('Name').fill('Large');
  await page.getByRole('button', { name: 'Remove photo 2' }).click();
  await page.getByRole('button', { name: 'Publish' }).click();
  await page.getByRole('heading', { name: 'Large' }).waitFor();
  const id = /\d+$/.exec(page.url())?.[0] ?? assert.fail(page.url());
  await waitForValue(async () => (await photosOf(id)).length, 1);
});

void test('large photos: a damaged one is refused', options, async (t) => {
  const id = await addPet(call, { name: 'Damaged' }, root);
  const visit = await openVisit(t, service, { loggedInAs: 'edna' });
  const { page } = visit;
  await visit.open(`/pets/${id}/edit`);
  // Its header is intact.
  const { name, buffer } = await paintPhoto('damaged', { format: 'png', width: 1800 });
  buffer.fill(0, 100);
  await choose(page, [fileOf(name, buffer)]);
  await page.getByText("This photo is too large, and this browser couldn't make it smaller.").waitFor();
  assert.deepEqual(await photosOf(id), []);
});
