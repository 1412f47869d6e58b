import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { bearer, logIn, PASSWORDS, startSecuredService } from '../../support/secured.ts';
import { skipWithoutBrowser } from '../support/browser.ts';
import { samplePhoto, paintPhoto } from '../support/photo-files.ts';
import { addPet, endSessions, patchPet } from '../support/stock.ts';
import { openVisit } from '../support/visit.ts';
import { waitFor } from '../support/waiting.ts';

/*
 * An editor at work, with mistakes, conflicts and an expired session.
 */

const service = await startSecuredService({ after }, { web: true });
const { call } = service;
const root = bearer(await logIn(call, 'root'));

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
      .setInputFiles([await paintPhoto('luna'), await samplePhoto('cat-miso.jpg')]);
    await page.getByRole('button', { name: 'Add pet', exact: true }).click();
    await page.waitForURL(/\/pets\/\d+/);
    const id = /\/pets\/(\d+)/.exec(page.url())?.[1] ?? '';
    await waitForPhotos(id, 2);
    const pet = JSON.parse((await call('GET', `pet/${id}`)).text) as Record<string, unknown>;
    assert.equal(pet['name'], 'Luna');
    assert.deepEqual((pet['category'] as { name: string }).name, 'Cats');
    assert.deepEqual(
      (pet['tags'] as { name: string }[]).map(({ name }) => name),
      ['calm', 'senior'],
    );
  },
);

void test(
  'editor: sees the conflicting change of another user and chooses',
  { skip: skipWithoutBrowser },
  async (t) => {
    const id = await addPet(call, { name: 'Rex', status: 'available' }, root);
    const visit = await openVisit(t, service, { loggedInAs: 'edna' });
    const { page } = visit;
    visit.allow(/status of 412/);
    await visit.open(`/pets/${id}/edit`);
    await page.getByRole('textbox', { name: /^Name/ }).fill('Rex of Edna');
    await patchPet(call, id, { name: 'Rex of Root' }, root);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Conflicting changes' });
    await dialog.waitFor();
    await dialog.getByText('Rex of Root').first().waitFor();
    await dialog.getByText('Rex of Edna').first().waitFor();
    await dialog.getByRole('radio', { name: /^Your version/ }).click();
    await dialog.getByRole('button', { name: 'Save selection' }).click();
    await waitForPet(id, /"name":"Rex of Edna"/);
  },
);

void test('editor: logs in again after an expired session, input kept', { skip: skipWithoutBrowser }, async (t) => {
  const id = await addPet(call, { name: 'Miso' }, root);
  const visit = await openVisit(t, service, { loggedInAs: 'edna' });
  const { page } = visit;
  visit.expect(/status of 401/);
  await visit.open(`/pets/${id}/edit`);
  await page.getByRole('textbox', { name: /^Name/ }).fill('Miso the Second');
  await endSessions(call, 'edna', root);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Log in again' });
  await dialog.getByLabel(/^Password/).fill(PASSWORDS['edna'] ?? '');
  await dialog.getByRole('button', { name: 'Log in' }).click();
  await dialog.waitFor({ state: 'detached' });
  // The request is retried by itself.
  await waitForPet(id, /"name":"Miso the Second"/);
});

void test(
  'editor: input is kept without a connection, and saved once it is back',
  { skip: skipWithoutBrowser },
  async (t) => {
    const id = await addPet(call, { name: 'Olive' }, root);
    const visit = await openVisit(t, service, { loggedInAs: 'edna' });
    const { page } = visit;
    visit.allow(/ERR_INTERNET_DISCONNECTED/);
    await visit.open(`/pets/${id}/edit`);
    await page.getByRole('textbox', { name: /^Name/ }).fill('Olive Oil');
    await visit.context.setOffline(true);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText(/Your changes are still here/).waitFor();
    assert.equal(await page.getByRole('textbox', { name: /^Name/ }).inputValue(), 'Olive Oil');
    await visit.context.setOffline(false);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await waitForPet(id, /"name":"Olive Oil"/);
  },
);

void test('editor: confirms before leaving unsaved changes', { skip: skipWithoutBrowser }, async (t) => {
  const id = await addPet(call, { name: 'Bruno' }, root);
  const visit = await openVisit(t, service, { loggedInAs: 'edna' });
  const { page } = visit;
  await visit.open(`/pets/${id}/edit`);
  await page.getByRole('textbox', { name: /^Name/ }).fill('Bruno B.');
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Pets' }).click();
  const dialog = page.getByRole('dialog', { name: 'Leave without saving?' });
  await dialog.getByRole('button', { name: 'Keep editing' }).click();
  assert.equal(await page.getByRole('textbox', { name: /^Name/ }).inputValue(), 'Bruno B.');
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Pets' }).click();
  await dialog.getByRole('button', { name: 'Leave without saving' }).click();
  await page.getByRole('heading', { name: 'Meet the pets' }).waitFor();
});

void test('editor: restores a pet that was deleted by mistake', { skip: skipWithoutBrowser }, async (t) => {
  const id = await addPet(call, { name: 'Juno', status: 'available' }, root);
  const visit = await openVisit(t, service, { loggedInAs: 'edna' });
  const { page } = visit;
  visit.allow(/status of 404/);
  await visit.open(`/pets/${id}`);
  await page.getByRole('button', { name: 'Delete pet' }).click();
  await page.getByText('Juno was deleted.').first().waitFor();
  assert.equal((await call('GET', `pet/${id}`)).status, 404);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Juno was restored.').first().waitFor();
  assert.equal((await call('GET', `pet/${id}`)).status, 200);
});

void test(
  'editor: changes the status of a pet with one click and undoes it with one',
  { skip: skipWithoutBrowser },
  async (t) => {
    const id = await addPet(call, { name: 'Ziggy', status: 'available' }, root);
    const visit = await openVisit(t, service, { loggedInAs: 'edna', width: 375 });
    const { page } = visit;
    await visit.open(`/pets/${id}`);
    await page.getByRole('group', { name: 'Status' }).getByText('Adopted').click();
    await waitForPet(id, /"status":"sold"/);
    await page.getByText('Status of Ziggy changed to Adopted.').first().waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await waitForPet(id, /"status":"available"/);
  },
);

async function fillLogin(page: Page): Promise<void> {
  await page.getByLabel('Username').fill('edna');
  await page.getByLabel(/^Password/).fill(PASSWORDS['edna'] ?? '');
  await page.getByRole('main').getByRole('button', { name: 'Log in' }).click();
}

async function isStored(id: string, pattern: RegExp): Promise<boolean> {
  return pattern.test((await call('GET', `pet/${id}`)).text);
}

async function waitForPet(id: string, pattern: RegExp): Promise<void> {
  await waitFor(() => isStored(id, pattern), `pet ${id} matches ${pattern}`);
}

async function waitForPhotos(id: string, count: number): Promise<void> {
  const has = async () =>
    (JSON.parse((await call('GET', `pet/${id}`)).text) as { photoUrls: [] }).photoUrls.length === count;
  await waitFor(has, `pet ${id} has ${count} photos`);
}
