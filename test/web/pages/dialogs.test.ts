import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { checkAccessibility } from '../support/accessibility.ts';
import { skipWithoutBrowser } from '../support/browser.ts';
import { addPet, readPet, startStaffedService } from '../support/stock.ts';
import { openVisit } from '../support/visit.ts';
import { waitForValue } from '../support/waiting.ts';

/*
 * Dialogs and menus of every page.
 */

const { service, call, root } = await startStaffedService({ after });
const options = { skip: skipWithoutBrowser };

void test('dialog: a notice that appears meanwhile can be reached and used', options, async (t) => {
  const id = await addPet(call, { name: 'Rex', category: { name: 'Noticed' }, status: 'available' }, root);
  const visit = await openVisit(t, service, { loggedInAs: 'root' });
  const { page } = visit;
  await visit.openFollowing('/?category=Noticed');
  const held = Promise.withResolvers<void>();
  await page.route(`**/v2/pet/${id}`, async (route) => {
    if (route.request().method() === 'PATCH') await held.promise;
    await route.continue();
  });
  await page.getByRole('checkbox', { name: 'Select Rex' }).check({ force: true });
  await page.getByRole('button', { name: 'Actions for Rex' }).click({ force: true });
  await page.getByRole('menuitemradio', { name: 'Pending' }).click();
  await page.getByRole('region', { name: 'Selected pets' }).getByRole('button', { name: 'Tags' }).click();
  const dialog = page.getByRole('dialog', { name: 'Edit tags' });
  await dialog.waitFor();
  held.resolve();
  const undo = dialog.getByRole('button', { name: 'Undo' });
  await undo.waitFor();
  await checkAccessibility(page, 'A dialog with a notice');
  await page.keyboard.press('F8');
  await dialog.locator('button:focus', { hasText: 'Undo' }).waitFor();
  await page.keyboard.press('Enter');
  await waitForValue(async () => (await readPet(call, id)).status, 'available');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('changed back to Available').waitFor();
});

void test('dialog: stays open while its action is in progress', options, async (t) => {
  const visit = await openVisit(t, service, { loggedInAs: 'root' });
  const { page } = visit;
  await visit.open('/admin/users');
  const held = Promise.withResolvers<void>();
  await page.route('**/v2/admin/users', async (route) => {
    if (route.request().method() === 'POST') await held.promise;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Invite user' }).click();
  const dialog = page.getByRole('dialog', { name: 'Invite user' });
  await dialog.getByLabel('Username').fill('nora');
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: 'Close' }).waitFor({ state: 'detached' });
  await dialog.evaluate((element) => {
    element.addEventListener('close', () => element.setAttribute('data-was-closed', ''));
  });
  // Without the page, the second one would close it.
  for (const _ of [1, 2, 3]) await page.keyboard.press('Escape');
  await page.mouse.click(5, 5);
  assert.ok(await dialog.isVisible());
  assert.equal(await dialog.getAttribute('data-was-closed'), null);
  held.resolve();
  await page.getByRole('dialog', { name: /nora/ }).waitFor();
});

void test('dialog: a click outside closes it, a selection of text that ends there does not', options, async (t) => {
  const visit = await openVisit(t, service, { loggedInAs: 'root' });
  const { page } = visit;
  await visit.open('/admin/users');
  const opener = page.getByRole('button', { name: 'Invite user' });
  await opener.click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Username').hover();
  await page.mouse.down();
  await page.mouse.move(5, 5);
  await page.mouse.up();
  assert.ok(await dialog.isVisible());
  await page.mouse.click(5, 5);
  await dialog.waitFor({ state: 'detached' });
  assert.ok(await opener.evaluate((element) => element === document.activeElement), 'the focus returns');
});

void test('menu: stays beside its button while the page scrolls; Tab and Escape close it', options, async (t) => {
  for (const name of ['Ada', 'Bo', 'Cy', 'Di', 'Ed', 'Flo', 'Gus'])
    await addPet(call, { name, category: { name: 'Scrolled' } }, root);
  const visit = await openVisit(t, service, { loggedInAs: 'root', height: 600 });
  const { page } = visit;
  await visit.openFollowing('/?category=Scrolled');
  const button = page.getByRole('button', { name: 'Actions for Flo' });
  const menu = page.getByRole('menu', { name: 'Actions for Flo' });
  for (const key of ['Tab', 'Escape']) {
    await button.focus();
    await page.keyboard.press('ArrowDown');
    await page.locator('[role="menuitemradio"]:focus').waitFor();
    await visit.expectShifts(() => page.mouse.wheel(0, 60));
    await waitForValue(async () => {
      const [above, below] = [await button.boundingBox(), await menu.boundingBox()];
      return above !== null && below !== null && Math.abs(above.y + above.height - below.y) < 10;
    }, true);
    await page.keyboard.press(key);
    await menu.waitFor({ state: 'hidden' });
  }
  assert.ok(await button.evaluate((element) => element === document.activeElement), 'the focus returns');
});
