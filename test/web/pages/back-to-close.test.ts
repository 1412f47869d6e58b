import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { skipWithoutBrowser } from '../support/browser.ts';
import { addShelter, startStaffedService } from '../support/stock.ts';
import { openVisit } from '../support/visit.ts';
import { waitForValue } from '../support/waiting.ts';

/*
 * Going back closes what covers the page, and leaves the page only then.
 */

const { service, call, root } = await startStaffedService({ after });
const { Luna: luna = '' } = await addShelter(call, root);
const options = { skip: skipWithoutBrowser };

void test('back: closes a photo in full screen, also after a link from elsewhere', options, async (t) => {
  const visit = await openVisit(t, service, { width: 375 });
  const { page } = visit;
  await visit.open(`/pets/${luna}`);
  const length = () => page.evaluate(() => history.length);
  const before = await length();
  const opener = page.getByRole('button', { name: /View full screen/ }).first();
  const dialog = page.getByRole('dialog', { name: 'Photos of Luna' });
  await opener.click();
  await dialog.getByText('Photo 1 of 3').waitFor();
  await waitForValue(length, before + 1);
  await page.goBack();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('heading', { name: 'Luna' }).waitFor();
  assert.equal(new URL(page.url()).pathname, `/pets/${luna}`);
  // Closed in another way, it leaves no entry behind.
  await opener.click();
  await dialog.getByText('Photo 1 of 3').waitFor();
  await waitForValue(() => page.evaluate(() => 'cover' in (history.state as object)), true);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await waitForValue(() => page.evaluate(() => (history.state as { cover?: string }).cover), undefined);
  await visit.waitForIdle();
  await page.goBack();
  assert.equal(page.url(), 'about:blank');
});

for (const how of ['back', 'the button'] as const)
  void test(`${how}: closes the filters of a phone, which stay`, options, async (t) => {
    const visit = await openVisit(t, service, { width: 375, theme: 'dark' });
    const { page } = visit;
    await visit.open('/');
    await visit.expectShifts(async () => {
      await page.getByRole('button', { name: 'Filters' }).click();
      const sheet = page.getByRole('dialog', { name: 'Filters' });
      await waitForValue(() => page.evaluate(() => 'cover' in (history.state as object)), true);
      await sheet.getByRole('checkbox', { name: /^Cats/ }).check();
      await sheet.getByRole('checkbox', { name: /^calm/ }).check();
      await sheet.getByRole('button', { name: 'Show 1 pet' }).waitFor();
      if (how === 'back') await page.goBack();
      else await sheet.getByRole('button', { name: 'Show 1 pet' }).click();
      await sheet.waitFor({ state: 'detached' });
      // With that of visitors, who see available pets.
      await page.getByRole('button', { name: 'Filters, 3 active' }).waitFor();
      await page.waitForURL('**/?category=Cats&tag=calm');
      await waitForValue(() => page.evaluate(() => (history.state as { cover?: string }).cover), undefined);
      // The filters are one step in the history.
      await page.goBack();
      await page.getByRole('button', { name: 'Filters, 1 active' }).waitFor();
      await page.waitForURL(`${service.origin}/`);
    });
  });
