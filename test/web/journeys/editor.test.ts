import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { bearer, logIn, PASSWORDS, startSecuredService } from '../../support/secured.ts';
import { skipWithoutBrowser } from '../support/browser.ts';
import { samplePicture, takePhotograph } from '../support/photographs.ts';
import { addPet, endSessions, patchPet } from '../support/stock.ts';
import { openVisit } from '../support/visit.ts';
import { waitFor } from '../support/waiting.ts';

/*
 * Somebody of the staff at work: with accidents, colleagues and a session that ends.
 */

const service = await startSecuredService({ after }, { web: true });
const { call } = service;
const root = bearer(await logIn(call, 'root'));

void test(
  'an editor logs in on the way to a new pet, adds it with pictures, and finds it',
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
      .setInputFiles([await takePhotograph('luna'), await samplePicture('cat-miso.jpg')]);
    await page.getByRole('button', { name: 'Add the pet', exact: true }).click();
    await page.waitForURL(/\/pets\/\d+/);
    const id = /\/pets\/(\d+)/.exec(page.url())?.[1] ?? '';
    await waitForPictures(id, 2);
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
  'a change of another person is not overwritten: both versions are shown, and one chooses',
  { skip: skipWithoutBrowser },
  async (t) => {
    const id = await addPet(call, { name: 'Rex', status: 'available' }, root);
    const visit = await openVisit(t, service, { signedInAs: 'edna' });
    const { page } = visit;
    visit.allow(/status of 412/);
    await visit.open(`/pets/${id}/edit`);
    await page.getByRole('textbox', { name: /^Name/ }).fill('Rex of Edna');
    await patchPet(call, id, { name: 'Rex of Root' }, root);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'These changes overlap' });
    await dialog.waitFor();
    await dialog.getByText('Rex of Root').first().waitFor();
    await dialog.getByText('Rex of Edna').first().waitFor();
    await dialog.getByRole('radio', { name: /^Typed here/ }).click();
    await dialog.getByRole('button', { name: 'Save this' }).click();
    await waitForPet(id, /"name":"Rex of Edna"/);
  },
);

void test('a session that ends while one types costs nothing but a login', { skip: skipWithoutBrowser }, async (t) => {
  const id = await addPet(call, { name: 'Miso' }, root);
  const visit = await openVisit(t, service, { signedInAs: 'edna' });
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
  // What was about to be saved is sent again by itself.
  await waitForPet(id, /"name":"Miso the Second"/);
});

void test(
  'what is saved without a connection stays in the form, and is saved when it is back',
  { skip: skipWithoutBrowser },
  async (t) => {
    const id = await addPet(call, { name: 'Olive' }, root);
    const visit = await openVisit(t, service, { signedInAs: 'edna' });
    const { page } = visit;
    visit.allow(/ERR_INTERNET_DISCONNECTED/);
    await visit.open(`/pets/${id}/edit`);
    await page.getByRole('textbox', { name: /^Name/ }).fill('Olive Oil');
    await visit.context.setOffline(true);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText(/Everything you typed is still here/).waitFor();
    assert.equal(await page.getByRole('textbox', { name: /^Name/ }).inputValue(), 'Olive Oil');
    await visit.context.setOffline(false);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await waitForPet(id, /"name":"Olive Oil"/);
  },
);

void test('leaving what is not saved is asked about', { skip: skipWithoutBrowser }, async (t) => {
  const id = await addPet(call, { name: 'Bruno' }, root);
  const visit = await openVisit(t, service, { signedInAs: 'edna' });
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

void test('a pet that is removed by mistake is brought back in one step', { skip: skipWithoutBrowser }, async (t) => {
  const id = await addPet(call, { name: 'Juno', status: 'available' }, root);
  const visit = await openVisit(t, service, { signedInAs: 'edna' });
  const { page } = visit;
  visit.allow(/status of 404/);
  await visit.open(`/pets/${id}`);
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByText('Juno is removed.').first().waitFor();
  assert.equal((await call('GET', `pet/${id}`)).status, 404);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Juno is back.').first().waitFor();
  assert.equal((await call('GET', `pet/${id}`)).status, 200);
});

void test(
  'the status is changed in one step from the pet, and taken back in one',
  { skip: skipWithoutBrowser },
  async (t) => {
    const id = await addPet(call, { name: 'Ziggy', status: 'available' }, root);
    const visit = await openVisit(t, service, { signedInAs: 'edna', width: 375 });
    const { page } = visit;
    await visit.open(`/pets/${id}`);
    await page.getByRole('group', { name: 'Status' }).getByText('Adopted').click();
    await waitForPet(id, /"status":"sold"/);
    await page.getByText('Ziggy is now: Adopted.').first().waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await waitForPet(id, /"status":"available"/);
  },
);

async function fillLogin(page: Page): Promise<void> {
  await page.getByLabel('User name').fill('edna');
  await page.getByLabel(/^Password/).fill(PASSWORDS['edna'] ?? '');
  await page.getByRole('main').getByRole('button', { name: 'Log in' }).click();
}

async function isStored(id: string, pattern: RegExp): Promise<boolean> {
  return pattern.test((await call('GET', `pet/${id}`)).text);
}

async function waitForPet(id: string, pattern: RegExp): Promise<void> {
  await waitFor(() => isStored(id, pattern), `pet ${id} is like ${pattern}`);
}

async function waitForPictures(id: string, count: number): Promise<void> {
  const has = async () =>
    (JSON.parse((await call('GET', `pet/${id}`)).text) as { photoUrls: [] }).photoUrls.length === count;
  await waitFor(has, `pet ${id} has ${count} pictures`);
}
