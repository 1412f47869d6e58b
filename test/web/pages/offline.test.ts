import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { skipWithoutBrowser } from '../support/browser.ts';
import { chunkOf } from '../support/chunk-files.ts';
import { pageButton } from '../support/quick-clicks.ts';
import { addPet, startStaffedService } from '../support/stock.ts';
import { openVisit } from '../support/visit.ts';

/*
 * The messages of forms and pages without a connection.
 */

const { service, call, root } = await startStaffedService({ after });
const options = { skip: skipWithoutBrowser };
const OFFLINE = 'You are offline. Try again when you are back online.';

interface Attempt {
  name: string;
  as: string | undefined;
  path: string;
  /** What is loaded last of what it uses, unless any button is. */
  control?: (page: Page) => Locator;
  /** Tries something that needs the service. */
  attempt: (page: Page) => Promise<void>;
}

const ATTEMPTS: readonly Attempt[] = [
  {
    name: 'login',
    as: undefined,
    path: '/login',
    attempt: async (page) => {
      await page.getByLabel('Username').fill('vera');
      await page.locator('input[name=password]').fill('anything');
      await pageButton(page, 'Log in').click();
    },
  },
  {
    name: 'sign-up',
    as: undefined,
    path: '/sign-up',
    attempt: async (page) => {
      await page.getByLabel('Username').fill('offline');
      await page.locator('#password').fill('green lanterns over calm water');
      await pageButton(page, 'Create account').click();
    },
  },
  {
    name: 'profile',
    as: 'vera',
    path: '/account',
    attempt: (page) => pageButton(page, 'Save profile').click(),
  },
  {
    name: 'logout, whose failure is a notice',
    as: 'edna',
    path: '/account',
    attempt: (page) => pageButton(page, 'Log out').click(),
  },
  {
    name: 'new user',
    as: 'root',
    path: '/admin/users',
    attempt: async (page) => {
      await pageButton(page, 'Invite user').click();
      await page.getByRole('dialog').getByLabel('Username').fill('offline');
      await page.keyboard.press('Enter');
    },
  },
  {
    name: 'status of a pet',
    as: 'edna',
    path: '/pets/PET',
    control: (page) => page.getByRole('radio', { name: 'Pending' }),
    attempt: (page) => page.getByRole('radio', { name: 'Pending' }).click(),
  },
];

const anyButton = (page: Page) => page.getByRole('main').getByRole('button').first();

for (const { name, as, path, control = anyButton, attempt } of ATTEMPTS)
  void test(`offline: ${name}`, options, async (t) => {
    const id = await addPet(call, { name: 'Luna', status: 'available' }, root);
    const visit = await openVisit(t, service, as === undefined ? {} : { loggedInAs: as });
    visit.allow(/ERR_INTERNET_DISCONNECTED/);
    const { page, context } = visit;
    await visit.open(path.replace('PET', id));
    await visit.waitForIdle();
    await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor();
    await control(page).waitFor();
    await visit.expectShifts(async () => {
      await context.setOffline(true);
      await attempt(page);
      await page.getByRole('alert').filter({ hasText: OFFLINE }).waitFor();
    });
  });

void test('offline: a page that was not loaded', options, async (t) => {
  const visit = await openVisit(t, service, { loggedInAs: 'root' });
  visit.allow(/ERR_INTERNET_DISCONNECTED|could not be loaded|preload/);
  const { page, context } = visit;
  await visit.open('/admin/users');
  await page.getByRole('link', { name: 'vera' }).waitFor();
  await visit.waitForIdle();
  await context.setOffline(true);
  await page.getByRole('link', { name: 'Dashboard' }).click();
  await page.getByRole('heading', { name: 'No connection' }).waitFor();
});

for (const { name, path, control } of [
  { name: 'a pet', path: '/pets/PET', control: (page: Page) => page.getByRole('button', { name: 'Delete' }) },
  // Until the mouse is over its card, the box is not visible.
  { name: 'the catalogue', path: '/', control: (page: Page) => page.getByRole('checkbox', { name: 'Abby' }) },
])
  void test(`offline: code for staff that comes later, with the connection: ${name}`, options, async (t) => {
    const id = await addPet(call, { name: 'Abby', status: 'available' }, root);
    const visit = await openVisit(t, service, { loggedInAs: 'edna' });
    visit.allow(/ERR_FAILED|Couldn't load preload assets|Failed to fetch dynamically imported module/);
    const { page, context } = visit;
    // As if the connection ended between the page and its later code.
    await page.addInitScript(() => Object.defineProperty(navigator, 'onLine', { value: false, configurable: true }));
    let isOffline = true;
    for (const source of ['staff-panel.tsx', 'card-corner.tsx', 'selection-bar.tsx'])
      await context.route(`**/${await chunkOf(source)}`, (route) => (isOffline ? route.abort() : route.continue()));
    const refused = page.waitForEvent('requestfailed');
    await visit.open(path.replace('PET', id));
    await refused;
    await visit.waitForIdle();
    assert.ok(await page.getByText('Abby').first().isVisible(), path);
    isOffline = false;
    await page.evaluate(() => {
      Object.defineProperty(navigator, 'onLine', { value: true, configurable: true });
      window.dispatchEvent(new Event('online'));
    });
    await control(page).first().waitFor({ state: 'attached' });
  });

void test('no connection to the service: a page says so, and not that something went wrong', options, async (t) => {
  const visit = await openVisit(t, service, { loggedInAs: 'edna' });
  visit.allow(/ERR_FAILED/);
  const { page } = visit;
  await page.route('**/v2/deleted-pets*', (route) => route.abort());
  await visit.open('/pets/deleted');
  await page.getByRole('heading', { name: 'No connection' }).waitFor();
  await page.getByText("The server couldn't be reached.").waitFor();
});
