import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { codeAt, setUpTotp, STEP_MS } from '../../support/factors.ts';
import { bearer, logIn, PASSWORDS, startSecuredService } from '../../support/secured.ts';
import { skipWithoutBrowser } from '../support/browser.ts';
import { checkState } from '../support/pages.ts';
import { VirtualAuthenticator } from '../support/virtual-authenticator.ts';
import { openVisit, type Visit } from '../support/visit.ts';

/*
 * Second factors and passkeys on the login page and the account page.
 */

/** The clock of the service, which one-time codes and proofs depend on. */
let nowMs = Date.now();

const service = await startSecuredService({ after }, { web: true, clock: () => nowMs });
/** Browsers have no passkeys for IP addresses. */
const local = { origin: service.origin.replace('127.0.0.1', 'localhost') };
const options = { skip: skipWithoutBrowser };

const MINUTE_MS = 60_000;

/** The message of the browser console for an error response. */
const statusError = (status: number) => new RegExp(`status of ${status}`);

async function fillCredentials(page: Page, username: string): Promise<void> {
  await page.getByLabel('Username').fill(username);
  await page.locator('input[name=password]').fill(PASSWORDS[username] ?? '');
  await page.locator('input[name=password]').press('Enter');
}

/** Sets up an authenticator app. @returns its secret, and the recovery codes */
async function setUpApp({ page }: Visit) {
  await page.getByRole('button', { name: 'Set up authenticator app' }).click();
  const dialog = page.getByRole('dialog', { name: 'Set up authenticator app' });
  const secret = (await dialog.getByLabel('Key for the app').inputValue()).replaceAll(' ', '');
  await dialog.getByLabel('One-time code').fill(codeAt(secret, nowMs));
  await dialog.getByRole('button', { name: 'Confirm code' }).click();
  return { secret, recoveryCodes: await takeRecoveryCodes(page) };
}

async function takeRecoveryCodes(page: Page): Promise<string[]> {
  const dialog = page.getByRole('dialog', { name: 'Recovery codes' });
  await dialog.waitFor();
  const codes = await dialog.getByRole('listitem').allInnerTexts();
  await dialog.getByRole('button', { name: 'I have saved the codes' }).click();
  await dialog.waitFor({ state: 'detached' });
  assert.equal(codes.length, 10);
  return codes;
}

void test('invitation: offers what protects the account until it is set up', options, async (t) => {
  const headers = bearer(await logIn(service.call, 'root'));
  await service.call('POST', 'admin/users', { headers, json: { username: 'nora', role: 'editor' } });
  const { text } = await service.call('POST', 'admin/users/nora/reset-link', { headers });
  const { link } = JSON.parse(text) as { link: string };
  const visit = await openVisit(t, local, { width: 375 });
  const { page } = visit;
  const phone = await VirtualAuthenticator.addTo(page);
  await visit.open(link.replace(service.origin, ''));
  await page.getByLabel('New password').fill('green lanterns over calm water');
  await page.getByRole('button', { name: 'Set password' }).click();
  await page.getByRole('heading', { name: 'Welcome, nora' }).waitFor();
  await page.getByRole('button', { name: 'Set up authenticator app' }).waitFor();
  await checkState(page, 'The steps after an invitation');

  await setUpApp(visit);
  await page.getByRole('button', { name: 'Set up authenticator app' }).waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Later' }).waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'Add passkey' }).click();
  await phone.touch();
  await page.getByRole('dialog').getByRole('button', { name: 'Create passkey' }).click();
  await page.getByText('and your account is protected').waitFor();
  await page.getByRole('link', { name: 'Continue' }).click();
  await page.waitForURL(`${local.origin}/`);
});

void test('passkey: added on the account page, it logs in without name and password', options, async (t) => {
  const visit = await openVisit(t, local, { loggedInAs: 'vera', width: 375 });
  const { page, context } = visit;
  const phone = await VirtualAuthenticator.addTo(page);
  await visit.open('/account');
  const section = page.getByRole('region', { name: 'Login' });
  await checkState(page, 'The account page without second factors');
  await section.getByRole('button', { name: 'Add passkey' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add passkey' });
  assert.match(await dialog.getByLabel('Name of the passkey').inputValue(), /^Chrome, /);
  await dialog.getByLabel('Name of the passkey').fill('Phone of Vera');
  await checkState(page, 'The dialog for a new passkey');
  await phone.touch();
  await dialog.getByRole('button', { name: 'Create passkey' }).click();
  await page.getByRole('dialog', { name: 'Recovery codes' }).waitFor();
  await phone.touch(false);
  await checkState(page, 'The dialog with the recovery codes');
  await takeRecoveryCodes(page);
  await section.getByText('Phone of Vera').waitFor();
  await section.getByText(/never used/).waitFor();
  await checkState(page, 'The account page with a passkey');

  await context.clearCookies();
  await visit.open('/login?to=%2Faccount');
  await checkState(page, 'The login page with passkeys');
  await phone.touch();
  await page.getByRole('button', { name: 'Log in with a passkey' }).click();
  await page.getByRole('heading', { name: 'Your account' }).waitFor();
  await section.getByText(/last used/).waitFor();
  assert.equal(await phone.countCredentials(), 1);

  // The browser offers it in the field for the name: no button is pressed.
  await context.clearCookies();
  await visit.open('/login?to=%2Faccount');
  await page.getByRole('heading', { name: 'Your account' }).waitFor();
});

void test('passkey: completes a login with the password, and is renamed and removed', options, async (t) => {
  const visit = await openVisit(t, local);
  const { page } = visit;
  const phone = await VirtualAuthenticator.addTo(page);
  await visit.open('/login?to=%2Faccount');
  await fillCredentials(page, 'otto');
  await page.getByRole('button', { name: 'Add passkey' }).click();
  await phone.touch();
  await page.getByRole('button', { name: 'Create passkey' }).click();
  const [code = ''] = await takeRecoveryCodes(page);
  await phone.touch(false);

  await page.context().clearCookies();
  await visit.open('/login?to=%2Faccount');
  await fillCredentials(page, 'otto');
  // Another one than the last step had: the focus is where the next step begins.
  const use = page.getByRole('button', { name: 'Use passkey', exact: true });
  await use.and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  const codeField = page.getByLabel('Recovery code');
  await codeField.and(page.locator(':focus')).waitFor();
  visit.expect(statusError(400));
  await codeField.fill('not-a-code');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('This code is wrong or was used before.').waitFor();
  await checkState(page, 'The login page with a wrong recovery code');
  await codeField.fill(code);
  await page.keyboard.press('Enter');
  await page.getByText('9 of 10 unused').waitFor();

  await page.context().clearCookies();
  await visit.open('/login?to=%2Faccount');
  await fillCredentials(page, 'otto');
  // Before that, the field for the name would take the passkey.
  await use.waitFor();
  await phone.touch();
  await use.click();
  await page.getByRole('button', { name: /^Rename passkey/ }).click();
  await page.getByLabel('Name of the passkey').fill('Laptop');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('button', { name: 'Remove passkey Laptop' }).click();
  const question = page.getByRole('dialog', { name: 'Remove passkey Laptop?' });
  await question.getByText('the password alone is enough').waitFor();
  await question.getByRole('button', { name: 'Remove' }).click();
  await page.getByText('Passkey removed.').waitFor();
  await logIn(service.call, 'otto');
});

void test('authenticator app: set up with its key, it completes logins', options, async (t) => {
  const visit = await openVisit(t, service, { width: 768, loggedInAs: 'edna' });
  const { page } = visit;
  await visit.open('/account');
  await page.getByText('You can add passkeys only over HTTPS').waitFor();
  await page.getByRole('button', { name: 'Set up authenticator app' }).click();
  const dialog = page.getByRole('dialog', { name: 'Set up authenticator app' });
  await dialog.getByRole('img', { name: 'QR code' }).waitFor();
  const link = dialog.getByRole('link', { name: 'Open in the app on this device' });
  assert.match((await link.getAttribute('href')) ?? '', /^otpauth:\/\/totp\/.*secret=/);
  visit.expect(statusError(400));
  await dialog.getByLabel('One-time code').fill('000000');
  await dialog.getByRole('button', { name: 'Confirm code' }).click();
  await dialog.getByText('This code is wrong.').waitFor();
  await checkState(page, 'The dialog for an authenticator app with a wrong code');
  await page.keyboard.press('Escape');
  const { secret, recoveryCodes } = await setUpApp(visit);
  const before = new Set(recoveryCodes);
  await page.getByRole('button', { name: 'Replace codes' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Replace codes' }).click();
  const dialogWithCodes = page.getByRole('dialog', { name: 'Recovery codes' });
  const download = page.waitForEvent('download');
  await dialogWithCodes.getByRole('button', { name: 'Download' }).click();
  assert.equal((await download).suggestedFilename(), 'Menagerie recovery codes.txt');
  await page.emulateMedia({ media: 'print' });
  assert.ok(await dialogWithCodes.getByRole('listitem').first().isVisible());
  assert.ok(!(await page.locator('#root').isVisible()), 'only the codes are printed');
  await page.emulateMedia({ media: 'screen' });
  const codes = await takeRecoveryCodes(page);
  assert.ok(codes.every((code) => !before.has(code)));

  await page.context().clearCookies();
  await visit.open('/login?to=%2Faccount');
  await fillCredentials(page, 'edna');
  const code = page.getByLabel('One-time code');
  await code.and(page.locator(':focus')).waitFor();
  assert.equal(await code.getAttribute('autocomplete'), 'one-time-code');
  await checkState(page, 'The login page that asks for a one-time code');
  // The code of the setup was used.
  await code.fill(codeAt(secret, nowMs));
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('This code is wrong or was used before.').waitFor();
  nowMs += STEP_MS;
  await code.fill(codeAt(secret, nowMs));
  await page.keyboard.press('Enter');
  await page.getByText('You are logged in as edna').waitFor();

  // An expired session asks for both again, over the page.
  await page.getByLabel('Phone').fill('0123');
  await page.context().clearCookies();
  visit.expect(statusError(401));
  await page.getByRole('button', { name: 'Save profile' }).click();
  const again = page.getByRole('dialog', { name: 'Log in again' });
  await again.locator('input[name=password]').fill(PASSWORDS['edna'] ?? '');
  await page.keyboard.press('Enter');
  nowMs += STEP_MS;
  await again.getByLabel('One-time code').fill(codeAt(secret, nowMs));
  await page.keyboard.press('Enter');
  await page.getByText('Profile saved.').waitFor();

  // Long after the login, a sensitive change asks for any factor.
  nowMs += 16 * MINUTE_MS;
  visit.expect(statusError(403));
  await page.getByRole('button', { name: 'Create API key' }).click();
  await page.getByLabel('Key name').fill('Robot');
  await page.getByRole('button', { name: 'Create key' }).click();
  const proof = page.getByRole('dialog', { name: 'Confirm that it is you' });
  await proof.getByLabel('One-time code').and(page.locator(':focus')).waitFor();
  await checkState(page, 'The dialog that asks for a proof');
  await page.keyboard.press('Escape');
  await page.getByText('Nothing was done').waitFor();
  await page.getByRole('button', { name: 'Create key' }).click();
  await proof.getByRole('button', { name: 'Use the password' }).click();
  await proof.getByLabel('Password', { exact: false }).first().fill('wrong');
  await page.keyboard.press('Enter');
  await proof.getByText('Incorrect password. Try again.').waitFor();
  await proof.getByRole('button', { name: 'Use an authenticator app' }).click();
  await proof.getByLabel('One-time code').fill(codeAt(secret, nowMs));
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'API key created' }).getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Remove authenticator app' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByText('Authenticator app removed.').waitFor();
});

void test('login page: a second step that is not completed in time starts over', options, async (t) => {
  const token = await logIn(service.call, 'edna');
  const { secret } = await setUpTotp(service.call, token, nowMs);
  t.after(async () => {
    const headers = bearer(await logIn(service.call, 'root'));
    await service.call('DELETE', 'admin/users/edna/factors', { headers });
  });
  const visit = await openVisit(t, service, { language: 'de', width: 375 });
  const { page } = visit;
  await visit.open('/login');
  await page.getByLabel('Benutzername').fill('edna');
  await page.locator('input[name=password]').fill(PASSWORDS['edna'] ?? '');
  await page.keyboard.press('Enter');
  const code = page.getByLabel('Einmalcode');
  await code.waitFor();
  nowMs += 11 * MINUTE_MS;
  visit.expect(statusError(400));
  await code.fill(codeAt(secret, nowMs));
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('Das hat zu lange gedauert.').waitFor();
  await page.getByLabel('Benutzername').waitFor();
});

void test('administration: shows the second factors of a user, and resets them', options, async (t) => {
  await setUpTotp(service.call, await logIn(service.call, 'edna'), nowMs);
  const visit = await openVisit(t, service, { loggedInAs: 'root', width: 375 });
  const { page } = visit;
  await visit.open('/admin/users/edna');
  const section = page.getByRole('region', { name: 'Second factors' });
  await section.getByText('10 of 10 unused').waitFor();
  await checkState(page, 'The page of a user with a second factor');
  nowMs += 16 * MINUTE_MS;
  await section.getByRole('button', { name: 'Reset second factors' }).click();
  visit.expect(statusError(403));
  await page
    .getByRole('dialog', { name: /^Reset the second/ })
    .getByRole('button', { name: 'Reset second factors' })
    .click();
  const proof = page.getByRole('dialog', { name: 'Confirm that it is you' });
  await proof
    .getByLabel('Password', { exact: false })
    .first()
    .fill(PASSWORDS['root'] ?? '');
  await page.keyboard.press('Enter');
  await page.getByText('Second factors of edna reset.').waitFor();
  await section.getByText('The user has no second factor.').waitFor();
  await logIn(service.call, 'edna');
});
