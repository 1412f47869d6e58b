import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bearer, logIn, startSecuredService } from '../../support/secured.ts';
import { startSmtpReceiver } from '../../support/smtp-receiver.ts';
import { checkAccessibility } from '../support/accessibility.ts';
import { skipWithoutBrowser } from '../support/browser.ts';
import { keepScreenshot } from '../support/screenshots.ts';
import { openVisit } from '../support/visit.ts';

const options = { skip: skipWithoutBrowser };
const PUBLIC = ['--public-url', 'http://localhost'];

void test('mail server: entered, tested and removed on its page', options, async (t) => {
  const receiver = await startSmtpReceiver(t);
  const flags = [...PUBLIC, '--admin-private-addresses'];
  const service = await startSecuredService(t, { web: true, nodes: 1, flags });
  const headers = bearer(await logIn(service.call, 'root'));
  const visit = await openVisit(t, service, { loggedInAs: 'root', width: 375 });
  const { page } = visit;
  await visit.open('/admin/users');
  await page.getByRole('link', { name: 'Enter: E-mail' }).click();
  await page.getByRole('heading', { name: 'Mail server', level: 1 }).waitFor();
  await page.getByLabel('Host').fill('not a host');
  await page.getByRole('textbox', { name: 'Username' }).fill('rescue');
  visit.expect(/status of 400/);
  await visit.expectShifts(async () => {
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Enter the name of a mail server').waitFor();
  });
  await page.getByText('each server and username needs its own').waitFor();
  await page.getByText('Enter an e-mail address, such as pets@example.org.').waitFor();
  await checkAccessibility(page, 'The mail server with errors');
  await keepScreenshot(page, 'mail server 375 light errors', { isWhole: true });

  await page.getByLabel('Host').fill('127.0.0.1');
  await page.getByLabel('Encryption').selectOption('None');
  assert.equal(await page.getByLabel('Port').inputValue(), '25');
  await page.getByLabel('Port').fill(String(receiver.port));
  await page.getByRole('textbox', { name: 'Username' }).fill('');
  await page.getByLabel('Sender').fill('pets@example.org');
  await visit.expectShifts(async () => {
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('heading', { name: 'Test message' }).waitFor();
  });
  await page.getByLabel('Send a test message to').fill('ada@example.net');
  await visit.expectShifts(async () => {
    await page.getByRole('button', { name: 'Send test message' }).click();
    await page.getByText('The server has accepted the message: 250').waitFor();
  });
  assert.equal(receiver.received[0]?.from?.address, 'pets@example.org');
  await keepScreenshot(page, 'mail server 375 light', { isWhole: true });
  await visit.expectShifts(async () => {
    await page.getByRole('button', { name: 'Remove server' }).click();
    await page.getByText('Mail server removed.').waitFor();
  });
  const { text } = await service.call('GET', 'admin/mail/settings', { headers });
  assert.deepEqual(JSON.parse(text), { hasPassword: false, fixed: [], missing: [] });
  await visit.end();
});

void test('mail server: what the operator has set is shown, without a form', options, async (t) => {
  const mail = ['--smtp-url', 'smtps://ada:marzipan@mail.example.org', '--mail-from', 'pets@example.org'];
  const service = await startSecuredService(t, { web: true, nodes: 1, flags: [...PUBLIC, ...mail] });
  const visit = await openVisit(t, service, { loggedInAs: 'root', language: 'de', width: 1440, theme: 'dark' });
  const { page } = visit;
  await visit.open('/admin/mail');
  await page.getByText('smtps://ada:***@mail.example.org').waitFor();
  await page.getByText('--mail-from').waitFor();
  assert.equal(await page.getByLabel('Servername').count(), 0);
  await page.getByRole('button', { name: 'Testnachricht senden' }).waitFor();
  await checkAccessibility(page, 'Settings of the operator');
  await keepScreenshot(page, 'mail server 1440 dark fixed', { isWhole: true });
  await visit.end();
});

void test('mail server: without a public address, the page says what is missing', options, async (t) => {
  const service = await startSecuredService(t, { web: true, nodes: 1 });
  const visit = await openVisit(t, service, { loggedInAs: 'root', language: 'de', width: 768 });
  await visit.open('/admin/mail');
  await visit.page.getByText('Der Betreiber muss sie zuerst festlegen').waitFor();
  assert.ok(await visit.page.getByLabel('Servername').isDisabled());
  await keepScreenshot(visit.page, 'mail server 768 light missing', { isWhole: true });
  await visit.waitForIdle();
  await visit.end();
});
