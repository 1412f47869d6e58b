import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import { startTestService } from '../../support/service.ts';
import { checkAccessibility } from '../support/accessibility.ts';
import { skipWithoutBrowser } from '../support/browser.ts';
import { keepScreenshot } from '../support/screenshots.ts';
import { openVisit } from '../support/visit.ts';
import { waitForValue } from '../support/waiting.ts';

const service = await startTestService({ after }, { web: true, flags: [] });
const empty = await startTestService({ after }, { web: true, flags: ['--empty'] });

void test('dashboard: shows the statistics of the catalogue', { skip: skipWithoutBrowser }, async (t) => {
  const visit = await openVisit(t, service);
  await visit.open('/dashboard');
  const { page } = visit;
  const tile = (name: string) => page.locator('dl div').filter({ hasText: name }).getByRole('definition');
  await tile('Total pets').getByText('20', { exact: true }).waitFor();
  await tile('Adopted').getByText('4', { exact: true }).waitFor();
  await tile('Storage')
    .getByText(/^1\.\d MB$/)
    .waitFor();
  const statuses = page.getByRole('region', { name: 'By status' }).getByRole('listitem');
  await waitForValue(
    async () => (await statuses.allTextContents()).map((text) => text.trim()),
    ['Available12', 'Pending4', 'Adopted4'],
  );
  const slider = page.getByRole('slider', { name: 'Over time' });
  await slider.focus();
  assert.match((await slider.getAttribute('aria-valuetext')) ?? '', /^\d+ \w+\. Added: 20, Adopted: \d+$/);
  await page.getByText('Added: 20', { exact: true }).waitFor();
  await page.keyboard.press('ArrowLeft');
  await page.getByText('Added: 0', { exact: true }).waitFor();
  await keepScreenshot(page, 'dashboard', { isWhole: true });
});

void test('plot: its data is available as a table and as a CSV file', { skip: skipWithoutBrowser }, async (t) => {
  const visit = await openVisit(t, service, { theme: 'dark' });
  await visit.open('/dashboard');
  const { page } = visit;
  await page.getByRole('button', { name: 'By category: show as table' }).click();
  const rows = page.getByRole('table').getByRole('row');
  await waitForValue(() => rows.allInnerTexts(), ['Category\tPets', 'Cats\t6', 'Dogs\t6', 'Lions\t4', 'Rabbits\t4']);
  await checkAccessibility(page, 'The dashboard with a table');
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'By category: download CSV' }).click(),
  ]);
  assert.equal(file.suggestedFilename(), 'pets-by-categories.csv');
  assert.equal(
    await readFile(await file.path(), 'utf8'),
    '\uFEFFCategory,Pets\r\nCats,6\r\nDogs,6\r\nLions,4\r\nRabbits,4\r\n',
  );
});

void test('time span: is in the address', { skip: skipWithoutBrowser }, async (t) => {
  const visit = await openVisit(t, service, { width: 375 });
  await visit.open('/dashboard');
  const { page } = visit;
  await page.getByText('12 months').click();
  await page.waitForURL('**/dashboard?span=year');
  await page.getByRole('button', { name: 'Over time: show as table' }).click();
  // 13 periods of four weeks, and the header.
  await waitForValue(() => page.getByRole('table').getByRole('row').count(), 14);
  await visit.open('/dashboard?span=year');
  await page.getByRole('radio', { name: '12 months', checked: true }).waitFor();
});

void test('empty catalogue: no plots, but a link to add a pet', { skip: skipWithoutBrowser }, async (t) => {
  const visit = await openVisit(t, empty, { language: 'de' });
  await visit.open('/dashboard');
  await visit.page.getByRole('link', { name: 'Erstes Tier anlegen' }).waitFor();
  assert.equal(await visit.page.getByRole('list').count(), 0);
});

void test('key figures: fill their rows at each width', { skip: skipWithoutBrowser }, async (t) => {
  const visit = await openVisit(t, service);
  const { page } = visit;
  await visit.open('/dashboard');
  const tiles = page.locator('dl > div');
  await tiles.first().waitFor();
  for (const width of [320, 500, 640, 720, 800, 1000, 1440]) {
    await visit.expectShifts(() => page.setViewportSize({ width, height: 900 }));
    const widths = await tiles.evaluateAll((all) => all.map((tile) => Math.round(tile.getBoundingClientRect().width)));
    assert.equal(widths.length, 6);
    assert.ok(Math.max(...widths) - Math.min(...widths) <= 1, `${width} px: ${widths.join()}`);
    await keepScreenshot(page, `dashboard ${width}`, { isWhole: true });
  }
});
