import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { clientOf } from '../../support/client.ts';
import { startTestService } from '../../support/service.ts';
import { checkAccessibility } from '../support/accessibility.ts';
import { skipWithoutBrowser } from '../support/browser.ts';
import { samplePhoto, paintPhoto, type PhotoFile } from '../support/photo-files.ts';
import { keepScreenshot } from '../support/screenshots.ts';
import { addPet, addPhoto } from '../support/stock.ts';
import { openThrottle } from '../support/network.ts';
import { openVisit } from '../support/visit.ts';
import { waitFor, waitForValue } from '../support/waiting.ts';

// Low limits, so that photos beyond them cost little.
const flags = ['--empty', '--max-photo-bytes', '500000'];
const config = { http: { maxPhotoPixels: 2_000_000 } };
const service = await startTestService({ after }, { web: true, flags, config });
const call = clientOf(service.base);

void test(
  'upload: several photos at a time, with an error message for invalid files',
  { skip: skipWithoutBrowser },
  async (t) => {
    const id = await addPet(call, { name: 'Rex' });
    const visit = await openVisit(t, service);
    const { page } = visit;
    await visit.open(`/pets/${id}/edit`);
    const files = [
      await paintPhoto('field', { width: 1000 }),
      await samplePhoto('cat-luna.jpg'),
      await paintPhoto('meadow', { format: 'png', width: 800, hue: 40 }),
      textFile('letter.jpg'),
    ];
    // Uploaded photos appear above the pending uploads.
    await visit.expectShifts(async () => {
      await choose(page, files);
      await page.getByText("This file isn't supported. Choose a JPEG, PNG, WebP, GIF or AVIF photo.").waitFor();
      await photoRow(page, 3).waitFor();
    });
    const photos = await photosOf(id);
    assert.equal(photos.length, 3);
    // The first selected photo is the cover.
    assert.equal(photos[0]?.width, 1000);
    await checkAccessibility(page, 'The photos of a pet');
    await keepScreenshot(page, 'photos', { isWhole: true });
    await page.getByRole('button', { name: 'Dismiss letter.jpg' }).click();
    await page.getByRole('button', { name: 'Dismiss letter.jpg' }).waitFor({ state: 'detached' });
  },
);

void test('alternative text: saved when the field is left', { skip: skipWithoutBrowser }, async (t) => {
  const id = await addPetWithPhotos(2);
  const visit = await openVisit(t, service, { width: 375 });
  const { page } = visit;
  await visit.open(`/pets/${id}/edit`);
  const field = photoRow(page, 1).getByLabel('Description (alt text)');
  await field.fill('A cat in a box');
  await field.press('Enter');
  await photoRow(page, 1).getByText('Saved').waitFor();
  assert.equal((await photosOf(id))[0]?.alt, 'A cat in a box');
  await keepScreenshot(page, 'photos', { isWhole: true });
});

void test(
  'order: changed by buttons and keyboard; removing a photo can be undone',
  { skip: skipWithoutBrowser },
  async (t) => {
    const id = await addPetWithPhotos(3);
    const [one, two, three] = (await photosOf(id)).map(({ digest }) => digest);
    const visit = await openVisit(t, service, { theme: 'dark' });
    const { page } = visit;
    await visit.open(`/pets/${id}/edit`);
    await page.getByRole('button', { name: 'Use photo 3 as cover photo' }).click();
    await expectOrder(page, id, [three, one, two]);
    await page.getByRole('button', { name: 'Move photo 1 down' }).click();
    await expectOrder(page, id, [one, three, two]);
    await page.getByRole('button', { name: 'Drag photo 3' }).press('Space');
    await page.getByText('Picked up photo 3 of 3.').waitFor();
    // The library measures the list in the next frame, and reads keys from a timer on.
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
    await page.keyboard.press('ArrowUp');
    await page.getByText('Now at position 2 of 3.').waitFor();
    await page.keyboard.press('Space');
    await expectOrder(page, id, [one, two, three]);
    await page.getByRole('button', { name: 'Remove photo 2' }).click();
    await expectOrder(page, id, [one, three]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expectOrder(page, id, [one, two, three]);
    await keepScreenshot(page, 'photos', { isWhole: true });
  },
);

void test(
  'pending changes: shown immediately, and sent one after the other',
  { skip: skipWithoutBrowser },
  async (t) => {
    const id = await addPetWithPhotos(3);
    const [one, two, three] = (await photosOf(id)).map(({ digest }) => digest);
    const visit = await openVisit(t, service);
    const { page } = visit;
    await visit.open(`/pets/${id}/edit`);
    const first = Promise.withResolvers<void>();
    await page.route(`**/v2/pet/${id}/photos`, async (route) => {
      if (route.request().method() === 'PUT') await first.promise;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Move photo 1 down' }).click();
    await expectShown(page, [two, one, three]);
    await page.getByRole('button', { name: 'Move photo 3 up' }).click();
    await expectShown(page, [two, three, one]);
    await page.getByRole('button', { name: 'Remove photo 2' }).click();
    await expectShown(page, [two, one]);
    assert.deepEqual(
      (await photosOf(id)).map(({ digest }) => digest),
      [one, two, three],
    );
    first.resolve();
    await expectOrder(page, id, [two, one]);
    await visit.waitForIdle();
    const shown = photoRow(page, 1).locator('img');
    assert.match((await shown.getAttribute('src')) ?? '', new RegExp(two ?? 'no digest'));
    assert.equal(await page.getByText('These photos were changed').count(), 0);
  },
);

void test('order: changed by dragging', { skip: skipWithoutBrowser }, async (t) => {
  const id = await addPetWithPhotos(3);
  const [one, two, three] = (await photosOf(id)).map(({ digest }) => digest);
  const visit = await openVisit(t, service, { height: 1200 });
  const { page } = visit;
  await visit.open(`/pets/${id}/edit`);
  await photoRow(page, 3).waitFor();
  await visit.waitForIdle();
  // By the handle, to the first position.
  await drag(
    page,
    page.getByRole('button', { name: 'Drag photo 3' }),
    page.getByRole('button', { name: 'Drag photo 1' }),
  );
  await expectOrder(page, id, [three, one, two]);
  // By the photo itself, to the last position.
  await drag(page, photoRow(page, 1).locator('img'), photoRow(page, 3).locator('img'));
  await expectOrder(page, id, [one, two, three]);
  // A text field in the row neither drags it nor lifts it by keys.
  const field = photoRow(page, 1).getByLabel('Description (alt text)');
  await drag(page, field, photoRow(page, 3).locator('img'));
  await field.pressSequentially('On a rug');
  assert.equal(await field.inputValue(), 'On a rug');
  await field.press('Enter');
  await photoRow(page, 1).getByText('Saved').waitFor();
  await expectOrder(page, id, [one, two, three]);
});

void test(
  'new pet: its photos are uploaded in the order that the user has selected',
  { skip: skipWithoutBrowser },
  async (t) => {
    const visit = await openVisit(t, service);
    const { page } = visit;
    await visit.open('/pets/new');
    await page.getByRole('textbox', { name: /^Name/ }).fill('Ordered');
    // The large ones first: they would arrive last.
    await choose(page, [
      await paintPhoto('large', { width: 1200 }),
      await paintPhoto('middle', { width: 800 }),
      await paintPhoto('small', { width: 300 }),
    ]);
    await page.getByRole('button', { name: 'Move photo 3 up' }).click();
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByRole('heading', { name: 'Ordered' }).waitFor();
    const id = /\d+$/.exec(page.url())?.[0] ?? assert.fail(page.url());
    await waitForValue(async () => (await photosOf(id)).map(({ width }) => width), [1200, 300, 800]);
  },
);

void test('upload: a failure is reported on other pages', { skip: skipWithoutBrowser }, async (t) => {
  const visit = await openVisit(t, service);
  const { page } = visit;
  await visit.open('/pets/new');
  for (const name of ['Ada', 'Ben']) {
    await page.getByRole('textbox', { name: /^Name/ }).fill(name);
    await choose(page, [await samplePhoto('dog-juno.jpg'), textFile('letter.jpg')]);
    await page.getByLabel('Add another afterwards').check();
    await page.getByRole('button', { name: 'Publish' }).click();
    const trouble = page.getByRole('alert').filter({ hasText: `1 photo of ${name} was not added.` });
    await trouble.waitFor();
    // Notices of several added pets replace each other.
    await page.getByText(`${name} was published.`).waitFor();
    await waitForValue(() => page.getByText('was published.').count(), 1);
  }
  await checkAccessibility(page, 'A new pet with news of those before');
  await page.getByRole('alert').getByRole('button', { name: 'View' }).first().click();
  await page.getByText("This file isn't supported. Choose a JPEG, PNG, WebP, GIF or AVIF photo.").waitFor();
});

void test('order: a conflicting change is not overwritten', { skip: skipWithoutBrowser }, async (t) => {
  const id = await addPetWithPhotos(2);
  const visit = await openVisit(t, service);
  visit.expect(/status of 412/);
  const { page } = visit;
  // Blocks change events, as if the other change were simultaneous.
  await page.route('**/v2/events*', (route) => route.abort());
  visit.allow(/ERR_FAILED|events/);
  await visit.open(`/pets/${id}/edit`);
  await photoRow(page, 2).waitFor();
  await addPhoto(call, id, await samplePhoto('lion-kito.jpg'));
  await page.getByRole('button', { name: 'Move photo 1 down' }).click();
  await page.getByText('These photos were changed in the meantime.').waitFor();
  await photoRow(page, 3).waitFor();
  assert.equal((await photosOf(id)).length, 3);
});

void test('upload: continues when the network is back', { skip: skipWithoutBrowser }, async (t) => {
  const id = await addPet(call, { name: 'Offline' });
  const visit = await openVisit(t, service);
  visit.expect(/ERR_INTERNET_DISCONNECTED/);
  const { page, context } = visit;
  await visit.open(`/pets/${id}/edit`);
  await page.getByRole('button', { name: 'Choose photos' }).waitFor();
  await context.setOffline(true);
  await choose(page, [await samplePhoto('dog-juno.jpg')]);
  await page.getByRole('button', { name: 'Retry dog-juno.jpg' }).waitFor();
  await context.setOffline(false);
  await photoRow(page, 1).waitFor();
  assert.equal((await photosOf(id)).length, 1);
});

void test(
  'upload: shows progress, continues on other pages, and can be cancelled',
  { skip: skipWithoutBrowser },
  async (t) => {
    const id = await addPet(call, { name: 'Slow' });
    const visit = await openVisit(t, service);
    visit.allow(/ERR_ABORTED/);
    const { page } = visit;
    await visit.open(`/pets/${id}/edit`);
    await page.getByRole('button', { name: 'Choose photos' }).waitFor();
    // So slow that the upload does not end before the user has left the page.
    const setSpeed = await openThrottle(page);
    await setSpeed(10_000);
    await choose(page, [await paintPhoto('one', { width: 1200 }), await paintPhoto('two', { width: 1200, hue: 30 })]);
    await page.getByRole('progressbar', { name: 'Progress of one.jpg' }).waitFor();
    await page.waitForFunction(() => (document.querySelector('progress')?.position ?? 0) > 0);
    await page.getByRole('button', { name: 'Cancel two.jpg' }).click();
    await page.getByRole('link', { name: 'Pets', exact: true }).click();
    await page.waitForURL('**/');
    await setSpeed(Infinity);
    await waitFor(async () => (await photosOf(id)).length === 1, 'one photo is stored');
  },
);

void test('upload: accepts dropped and pasted files', { skip: skipWithoutBrowser }, async (t) => {
  const id = await addPet(call, { name: 'Handy' });
  const visit = await openVisit(t, service);
  const { page } = visit;
  await visit.open(`/pets/${id}/edit`);
  await page.getByRole('group', { name: 'Add photos' }).waitFor();
  await transfer(page, 'drop', await samplePhoto('dog-juno.jpg'));
  await photoRow(page, 1).waitFor();
  await transfer(page, 'paste', await samplePhoto('cat-miso.jpg'));
  await photoRow(page, 2).waitFor();
});

/** With real pointer events. */
async function drag(page: Page, from: Locator, to: Locator): Promise<void> {
  const [start, goal] = [await middleOf(from), await middleOf(to)];
  await page.mouse.move(start.x, start.y);
  await page.mouse.down();
  await page.mouse.move(start.x, start.y + 8);
  await page.mouse.move(goal.x, goal.y, { steps: 8 });
  await page.mouse.up();
}

async function middleOf(what: Locator): Promise<{ x: number; y: number }> {
  const { x, y, width, height } = (await what.boundingBox()) ?? assert.fail('It is on the screen.');
  return { x: x + width / 2, y: y + height / 2 };
}

/** As a drop on the area, or pasted anywhere. */
async function transfer(page: Page, how: 'drop' | 'paste', { name, mimeType, buffer }: PhotoFile): Promise<void> {
  const base64 = buffer.toString('base64');
  await page.evaluate(
    ({ how, name, mimeType, base64 }) => {
      const data = new DataTransfer();
      data.items.add(
        new File([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))], name, { type: mimeType }),
      );
      const event =
        how === 'drop'
          ? new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true })
          : new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true });
      const target = how === 'drop' ? document.querySelector('[role="group"][aria-label="Add photos"]') : document.body;
      target?.dispatchEvent(event);
    },
    { how, name, mimeType, base64 },
  );
}

async function choose(page: Page, files: readonly PhotoFile[]): Promise<void> {
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Choose photos' }).click(),
  ]);
  await chooser.setFiles([...files]);
}

function photoRow(page: Page, number: number) {
  return page
    .getByRole('list', { name: 'Photos' })
    .getByRole('listitem')
    .nth(number - 1);
}

function textFile(name: string): PhotoFile {
  return { name, mimeType: 'image/jpeg', buffer: Buffer.from('Dear all, this is not a picture.') };
}

async function addPetWithPhotos(count: number): Promise<string> {
  const id = await addPet(call, { name: 'Rex' });
  for (const name of ['dog-juno.jpg', 'cat-miso.jpg', 'lion-zuri.jpg'].slice(0, count))
    await addPhoto(call, id, await samplePhoto(name));
  return id;
}

interface Photo {
  digest: string;
  width: number;
  alt: string | null;
}

async function photosOf(id: string): Promise<readonly Photo[]> {
  const response = await call('GET', `pet/${id}/photos`);
  return JSON.parse(response.text) as Photo[];
}

/**
 * Waits until the service has this order and the page shows it: the names of the buttons contain the position, which
 * the next click relies on.
 */
async function expectOrder(page: Page, id: string, digests: readonly (string | undefined)[]): Promise<void> {
  await waitForValue<readonly (string | undefined)[]>(
    async () => (await photosOf(id)).map(({ digest }) => digest),
    digests,
  );
  await expectShown(page, digests);
}

async function expectShown(page: Page, digests: readonly (string | undefined)[]): Promise<void> {
  for (const [index, digest] of digests.entries())
    await photoRow(page, index + 1)
      .locator(`img[src*="${digest}"]`)
      .waitFor();
  await photoRow(page, digests.length + 1).waitFor({ state: 'detached' });
}
