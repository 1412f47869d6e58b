import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { after, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { codeAt, setUpTotp } from '../../support/factors.ts';
import { CLIENT_ID, CLIENT_SECRET, startProvider } from '../../support/openid-provider.ts';
import { bearer, logIn, startSecuredService } from '../../support/secured.ts';
import { skipWithoutBrowser } from '../support/browser.ts';
import { checkState } from '../support/pages.ts';
import { openVisit } from '../support/visit.ts';

/*
 * Login at an OpenID Connect provider in a browser, with a real provider.
 */

const options = { skip: skipWithoutBrowser };
const port = await findPort();
const publicUrl = `http://127.0.0.1:${port}`;
const provider = await startProvider({ after }, publicUrl, 'shelter');
const providers =
  `shelter = { label = "Shelter account", issuer = "${provider.issuer}", ` +
  `client-id = "${CLIENT_ID}", client-secret = "${CLIENT_SECRET}", sign-up = true }`;
const MINUTE_MS = 60_000;
let nowMs = Date.now();
const service = await startSecuredService(
  { after },
  {
    web: true,
    nodes: 1,
    clock: () => nowMs,
    flags: [
      '--port',
      String(port),
      '--public-url',
      publicUrl,
      '--providers',
      providers,
      '--no-password-login',
      'editor',
    ],
  },
);

/** The redirect URI contains the port, so it must be known before the start. */
async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  assert.ok(typeof address === 'object' && address !== null);
  return address.port;
}

void test(
  'provider: linked on the account page, it logs in, and asks for the second factor of the account',
  options,
  async (t) => {
    provider.people.set('vera', { name: 'Vera of the shelter' });
    provider.subject = 'vera';
    const visit = await openVisit(t, service, { loggedInAs: 'vera', width: 375 });
    const { page } = visit;
    // The page of the provider.
    visit.allow(/./);
    await visit.open('/account');
    const section = page.getByRole('region', { name: 'Login providers' });
    await section.getByRole('button', { name: 'Link Shelter account' }).click();
    await section.getByRole('button', { name: 'Unlink Shelter account' }).waitFor();
    await checkState(page, 'The account page with a linked provider');

    await page.context().clearCookies();
    await visit.open('/login?to=%2Faccount');
    const logInThere = page.getByRole('link', { name: 'Log in with Shelter account' });
    await logInThere.waitFor();
    await checkState(page, 'The login page with a provider');
    await logInThere.click();
    await section.getByText('last used').waitFor();

    const { secret } = await setUpTotp(service.call, await logIn(service.call, 'vera'), nowMs);
    await page.context().clearCookies();
    await visit.open('/login?to=%2Faccount');
    await logInThere.click();
    const code = page.getByLabel('One-time code');
    await code.waitFor();
    assert.equal(new URL(page.url()).hash, '', 'the step is not in the history');
    // That of the setup was used; the service accepts the next one early.
    await code.fill(codeAt(secret, nowMs + 30_000));
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
    await section.getByRole('button', { name: 'Unlink Shelter account' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Unlink' }).click();
    await section.getByText('Not linked').waitFor();
  },
);

void test(
  'provider: an account without a password logs in again in a new tab, and the page loses nothing',
  options,
  async (t) => {
    provider.people.set('nadia', { preferred_username: 'nadia' });
    provider.people.set('olga', { preferred_username: 'olga' });
    provider.subject = 'nadia';
    const visit = await openVisit(t, service, { width: 768 });
    const { page } = visit;
    // The page of the provider, and the failures that open the dialogs.
    visit.allow(/./);
    await visit.open('/sign-in/shelter?to=/account');
    await page.getByLabel('Phone').fill('0123');
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Save profile' }).click();
    const again = page.getByRole('dialog', { name: 'Log in again' });
    const logInThere = again.getByRole('link', { name: 'Log in with Shelter account (new tab)' });
    await logInThere.waitFor();
    await checkState(page, 'The dialog for an expired session with a provider');

    // Another user does not continue the work of this one.
    provider.subject = 'olga';
    await logInIn(page, logInThere);
    await again.getByText('This login belongs to another account.').waitFor();
    // Also the session at the provider.
    await page.context().clearCookies();
    provider.subject = 'nadia';
    await logInIn(page, logInThere);
    await page.getByText('Profile saved.').waitFor();
    assert.equal(await again.count(), 0);

    nowMs += 16 * MINUTE_MS;
    await page.getByRole('button', { name: 'Create API key' }).click();
    await page.getByLabel('Key name').fill('Robot');
    await page.getByRole('button', { name: 'Create key' }).click();
    const proof = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await proof.getByRole('link', { name: 'Log in with Shelter account (new tab)' }).waitFor();
    await checkState(page, 'The dialog that asks for a login at a provider');
    await logInIn(page, proof.getByRole('link'));
    await page.getByRole('dialog', { name: 'API key created' }).getByRole('button', { name: 'Done' }).click();

    const password = 'nadia has a long password now';
    await page.getByLabel('New password').fill(password);
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByText('Password set. Your other sessions have ended.').waitFor();
    await page.getByLabel('Current password').waitFor();
    await logIn(service.call, 'nadia', password);
  },
);

void test('provider: no password is offered to a role that cannot log in with one', options, async (t) => {
  provider.people.set('rosa', { preferred_username: 'rosa' });
  provider.subject = 'rosa';
  const visit = await openVisit(t, service, { width: 768 });
  const { page } = visit;
  visit.allow(/./);
  await visit.open('/sign-in/shelter?to=/account');
  await page.getByRole('button', { name: 'Set password' }).waitFor();
  const headers = bearer(await logIn(service.call, 'root'));
  await service.call('PUT', 'admin/users/rosa/role', { headers, json: { role: 'editor' } });
  await page.reload();
  await page.getByRole('button', { name: 'Create API key' }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Set password' }).count(), 0);
});

void test('provider: an administrator unlinks the login of a user', options, async (t) => {
  provider.people.set('paul', { preferred_username: 'paul', name: 'Paul of the shelter' });
  provider.subject = 'paul';
  const user = await openVisit(t, service, { width: 768 });
  user.allow(/./);
  await user.open('/sign-in/shelter?to=/account');
  await user.page.getByText('You log in without a password.').waitFor();
  const visit = await openVisit(t, service, { loggedInAs: 'root', width: 375, language: 'de' });
  visit.allow(/status of 403/);
  const { page } = visit;
  await visit.open('/admin/users/paul');
  await page.getByRole('region', { name: 'Anmeldedienste' }).getByText('Als paul').waitFor();
  await checkState(page, 'The page of a user with a linked provider');
  await page.getByRole('button', { name: 'Shelter account trennen' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Trennen' }).click();
  await page.getByRole('region', { name: 'Anmeldedienste' }).waitFor({ state: 'detached' });
});

/** Follows a link that opens a tab, which closes itself or is closed by the user. */
async function logInIn(page: Page, link: Locator): Promise<void> {
  const opened = page.waitForEvent('popup');
  await link.click();
  const tab = await opened;
  await Promise.race([tab.waitForEvent('close'), tab.getByText('You can close this tab.').waitFor()]);
  await tab.close();
}
