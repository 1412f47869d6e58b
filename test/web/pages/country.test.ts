import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { skipWithoutBrowser } from '../support/browser.ts';
import { addPet, startStaffedService } from '../support/stock.ts';
import { openVisit } from '../support/visit.ts';

/* Weights and dates are shown and entered as in the country of the organisation. */

const { service, call, root } = await startStaffedService({ after });
const options = { skip: skipWithoutBrowser };

const OWN_FIELD = { key: 'groomed', type: 'date', label: { en: 'Groomed', de: 'Gepflegt' }, isPublic: true };

async function put(path: string, json: object): Promise<void> {
  const { status, text } = await call('PUT', path, { json, headers: root });
  assert.equal(status, 200, text);
}

void test('United States: pounds and ounces, and the month first', options, async (t) => {
  await put('organisation', { country: 'US' });
  await put('own-fields', { fields: [OWN_FIELD] });
  const id = await addPet(call, { name: 'Rex' }, root);
  await put(`pet/${id}/profile`, { species: 'dog', weightKg: 3.884, own: { groomed: '2026-01-31' } });
  const visit = await openVisit(t, service, { loggedInAs: 'edna' });
  const { page } = visit;
  await visit.open(`/pets/${id}/edit`);
  const weight = page.getByLabel('Weight (lb)');
  assert.equal(await weight.inputValue(), '8 lb 9 oz');
  await page.getByText('S up to 25 lb', { exact: false }).waitFor();
  await visit.expectShifts(async () => {
    await weight.fill('heavy');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Enter a weight', { exact: false }).first().waitFor();
    assert.equal(await weight.inputValue(), 'heavy');
    await weight.fill('61.7');
  });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Rex', exact: true }).waitFor();
  await page.getByText('61.7 lb').waitFor();
  await page.getByText('January 31, 2026').waitFor();
  assert.match((await call('GET', `pet/${id}/profile`, { headers: root })).text, /"weightKg":27\.987/);
  await visit.open(`/pets/${id}/edit`);
  assert.equal(await weight.inputValue(), '61.7');
  await visit.open(`/pets/${id}/history`);
  await page.getByText('61.7 lb').first().waitFor();
  await page.getByText('8 lb 9 oz').first().waitFor();
});

void test('United States: an import shows that weights without a unit are read as pounds', options, async (t) => {
  await put('organisation', { country: 'US' });
  const { page, ...visit } = await openVisit(t, service, { loggedInAs: 'edna', width: 375 });
  await visit.open('/pets/transfer');
  await visit.expectShifts(async () => {
    const file = { name: 'pets.csv', mimeType: 'text/csv', buffer: Buffer.from('name,Weight\nMia,10\n') };
    await page.locator('input[type=file]').first().setInputFiles(file);
    await page.getByText('Column Weight: 10. As in the country of the organisation').waitFor();
    const unit = page.getByLabel('Weights without a unit are in');
    assert.equal(await unit.inputValue(), 'lb');
    await page.getByText('4.536').waitFor();
    assert.ok(await page.getByRole('button', { name: 'Import 1 row' }).isEnabled());
    await unit.selectOption('kg');
    await page.getByText('4.536').waitFor({ state: 'hidden' });
    await page.getByText('Column Weight').waitFor({ state: 'hidden' });
    assert.equal(await unit.inputValue(), 'kg');
  });
});

void test('United Kingdom: kilograms, in German as well', options, async (t) => {
  await put('organisation', { country: 'GB' });
  const id = await addPet(call, { name: 'Max' }, root);
  await put(`pet/${id}/profile`, { weightKg: 27.987, own: { groomed: '2026-01-31' } });
  const visit = await openVisit(t, service, { language: 'de' });
  const { page } = visit;
  await visit.open(`/pets/${id}`);
  await page.getByText('27,99 kg').waitFor();
  await page.getByText('31. Januar 2026').waitFor();
});
