import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { clientOf } from '../../support/client.ts';
import { startTestService } from '../../support/service.ts';
import { checkAccessibility } from '../support/accessibility.ts';
import { skipWithoutBrowser } from '../support/browser.ts';
import { chunkOf } from '../support/chunk-files.ts';
import { samplePhoto } from '../support/photo-files.ts';
import { keepScreenshot } from '../support/screenshots.ts';
import { addPet, addPhoto, patchPet } from '../support/stock.ts';
import { openVisit } from '../support/visit.ts';
import { waitFor, waitForValue } from '../support/waiting.ts';

const service = await startTestService({ after }, { web: true, flags: [] });
const call = clientOf(service.base);

/** The largest ID: a JavaScript number would round it. */
const LARGEST_ID = '9223372036854775807';

void test(
  'gallery: operated by the keyboard, by thumbnails and in full-screen mode',
  { skip: skipWithoutBrowser },
  async (t) => {
    const id = await addPet(call, { name: 'Rex' });
    for (const name of ['dog-juno.jpg', 'cat-miso.jpg', 'lion-zuri.jpg'])
      await addPhoto(call, id, await samplePhoto(name));
    const visit = await openVisit(t, service);
    const { page } = visit;
    await visit.open(`/pets/${id}`);
    const gallery = page.getByRole('region', { name: 'Photos of Rex' });
    await gallery.getByText('Photo 1 of 3').waitFor();
    await gallery.getByRole('button', { name: 'Next photo' }).click();
    await gallery.getByText('Photo 2 of 3').waitFor();
    await page.keyboard.press('ArrowRight');
    await gallery.getByText('Photo 3 of 3').waitFor();
    await gallery.getByRole('button', { name: /^Show photo 1:/ }).click();
    await gallery.getByText('Photo 1 of 3').waitFor();
    const opener = gallery.getByRole('button', { name: /View full screen/ }).first();
    await opener.click();
    const dialog = page.getByRole('dialog', { name: 'Photos of Rex' });
    await dialog.waitFor();
    await page.keyboard.press('End');
    await dialog.getByText('Photo 3 of 3').waitFor();
    // The whole photo is on the screen.
    await waitForValue(async () => {
      const shown = await dialog.getByRole('img').last().boundingBox();
      return [shown?.y, shown?.height];
    }, [0, 900]);
    await checkAccessibility(page, 'A photo in full screen');
    await keepScreenshot(page, 'pet full screen');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await gallery.getByText('Photo 3 of 3').waitFor();
    await keepScreenshot(page, 'pet', { isWhole: true });
  },
);

void test('gallery: operated by swiping', { skip: skipWithoutBrowser }, async (t) => {
  const id = await addPet(call, { name: 'Rex' });
  for (const name of ['dog-juno.jpg', 'cat-miso.jpg']) await addPhoto(call, id, await samplePhoto(name));
  const visit = await openVisit(t, service, { width: 375, theme: 'dark' });
  const { page } = visit;
  await visit.open(`/pets/${id}`);
  const gallery = page.getByRole('region', { name: 'Photos of Rex' });
  await gallery.getByText('Photo 1 of 2').waitFor();
  // The effect of a swipe: the browser scrolls the list, and it snaps.
  await gallery
    .getByRole('list')
    .first()
    .evaluate((list) => list.scrollTo({ left: list.clientWidth * 0.7 }));
  await gallery.getByText('Photo 2 of 2').waitFor();
  await keepScreenshot(page, 'pet', { isWhole: true });
});

void test(
  'page of a pet: 64-bit IDs are exact; external photos are links, script URLs are not',
  { skip: skipWithoutBrowser },
  async (t) => {
    const photoUrls = ['https://example.org/cats/grey%20one.jpg', 'javascript:alert(1)'];
    const pet = { id: LARGEST_ID, name: 'Ada', category: { name: 'Guinea pigs' }, tags: [{ name: 'calm' }], photoUrls };
    assert.equal((await call('POST', 'pet', { json: pet })).status, 200);
    const visit = await openVisit(t, service);
    const { page, context } = visit;
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await visit.open(`/pets/${LARGEST_ID}`);
    const link = page.getByRole('link', { name: /grey one\.jpg on example\.org/ });
    assert.equal(await link.getAttribute('href'), photoUrls[0]);
    await page.getByText('javascript:alert(1)').waitFor();
    assert.equal(await page.locator('a[href^="javascript"]').count(), 0);
    await page.getByRole('button', { name: 'Share' }).click();
    await page.getByText('Link copied.').waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), `${service.origin}/pets/${LARGEST_ID}`);
    await page.getByRole('link', { name: 'calm' }).click();
    await page.waitForURL('**/?tag=calm');
    await page.goBack();
    await page.getByRole('link', { name: 'Guinea pigs' }).click();
    await page.waitForURL('**/?category=Guinea+pigs');
  },
);

void test('staff panel: its space is reserved before it loads', { skip: skipWithoutBrowser }, async (t) => {
  const id = await addPet(call, { name: 'Rex' });
  await addPet(call, { name: 'Another', status: 'available' });
  for (const width of [375, 768, 1440]) {
    const visit = await openVisit(t, service, { width, height: 1200 });
    const { page } = visit;
    const panel = Promise.withResolvers<void>();
    await page.route(`**/${await chunkOf('staff-panel.tsx')}`, async (route) => {
      await panel.promise;
      await route.continue();
    });
    await visit.open(`/pets/${id}`);
    await page.getByRole('region', { name: 'Also looking for a home' }).waitFor();
    panel.resolve();
    await page.getByRole('button', { name: 'Delete pet' }).waitFor();
    // The visit fails at its end if something below has moved.
    await visit.end();
  }
});

void test('status: shown immediately, and reverted after a conflict', { skip: skipWithoutBrowser }, async (t) => {
  const id = await addPet(call, { name: 'Rex', status: 'available' });
  const visit = await openVisit(t, service);
  const { page } = visit;
  visit.expect(/status of 412/);
  visit.allow(/ERR_FAILED|ERR_ABORTED/);
  // Neither the event stream nor a refetch may tell the page of the other change.
  await page.route('**/v2/events*', (route) => route.abort());
  await visit.open(`/pets/${id}`);
  await page.getByRole('radio', { name: 'Pending' }).click();
  await page.getByText('Adoption in progress.', { exact: false }).waitFor();
  // The page shows the status before the service has stored it.
  await waitFor(async () => (await call('GET', `pet/${id}`)).text.includes('"status":"pending"'), 'the pet is pending');
  // Also blocks refetches after the first change.
  await visit.waitForIdle();
  await page.route(`**/v2/pet/${id}`, (route) =>
    route.request().method() === 'GET' ? route.abort() : route.continue(),
  );
  await patchPet(call, id, { name: 'Rexona' });
  await page.getByRole('radio', { name: 'Adopted' }).click();
  await page.getByText('The status of Rex was not changed. This pet was changed in the meantime').waitFor();
  assert.match((await call('GET', `pet/${id}`)).text, /"status":"pending"/);
});

void test(
  'status: a second change is not lost while the first one is pending',
  { skip: skipWithoutBrowser },
  async (t) => {
    const id = await addPet(call, { name: 'Hasty', status: 'available' });
    const visit = await openVisit(t, service);
    const { page } = visit;
    await visit.open(`/pets/${id}`);
    const choose = (name: string) => page.getByRole('radio', { name }).click();
    await choose('Available');
    const first = Promise.withResolvers<void>();
    await page.route(`**/v2/pet/${id}`, async (route) => {
      if (route.request().method() === 'PATCH') await first.promise;
      await route.continue();
    });
    await choose('Pending');
    await choose('Adopted');
    await page.getByText('This pet has been adopted.', { exact: false }).waitFor();
    first.resolve();
    await waitFor(async () => (await call('GET', `pet/${id}`)).text.includes('"status":"sold"'), 'the pet is adopted');
    await visit.waitForIdle();
    await page.getByRole('radio', { name: 'Adopted', checked: true }).waitFor();
    assert.equal(await page.getByText('was not changed').count(), 0);
  },
);

void test('deletion: undone in the notice, or restored later', { skip: skipWithoutBrowser }, async (t) => {
  const id = await addPet(call, { name: 'Boomerang', status: 'available' });
  const visit = await openVisit(t, service);
  visit.allow(/status of 404/);
  const { page } = visit;
  await visit.open(`/pets/${id}`);
  await page.getByRole('button', { name: 'Delete pet' }).click();
  await page.getByText('Boomerang was deleted.').waitFor();
  assert.equal((await call('GET', `pet/${id}`)).status, 404);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('heading', { level: 1, name: 'Boomerang' }).waitFor();
  assert.equal((await call('DELETE', `pet/${id}`)).status, 200);
  await visit.open(`/pets/${id}`);
  await page.getByRole('heading', { name: 'This pet was deleted' }).waitFor();
  await checkAccessibility(page, 'A deleted pet');
  await page.getByRole('button', { name: 'Restore pet' }).click();
  await page.getByRole('heading', { level: 1, name: 'Boomerang' }).waitFor();
});

void test('unknown ID: reported, in German as well', { skip: skipWithoutBrowser }, async (t) => {
  const visit = await openVisit(t, service, { width: 375, language: 'de' });
  visit.expect(/status of 404/);
  await visit.open('/pets/123456789');
  await visit.page.getByRole('heading', { name: 'Tier nicht gefunden' }).waitFor();
  await keepScreenshot(visit.page, 'pet missing');
});
