import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { skipWithoutBrowser } from '../support/browser.ts';
import { addShelter, startStaffedService } from '../support/stock.ts';
import { openVisit } from '../support/visit.ts';
import { waitForValue } from '../support/waiting.ts';

/*
 * Going back closes what covers the page, and leaves the page only then.
 */

const { service, call, root } = await startStaffedService({ after });
const { Luna: luna = '' } = await addShelter(call, root);
const options = { skip: skipWithoutBrowser };

/** Whether the current history entry is that of something over the page. */
function isCovered(page: Page): Promise<boolean> {
  return page.evaluate(() => (history.state as { cover?: string }).cover !== undefined);
}

void test('back: closes a photo in full screen, also after a link from elsewhere', options, async (t) => {
  const visit = await openVisit(t, service, { width: 375 });
  const { page } = visit;
  await visit.open(`/pets/${luna}`);
  const length = () => page.evaluate(() => history.length);
  const before = await length();
  const opener = page.getByRole('button', { name: /View full screen/ }).first();
  const dialog = page.getByRole('dialog', { name: 'Photos of Luna' });
  await opener.click();
  await dialog.getByText('Photo 1 of 3').waitFor();
  await waitForValue(length, before + 1);
  await page.goBack();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('heading', { name: 'Luna' }).waitFor();
  assert.equal(new URL(page.url()).pathname, `/pets/${luna}`);
  // Closed in another way, it leaves no entry behind.
  await opener.click();
  await dialog.getByText('Photo 1 of 3').waitFor();
  await waitForValue(() => isCovered(page), true);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await waitForValue(() => isCovered(page), false);
  await visit.waitForIdle();
  await page.goBack();
  assert.equal(page.url(), 'about:blank');
});

for (const how of ['back', 'the button'] as const)
  void test(`${how}: closes the filters of a phone, which stay`, options, async (t) => {
    const visit = await openVisit(t, service, { width: 375, theme: 'dark' });
    const { page } = visit;
    await visit.open('/');
    await visit.expectShifts(async () => {
      await page.getByRole('button', { name: 'Filters' }).click();
      const sheet = page.getByRole('dialog', { name: 'Filters' });
      await waitForValue(() => isCovered(page), true);
      await sheet.getByRole('checkbox', { name: /^Cats/ }).check();
      await sheet.getByRole('checkbox', { name: /^calm/ }).check();
      await sheet.getByRole('button', { name: 'Show 1 pet' }).waitFor();
      if (how === 'back') await page.goBack();
      else await sheet.getByRole('button', { name: 'Show 1 pet' }).click();
      await sheet.waitFor({ state: 'detached' });
      // With that of visitors, who see available pets.
      await page.getByRole('button', { name: 'Filters, 3 active' }).waitFor();
      await page.waitForURL('**/?category=Cats&tag=calm');
      await waitForValue(() => isCovered(page), false);
      // The filters are one step in the history.
      await page.goBack();
      await page.getByRole('button', { name: 'Filters, 1 active' }).waitFor();
      await page.waitForURL(`${service.origin}/`);
    });
  });

void test('back: closes a dialog, in each state of its form', options, async (t) => {
  const visit = await openVisit(t, service, { loggedInAs: 'root' });
  const { page } = visit;
  const held = Promise.withResolvers<void>();
  await page.route('**/v2/admin/users', async (route) => {
    if (route.request().method() === 'POST') await held.promise;
    await route.continue();
  });
  await visit.open('/account');
  await visit.open('/admin/users');
  const invitation = page.getByRole('dialog', { name: 'Invite user' });
  const open = async () => {
    await page.getByRole('button', { name: 'Invite user' }).click();
    await invitation.waitFor();
    await waitForValue(() => isCovered(page), true);
  };
  await open();
  await page.goBack();
  await invitation.waitFor({ state: 'detached' });
  assert.equal(new URL(page.url()).pathname, '/admin/users');
  // In progress, it stays.
  await open();
  await invitation.getByLabel('Username').fill('nora');
  await page.keyboard.press('Enter');
  await invitation.getByRole('button', { name: 'Close' }).waitFor({ state: 'detached' });
  await page.goBack();
  await waitForValue(() => isCovered(page), true);
  assert.ok(await invitation.isVisible());
  held.resolve();
  // The next dialog takes over its entry. A link that is shown once stays, too.
  const link = page.getByRole('dialog', { name: /nora/ });
  await link.waitFor();
  await page.goBack();
  await waitForValue(() => isCovered(page), true);
  await link.getByRole('button', { name: 'Done' }).click();
  await link.waitFor({ state: 'detached' });
  await waitForValue(() => isCovered(page), false);
  await visit.waitForIdle();
  await page.goBack();
  await page.waitForURL('**/account');
});

void test('back: leads past a dialog that was left by its action', options, async (t) => {
  const visit = await openVisit(t, service, { loggedInAs: 'root' });
  const { page } = visit;
  const json = { username: 'gone', email: 'gone@example.org', role: 'viewer' };
  assert.equal((await call('POST', 'admin/users', { headers: root, json })).status, 200);
  await visit.open('/account');
  await visit.open('/admin/users/gone');
  await page.getByRole('button', { name: 'Delete account' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox').fill('gone');
  await waitForValue(() => isCovered(page), true);
  await dialog.getByRole('button', { name: /^Delete/ }).click();
  await page.waitForURL('**/admin/users');
  await page.getByRole('heading', { name: 'Users', level: 1 }).waitFor();
  assert.equal(await isCovered(page), false);
  await page.goBack();
  await page.waitForURL('**/account');
});

void test('back: asks before changes are lost, and then closes the question', options, async (t) => {
  const visit = await openVisit(t, service, { loggedInAs: 'edna' });
  const { page } = visit;
  await visit.open(`/pets/${luna}`);
  await page.getByRole('link', { name: 'Edit' }).click();
  await page.getByLabel('Name').fill('Half typed');
  const question = page.getByRole('dialog', { name: 'Leave without saving?' });
  for (const _ of [1, 2]) {
    await page.goBack();
    await question.waitFor();
    await waitForValue(() => isCovered(page), true);
    assert.equal(new URL(page.url()).pathname, `/pets/${luna}/edit`);
    await page.goBack();
    await question.waitFor({ state: 'detached' });
    assert.equal(await page.getByLabel('Name').inputValue(), 'Half typed');
    assert.equal(new URL(page.url()).pathname, `/pets/${luna}/edit`);
  }
  await page.goBack();
  await question.getByRole('button', { name: 'Leave without saving' }).click();
  await page.waitForURL(`**/pets/${luna}`);
  await page.getByRole('heading', { name: 'Luna', exact: true }).waitFor();
});
