import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { clientOf } from '../support/client.ts';
import { startTestService } from '../support/service.ts';
import { checkAccessibility } from './support/accessibility.ts';
import { skipWithoutBrowser } from './support/browser.ts';
import { keepScreenshot } from './support/screenshots.ts';
import { addManyPets } from './support/stock.ts';
import { openVisit } from './support/visit.ts';

const samples = await startTestService({ after }, { web: true, flags: [] });
const large = await startTestService({ after }, { web: true, flags: ['--empty'] });
const empty = await startTestService({ after }, { web: true, flags: ['--empty'] });
await addManyPets(clientOf(large.base), 700);

const cards = (page: Page) => page.getByRole('list', { name: 'Pets found' }).getByRole('heading');
const field = (page: Page) => page.getByRole('searchbox', { name: 'Name, kind or tag' });
const told = (page: Page, text: string) => page.getByRole('status').getByText(text, { exact: true }).waitFor();

void test(
  'a search goes along with what is typed, in one step of the history',
  { skip: skipWithoutBrowser },
  async (t) => {
    const visit = await openVisit(t, samples);
    const { page } = visit;
    await visit.open('/dashboard');
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Pets' }).click();
    await told(page, '20 pets');
    await field(page).pressSequentially('rabbit', { delay: 400 });
    await told(page, '4 pets');
    assert.equal(new URL(page.url()).search, '?text=rabbit');
    assert.equal(await cards(page).count(), 4);
    await page.goBack();
    await page.waitForURL('**/dashboard');
  },
);

void test(
  'what is chosen stands in the address and is taken off by itself',
  { skip: skipWithoutBrowser },
  async (t) => {
    const visit = await openVisit(t, samples, { width: 1440 });
    const { page } = visit;
    await visit.open('/?category=Cats&status=available');
    await told(page, '4 pets');
    const filters = page.getByRole('complementary', { name: 'Filters' });
    assert.equal(await filters.getByRole('checkbox', { name: /^Cats/ }).isChecked(), true);
    await filters.getByRole('checkbox', { name: /^shy/ }).check();
    await told(page, '1 pet');
    assert.deepEqual(await cards(page).allTextContents(), ['Luna']);
    await page.getByRole('button', { name: 'Remove Cats' }).click();
    await page.waitForURL('**/?status=available&tag=shy');
    await page.getByRole('button', { name: 'Clear all' }).click();
    await told(page, '20 pets');
    await page.goBack();
    await told(page, '1 pet');
    await checkAccessibility(page, 'The catalogue with filters');
  },
);

void test(
  'on a telephone the filters lie in a sheet, which says what they find',
  { skip: skipWithoutBrowser },
  async (t) => {
    const visit = await openVisit(t, samples, { width: 375, theme: 'dark' });
    const { page } = visit;
    await visit.open('/');
    await keepScreenshot(page, 'catalogue on a telephone');
    await page.getByRole('button', { name: 'Filters' }).click();
    const sheet = page.getByRole('dialog', { name: 'Filters' });
    await sheet.getByRole('checkbox', { name: /^Dogs/ }).check();
    await sheet.getByRole('checkbox', { name: /^gentle/ }).check();
    await sheet.getByRole('button', { name: 'Show 2 pets' }).waitFor();
    await checkAccessibility(page, 'The sheet of filters');
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Filters, 2 set' }).waitFor();
    assert.deepEqual((await cards(page).allTextContents()).toSorted(), ['Bruno', 'Waffles']);
  },
);

void test(
  'on a telephone, what is often chosen is one tap away, and taken off there',
  { skip: skipWithoutBrowser },
  async (t) => {
    const visit = await openVisit(t, samples, { width: 375, theme: 'dark' });
    const { page } = visit;
    await visit.open('/');
    await told(page, '20 pets');
    const quick = page.getByRole('list', { name: 'Often chosen' });
    const isPressed = (name: string) => quick.getByRole('button', { name, exact: true }).getAttribute('aria-pressed');
    const all = await quick.getByRole('button').allInnerTexts();
    await visit.moving(async () => {
      await quick.getByRole('button', { name: 'Rabbits', exact: true }).tap();
      await told(page, '4 pets');
    });
    assert.equal(new URL(page.url()).search, '?category=Rabbits');
    assert.deepEqual([await isPressed('Rabbits'), await isPressed('Available')], ['true', 'false']);
    // It is seen where it was chosen, and nowhere else.
    assert.equal(await page.getByRole('button', { name: 'Remove Rabbits' }).count(), 0);
    await quick.getByRole('button', { name: 'Available', exact: true }).tap();
    await page.waitForURL('**/?status=available&category=Rabbits');
    await visit.waitForQuiet();
    assert.deepEqual(await quick.getByRole('button').allInnerTexts(), all, 'nothing changes its place');
    await checkAccessibility(page, 'The quick choices');
    await page.getByRole('button', { name: 'Clear all' }).tap();
    await told(page, '20 pets');
    await visit.open('/?category=Unheard+of');
    assert.equal(await isPressed('Unheard of'), 'true');
    await visit.moving(async () => {
      await quick.getByRole('button', { name: 'Unheard of', exact: true }).tap();
      await told(page, '20 pets');
    });
    assert.deepEqual(await quick.getByRole('button').allInnerTexts(), all);
  },
);

void test('where nothing is found, it says what to take off', { skip: skipWithoutBrowser }, async (t) => {
  const visit = await openVisit(t, samples);
  const { page } = visit;
  await visit.open('/?text=biscotti&category=Cats');
  await page.getByRole('heading', { name: 'No pet is like that' }).waitFor();
  await page.getByRole('link', { name: /without “biscotti”/ }).waitFor();
  await checkAccessibility(page, 'Nothing found');
  await page.getByRole('link', { name: /begin with “bis”/ }).click();
  await told(page, '1 pet');
  assert.deepEqual(await cards(page).allTextContents(), ['Biscuit']);
});

void test('an address that was cut off or is old shows what it can', { skip: skipWithoutBrowser }, async (t) => {
  const visit = await openVisit(t, samples);
  await visit.open('/?status=gone&text=!!&sort=size&match=some&category=');
  await told(visit.page, '20 pets');
});

void test('an empty catalogue asks for the first pet', { skip: skipWithoutBrowser }, async (t) => {
  const visit = await openVisit(t, empty);
  await visit.open('/');
  await visit.page.getByRole('heading', { name: 'No pets yet' }).waitFor();
  await checkAccessibility(visit.page, 'The empty catalogue');
  await visit.page.getByRole('link', { name: 'Add the first pet' }).click();
  await visit.page.waitForURL('**/pets/new');
});

void test('an empty catalogue says that it is empty to a search as well', { skip: skipWithoutBrowser }, async (t) => {
  const visit = await openVisit(t, empty);
  const { page } = visit;
  await visit.open('/?status=available&text=rex');
  await page.getByRole('heading', { name: 'No pets yet' }).waitFor();
  await field(page).fill('luna');
  await page.waitForURL(/text=luna/);
  await visit.waitForQuiet();
  await page.getByRole('heading', { name: 'No pets yet' }).waitFor();
  assert.equal(await page.getByRole('heading', { name: 'No pet is like that' }).count(), 0);
});

void test(
  'an answer that comes late does not take the place of a newer one',
  { skip: skipWithoutBrowser },
  async (t) => {
    const visit = await openVisit(t, samples);
    const { page } = visit;
    visit.allow(/ERR_ABORTED/);
    await visit.open('/');
    const late = Promise.withResolvers<void>();
    await page.route(/text=lion&/, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 1500));
      await route.continue().catch(() => {});
      late.resolve();
    });
    await field(page).fill('lion');
    await page.waitForURL('**/?text=lion');
    await field(page).fill('miso');
    await told(page, '1 pet');
    await late.promise;
    await page.waitForTimeout(300);
    assert.deepEqual(await cards(page).allTextContents(), ['Miso']);
  },
);

void test('a failure is told, and what failed can be tried again', { skip: skipWithoutBrowser }, async (t) => {
  const visit = await openVisit(t, samples);
  const { page } = visit;
  visit.expect(/status of 500/);
  await visit.open('/');
  await told(page, '20 pets');
  await page.route(/text=cats/, (route) =>
    route.fulfill({ status: 500, json: { code: 500, type: 'error', message: '' } }),
  );
  await field(page).fill('cats');
  await page.getByRole('alert').getByRole('heading', { name: 'The pets could not be loaded' }).waitFor();
  await page.unroute(/text=cats/);
  await page.getByRole('button', { name: 'Try again' }).click();
  await told(page, '6 pets');
});

void test(
  'a long list keeps its place, and no more in the document than is seen',
  { skip: skipWithoutBrowser },
  async (t) => {
    const visit = await openVisit(t, large, { width: 1440, height: 900 });
    const { page } = visit;
    await visit.open('/?sort=id');
    await told(page, '700 pets');
    const link = page.getByRole('link', { name: 'Luna 249', exact: true });
    while ((await link.count()) === 0) {
      await page.mouse.wheel(0, 1200);
      await page.waitForTimeout(50);
      assert.ok((await cards(page).count()) < 60, 'only what is seen is in the document');
    }
    await link.scrollIntoViewIfNeeded();
    const before = await link.boundingBox();
    await link.click();
    await page.getByRole('heading', { level: 1, name: 'Luna 249' }).waitFor();
    await page.goBack();
    await link.waitFor();
    assert.deepEqual(await link.boundingBox(), before, 'where it was before');
    await page.reload();
    await link.waitFor();
    assert.deepEqual(await link.boundingBox(), before, 'where it was before it was loaded again');
  },
);

void test('a list of thousands of pets has its place again after a reload', { skip: skipWithoutBrowser }, async (t) => {
  const long = await startTestService(t, { web: true, flags: ['--empty'] });
  await addManyPets(clientOf(long.base), 4000);
  const visit = await openVisit(t, long, { width: 375 });
  const { page } = visit;
  await visit.open('/?sort=id');
  const shown = (count: string) => page.getByText(`${count} of 4,000 shown`, { exact: true }).waitFor();
  // As many come by themselves.
  await page.waitForFunction(() => {
    window.scrollTo(0, document.documentElement.scrollHeight);
    return document.body.innerText.includes('480 of 4,000 shown');
  });
  for (const count of ['960', '1,440', '1,920', '2,400', '2,880', '3,360', '3,840']) {
    await page.getByRole('button', { name: 'Show more' }).click();
    await shown(count);
  }
  await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight - 30_000));
  const seen = page.getByRole('article').filter({ hasText: / 3[3-7]\d\d/ });
  await seen.nth(4).waitFor();
  // By then the place of the page is remembered as well.
  await visit.waitForQuiet();
  const link = seen.nth(4).getByRole('link');
  const name = (await link.textContent()) ?? '';
  const before = await link.boundingBox();
  await page.reload();
  const again = page.getByRole('link', { name, exact: true });
  await again.waitFor();
  assert.deepEqual(await again.boundingBox(), before);
});

void test(
  'with the keyboard one goes on at the first of those that have come',
  { skip: skipWithoutBrowser },
  async (t) => {
    const visit = await openVisit(t, large, { width: 1440, height: 900 });
    const { page } = visit;
    await visit.open('/?sort=id');
    const more = page.getByRole('button', { name: 'Show more' });
    await page
      .getByText(/^(?:48\d|49\d|5\d\d) of 700 shown$/)
      .or(more)
      .first()
      .waitFor();
    for (let shown = 0; shown < 480;) {
      await page.keyboard.press('End');
      await page.waitForTimeout(100);
      shown = Number(/^(\d+) of 700/.exec((await page.getByText(/of 700 shown$/).textContent()) ?? '')?.[1]);
    }
    await more.focus();
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.activeElement?.matches('[data-index] a'));
    const place = await page.evaluate(() => document.activeElement?.closest('li')?.getAttribute('aria-posinset'));
    assert.equal(place, '481', '24 came with the page, then 96, 120 and 240');
  },
);
