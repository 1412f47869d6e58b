import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import { clientOf } from '../support/client.ts';
import { startTestService } from '../support/service.ts';
import { checkAccessibility } from './support/accessibility.ts';
import { skipWithoutBrowser } from './support/browser.ts';
import { samplePicture, takePhotograph, type PictureFile } from './support/photographs.ts';
import { keepScreenshot } from './support/screenshots.ts';
import { addPet, addPicture } from './support/stock.ts';
import { openVisit } from './support/visit.ts';

const service = await startTestService({ after }, { web: true, flags: ['--empty', '--max-photo-bytes', '3000000'] });
const call = clientOf(service.base);

void test(
  'pictures are uploaded several at once, and told apart from what is none',
  { skip: skipWithoutBrowser },
  async (t) => {
    const id = await addPet(call, { name: 'Rex' });
    const visit = await openVisit(t, service);
    const { page } = visit;
    await visit.open(`/pets/${id}/edit`);
    const large = await takePhotograph('large', { width: 3600 });
    assert.ok(large.buffer.byteLength > 3_000_000);
    const files = [
      await takePhotograph('field', { width: 1600 }),
      await samplePicture('cat-luna.jpg'),
      await takePhotograph('meadow', { format: 'png', width: 800, hue: 40 }),
      large,
      textFile('letter.jpg'),
    ];
    // What has arrived takes its place above what is still under way.
    await visit.moving(async () => {
      await choose(page, files);
      await page.getByText('This picture is too large: 3\u00a0MB are the most.').waitFor();
      await page.getByText('This is no JPEG, PNG, WebP, GIF or AVIF picture.').waitFor();
      await pictureRow(page, 3).waitFor();
    });
    const photos = await photosOf(id);
    assert.equal(photos.length, 3);
    // The one that was chosen first stands for the pet.
    assert.equal(photos[0]?.width, 1600);
    await checkAccessibility(page, 'The pictures of a pet');
    await keepScreenshot(page, 'pictures', { isWhole: true });
    await page.getByRole('button', { name: 'Put letter.jpg away' }).click();
    await page.getByRole('button', { name: 'Put large.jpg away' }).click();
    await page.getByText('Put letter.jpg away').waitFor({ state: 'detached' });
  },
);

void test('a photo with too many pixels: refused before it is sent', { skip: skipWithoutBrowser }, async (t) => {
  const id = await addPet(call, { name: 'Titan' });
  const huge = await blankPhoto(7000, 6000);
  assert.ok(huge.buffer.byteLength < 3_000_000);
  const visit = await openVisit(t, service);
  const { page } = visit;
  const uploads: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/uploadImage')) uploads.push(request.url());
  });
  for (const path of [`/pets/${id}/edit`, '/pets/new']) {
    await visit.open(path);
    await page.getByText('up to 3\u00a0MB and 40 megapixels each').waitFor();
    await choose(page, [huge]);
    await page.getByText('This picture has too many pixels. The limit is 40 megapixels.').waitFor();
  }
  assert.deepEqual(uploads, []);
  const allowed = await blankPhoto(6000, 6000);
  await visit.open(`/pets/${id}/edit`);
  await visit.moving(async () => {
    await choose(page, [allowed]);
    await pictureRow(page, 1).waitFor();
  });
  assert.equal(uploads.length, 1);
});

void test('what a picture shows is kept when the field is left', { skip: skipWithoutBrowser }, async (t) => {
  const id = await addPetWithPictures(2);
  const visit = await openVisit(t, service, { width: 375 });
  const { page } = visit;
  await visit.open(`/pets/${id}/edit`);
  const field = pictureRow(page, 1).getByLabel('What it shows');
  await field.fill('A cat in a box');
  await field.press('Enter');
  await pictureRow(page, 1).getByText('Saved').waitFor();
  assert.equal((await photosOf(id))[0]?.alt, 'A cat in a box');
  await keepScreenshot(page, 'pictures', { isWhole: true });
});

void test(
  'pictures are put in order by buttons and by the keyboard, and removed with a way back',
  { skip: skipWithoutBrowser },
  async (t) => {
    const id = await addPetWithPictures(3);
    const [one, two, three] = (await photosOf(id)).map(({ digest }) => digest);
    const visit = await openVisit(t, service, { theme: 'dark' });
    const { page } = visit;
    await visit.open(`/pets/${id}/edit`);
    await page.getByRole('button', { name: 'Show picture 3 first' }).click();
    await expectOrder(page, id, [three, one, two]);
    await page.getByRole('button', { name: 'Move picture 1 down' }).click();
    await expectOrder(page, id, [one, three, two]);
    await page.getByRole('button', { name: 'Drag picture 3' }).press('Space');
    await page.getByText('Lifted picture 3 of 3.').waitFor();
    await page.keyboard.press('ArrowUp');
    await page.getByText('Now at place 2 of 3.').waitFor();
    await page.keyboard.press('Space');
    await expectOrder(page, id, [one, two, three]);
    await page.getByRole('button', { name: 'Remove picture 2' }).click();
    await expectOrder(page, id, [one, three]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expectOrder(page, id, [one, two, three]);
    await keepScreenshot(page, 'pictures', { isWhole: true });
  },
);

void test(
  'what is done to pictures stays in sight while what was done before is under way',
  { skip: skipWithoutBrowser },
  async (t) => {
    const id = await addPetWithPictures(3);
    const [one, two, three] = (await photosOf(id)).map(({ digest }) => digest);
    const visit = await openVisit(t, service);
    const { page } = visit;
    await visit.open(`/pets/${id}/edit`);
    const first = Promise.withResolvers<void>();
    await page.route(`**/v2/pet/${id}/photos`, async (route) => {
      if (route.request().method() === 'PUT') await first.promise;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Move picture 1 down' }).click();
    await expectShown(page, [two, one, three]);
    await page.getByRole('button', { name: 'Move picture 3 up' }).click();
    await expectShown(page, [two, three, one]);
    await page.getByRole('button', { name: 'Remove picture 2' }).click();
    await expectShown(page, [two, one]);
    assert.deepEqual(
      (await photosOf(id)).map(({ digest }) => digest),
      [one, two, three],
    );
    first.resolve();
    await expectOrder(page, id, [two, one]);
    await visit.waitForQuiet();
    const shown = pictureRow(page, 1).locator('img');
    assert.match((await shown.getAttribute('src')) ?? '', new RegExp(two ?? 'no digest'));
    assert.equal(await page.getByText('These pictures have changed').count(), 0);
  },
);

void test('pictures are put in order by dragging them', { skip: skipWithoutBrowser }, async (t) => {
  const id = await addPetWithPictures(3);
  const [one, two, three] = (await photosOf(id)).map(({ digest }) => digest);
  const visit = await openVisit(t, service, { height: 1200 });
  const { page } = visit;
  await visit.open(`/pets/${id}/edit`);
  await pictureRow(page, 3).waitFor();
  await visit.waitForQuiet();
  // By the handle, up to the first place.
  await drag(
    page,
    page.getByRole('button', { name: 'Drag picture 3' }),
    page.getByRole('button', { name: 'Drag picture 1' }),
  );
  await expectOrder(page, id, [three, one, two]);
  // By the picture itself, down to the last.
  await drag(page, pictureRow(page, 1).locator('img'), pictureRow(page, 3).locator('img'));
  await expectOrder(page, id, [one, two, three]);
  // A field in the row is for typing: nothing is dragged by it, and no key lifts anything.
  const field = pictureRow(page, 1).getByLabel('What it shows');
  await drag(page, field, pictureRow(page, 3).locator('img'));
  await field.pressSequentially('On a rug');
  assert.equal(await field.inputValue(), 'On a rug');
  await field.press('Enter');
  await pictureRow(page, 1).getByText('Saved').waitFor();
  await expectOrder(page, id, [one, two, three]);
});

void test(
  'the pictures of a new pet come in the order in which they were put',
  { skip: skipWithoutBrowser },
  async (t) => {
    const visit = await openVisit(t, service);
    const { page } = visit;
    await visit.open('/pets/new');
    await page.getByRole('textbox', { name: /^Name/ }).fill('Ordered');
    // The large ones first: they would be the last to arrive.
    await choose(page, [
      await takePhotograph('large', { width: 2000 }),
      await takePhotograph('middle', { width: 1000 }),
      await takePhotograph('small', { width: 300 }),
    ]);
    await page.getByRole('button', { name: 'Move picture 3 up' }).click();
    await page.getByRole('button', { name: 'Add the pet' }).click();
    await page.getByRole('heading', { name: 'Ordered' }).waitFor();
    const id = /\d+$/.exec(page.url())?.[0] ?? assert.fail(page.url());
    await waitUntil(async () => (await photosOf(id)).length === 3);
    assert.deepEqual(
      (await photosOf(id)).map(({ width }) => width),
      [2000, 300, 1000],
    );
  },
);

void test('who has gone on is told of pictures that did not arrive', { skip: skipWithoutBrowser }, async (t) => {
  const visit = await openVisit(t, service);
  const { page } = visit;
  await visit.open('/pets/new');
  for (const name of ['Ada', 'Ben']) {
    await page.getByRole('textbox', { name: /^Name/ }).fill(name);
    await choose(page, [await samplePicture('dog-juno.jpg'), textFile('letter.jpg')]);
    await page.getByRole('button', { name: 'Add, then another' }).click();
    const trouble = page.getByRole('alert').filter({ hasText: `1 picture of ${name} was not added.` });
    await trouble.waitFor();
    // Of several that are added one after the other, the last one is enough to know.
    await page.getByText(`${name} is added.`).waitFor();
    assert.equal(await page.getByText('is added.').count(), 1);
  }
  await checkAccessibility(page, 'A new pet with news of those before');
  await page.getByRole('alert').getByRole('button', { name: 'Look at it' }).first().click();
  await page.getByText('This is no JPEG, PNG, WebP, GIF or AVIF picture.').waitFor();
});

void test('an order that others have changed meanwhile is not overwritten', { skip: skipWithoutBrowser }, async (t) => {
  const id = await addPetWithPictures(2);
  const visit = await openVisit(t, service);
  visit.expect(/status of 412/);
  const { page } = visit;
  // The page is told of what others do: here it is not, as if they did it in the same moment.
  await page.route('**/v2/events*', (route) => route.abort());
  visit.allow(/ERR_FAILED|events/);
  await visit.open(`/pets/${id}/edit`);
  await pictureRow(page, 2).waitFor();
  await addPicture(call, id, await samplePicture('lion-kito.jpg'));
  await page.getByRole('button', { name: 'Move picture 1 down' }).click();
  await page.getByText('These pictures have changed meanwhile.').waitFor();
  await pictureRow(page, 3).waitFor();
  assert.equal((await photosOf(id)).length, 3);
});

void test('an upload without a connection is kept, and goes on with one', { skip: skipWithoutBrowser }, async (t) => {
  const id = await addPet(call, { name: 'Offline' });
  const visit = await openVisit(t, service);
  visit.expect(/ERR_INTERNET_DISCONNECTED/);
  const { page, context } = visit;
  await visit.open(`/pets/${id}/edit`);
  await page.getByRole('button', { name: 'Choose pictures' }).waitFor();
  await context.setOffline(true);
  await choose(page, [await samplePicture('dog-juno.jpg')]);
  await page.getByRole('button', { name: 'Try dog-juno.jpg again' }).waitFor();
  await context.setOffline(false);
  await pictureRow(page, 1).waitFor();
  assert.equal((await photosOf(id)).length, 1);
});

void test(
  'an upload tells how far it is, goes on on other pages, and can be cancelled',
  { skip: skipWithoutBrowser },
  async (t) => {
    const id = await addPet(call, { name: 'Slow' });
    const visit = await openVisit(t, service, { isSlow: true });
    visit.allow(/ERR_ABORTED/);
    const { page } = visit;
    await visit.open(`/pets/${id}/edit`);
    await choose(page, [
      await takePhotograph('one', { width: 2000 }),
      await takePhotograph('two', { width: 2000, hue: 30 }),
    ]);
    const progress = page.getByRole('progressbar', { name: 'Progress of one.jpg' });
    await page.waitForFunction(() => (document.querySelector('progress')?.position ?? 0) > 0.1);
    assert.ok(await progress.isVisible());
    await page.getByRole('button', { name: 'Cancel two.jpg' }).click();
    await page.getByRole('link', { name: 'Pets', exact: true }).click();
    await page.waitForURL('**/');
    await waitUntil(async () => (await photosOf(id)).length === 1);
  },
);

void test('files are dropped and pasted', { skip: skipWithoutBrowser }, async (t) => {
  const id = await addPet(call, { name: 'Handy' });
  const visit = await openVisit(t, service);
  const { page } = visit;
  await visit.open(`/pets/${id}/edit`);
  await page.getByRole('group', { name: 'Add pictures' }).waitFor();
  await give(page, 'drop', await samplePicture('dog-juno.jpg'));
  await pictureRow(page, 1).waitFor();
  await give(page, 'paste', await samplePicture('cat-miso.jpg'));
  await pictureRow(page, 2).waitFor();
});

/** As a hand with a mouse does. */
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

/** As a drop on the area, or as what is pasted anywhere. */
async function give(page: Page, how: 'drop' | 'paste', { name, mimeType, buffer }: PictureFile): Promise<void> {
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
      const target =
        how === 'drop' ? document.querySelector('[role="group"][aria-label="Add pictures"]') : document.body;
      target?.dispatchEvent(event);
    },
    { how, name, mimeType, base64 },
  );
}

async function choose(page: Page, files: readonly PictureFile[]): Promise<void> {
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Choose pictures' }).click(),
  ]);
  await chooser.setFiles([...files]);
}

function pictureRow(page: Page, number: number) {
  return page
    .getByRole('list', { name: 'Pictures' })
    .getByRole('listitem')
    .nth(number - 1);
}

/** One colour: many pixels in few bytes. */
async function blankPhoto(width: number, height: number): Promise<PictureFile> {
  const canvas = sharp({ create: { width, height, channels: 3, background: '#7da' } });
  return { name: 'blank.jpg', mimeType: 'image/jpeg', buffer: await canvas.jpeg().toBuffer() };
}

function textFile(name: string): PictureFile {
  return { name, mimeType: 'image/jpeg', buffer: Buffer.from('Dear all, this is not a picture.') };
}

async function addPetWithPictures(count: number): Promise<string> {
  const id = await addPet(call, { name: 'Rex' });
  for (const name of ['dog-juno.jpg', 'cat-miso.jpg', 'lion-zuri.jpg'].slice(0, count))
    await addPicture(call, id, await samplePicture(name));
  return id;
}

interface Photo {
  digest: string;
  width: number;
  alt: string | null;
}

async function photosOf(id: string): Promise<readonly Photo[]> {
  const answer = await call('GET', `pet/${id}/photos`);
  return JSON.parse(answer.text) as Photo[];
}

/** Waits until the service has this order, and the page shows it: buttons are named by the place of their row, which the next click relies on. */
async function expectOrder(page: Page, id: string, digests: readonly (string | undefined)[]): Promise<void> {
  let seen: readonly string[] = [];
  await waitUntil(async () => {
    seen = (await photosOf(id)).map(({ digest }) => digest);
    return JSON.stringify(seen) === JSON.stringify(digests);
  }).catch(() => assert.deepEqual(seen, digests));
  await expectShown(page, digests);
}

async function expectShown(page: Page, digests: readonly (string | undefined)[]): Promise<void> {
  for (const [index, digest] of digests.entries())
    await pictureRow(page, index + 1)
      .locator(`img[src*="${digest}"]`)
      .waitFor();
  await pictureRow(page, digests.length + 1).waitFor({ state: 'detached' });
}

async function waitUntil(isSo: () => Promise<boolean>): Promise<void> {
  const endMs = Date.now() + 30_000;
  while (!(await isSo())) {
    assert.ok(Date.now() < endMs, 'in time');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
