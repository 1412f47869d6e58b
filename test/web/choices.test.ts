import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { clientOf } from '../support/client.ts';
import { startTestService } from '../support/service.ts';
import { checkAccessibility } from './support/accessibility.ts';
import { skipWithoutBrowser } from './support/browser.ts';
import { keepScreenshot } from './support/screenshots.ts';
import { addManyPets } from './support/stock.ts';
import { openVisit } from './support/visit.ts';

const samples = await startTestService({ after }, { web: true, flags: [] });
const large = await startTestService({ after }, { web: true, flags: ['--empty'] });
await addManyPets(clientOf(large.base), 2400);

const filtersOf = (page: Page) => page.getByRole('complementary', { name: 'Filters' });
const field = (page: Page) => page.getByRole('searchbox', { name: 'Name, kind or tag' });

/** A choice, when it tells so many pets. */
const choice = (filters: Locator, name: string, told: string) =>
  filters.getByRole('checkbox', { name: `${name} ${told}`, exact: true });

async function look(filters: Locator, told: readonly (readonly [name: string, told: string])[]): Promise<void> {
  for (const [name, count] of told) await choice(filters, name, count).waitFor();
}

void test(
  'each choice tells how many pets there would be, beside what else is chosen',
  { skip: skipWithoutBrowser },
  async (t) => {
    const visit = await openVisit(t, samples, { width: 1440, height: 1000 });
    const { page } = visit;
    await visit.open('/');
    const filters = filtersOf(page);
    await look(filters, [
      ['Available', '12 pets'],
      ['Cats', '6 pets'],
      ['Lions', '4 pets'],
      ['clever', '3 pets'],
    ]);
    await choice(filters, 'Cats', '6 pets').check();
    await look(filters, [
      ['Available', '4 pets'],
      ['Pending', '1 pet'],
      ['Cats', '6 pets'],
      // Another kind is chosen beside, and not instead.
      ['Lions', '4 pets'],
      ['clever', '1 pet'],
      ['big', '0 pets'],
    ]);
    await checkAccessibility(page, 'The filters with choices that find nothing');
    await keepScreenshot(page, 'choices of a search');
    await choice(filters, 'indoor', '3 pets').check();
    await choice(filters, 'calm', '2 pets').check();
    await filters.getByRole('checkbox', { name: 'Must have all of these tags' }).check();
    await look(filters, [
      ['indoor', '1 pet'],
      ['shy', '1 pet'],
      ['senior', '0 pets'],
    ]);
    // It would find nothing, and says so; it can be chosen, and taken back.
    await choice(filters, 'senior', '0 pets').check();
    await page.getByRole('heading', { name: 'No pet is like that' }).waitFor();
    await choice(filters, 'senior', '0 pets').uncheck();
    await choice(filters, 'indoor', '1 pet').waitFor();
  },
);

void test(
  'the numbers go along with what is typed, and stay until there are new ones',
  { skip: skipWithoutBrowser },
  async (t) => {
    const visit = await openVisit(t, samples, { width: 1440, height: 1000 });
    const { page } = visit;
    await visit.open('/?tag=nobody%20has%20this');
    const filters = filtersOf(page);
    await look(filters, [['nobody has this', '0 pets']]);
    await page.getByRole('button', { name: 'Remove nobody has this' }).click();
    await look(filters, [['Rabbits', '4 pets']]);
    const places = () =>
      filters.getByRole('checkbox').evaluateAll((boxes) => boxes.map((box) => box.getBoundingClientRect().toJSON()));
    const before = await places();
    const answered = Promise.withResolvers<void>();
    await page.route(/choices\?text=rabbit/, async (route) => {
      await answered.promise;
      await route.continue();
    });
    await field(page).fill('rabbit');
    await page.getByRole('status').getByText('4 pets', { exact: true }).waitFor();
    await look(filters, [
      ['Rabbits', '4 pets'],
      ['Dogs', '6 pets'],
    ]);
    answered.resolve();
    await look(filters, [
      ['Rabbits', '4 pets'],
      ['Dogs', '0 pets'],
      ['shy', '1 pet'],
    ]);
    assert.deepEqual(await places(), before, 'every choice is where it was');
    // The interface refuses so many words.
    visit.expect(/status of 400/);
    await field(page).fill('a b c d e f g h i j k');
    await filters.getByRole('checkbox', { name: 'Rabbits', exact: true }).waitFor();
  },
);

void test('choices: only exact numbers are shown', { skip: skipWithoutBrowser }, async (t) => {
  const visit = await openVisit(t, large, { width: 375 });
  const { page } = visit;
  await visit.open('/?status=available');
  await page.getByRole('button', { name: 'Filters, 1 set' }).click();
  const sheet = page.getByRole('dialog', { name: 'Filters' });
  await look(sheet, [
    ['Available', '1,200 pets'],
    ['Pending', '600 pets'],
  ]);
  await keepScreenshot(page, 'choices of a search among many');
  await sheet.getByRole('checkbox', { name: 'Dogs', exact: true }).check();
  await sheet.getByRole('button', { name: 'Show 600 pets' }).waitFor();
  await look(sheet, [['Available', '600 pets']]);
  await checkAccessibility(page, 'The sheet of filters with many pets');
});

void test('choices: pets without a status can be chosen', { skip: skipWithoutBrowser }, async (t) => {
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
  await choice(filters, 'No status', '2 pets').check();
  await page.getByRole('status').getByText('2 pets', { exact: true }).waitFor();
  assert.match(page.url(), /[?&]status=none$/);
  await look(filters, [['Cats', '0 pets']]);
  await checkAccessibility(page, 'The filters with pets without a status');
  await page.getByRole('button', { name: 'Remove No status' }).click();
  await choice(filters, 'Cats', '6 pets').waitFor();
});
