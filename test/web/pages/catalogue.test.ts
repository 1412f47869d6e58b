import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { clientOf } from '../../support/client.ts';
import { startTestService } from '../../support/service.ts';
import { checkAccessibility } from '../support/accessibility.ts';
import { skipWithoutBrowser } from '../support/browser.ts';
import { keepScreenshot } from '../support/screenshots.ts';
import { addManyPets } from '../support/stock.ts';
import { openVisit } from '../support/visit.ts';
import { waitFor, waitForValue } from '../support/waiting.ts';

const samples = await startTestService({ after }, { web: true, flags: [] });
const large = await startTestService({ after }, { web: true, flags: ['--empty'] });
const empty = await startTestService({ after }, { web: true, flags: ['--empty'] });
await addManyPets(clientOf(large.base), 700);

const cards = (page: Page) => page.getByRole('list', { name: 'Search results' }).getByRole('heading');
const field = (page: Page) => page.getByRole('combobox', { name: 'Name, category or tag' });
const waitForCards = (page: Page, names: string[]) => waitForValue(() => cards(page).allTextContents(), names);
const waitForCount = (page: Page, text: string) => page.getByRole('status').getByText(text, { exact: true }).waitFor();

void test(
  'search field: searches while the user types, with one history entry',
  { skip: skipWithoutBrowser },
  async (t) => {
    const visit = await openVisit(t, samples);
    const { page } = visit;
    await visit.open('/dashboard');
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Pets' }).click();
    await waitForCount(page, '20 pets');
    await field(page).pressSequentially('ra');
    await page.waitForURL('**/?text=ra');
    await field(page).pressSequentially('bbit');
    await page.waitForURL('**/?text=rabbit');
    await waitForCount(page, '4 pets');
    await waitForValue(() => cards(page).count(), 4);
    await page.goBack();
    await page.waitForURL('**/dashboard');
  },
);

void test(
  'filters: are in the address of the page and can be removed one after the other',
  { skip: skipWithoutBrowser },
  async (t) => {
    const visit = await openVisit(t, samples, { width: 1440 });
    const { page } = visit;
    await visit.open('/?category=Cats&status=available');
    await waitForCount(page, '4 pets');
    const filters = page.getByRole('complementary', { name: 'Filters' });
    await filters.getByRole('checkbox', { name: /^Cats/, checked: true }).waitFor();
    await filters.getByRole('checkbox', { name: /^shy/ }).check();
    await waitForCount(page, '1 pet');
    await waitForCards(page, ['Luna']);
    await page.getByRole('button', { name: 'Remove Cats' }).click();
    await page.waitForURL('**/?status=available&tag=shy');
    await page.getByRole('button', { name: 'Clear all' }).click();
    await waitForCount(page, '20 pets');
    await page.goBack();
    await waitForCount(page, '1 pet');
    await checkAccessibility(page, 'The catalogue with filters');
  },
);

void test(
  'filters on a phone: are in a sheet, which shows the number of matching pets',
  { skip: skipWithoutBrowser },
  async (t) => {
    const visit = await openVisit(t, samples, { width: 375, theme: 'dark' });
    const { page } = visit;
    await visit.open('/');
    await keepScreenshot(page, 'catalogue on a phone');
    await page.getByRole('button', { name: 'Filters' }).click();
    const sheet = page.getByRole('dialog', { name: 'Filters' });
    await sheet.getByRole('group', { name: 'Category' }).getByRole('checkbox', { name: /^Dogs/ }).check();
    await sheet.getByRole('checkbox', { name: /^gentle/ }).check();
    await sheet.getByRole('button', { name: 'Show 2 pets' }).waitFor();
    await checkAccessibility(page, 'The sheet of filters');
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Filters, 2 active' }).waitFor();
    await waitForValue(async () => (await cards(page).allTextContents()).toSorted(), ['Bruno', 'Waffles']);
  },
);

void test(
  'quick filters on a phone: are one tap away, and show and remove their own filter',
  { skip: skipWithoutBrowser },
  async (t) => {
    const visit = await openVisit(t, samples, { width: 375, theme: 'dark' });
    const { page } = visit;
    await visit.open('/');
    await waitForCount(page, '20 pets');
    await visit.waitForIdle();
    const quick = page.getByRole('list', { name: 'Quick filters' });
    const waitForPressed = (name: string, pressed: boolean) =>
      quick.getByRole('button', { name, exact: true, pressed }).waitFor();
    const names = () => quick.getByRole('button').allInnerTexts();
    const all = await names();
    await visit.expectShifts(async () => {
      await quick.getByRole('button', { name: 'Rabbits', exact: true }).tap();
      await waitForCount(page, '4 pets');
    });
    assert.equal(new URL(page.url()).search, '?category=Rabbits');
    await waitForPressed('Rabbits', true);
    await waitForPressed('Available', false);
    // A quick filter shows its own state, so it is not among the active filters.
    assert.equal(await page.getByRole('button', { name: 'Remove Rabbits' }).count(), 0);
    await quick.getByRole('button', { name: 'Available', exact: true }).tap();
    await page.waitForURL('**/?status=available&category=Rabbits');
    await visit.waitForIdle();
    // They keep their places.
    await waitForValue(names, all);
    await checkAccessibility(page, 'The quick filters');
    await page.getByRole('button', { name: 'Clear all' }).tap();
    await waitForCount(page, '20 pets');
    await visit.open('/?category=Unheard+of');
    await waitForPressed('Unheard of', true);
    await visit.expectShifts(async () => {
      await quick.getByRole('button', { name: 'Unheard of', exact: true }).tap();
      await waitForCount(page, '20 pets');
    });
    await waitForValue(names, all);
  },
);

void test('quick filters on a phone: chosen ones come first', { skip: skipWithoutBrowser }, async (t) => {
  const visit = await openVisit(t, samples, { width: 375 });
  const { page } = visit;
  const names = () => page.getByRole('list', { name: 'Quick filters' }).getByRole('button').allInnerTexts();
  const first = async (count: number) => (await names()).slice(0, count);
  await visit.open('/?category=Rabbits&category=Lions&status=any');
  await waitForValue(() => first(3), ['Rabbits', 'Lions', 'Available']);
  await visit.waitForIdle();
  await page.getByRole('button', { name: /^Filters/ }).tap();
  const sheet = page.getByRole('dialog', { name: 'Filters' });
  await sheet.getByRole('checkbox', { name: /^Rabbits/ }).uncheck();
  await sheet.getByRole('group', { name: 'Category' }).getByRole('checkbox', { name: /^Cats/ }).check();
  await visit.expectShifts(async () => {
    await page.keyboard.press('Escape');
    await waitForValue(() => first(3), ['Lions', 'Cats', 'Available']);
  });
});

void test('no results: suggests searches with fewer criteria', { skip: skipWithoutBrowser }, async (t) => {
  const visit = await openVisit(t, samples);
  const { page } = visit;
  await visit.open('/?text=biscotti&category=Cats');
  await page.getByRole('heading', { name: 'No pets found' }).waitFor();
  await page.getByRole('link', { name: /Without “biscotti”/ }).waitFor();
  await checkAccessibility(page, 'The empty results');
  await page.getByRole('link', { name: /starting with “bis”/ }).click();
  await waitForCount(page, '1 pet');
  await waitForCards(page, ['Biscuit']);
});

void test(
  'search: a misspelled word is corrected, which is announced with the count and moves no cards',
  { skip: skipWithoutBrowser },
  async (t) => {
    const visit = await openVisit(t, samples, { width: 375 });
    const { page } = visit;
    await visit.open('/?text=rabbit');
    await waitForCount(page, '4 pets');
    await visit.waitForIdle();
    const place = () => page.getByRole('list', { name: 'Search results' }).boundingBox();
    const before = await place();
    await field(page).fill('rabit');
    await page
      .getByRole('status')
      .filter({ hasText: /^4 pets Showing results for “rabbits”$/ })
      .waitFor();
    await waitForValue(place, before);
    await checkAccessibility(page, 'A corrected search');
    await keepScreenshot(page, 'corrected search on a phone');
    await field(page).fill('rabbi');
    await waitForCount(page, '4 pets');
    // No correction finds anything here.
    await visit.open('/?text=rabit&category=Cats');
    await page.getByRole('heading', { name: 'No pets found' }).waitFor();
    assert.equal(await page.getByText('Showing results for').count(), 0);
  },
);

void test('search: a correction is announced in German', { skip: skipWithoutBrowser }, async (t) => {
  const visit = await openVisit(t, samples, { language: 'de' });
  await visit.open('/?text=rabit');
  await visit.page.getByRole('status').getByText('Ergebnisse für „rabbits“', { exact: true }).waitFor();
});

void test('search: invalid parameters of an address are ignored', { skip: skipWithoutBrowser }, async (t) => {
  const visit = await openVisit(t, samples);
  await visit.open('/?status=gone&text=!!&sort=size&match=some&category=');
  await waitForCount(visit.page, '20 pets');
});

void test('empty catalogue: offers to add the first pet', { skip: skipWithoutBrowser }, async (t) => {
  const visit = await openVisit(t, empty);
  await visit.open('/');
  await visit.page.getByRole('heading', { name: 'No pets yet' }).waitFor();
  await checkAccessibility(visit.page, 'The empty catalogue');
  await visit.page.getByRole('link', { name: 'Add your first pet' }).click();
  await visit.page.waitForURL('**/pets/new');
});

void test('empty catalogue: is reported as empty for a search as well', { skip: skipWithoutBrowser }, async (t) => {
  const visit = await openVisit(t, empty);
  const { page } = visit;
  await visit.open('/?status=available&text=rex');
  await page.getByRole('heading', { name: 'No pets yet' }).waitFor();
  await field(page).fill('luna');
  await page.waitForURL(/text=luna/);
  await visit.waitForIdle();
  await page.getByRole('heading', { name: 'No pets yet' }).waitFor();
  assert.equal(await page.getByRole('heading', { name: 'No pets found' }).count(), 0);
});

void test(
  'search: a late response does not replace the response of a newer search',
  { skip: skipWithoutBrowser },
  async (t) => {
    const visit = await openVisit(t, samples);
    const { page } = visit;
    visit.allow(/ERR_ABORTED/);
    await visit.open('/');
    const late = Promise.withResolvers<void>();
    await page.route(/text=lion&/, async (route) => {
      await late.promise;
      // The page may have cancelled the request.
      await route.continue().catch(() => {});
    });
    await field(page).fill('lion');
    await page.waitForURL('**/?text=lion');
    await field(page).fill('miso');
    await waitForCount(page, '1 pet');
    late.resolve();
    await visit.waitForIdle();
    await waitForCards(page, ['Miso']);
  },
);

void test('search: a failure is reported and can be retried', { skip: skipWithoutBrowser }, async (t) => {
  const visit = await openVisit(t, samples);
  const { page } = visit;
  visit.expect(/status of 500/);
  await visit.open('/');
  await waitForCount(page, '20 pets');
  await page.route(/text=cats/, (route) =>
    route.fulfill({ status: 500, json: { code: 500, type: 'error', message: '' } }),
  );
  await field(page).fill('cats');
  await page.getByRole('alert').getByRole('heading', { name: "The pets couldn't be loaded" }).waitFor();
  await page.unroute(/text=cats/);
  await page.getByRole('button', { name: 'Try again' }).click();
  await waitForCount(page, '6 pets');
});

void test(
  'long list: keeps its scroll position, and only visible cards are in the document',
  { skip: skipWithoutBrowser },
  async (t) => {
    const visit = await openVisit(t, large, { width: 1440, height: 900 });
    const { page } = visit;
    await visit.open('/?sort=id');
    await waitForCount(page, '700 pets');
    const link = page.getByRole('link', { name: 'Luna 249', exact: true });
    await waitFor(async () => {
      await page.mouse.wheel(0, 1200);
      assert.ok((await cards(page).count()) < 60, 'only visible cards are in the document');
      return (await link.count()) > 0;
    }, 'the pet is in the document');
    await link.scrollIntoViewIfNeeded();
    const before = await link.boundingBox();
    await link.click();
    await page.getByRole('heading', { level: 1, name: 'Luna 249' }).waitFor();
    await page.goBack();
    await page.waitForURL('**/?sort=id');
    await waitForValue(() => link.boundingBox(), before);
    await page.reload();
    await waitForValue(() => link.boundingBox(), before);
  },
);

void test('list of thousands: keeps its scroll position after a reload', { skip: skipWithoutBrowser }, async (t) => {
  const long = await startTestService(t, { web: true, flags: ['--empty'] });
  await addManyPets(clientOf(long.base), 4000);
  const visit = await openVisit(t, long, { width: 375 });
  const { page } = visit;
  await visit.open('/?sort=id');
  const shown = (count: string) => page.getByText(`${count} of 4,000 shown`, { exact: true }).waitFor();
  // This number loads by scrolling.
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
  // By then the scroll position is saved as well.
  await visit.waitForIdle();
  const link = seen.nth(4).getByRole('link');
  const name = (await link.textContent()) ?? '';
  const before = await link.boundingBox();
  await page.reload();
  await waitForValue(() => page.getByRole('link', { name, exact: true }).boundingBox(), before);
  // Before its service stops, which would be an error of the page.
  await visit.end();
});

void test(
  'show more by keyboard: moves the focus to the first of the new cards',
  { skip: skipWithoutBrowser },
  async (t) => {
    const visit = await openVisit(t, large, { width: 1440, height: 900 });
    const { page } = visit;
    await visit.open('/?sort=id');
    const more = page.getByRole('button', { name: 'Show more' });
    await more.waitFor();
    await waitFor(async () => {
      await page.keyboard.press('End');
      return page.getByText('480 of 700 shown', { exact: true }).isVisible();
    }, '480 pets are loaded');
    await more.focus();
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.activeElement?.matches('[data-index] a'));
    const place = await page.evaluate(() => document.activeElement?.closest('li')?.getAttribute('aria-posinset'));
    assert.equal(place, '481', '24 came with the page, then 96, 120 and 240');
  },
);
