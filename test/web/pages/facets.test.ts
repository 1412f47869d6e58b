import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { clientOf } from '../../support/client.ts';
import { startTestService } from '../../support/service.ts';
import { checkAccessibility } from '../support/accessibility.ts';
import { skipWithoutBrowser } from '../support/browser.ts';
import { keepScreenshot } from '../support/screenshots.ts';
import { addManyPets } from '../support/stock.ts';
import { openVisit } from '../support/visit.ts';
import { waitForValue } from '../support/waiting.ts';

const samples = await startTestService({ after }, { web: true, flags: [] });
const large = await startTestService({ after }, { web: true, flags: ['--empty'] });
await addManyPets(clientOf(large.base), 2400);

/** Without those of facts: pets get along with `Dogs`, which is a category as well. */
const filtersOf = (page: Page) =>
  page.getByRole('complementary', { name: 'Filters' }).getByRole('group', { name: /^(?:Status|Category|Tags)$/ });
const field = (page: Page) => page.getByRole('combobox', { name: 'Name, category or tag' });

/** A filter with its count. */
const filterNamed = (filters: Locator, name: string, counts: string) =>
  filters.getByRole('checkbox', { name: `${name} ${counts}`, exact: true });

async function waitForCounts(
  filters: Locator,
  counts: readonly (readonly [name: string, counts: string])[],
): Promise<void> {
  for (const [name, count] of counts) await filterNamed(filters, name, count).waitFor();
}

void test(
  'facets: count the matching pets in combination with the other filters',
  { skip: skipWithoutBrowser },
  async (t) => {
    const visit = await openVisit(t, samples, { width: 1440, height: 1000 });
    const { page } = visit;
    await visit.open('/');
    const filters = filtersOf(page);
    await waitForCounts(filters, [
      ['Available', '12 pets'],
      ['Cats', '6 pets'],
      ['Lions', '4 pets'],
      ['clever', '3 pets'],
    ]);
    await filterNamed(filters, 'Cats', '6 pets').check();
    await waitForCounts(filters, [
      ['Available', '4 pets'],
      ['Pending', '1 pet'],
      ['Cats', '6 pets'],
      // Categories are alternatives.
      ['Lions', '4 pets'],
      ['clever', '1 pet'],
      ['big', '0 pets'],
    ]);
    await checkAccessibility(page, 'The filters without results');
    await keepScreenshot(page, 'facets of a search');
    await filterNamed(filters, 'indoor', '3 pets').check();
    await filterNamed(filters, 'calm', '2 pets').check();
    await filters.getByRole('checkbox', { name: 'Match all selected tags' }).check();
    await waitForCounts(filters, [
      ['indoor', '1 pet'],
      ['shy', '1 pet'],
      ['senior', '0 pets'],
    ]);
    // A filter without results can be selected and removed.
    await filterNamed(filters, 'senior', '0 pets').check();
    await page.getByRole('heading', { name: 'No pets found' }).waitFor();
    await filterNamed(filters, 'senior', '0 pets').uncheck();
    await filterNamed(filters, 'indoor', '1 pet').waitFor();
  },
);

void test(
  'facets: follow the search field, and keep the old counts until the new ones arrive',
  { skip: skipWithoutBrowser },
  async (t) => {
    const visit = await openVisit(t, samples, { width: 1440, height: 1000 });
    const { page } = visit;
    await visit.open('/?tag=nobody%20has%20this');
    const filters = filtersOf(page);
    await waitForCounts(filters, [['nobody has this', '0 pets']]);
    await page.getByRole('button', { name: 'Remove nobody has this' }).click();
    await waitForCounts(filters, [['Rabbits', '4 pets']]);
    const places = () =>
      filters.getByRole('checkbox').evaluateAll((boxes) => boxes.map((box) => box.getBoundingClientRect().toJSON()));
    await visit.waitForIdle();
    const before = await places();
    const responded = Promise.withResolvers<void>();
    await page.route(/facets\?text=rabbit/, async (route) => {
      await responded.promise;
      await route.continue();
    });
    await field(page).fill('rabbit');
    await page.getByRole('status').getByText('4 pets', { exact: true }).waitFor();
    await waitForCounts(filters, [
      ['Rabbits', '4 pets'],
      ['Dogs', '6 pets'],
    ]);
    responded.resolve();
    await waitForCounts(filters, [
      ['Rabbits', '4 pets'],
      ['Dogs', '0 pets'],
      ['shy', '1 pet'],
    ]);
    // No filter has moved.
    await waitForValue(places, before);
    // The service refuses a search with more than ten words.
    visit.expect(/status of 400/);
    await field(page).fill('a b c d e f g h i j k');
    await filters.getByRole('checkbox', { name: 'Rabbits', exact: true }).waitFor();
  },
);

void test('facets of thousands of pets: every filter has its count', { skip: skipWithoutBrowser }, async (t) => {
  const visit = await openVisit(t, large, { width: 375 });
  const { page } = visit;
  await visit.open('/?status=available');
  await page.getByRole('button', { name: 'Filters, 1 active' }).click();
  const sheet = page.getByRole('dialog', { name: 'Filters' });
  await waitForCounts(sheet, [
    ['Available', '1,200 pets'],
    ['Pending', '600 pets'],
  ]);
  await keepScreenshot(page, 'facets of a search among many');
  await filterNamed(sheet, 'Dogs', '600 pets').check();
  await sheet.getByRole('button', { name: 'Show 600 pets' }).waitFor();
  await waitForCounts(sheet, [
    ['Available', '600 pets'],
    ['Pending', '0 pets'],
    ['Dogs', '600 pets'],
  ]);
});

void test('facets: pets without a status can be selected', { skip: skipWithoutBrowser }, async (t) => {
  const call = clientOf(samples.base);
  for (const [id, name] of [
    [9001, 'Nova'],
    [9002, 'Orion'],
  ])
    await call('POST', 'pet', { json: { id, name, photoUrls: [] } });
  const visit = await openVisit(t, samples, { width: 1440, height: 1000 });
  const { page } = visit;
  await visit.open('/');
  const filters = filtersOf(page);
  await filterNamed(filters, 'No status', '2 pets').check();
  await page.getByRole('status').getByText('2 pets', { exact: true }).waitFor();
  assert.match(page.url(), /[?&]status=none$/);
  await waitForCounts(filters, [['Cats', '0 pets']]);
  await page.getByRole('button', { name: 'Remove No status' }).click();
  await filterNamed(filters, 'Cats', '6 pets').waitFor();
});
