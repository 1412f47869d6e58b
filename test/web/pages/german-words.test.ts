import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { skipWithoutBrowser } from '../support/browser.ts';
import { addPet, startStaffedService } from '../support/stock.ts';
import { openVisit } from '../support/visit.ts';

/* Breeds and colours in German, and as they were entered in English. */

const { service, call, root } = await startStaffedService({ after });
const options = { skip: skipWithoutBrowser };

async function addCat(profile: object): Promise<string> {
  const pet = { name: 'Minka', status: 'available', category: { name: 'Cats' }, tags: [{ name: 'playful' }] };
  const id = await addPet(call, pet, root);
  assert.equal((await call('PUT', `pet/${id}/profile`, { json: profile, headers: root })).status, 200);
  return id;
}

const id = await addCat({ species: 'cat', breedPrimary: 'Persian', breedIsMixed: true, colours: ['Black', 'White'] });

void test('German words: visitors read them on each page, and after a change of the language', options, async (t) => {
  const visit = await openVisit(t, service, { language: 'de', width: 375 });
  const { page } = visit;
  await visit.open('/');
  const card = page.getByRole('listitem').filter({ hasText: 'Minka' });
  await card.getByText('Perser-Mischling').waitFor();
  await card.getByText('verspielt').waitFor();
  await card.getByRole('link', { name: 'Minka' }).click();
  await page.getByRole('link', { name: 'Katzen' }).first().waitFor();
  const facts = page.getByRole('region', { name: 'Steckbrief' });
  await facts.getByText('Perser-Mischling').waitFor();
  await facts.getByText('Schwarz und Weiß').waitFor();
  const language = page.getByRole('contentinfo').getByRole('combobox', { name: 'Sprache' });
  await visit.expectShifts(async () => {
    await language.selectOption('en');
    await page.getByText('Persian mix').waitFor();
    await page.getByText('Black and White').waitFor();
    await page.getByRole('contentinfo').getByRole('combobox', { name: 'Language' }).selectOption('de');
    await facts.getByText('Perser-Mischling').waitFor();
  });
});

void test('German words: staff read them in the table and the history', options, async (t) => {
  const visit = await openVisit(t, service, { language: 'de', loggedInAs: 'edna', width: 1440 });
  const { page } = visit;
  await page.addInitScript(
    (text) => localStorage.setItem('menagerie-table', text),
    JSON.stringify({ isTable: true, columns: ['breedPrimary'] }),
  );
  await visit.expectShifts(async () => {
    await visit.openFollowing('/');
    await page
      .getByRole('row', { name: /^Minka/ })
      .getByText('Perser')
      .waitFor();
  });
  await visit.open(`/pets/${id}/history`);
  await page.getByText('Schwarz und Weiß').waitFor();
  await page.getByText('Perser', { exact: true }).waitFor();
});

void test('stories: in the language of the page, and marked if they are in another one', options, async (t) => {
  assert.equal((await call('PUT', 'organisation', { json: { language: 'de' }, headers: root })).status, 200);
  const profile = { summary: 'Liebt Wasser.', description: 'Ruhig.', descriptionEn: 'Calm.' };
  const story = await addCat(profile);
  const german = await openVisit(t, service, { language: 'de', width: 375 });
  await german.open(`/pets/${story}`);
  await german.page.getByText('Ruhig.').waitFor();
  assert.equal(await german.page.locator('main [lang]').count(), 0);
  const english = await openVisit(t, service, { language: 'en', width: 375 });
  await english.open(`/pets/${story}`);
  await english.page.getByText('Calm.').waitFor();
  assert.equal(await english.page.locator('main [lang=de]').innerText(), 'Liebt Wasser.');
  const staff = await openVisit(t, service, { language: 'en', loggedInAs: 'edna', width: 1280 });
  await staff.open(`/pets/${story}/edit`);
  await staff.page.getByLabel('Story in English').waitFor();
  assert.equal(await staff.page.getByLabel('Story in German').count(), 0);
});
