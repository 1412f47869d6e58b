import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { bearer, logIn, startSecuredService } from '../../support/secured.ts';
import { temporaryFolder } from '../../support/service.ts';
import { checkAccessibility } from '../support/accessibility.ts';
import { skipWithoutBrowser } from '../support/browser.ts';
import { samplePhoto } from '../support/photo-files.ts';
import { keepScreenshot } from '../support/screenshots.ts';
import { addPet } from '../support/stock.ts';
import { openVisit } from '../support/visit.ts';
import { waitForValue } from '../support/waiting.ts';

/* What a new service still lacks, below the list of users. */

const skip = skipWithoutBrowser;

interface Named {
  username: string;
}

async function start(t: TestContext, flags: readonly string[] = []) {
  const service = await startSecuredService(t, { web: true, flags: ['--empty', ...flags] });
  return { service, call: service.call, root: bearer(await logIn(service.call, 'root')) };
}

void test('first steps: each disappears when it is done, and leads to its form', { skip }, async (t) => {
  const { service, call, root } = await start(t);
  const visit = await openVisit(t, service, { loggedInAs: 'root', width: 375 });
  const { page } = visit;
  await visit.open('/admin/users');
  const list = page.getByRole('region', { name: 'First steps' });
  const titles = () => list.getByRole('listitem').locator('p:first-child').allInnerTexts();
  const others = ['Second factor', 'E-mail', 'Backups', 'Public address'];
  await waitForValue(titles, ['Name and address', 'Logo', 'First pet', ...others]);
  await checkAccessibility(page, 'First steps');
  await list.scrollIntoViewIfNeeded();
  await keepScreenshot(page, 'first steps 375 light', { isWhole: true });
  await list.getByRole('link', { name: 'Set up: Second factor' }).click();
  await page.waitForURL('**/account#sign-in');
  await visit.open('/admin/users');
  await list.getByRole('link', { name: 'Add pet: First pet' }).click();
  await page.waitForURL('**/pets/new');

  await addPet(call, { name: 'Luna' }, root);
  const json = { name: 'Pfotenhilfe', contact: { address: 'Hauptstraße 1' } };
  assert.equal((await call('PUT', 'organisation', { headers: root, json })).status, 200);
  await visit.open('/admin/organisation');
  await page.locator('input[type=file]').setInputFiles(await samplePhoto('cat-luna.jpg'));
  await page.getByRole('button', { name: 'Delete logo' }).waitFor();
  await visit.open('/admin/users');
  await waitForValue(titles, others);
  // The list of a search has no steps below it.
  await visit.expectShifts(async () => {
    await page.getByLabel('Search').fill('root');
    await list.waitFor({ state: 'detached' });
    await page.getByLabel('Search').fill('');
    await list.getByRole('button', { name: 'Hide' }).click();
    await list.waitFor({ state: 'detached' });
  });
  await page.reload();
  await page.getByRole('link', { name: 'root', exact: true }).waitFor();
  await visit.waitForIdle();
  assert.equal(await list.count(), 0);
});

void test('first steps: settings of the server are read', { skip }, async (t) => {
  const folder = join(await temporaryFolder(t), 'backups');
  const flags = ['--backup-to', folder, '--public-url', 'http://localhost'];
  const mail = ['--smtp-url', 'smtp://127.0.0.1:9', '--mail-from', 'pets@example.org'];
  const { service, call, root } = await start(t, [...flags, ...mail]);
  for (const { username } of JSON.parse((await call('GET', 'admin/users', { headers: root })).text) as Named[])
    if (username !== 'root') await call('DELETE', `user/${username}`, { headers: root });
  const visit = await openVisit(t, service, { loggedInAs: 'root', language: 'de', width: 1440, theme: 'dark' });
  await visit.open('/admin/users');
  const list = visit.page.getByRole('region', { name: 'Erste Schritte' });
  const titles = () => list.getByRole('listitem').locator('p:first-child').allInnerTexts();
  await waitForValue(titles, ['Name und Anschrift', 'Logo', 'Erstes Tier', 'Kollegen', 'Zweiter Faktor']);
  await keepScreenshot(visit.page, 'first steps 1440 dark', { isWhole: true });
  await list.getByRole('button', { name: 'Einladen: Kollegen' }).click();
  await visit.page.getByRole('dialog').waitFor();
});
