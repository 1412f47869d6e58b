import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { codeAt } from '../../support/factors.ts';
import { bearer, logIn, PASSWORDS, startSecuredService } from '../../support/secured.ts';
import { skipWithoutBrowser } from '../support/browser.ts';
import { checkState } from '../support/pages.ts';
import { VirtualAuthenticator } from '../support/virtual-authenticator.ts';
import { openVisit } from '../support/visit.ts';

/*
 * A role that requires a second factor: its users see nothing else until they have one.
 */

const service = await startSecuredService({ after }, { web: true, flags: ['--require-second-factor', 'editor'] });
const options = { skip: skipWithoutBrowser };

void test('required second factor: an editor sets up an app, and then sees the page', options, async (t) => {
  const visit = await openVisit(t, service, { width: 375 });
  const { page } = visit;
  await visit.open('/login?to=%2Fpets%2Fdeleted');
  await page.getByLabel('Username').fill('edna');
  await page.locator('input[name=password]').fill(PASSWORDS['edna'] ?? '');
  await page.keyboard.press('Enter');
  const heading = page.getByRole('heading', { name: 'Set up a second factor' });
  await heading.waitFor();
  // The same after a reload, and on every page.
  for (const path of ['/', '/account', '/pets/new']) {
    await visit.open(path);
    await heading.waitFor();
    // Each leads to something.
    const targets = await page
      .locator('a[href^="#"]')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href')));
    for (const target of targets) assert.equal(await page.locator(target ?? '').count(), 1, `${path}: ${target}`);
  }
  assert.equal(await page.getByRole('navigation').count(), 0);
  await checkState(page, 'The page that requires a second factor');
  await page.getByRole('button', { name: 'Set up authenticator app' }).click();
  const dialog = page.getByRole('dialog', { name: 'Set up authenticator app' });
  const secret = (await dialog.getByLabel('Key for the app').inputValue()).replaceAll(' ', '');
  await dialog.getByLabel('One-time code').fill(codeAt(secret, Date.now()));
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'I have saved the codes' }).click();
  await page.getByRole('heading', { name: 'Add pet' }).waitFor();
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
});

void test('required second factor: a role given meanwhile leads to it, with a passkey', options, async (t) => {
  const local = { origin: service.origin.replace('127.0.0.1', 'localhost') };
  const visit = await openVisit(t, local, { loggedInAs: 'vera', language: 'de' });
  const { page } = visit;
  const phone = await VirtualAuthenticator.addTo(page);
  await visit.open('/account');
  await page.getByRole('button', { name: 'Profil speichern' }).waitFor();
  const headers = bearer(await logIn(service.call, 'root'));
  await service.call('PUT', 'admin/users/vera/role', { headers, json: { role: 'editor' } });
  visit.expect(/status of 403/);
  await page.getByRole('button', { name: 'Profil speichern' }).click();
  await page.getByRole('heading', { name: 'Zweiten Faktor einrichten' }).waitFor();
  await checkState(page, 'The page that requires a second factor and offers a passkey');
  await page.getByRole('button', { name: 'Passkey hinzufügen' }).click();
  await phone.touch();
  await page.getByRole('button', { name: 'Passkey erstellen' }).click();
  await page.getByRole('button', { name: 'Ich habe die Codes aufbewahrt' }).click();
  await page.getByRole('heading', { name: 'Ihr Konto' }).waitFor();
});
