import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { PASSWORDS } from '../../support/secured.ts';
import { skipWithoutBrowser } from '../support/browser.ts';
import { samplePhoto, paintPhoto } from '../support/photo-files.ts';
import { addPet, readPet, startStaffedService } from '../support/stock.ts';
import { openVisit } from '../support/visit.ts';
import { waitForValue } from '../support/waiting.ts';

/*
 * An editor at work: a new pet, and one that has been adopted by mistake.
 */

const { service, call, root } = await startStaffedService({ after });

void test(
  'editor: logs in on the way to a new pet, and adds it with photos',
  { skip: skipWithoutBrowser },
  async (t) => {
    const visit = await openVisit(t, service);
    const { page } = visit;
    await visit.open('/pets/new');
    await page.getByRole('main').getByRole('link', { name: 'Log in' }).click();
    await fillLogin(page);
    await page.waitForURL(/\/pets\/new$/);
    await page.getByRole('textbox', { name: /^Name/ }).fill('Luna');
    await page.getByRole('radio', { name: /^Available/ }).check();
    await page.getByRole('combobox', { name: /^Category/ }).fill('Cats');
    await page.getByRole('combobox', { name: /^Tags/ }).pressSequentially('calm,senior,');
    await page
      .locator('input[type="file"]')
      .first()
      .setInputFiles([await paintPhoto('luna', { width: 1000 }), await samplePhoto('cat-miso.jpg')]);
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.waitForURL(/\/pets\/\d+/);
    const id = /\/pets\/(\d+)/.exec(page.url())?.[1] ?? '';
    await waitForValue(async () => (await readPet(call, id)).photoUrls.length, 2);
    const { name, category, tags } = await readPet(call, id);
    assert.deepEqual([name, category?.name, tags.map((tag) => tag.name)], ['Luna', 'Cats', ['calm', 'senior']]);
  },
);

async function fillLogin(page: Page): Promise<void> {
  await page.getByLabel('Username').fill('edna');
  await page.getByLabel(/^Password/).fill(PASSWORDS['edna'] ?? '');
  await page.getByRole('main').getByRole('button', { name: 'Log in' }).click();
}

void test(
  'editor: publishes a draft with one click and undoes it with one, but not with the second of a double click',
  { skip: skipWithoutBrowser },
  async (t) => {
    const id = await addPet(call, { name: 'Shy', status: 'available', profile: { isPublished: false } }, root);
    const waitForStatus = (status: number) => waitForValue(async () => (await call('GET', `pet/${id}`)).status, status);
    const visit = await openVisit(t, service, { loggedInAs: 'edna', width: 375 });
    const { page } = visit;
    await visit.openFollowing(`/pets/${id}`);
    await page.getByText('Draft: only staff see it').waitFor();
    await page.getByRole('button', { name: 'Publish' }).dblclick();
    await page.getByText('Shy is published: visitors see this pet.').first().waitFor();
    await page.getByRole('button', { name: 'Make a draft' }).waitFor();
    await waitForStatus(200);
    await page.getByRole('radio', { name: 'Available', checked: true }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Shy is a draft: only staff see it.').first().waitFor();
    await waitForStatus(404);
    // Its next change has the new entity tag.
    await page.getByRole('group', { name: 'Status' }).getByText('Pending').click();
    await page.getByText('Status of Shy changed to Pending.').first().waitFor();
    await page.getByRole('button', { name: 'Publish' }).click();
    await waitForStatus(200);
    await page.getByRole('button', { name: 'Make a draft' }).click();
    await waitForStatus(404);
  },
);
