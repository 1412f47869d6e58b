import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { clientOf } from '../support/client.ts';
import { startTestService } from '../support/service.ts';
import { checkAccessibility } from './support/accessibility.ts';
import { skipWithoutBrowser } from './support/browser.ts';
import { samplePicture } from './support/photographs.ts';
import { keepScreenshot } from './support/screenshots.ts';
import { addPet, addPicture, patchPet } from './support/stock.ts';
import { openVisit } from './support/visit.ts';
import { waitFor } from './support/waiting.ts';

const service = await startTestService({ after }, { web: true, flags: [] });
const call = clientOf(service.base);

/** The largest that there is: a JavaScript number would round it. */
const LARGEST_ID = '9223372036854775807';

void test(
  'the pictures of a pet are gone through by keys, thumbnails and on the full screen',
  { skip: skipWithoutBrowser },
  async (t) => {
    const id = await addPet(call, { name: 'Rex' });
    for (const name of ['dog-juno.jpg', 'cat-miso.jpg', 'lion-zuri.jpg'])
      await addPicture(call, id, await samplePicture(name));
    const visit = await openVisit(t, service);
    const { page } = visit;
    await visit.open(`/pets/${id}`);
    const gallery = page.getByRole('region', { name: 'Pictures of Rex' });
    await gallery.getByText('Picture 1 of 3').waitFor();
    await gallery.getByRole('button', { name: 'Next picture' }).click();
    await gallery.getByText('Picture 2 of 3').waitFor();
    await page.keyboard.press('ArrowRight');
    await gallery.getByText('Picture 3 of 3').waitFor();
    await gallery.getByRole('button', { name: /^Show picture 1:/ }).click();
    await gallery.getByText('Picture 1 of 3').waitFor();
    await checkAccessibility(page, 'A pet');
    const opener = gallery.getByRole('button', { name: /Show full screen/ }).first();
    await opener.click();
    const dialog = page.getByRole('dialog', { name: 'Pictures of Rex' });
    await page.keyboard.press('End');
    await dialog.getByText('Picture 3 of 3').waitFor();
    const shown = await dialog.getByRole('img').last().boundingBox();
    assert.deepEqual([shown?.y, shown?.height], [0, 900], 'the whole of it is on the screen');
    await checkAccessibility(page, 'A picture on the full screen');
    await keepScreenshot(page, 'pet full screen');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await gallery.getByText('Picture 3 of 3').waitFor();
    await keepScreenshot(page, 'pet', { isWhole: true });
  },
);

void test('a finger moves the pictures on', { skip: skipWithoutBrowser }, async (t) => {
  const id = await addPet(call, { name: 'Rex' });
  for (const name of ['dog-juno.jpg', 'cat-miso.jpg']) await addPicture(call, id, await samplePicture(name));
  const visit = await openVisit(t, service, { width: 375, theme: 'dark' });
  const { page } = visit;
  await visit.open(`/pets/${id}`);
  const gallery = page.getByRole('region', { name: 'Pictures of Rex' });
  await gallery.getByText('Picture 1 of 2').waitFor();
  // What a swipe comes to: the browser scrolls the list, and it snaps.
  await gallery
    .getByRole('list')
    .first()
    .evaluate((list) => list.scrollTo({ left: list.clientWidth * 0.7 }));
  await gallery.getByText('Picture 2 of 2').waitFor();
  await keepScreenshot(page, 'pet', { isWhole: true });
});

void test(
  'an id of 64 bits is exact; pictures elsewhere are links, and scripts are none',
  { skip: skipWithoutBrowser },
  async (t) => {
    const photoUrls = ['https://example.org/cats/grey%20one.jpg', 'javascript:alert(1)'];
    const pet = { id: LARGEST_ID, name: 'Ada', category: { name: 'Guinea pigs' }, tags: [{ name: 'calm' }], photoUrls };
    assert.equal((await call('POST', 'pet', { json: pet })).status, 200);
    const visit = await openVisit(t, service);
    const { page, context } = visit;
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await visit.open(`/pets/${LARGEST_ID}`);
    const link = page.getByRole('link', { name: /grey one\.jpg at example\.org/ });
    assert.equal(await link.getAttribute('href'), photoUrls[0]);
    await page.getByText('javascript:alert(1)').waitFor();
    assert.equal(await page.locator('a[href^="javascript"]').count(), 0);
    await page.getByRole('button', { name: 'Share' }).click();
    await page.getByText('The link is copied.').waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), `${service.origin}/pets/${LARGEST_ID}`);
    await page.getByRole('link', { name: 'calm' }).click();
    await page.waitForURL('**/?tag=calm');
    await page.goBack();
    await page.getByRole('link', { name: 'Guinea pigs' }).click();
    await page.waitForURL('**/?category=Guinea+pigs');
  },
);

void test('what staff do with a pet has its place before it is there', { skip: skipWithoutBrowser }, async (t) => {
  const id = await addPet(call, { name: 'Rex' });
  await addPet(call, { name: 'Another', status: 'available' });
  for (const width of [375, 768, 1440]) {
    const visit = await openVisit(t, service, { width, height: 1200 });
    const { page } = visit;
    const panel = Promise.withResolvers<void>();
    await page.route('**/staff-panel-*.js', async (route) => {
      await panel.promise;
      await route.continue();
    });
    await visit.open(`/pets/${id}`);
    await page.getByRole('region', { name: 'Looking for a home' }).waitFor();
    panel.resolve();
    await page.getByRole('button', { name: 'Remove' }).waitFor();
    // What is below it did not move: the visit says so at its end.
    await visit.end();
  }
});

void test('back to the pets: leads to the same search', { skip: skipWithoutBrowser }, async (t) => {
  const visit = await openVisit(t, service);
  const { page } = visit;
  await visit.open('/?category=Dogs');
  await page.locator('.first-view').waitFor({ state: 'detached' });
  await page
    .getByRole('link', { name: /Biscuit/ })
    .first()
    .click();
  await page.getByRole('heading', { level: 1, name: 'Biscuit' }).waitFor();
  const entries = await page.evaluate(() => history.length);
  await page.getByRole('link', { name: 'Back to the pets' }).click();
  await page.waitForURL('**/?category=Dogs');
  assert.equal(await page.evaluate(() => history.length), entries);
});

void test('staff change the status at once, unless others were faster', { skip: skipWithoutBrowser }, async (t) => {
  const id = await addPet(call, { name: 'Rex', status: 'available' });
  const visit = await openVisit(t, service);
  const { page } = visit;
  visit.expect(/status of 412/);
  visit.allow(/ERR_FAILED|ERR_ABORTED/);
  // The change of the other is not told to this page in time: its stream of changes is cut off, as is what it reads again.
  await page.route('**/v2/events*', (route) => route.abort());
  await visit.open(`/pets/${id}`);
  await page.getByRole('radio', { name: 'Pending' }).click();
  await page.getByText('Somebody is getting to know this pet.', { exact: false }).waitFor();
  // The page shows it before the service has it.
  await waitFor(async () => (await call('GET', `pet/${id}`)).text.includes('"status":"pending"'), 'the pet is pending');
  // Nor is it told by what is being read since the first change.
  await visit.waitForQuiet();
  await page.route(`**/v2/pet/${id}`, (route) =>
    route.request().method() === 'GET' ? route.abort() : route.continue(),
  );
  await patchPet(call, id, { name: 'Rexona' });
  await page.getByRole('radio', { name: 'Adopted' }).click();
  await page.getByText('The status of Rex was not changed. This pet has changed meanwhile').waitFor();
  assert.match((await call('GET', `pet/${id}`)).text, /"status":"pending"/);
});

void test(
  'a choice is not lost on the one before it, which is still under way',
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
    await page.getByText('This pet has found a home.', { exact: false }).waitFor();
    first.resolve();
    await waitFor(async () => (await call('GET', `pet/${id}`)).text.includes('"status":"sold"'), 'the pet is adopted');
    await visit.waitForQuiet();
    assert.equal(await page.getByRole('radio', { name: 'Adopted' }).isChecked(), true);
    assert.equal(await page.getByText('was not changed').count(), 0);
  },
);

void test('a pet that is removed can be brought back: at once, and later', { skip: skipWithoutBrowser }, async (t) => {
  const id = await addPet(call, { name: 'Boomerang', status: 'available' });
  const visit = await openVisit(t, service);
  visit.allow(/status of 404/);
  const { page } = visit;
  await visit.open(`/pets/${id}`);
  await page.getByRole('button', { name: 'Remove' }).click();
  await page.getByText('Boomerang is removed.').waitFor();
  assert.equal((await call('GET', `pet/${id}`)).status, 404);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('heading', { level: 1, name: 'Boomerang' }).waitFor();
  assert.equal((await call('DELETE', `pet/${id}`)).status, 200);
  await visit.open(`/pets/${id}`);
  await page.getByRole('heading', { name: 'This pet was removed' }).waitFor();
  await checkAccessibility(page, 'A removed pet');
  await page.getByRole('button', { name: 'Bring it back' }).click();
  await page.getByRole('heading', { level: 1, name: 'Boomerang' }).waitFor();
});

void test('an id that is no pet’s says so, in German as well', { skip: skipWithoutBrowser }, async (t) => {
  const visit = await openVisit(t, service, { width: 375, language: 'de' });
  visit.expect(/status of 404/);
  await visit.open('/pets/123456789');
  await visit.page.getByRole('heading', { name: 'Dieses Tier ist nicht hier' }).waitFor();
  await keepScreenshot(visit.page, 'pet missing');
});

void test(
  'the kennel card is one page of paper, with a code that leads to the pet',
  { skip: skipWithoutBrowser },
  async (t) => {
    const visit = await openVisit(t, service, { theme: 'dark' });
    const { page } = visit;
    await visit.open('/pets/1/card');
    const card = page.getByRole('article', { name: 'Kennel card of Biscuit' });
    await card.getByRole('img', { name: 'Code with the address of Biscuit' }).waitFor();
    await card.getByText(`${service.origin}/pets/1`).waitFor();
    await page.getByRole('button', { name: 'Print' }).and(page.locator(':not([data-loading])')).waitFor();
    await checkAccessibility(page, 'A kennel card');
    await keepScreenshot(page, 'kennel card', { isWhole: true });
    const pdf = await page.pdf({ preferCSSPageSize: true, printBackground: true });
    const text = pdf.toString('latin1');
    assert.equal(text.match(/\/Type\s*\/Page\b/g)?.length, 1);
    // A5 in points, landscape.
    const [, width, height] = (/\/MediaBox\s*\[0 0 ([\d.]+) ([\d.]+)\]/.exec(text) ?? []).map(Number);
    assert.deepEqual([Math.round(width ?? 0), Math.round(height ?? 0)], [595, 420]);
  },
);
