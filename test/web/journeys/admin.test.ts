import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { PASSWORDS, startSecuredService } from '../../support/secured.ts';
import { checkAccessibility } from '../support/accessibility.ts';
import { skipWithoutBrowser } from '../support/browser.ts';
import { openVisit } from '../support/visit.ts';

/*
 * An administrator and a user, each with a browser, starting with an empty catalogue.
 */

const service = await startSecuredService({ after }, { web: true });
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
  await user.page.getByRole('button', { name: 'Publish' }).click();
  await user.page.getByRole('heading', { name: 'Rex', level: 1 }).waitFor();

  await visit.open('/admin/audit');
  await page.getByText('root changed the role of vera from Viewer to Editor.').waitFor();
  await page.getByText(/^vera added Rex \(pet \d+\)\.$/).waitFor();
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

  await visit.open('/admin/audit?subject=edna');
  await page.getByText('root created a reset link for edna.').waitFor();
  await page.getByText(/set a new password for edna with a reset link\.$/).waitFor();
});

/** Clicks an action, checks the confirmation dialog and confirms it. */
async function confirm(page: Page, action: string, question: string): Promise<void> {
  await page.getByRole('button', { name: action }).click();
  const dialog = page.getByRole('dialog', { name: question });
  await dialog.waitFor();
  await checkAccessibility(page, `The dialog "${question}"`);
  await dialog.getByRole('button', { name: action }).click();
}

async function fillLogin(page: Page, username: string, password: string): Promise<void> {
  await page.getByLabel('Username').fill(username);
  await page.getByLabel(/^Password/).fill(password);
  await page.getByRole('main').getByRole('button', { name: 'Log in' }).click();
}
