import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { bearer, createKey, logIn, PASSWORDS, startSecuredService } from '../../support/secured.ts';
import { checkAccessibility } from '../support/accessibility.ts';
import { skipWithoutBrowser } from '../support/browser.ts';
import { openVisit } from '../support/visit.ts';

/*
 * An administrator and a user, each with a browser, starting with an empty catalogue.
 */

const service = await startSecuredService({ after }, { web: true });
const { call } = service;
const options = { skip: skipWithoutBrowser };
const PASSWORD = 'green lanterns over calm water';

void test('administrator: makes a user an editor, who adds the first pet', options, async (t) => {
  const visit = await openVisit(t, service);
  const { page } = visit;
  await visit.open('/admin/users/vera');
  await page.getByRole('main').getByRole('link', { name: 'Log in' }).click();
  await fillLogin(page, 'root', PASSWORDS['root'] ?? '');
  await page.getByRole('heading', { name: 'vera', level: 1 }).waitFor();
  assert.equal(new URL(page.url()).pathname, '/admin/users/vera');

  const user = await openVisit(t, service, { loggedInAs: 'vera', width: 768 });
  await user.open('/pets/new');
  await user.page.getByRole('heading', { name: 'Access denied' }).waitFor();
  await page.getByRole('radio', { name: 'Editor' }).check();
  await confirm(page, 'Change role', 'Change the role of vera to Editor?');
  await page.getByText('vera now has the role Editor.').waitFor();
  await user.page.reload();
  await user.page.getByRole('textbox', { name: /^Name/ }).fill('Rex');
  await user.page.getByRole('button', { name: 'Add pet', exact: true }).click();
  await user.page.getByRole('heading', { name: 'Rex', level: 1 }).waitFor();

  await visit.open('/admin/audit');
  await page.getByText('root changed the role of vera from Viewer to Editor.').waitFor();
  await page.getByText(/^vera added Rex \(pet \d+\)\.$/).waitFor();
});

void test('administrator: revokes API keys, ends sessions and closes an account in use', options, async (t) => {
  const token = await logIn(call, 'otto');
  await createKey(call, token, ['read:pets'], { name: 'A forgotten script' });
  const ofRoot = bearer(await logIn(call, 'root'));
  const user = await openVisit(t, service, { loggedInAs: 'otto' });
  user.expect(/status of 401/);
  user.allow(/status of 400/);
  await user.open('/account');
  await user.page.getByLabel('Phone').fill('0123 456');

  const { page, ...visit } = await openVisit(t, service, { loggedInAs: 'root' });
  await visit.open('/admin/users/otto');
  await page.getByRole('button', { name: 'Revoke API key A forgotten script' }).click();
  await confirmIn(page, 'Revoke API key A forgotten script?', 'Revoke');
  await page.getByText('No API keys.').waitFor();
  assert.equal((await call('GET', 'admin/users/otto/keys', { headers: ofRoot })).text, '[]');
  await confirm(page, 'End all sessions', 'End all sessions of otto?');
  await page.getByText('No active sessions.').waitFor();
  await confirm(page, 'Close account', 'Close account otto?');
  await page.getByText('This account is closed').waitFor();
  assert.equal((await call('GET', 'account', { headers: bearer(token) })).status, 401);

  await user.page.getByRole('button', { name: 'Save profile' }).click();
  const again = user.page.getByRole('dialog', { name: 'Log in again' });
  await again.getByLabel(/^Password/).fill(PASSWORDS['otto'] ?? '');
  await again.getByRole('button', { name: 'Log in' }).click();
  await again.getByRole('alert').getByText('Incorrect username or password').waitFor();

  await visit.open('/admin/audit?subject=otto');
  for (const text of ['root closed the account otto.', /^root ended \d+ sessions of otto\.$/])
    await page.getByText(text).first().waitFor();
});

void test('administrator: creates a reset link, with which a user sets a new password', options, async (t) => {
  const { page, ...visit } = await openVisit(t, service, { loggedInAs: 'root' });
  await visit.open('/admin/users/edna');
  await confirm(page, 'Create reset link', 'Create a reset link for edna?');
  const link = await page.getByRole('textbox', { name: 'Link', exact: true }).inputValue();
  await checkAccessibility(page, 'The dialog with the reset link');
  await page.getByRole('button', { name: 'Done' }).click();

  const user = await openVisit(t, service, { width: 375 });
  await user.open(link.replace(service.origin, ''));
  await user.page.getByLabel('New password').fill(PASSWORD);
  await user.page.getByRole('button', { name: 'Set password' }).click();
  await user.page.getByRole('main').getByRole('link', { name: 'Log in' }).click();
  await fillLogin(user.page, 'edna', PASSWORD);
  await user.page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Add pet' }).waitFor();
  await user.open('/account');
  await user.page.getByRole('button', { name: 'Create API key' }).click();
  await user.page.getByLabel('Key name').fill('The feeding robot');
  await user.page.getByRole('button', { name: 'Create key' }).click();
  await user.page.getByRole('textbox', { name: 'API key', exact: true }).waitFor();
  await checkAccessibility(user.page, 'The dialog with the API key');

  await visit.open('/admin/audit?subject=edna');
  await page.getByText('root created a reset link for edna.').waitFor();
  await page.getByText(/set a new password for edna with a reset link\.$/).waitFor();
});

/** Clicks an action, checks the confirmation dialog and confirms it. */
async function confirm(page: Page, action: string, question: string): Promise<void> {
  await page.getByRole('button', { name: action }).click();
  await confirmIn(page, question, action);
}

async function confirmIn(page: Page, question: string, action: string): Promise<void> {
  const dialog: Locator = page.getByRole('dialog', { name: question });
  await dialog.waitFor();
  await checkAccessibility(page, `The dialog "${question}"`);
  await dialog.getByRole('button', { name: action }).click();
}

async function fillLogin(page: Page, username: string, password: string): Promise<void> {
  await page.getByLabel('Username').fill(username);
  await page.getByLabel(/^Password/).fill(password);
  await page.getByRole('main').getByRole('button', { name: 'Log in' }).click();
}
