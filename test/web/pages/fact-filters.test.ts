import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { checkAccessibility } from '../support/accessibility.ts';
import { skipWithoutBrowser } from '../support/browser.ts';
import { keepScreenshot } from '../support/screenshots.ts';
import { addPet, startStaffedService } from '../support/stock.ts';
import { openVisit } from '../support/visit.ts';
import { waitForValue } from '../support/waiting.ts';

/*
 * The filters by which people look for a pet: facts of profiles.
 */

const { service, call, root } = await startStaffedService({ after });
const skip = skipWithoutBrowser;

const organisation = { locations: [{ id: 'river', name: 'River house' }] };
const stored = await call('PUT', 'organisation', { json: organisation, headers: root });
assert.equal(stored.status, 200, stored.text);

for (const [name, profile] of [
  ['Zoe', { species: 'dog', sex: 'female', size: 'L', goodWithCats: true, location: 'river' }],
  ['Rex', { species: 'dog', sex: 'male', size: 'S', goodWithCats: false }],
  ['Mia', { species: 'cat', sex: 'female', birthDate: '2010-01-01' }],
  ['Ada', { species: 'horse', isPublished: false }],
] as const) {
  const id = await addPet(call, { name, category: { name: 'Pets' }, status: 'available' }, root);
  const response = await call('PUT', `pet/${id}/profile`, { json: profile, headers: root });
  assert.equal(response.status, 200, response.text);
}

for (const width of [375, 1280])
  void test(`facts at ${width} px: visitors choose them, and see the pets`, { skip }, async (t) => {
    const visit = await openVisit(t, service, { width });
    const { page } = visit;
    await visit.open('/');
    if (width === 375) await page.getByRole('button', { name: /^Filters/ }).click();
    const option = (name: string) => page.getByRole('checkbox', { name: new RegExp(`^${name} `) });
    await visit.expectShifts(async () => option('Dog').check());
    await visit.expectShifts(async () => option('Female').check());
    // A fact that only a draft has does not exist for visitors.
    assert.equal(await option('Horse').count(), 0);
    await page
      .getByRole('group', { name: 'Location' })
      .getByRole('checkbox', { name: /^River house/ })
      .waitFor();
    await keepScreenshot(page, `filters of facts at ${width} px`);
    await checkAccessibility(page, `The filters of facts at ${width} px`);
    if (width === 375) await page.getByRole('button', { name: 'Show 1 pet' }).click();
    assert.equal(new URL(page.url()).search, '?species=dog&sex=female');
    const names = () => page.getByRole('article').getByRole('heading').allInnerTexts();
    await waitForValue(names, ['Zoe']);
    await visit.expectShifts(async () => page.getByRole('button', { name: 'Remove Female' }).click());
    await waitForValue(async () => (await names()).toSorted(), ['Rex', 'Zoe']);
  });

void test('facts in an address: are applied, and named in words', { skip }, async (t) => {
  const visit = await openVisit(t, service, { width: 1280 });
  const { page } = visit;
  await visit.open('/?age=senior&goodWith=cats');
  await page.getByRole('heading', { name: 'No pets found' }).waitFor();
  await page.getByRole('button', { name: 'Remove Cats' }).click();
  await waitForValue(() => page.getByRole('article').getByRole('heading').allInnerTexts(), ['Mia']);
  await page.getByRole('button', { name: 'Remove Senior' }).waitFor();
});

const ADDRESS = '/?status=any&species=cat&age=adult&size=L&sex=female&goodWith=cats&location=river';

for (const [language, words] of [
  ['en', ['Cat', 'Adult', 'Large', 'Female', 'Cats', 'River house']],
  ['de', ['Katze', 'Erwachsen', 'Groß', 'Weiblich', 'Katzen', 'River house']],
] as const)
  for (const width of [375, 1280])
    void test(`facts in an address, ${language}, ${width} px: the filters have words`, { skip }, async (t) => {
      const visit = await openVisit(t, service, { width, language });
      const { page } = visit;
      await visit.open(ADDRESS);
      const filters = page.getByRole('list', { name: /^(?:Active filters|Aktive Filter)$/ });
      await filters.waitFor();
      // The last button clears all.
      const shown = (await filters.getByRole('button').allInnerTexts()).slice(0, -1);
      // On a phone, species and company are quick filters.
      assert.deepEqual(shown, width < 600 ? words.filter((_, index) => index !== 0 && index !== 4) : words);
      await keepScreenshot(page, `chosen facts ${language} ${width}`);
    });

void test('facts in an address: unknown values are named, do not filter, and can be removed', { skip }, async (t) => {
  // A failed request would fail the visit.
  const visit = await openVisit(t, service, { width: 375 });
  const { page } = visit;
  await visit.open('/?species=cat&species=unicorn&age=ancient');
  await waitForValue(() => page.getByRole('article').getByRole('heading').allInnerTexts(), ['Mia']);
  await visit.expectShifts(async () => {
    await page.getByRole('button', { name: 'Remove “unicorn” (unknown)' }).click();
    await page.getByRole('button', { name: 'Remove “ancient” (unknown)' }).click();
  });
  await waitForValue(() => Promise.resolve(new URL(page.url()).search), '?species=cat');
  assert.deepEqual(await page.getByRole('article').getByRole('heading').allInnerTexts(), ['Mia']);
});
