import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { PASSWORDS } from '../../support/secured.ts';
import { startPendingServer } from '../../support/menagerie-process.ts';
import { temporaryFolder } from '../../support/service.ts';
import { ensureWebBuilt } from '../../support/web-build.ts';
import { skipWithoutBrowser } from '../support/browser.ts';
import { checkState } from '../support/pages.ts';
import { activateTwice } from '../support/quick-clicks.ts';
import { VirtualAuthenticator } from '../support/virtual-authenticator.ts';
import { openVisit } from '../support/visit.ts';
import { waitForValue } from '../support/waiting.ts';

/*
 * The setup page. The journey begins with the URL that the service prints, and ends with a login.
 */

void test(
  'first start: the page creates the administrator, and opens the login page',
  { skip: skipWithoutBrowser },
  async (t) => {
    await ensureWebBuilt();
    const folder = await temporaryFolder(t);
    const dataDir = join(folder, 'data');
    await mkdir(dataDir);
    // Without a flag for it, access can be chosen.
    await writeFile(join(dataDir, 'menagerie.toml'), '# ours\naccess = "secured"\n');
    const pending = await startPendingServer(t, dataDir, [], { isSecuredByFile: true });
    const visit = await openVisit(t, pending, { width: 375 });
    const { page } = visit;
    let setups = 0;
    page.on(
      'request',
      (request) => (setups += Number(request.method() === 'POST' && request.url().endsWith('/setup'))),
    );
    // Each answer of the service before it has started.
    visit.allow(/\b(?:400|403|503)\b|ERR_/);
    await visit.open(`/#${pending.token}`);
    await page.getByRole('heading', { name: 'Set up Menagerie' }).waitFor();
    await page.goto(`/setup#${pending.token}`);
    const token = page.getByLabel('Setup token');
    await waitForValue(() => token.inputValue(), pending.token);
    // The token does not stay in the history, but a reload keeps it.
    await page.waitForURL(`${pending.origin}/setup`);
    await page.reload();
    await waitForValue(() => token.inputValue(), pending.token);
    await checkState(page, 'setup');
    await visit.expectShifts(async () => {
      await page.getByRole('button', { name: 'Create administrator' }).click();
      await page.getByLabel('Username').fill('root');
      await page.locator('#password').fill(PASSWORDS['root'] ?? '');
      await token.fill('wrong');
      await page.keyboard.press('Enter');
      await page.getByText('This is not the setup token.').waitFor();
      await token.fill(pending.token);
      const samples = page.getByLabel('Add sample pets');
      assert.equal(await samples.isChecked(), false, 'visitors of a secured service would see them');
      await page.getByLabel('Sandbox').check();
      assert.equal(await samples.isChecked(), true);
      await page.getByLabel('Backup folder').fill('relative');
      await page.keyboard.press('Enter');
      await page.getByText('The service cannot write to this folder.').waitFor();
      await page.getByLabel('Backup folder').fill(join(folder, 'backups'));
      await page.getByLabel('Add sample pets').uncheck();
      // The second one would be refused: the service is set up.
      await page.getByRole('button', { name: 'Create administrator' }).evaluate(activateTwice);
      await page.getByRole('heading', { name: 'Administrator created' }).waitFor();
      await page.waitForURL(`${pending.origin}/login`);
      await page.getByLabel('Username').fill('root');
      await page.locator('input[type=password]').fill(PASSWORDS['root'] ?? '');
      await page.keyboard.press('Enter');
      await page.getByRole('link', { name: 'Administration' }).waitFor();
    });
    assert.equal(await page.evaluate(() => sessionStorage.getItem('menagerie-setup-token')), null);
    assert.equal(setups, 3, 'one request for each attempt');
    assert.match(pending.written.stdout, /^Access +sandbox/m);
    const config = await readFile(join(dataDir, 'menagerie.toml'), 'utf8');
    assert.match(config, /^# ours\naccess = "sandbox"\nbackup-to = ".*backups"\n$/);
    await visit.open('/setup');
    await page.getByRole('heading', { name: 'The setup is complete' }).waitFor();
  },
);

void test('first start: on localhost, the administrator may add a passkey', { skip: skipWithoutBrowser }, async (t) => {
  await ensureWebBuilt();
  const pending = await startPendingServer(t, await temporaryFolder(t));
  const origin = pending.origin.replace('127.0.0.1', 'localhost');
  const visit = await openVisit(t, { origin }, { width: 375 });
  const { page } = visit;
  const phone = await VirtualAuthenticator.addTo(page);
  // Each answer of the service before it has started.
  visit.allow(/\b503\b|ERR_/);
  await visit.open(`/setup#${pending.token}`);
  await page.getByText('Send e-mail (later)').click();
  await page.getByText('mail-from = "pets@example.org"').waitFor();
  await checkState(page, 'setup with the lines for e-mail');
  await visit.expectShifts(async () => {
    await page.getByLabel('Country').selectOption('Switzerland');
    await page.getByText('The currency of fees is CHF.').waitFor();
  });
  await page.getByLabel('Username').fill('root');
  await page.locator('#password').fill(PASSWORDS['root'] ?? '');
  await visit.expectShifts(async () => {
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Add a passkey' }).waitFor();
  });
  await checkState(page, 'setup that offers a passkey');
  await phone.touch();
  await page.getByRole('button', { name: 'Create passkey' }).click();
  await page.getByRole('heading', { name: 'Recovery codes' }).waitFor();
  assert.equal(await page.getByRole('listitem').count(), 10);
  await page.getByRole('button', { name: 'I have saved the codes' }).click();
  await page.getByRole('link', { name: 'Administration' }).waitFor();
  assert.equal(page.url(), `${origin}/`);
});
