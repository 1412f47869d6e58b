import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Locator } from 'playwright-core';
import { until } from '../../support/until.ts';
import { skipWithoutBrowser } from '../support/browser.ts';
import { addManyPets, addPet, patchPet, startStaffedService } from '../support/stock.ts';
import { openVisit } from '../support/visit.ts';

/*
 * The longest names and tags, and the numbers of a large catalogue, fit into the layout.
 */

const { service, call, root } = await startStaffedService({ after });
const LONGEST_NAME = 'Bartholomew Maximilian '.repeat(12).slice(0, 255);
const LONGEST_TAG = 'friendlywithchildren'.repeat(5);
const id = await addPet(call, { name: LONGEST_NAME, status: 'available', tags: [{ name: LONGEST_TAG }] }, root);
const options = { skip: skipWithoutBrowser };

interface Box {
  left: number;
  right: number;
  height: number;
  /** Part of the content is cut off. */
  isClipped: boolean;
}

function boxOf(locator: Locator): Promise<Box> {
  return locator.evaluate((element) => {
    const { left, right, height } = element.getBoundingClientRect();
    return { left, right, height, isClipped: element.scrollWidth > element.clientWidth + 1 };
  });
}

for (const width of [375, 1440]) {
  void test(`a tag of 100 characters: not cut off in the bulk dialog, at ${width} px`, options, async (t) => {
    const visit = await openVisit(t, service, { width, loggedInAs: 'edna' });
    const { page } = visit;
    await visit.open('/');
    if (width === 375) await page.getByRole('button', { name: 'Select', exact: true }).click();
    await page.getByRole('checkbox', { name: /^Select Bartholomew/ }).click();
    await page.getByRole('button', { name: 'Tags', exact: true }).click();
    const dialog = page.getByRole('dialog');
    const field = dialog.getByLabel('Add tags');
    await field.fill(LONGEST_TAG.toUpperCase());
    await field.press('Enter');
    const outer = await boxOf(dialog);
    const added = dialog.getByRole('listitem').getByText(LONGEST_TAG.toUpperCase(), { exact: true });
    const chips = [added, dialog.getByRole('group').getByText(LONGEST_TAG, { exact: true })];
    for (const chip of chips) {
      const { left, right, isClipped } = await boxOf(chip);
      assert.ok(left > outer.left && right < outer.right, 'the tag is inside the dialog');
      assert.equal(isClipped, false);
    }
  });

  void test(`a name of 255 characters: takes less than half of the screen, at ${width} px`, options, async (t) => {
    const visit = await openVisit(t, service, { width, loggedInAs: 'edna' });
    const { page } = visit;
    for (const path of [`/pets/${id}`, `/pets/${id}/history`, `/pets/${id}/edit`, `/pets/${id}/card`]) {
      await visit.open(path);
      const heading = page.getByRole('heading', { level: 1, name: /Bartholomew/ });
      await heading.waitFor();
      const { height, right, isClipped } = await boxOf(heading);
      assert.ok(height < (page.viewportSize()?.height ?? 0) / 2, `${path}: ${height} px`);
      assert.ok(right <= width && !isClipped, path);
    }
  });
}

void test('history: a tag of 100 characters stays in its entry', options, async (t) => {
  const visit = await openVisit(t, service, { width: 375, isSlow: true, loggedInAs: 'edna' });
  const { page } = visit;
  await visit.open(`/pets/${id}/history`);
  const entry = await boxOf(page.getByRole('article').first());
  const tag = await boxOf(page.getByRole('insertion').filter({ hasText: LONGEST_TAG }));
  assert.ok(tag.right < entry.right);
});

void test('history: its entries do not move when none of them has the long name', options, async (t) => {
  const longest = await addPet(call, { name: LONGEST_NAME }, root);
  // More than a page of changes of another field.
  for (let change = 0; change < 21; change++)
    await patchPet(call, longest, { status: change % 2 === 0 ? 'pending' : 'sold' }, root);
  const visit = await openVisit(t, service, { width: 375, isSlow: true, loggedInAs: 'edna' });
  await visit.open(`/pets/${longest}/history`);
  await visit.page.getByRole('heading', { level: 1, name: /Bartholomew/ }).waitFor();
  await visit.page.getByRole('article').first().waitFor();
});

void test('axis of the dashboard: numbers of six digits are not cut off', options, async (t) => {
  await addManyPets(call, 100_000, root);
  await until('the search index has them', async () => (await call('GET', 'statistics')).status === 200);
  for (const language of ['en', 'de'] as const) {
    const visit = await openVisit(t, service, { width: 375, language });
    const { page } = visit;
    await visit.open('/dashboard');
    const most = page.getByText(language === 'en' ? '150,000' : '150.000', { exact: true });
    await most.waitFor();
    const plot = page.getByRole('region').filter({ has: most });
    const [outer, label] = [await boxOf(plot), await boxOf(most)];
    assert.ok(label.left >= outer.left && label.right < outer.right, `the label begins at ${label.left - outer.left}`);
    await visit.end();
  }
});
