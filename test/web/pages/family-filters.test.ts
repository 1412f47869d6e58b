import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { skipWithoutBrowser } from '../support/browser.ts';
import { checkState } from '../support/pages.ts';
import { addPet, startStaffedService } from '../support/stock.ts';
import { openVisit } from '../support/visit.ts';
import { waitForValue } from '../support/waiting.ts';

/* Filters as families see them: by species instead of the groups of a shelter, and nothing unfinished. */

const { service, call, root } = await startStaffedService({ after });
const options = { skip: skipWithoutBrowser };

for (const [name, species, goodWithDogs] of [
  ['Luna', 'cat', true],
  ['Miso', 'cat', false],
  ['Rex', 'dog', true],
] as const) {
  const id = await addPet(call, { name, status: 'available', category: { name: 'Group A' } }, root);
  await call('PUT', `pet/${id}/profile`, { json: { species, goodWithDogs }, headers: root });
}

void test('quick filters: cats that get along with dogs, in two taps', options, async (t) => {
  const visit = await openVisit(t, service, { width: 375, language: 'de' });
  const { page } = visit;
  await visit.open('/');
  const names = () => page.getByRole('article').getByRole('heading').allTextContents();
  await visit.expectShifts(async () => {
    await page.getByRole('button', { name: 'Katzen', exact: true }).click();
    await page.getByRole('button', { name: 'Verträgt Hunde' }).click();
    await waitForValue(names, ['Luna']);
  });
  assert.match(page.url(), /species=cat&goodWith=dogs/);
  assert.equal(await page.getByRole('button', { name: 'Group A' }).count(), 0);
  await checkState(page, 'quick filters of a family');
});

void test(
  'filters: visitors see neither groups of staff beside species nor pets without a status',
  options,
  async (t) => {
    const visit = await openVisit(t, service);
    const { page } = visit;
    await visit.open('/');
    await page.getByRole('checkbox', { name: /^Cat/ }).waitFor();
    assert.equal(await page.getByRole('checkbox', { name: /^Group A/ }).count(), 0);
    assert.equal(await page.getByRole('checkbox', { name: /^No status/ }).count(), 0);
    const staff = await openVisit(t, service, { loggedInAs: 'edna' });
    await staff.open('/');
    await staff.page.getByRole('checkbox', { name: /^Group A/ }).waitFor();
    await staff.page.getByRole('checkbox', { name: /^No status/ }).waitFor();
  },
);

void test('no results: the nearest pets are shown', options, async (t) => {
  const visit = await openVisit(t, service, { width: 768 });
  const { page } = visit;
  await visit.open('/?species=dog&goodWith=cats');
  await page.getByText('These come close:').waitFor();
  await page.getByRole('link', { name: 'Rex' }).waitFor();
  await visit.waitForIdle();
  await checkState(page, 'no results with the nearest pets');
});
