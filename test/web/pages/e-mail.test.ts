import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { clientOf } from '../../support/client.ts';
import { freePort } from '../../support/postgres-folder.ts';
import { bearer, logIn, PASSWORDS, startSecuredService } from '../../support/secured.ts';
import { startSmtpReceiver } from '../../support/smtp-receiver.ts';
import { checkAccessibility } from '../support/accessibility.ts';
import { waitFor } from '../support/waiting.ts';
import { skipWithoutBrowser } from '../support/browser.ts';
import { checkState } from '../support/pages.ts';
import { openVisit } from '../support/visit.ts';

/*
 * Pages of a service that sends e-mail: a forgotten password, the address of an account, invitations, and the queue.
 */

const options = { skip: skipWithoutBrowser };
const receiver = await startSmtpReceiver({ after });
const port = String(await freePort());
const sends = ['--smtp-url', receiver.url, '--mail-from', 'pets@example.org'];
const flags = [...sends, '--port', port, '--public-url', `http://127.0.0.1:${port}`];
const service = await startSecuredService({ after }, { web: true, nodes: 1, flags });
const call = clientOf(service.base);
const statusError = (status: number) => new RegExp(`status of ${status}`);
const NEW_PASSWORD = 'green lanterns over calm water';

/** The path of the link in the newest message to an address. */
async function linkTo(address: string, count: number): Promise<string> {
  const mails = await receiver.waitFor(count);
  const { text = '' } = mails.findLast(({ recipients }) => recipients.includes(address)) ?? assert.fail();
  const link = /http\S+#[\w-]{43}/.exec(text)?.[0] ?? assert.fail(text);
  assert.ok(link.startsWith(service.origin), link);
  return link.slice(service.origin.length);
}

void test('address of an account: saved, confirmed by a link, then used for a new password', options, async (t) => {
  const visit = await openVisit(t, service, { width: 375 });
  const { page } = visit;
  await visit.open('/login?to=%2Faccount');
  await page.getByLabel('Username').fill('vera');
  await page.locator('input[name=password]').fill(PASSWORDS['vera'] ?? '');
  await page.keyboard.press('Enter');
  await page.getByText('Without an e-mail address').waitFor();
  await page.getByLabel('E-mail').fill('vera@example.net');
  await page.getByRole('button', { name: 'Save profile' }).click();
  await page.getByText('vera@example.net is not confirmed').waitFor();
  await checkAccessibility(page, 'The account page with an unconfirmed address');
  await page.getByRole('button', { name: 'Send confirmation link' }).click();
  await page.getByText('A link was sent to vera@example.net').waitFor();

  await visit.open(await linkTo('vera@example.net', 2));
  await page.getByRole('heading', { name: 'Confirm your e-mail address' }).waitFor();
  await page.waitForURL(`${service.origin}/confirm-email`);
  await checkAccessibility(page, 'The page that confirms an address');
  await page.getByRole('button', { name: 'Confirm address' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Your e-mail address is confirmed' }).waitFor();
  await page.getByRole('link', { name: 'Your account' }).click();
  await page.getByText('vera@example.net is confirmed').waitFor();
  await page.getByRole('button', { name: 'Log out' }).click();

  await visit.open('/login');
  await checkAccessibility(page, 'The login page with a link for forgotten passwords');
  await page.getByRole('link', { name: 'Forgot your password?' }).click();
  await page.getByRole('heading', { name: 'Forgot your password?' }).waitFor();
  await checkAccessibility(page, 'The page for a forgotten password');
  visit.expect(statusError(400));
  await page.getByLabel('E-mail').fill('vera');
  await page.keyboard.press('Enter');
  await page.getByText('Enter an e-mail address, such as').waitFor();
  await page.getByLabel('E-mail').fill('vera@example.net');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Check your inbox' }).waitFor();
  const link = await linkTo('vera@example.net', 3);
  assert.match(link, /^\/reset-password#/);
  await visit.open(link);
  await page.getByLabel('New password').fill(NEW_PASSWORD);
  await page.getByRole('button', { name: 'Set password' }).click();
  await page.getByRole('heading', { name: 'Your new password is set' }).waitFor();
  await logIn(call, 'vera', NEW_PASSWORD);
  await visit.open('/');
  await visit.open(link);
  await page.getByLabel('New password').fill(NEW_PASSWORD);
  await page.getByRole('button', { name: 'Set password' }).click();
  await page.getByRole('button', { name: 'Request a new link' }).click();
  await page.getByRole('heading', { name: 'Forgot your password?' }).waitFor();
});

async function deadMail(): Promise<string> {
  return (await call('GET', 'admin/mail/dead', { headers: bearer(await logIn(call, 'root')) })).text;
}

void test('invitation and test message: sent from the administration', options, async (t) => {
  const visit = await openVisit(t, service, { width: 1440, theme: 'dark' });
  const { page } = visit;
  await visit.open('/login?to=%2Fadmin%2Fusers');
  await page.getByLabel('Username').fill('root');
  await page.locator('input[name=password]').fill(PASSWORDS['root'] ?? '');
  await page.keyboard.press('Enter');
  const count = receiver.received.length;
  await page.getByRole('button', { name: 'Invite user' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Username').fill('mia');
  await dialog.getByLabel('E-mail').fill('mia@example.net');
  await checkAccessibility(page, 'The dialog for an invitation by e-mail');
  await dialog.getByRole('button', { name: 'Invite user' }).click();
  await page.getByText('The invitation was sent to mia@example.net').waitFor();
  assert.match(await linkTo('mia@example.net', count + 1), /^\/reset-password\?for=invitation#/);

  await visit.open('/admin/users/mia');
  receiver.behave(550);
  await page.getByRole('button', { name: 'Send invitation again' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Send invitation again' }).click();
  await page.getByText('Invitation sent.').waitFor();
  await waitFor(async () => (await deadMail()) !== '[]', 'the message was given up');
  receiver.behave('accept');

  await visit.open('/admin/system');
  await page.getByText('Invitation, mia@example.net').waitFor();
  await page.getByText('550 No such mailbox').first().waitFor();
  await checkState(page, 'The system page with a message that could not be sent');
  await page.getByRole('button', { name: 'Try again: message to mia@example.net' }).click();
  await page.getByText('Invitation, mia@example.net').waitFor({ state: 'detached' });
  await receiver.waitFor(count + 2);
  await page.getByRole('heading', { name: 'E-mail' }).waitFor();
  await page.getByLabel('Send a test message to').fill('ada@example.net');
  await page.getByRole('button', { name: 'Send test message' }).click();
  await page.getByText('The server has accepted the message: 250').waitFor();
  await checkAccessibility(page, 'The system page with the queue of e-mail');
  receiver.behave(550);
  await page.getByRole('button', { name: 'Send test message' }).click();
  await page.getByText('The message was not sent: 550 No such mailbox').waitFor();
  receiver.behave('accept');
});

void test('without e-mail: no link on the login page', options, async (t) => {
  const plain = await startSecuredService(t, { web: true });
  const visit = await openVisit(t, plain, { width: 375 });
  await visit.open('/login');
  await visit.page.getByRole('button', { name: 'Log in' }).waitFor();
  assert.equal(await visit.page.getByText('Forgot your password?').count(), 0);
  const root = bearer(await logIn(clientOf(plain.base), 'root'));
  assert.doesNotMatch((await clientOf(plain.base)('GET', 'admin/system', { headers: root })).text, /"mail":/);
});
