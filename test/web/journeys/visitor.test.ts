import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { skipWithoutBrowser } from '../support/browser.ts';
import { addShelter, startStaffedService } from '../support/stock.ts';
import { openVisit } from '../support/visit.ts';

/*
 * A visitor who looks for a pet, from an empty catalogue to a kennel card.
 */

const { service, call, root } = await startStaffedService({ after });
let ids: Readonly<Record<string, string>> = {};

void test('visitor: an empty catalogue says so, without an add link', { skip: skipWithoutBrowser }, async (t) => {
  const visit = await openVisit(t, service);
  await visit.open('/');
  await visit.page.getByRole('heading', { name: 'No pets yet' }).waitFor();
  assert.equal(await visit.page.getByRole('link', { name: 'Add your first pet' }).count(), 0);
});

void test(
  'visitor: searches, filters, and opens a pet and its kennel card',
  { skip: skipWithoutBrowser },
  async (t) => {
    ids = await addShelter(call, root);
    const visit = await openVisit(t, service);
    const { page } = visit;
    await visit.open('/');
    await petLink(page, 'Luna').waitFor();

    // New results replace the old ones.
    await visit.expectShifts(async () => {
      await page.getByRole('combobox', { name: 'Name, category or tag' }).fill('lun');
      await page.waitForURL(/\?text=lun$/);
      await petLink(page, 'Biscuit').waitFor({ state: 'detached' });
      await petLink(page, 'Luna').waitFor();
      await page.getByRole('button', { name: 'Clear search text' }).click();
      await petLink(page, 'Biscuit').waitFor();

      await page.getByRole('checkbox', { name: /^Dogs/ }).check();
      await page.waitForURL(/category=Dogs/);
      await petLink(page, 'Luna').waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Remove Dogs' }).click();
      await petLink(page, 'Luna').waitFor();
    });

    await petLink(page, 'Luna').click();
    await page.getByRole('heading', { level: 1, name: 'Luna' }).waitFor();
    assert.match(page.url(), new RegExp(`/pets/${ids['Luna']}$`));
    await page.getByRole('button', { name: 'Share' }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'Kennel card' }).count(), 0, 'cards are for staff');
  },
);

void test('visitor: sees available pets, and the others after one tap', { skip: skipWithoutBrowser }, async (t) => {
  const visit = await openVisit(t, service);
  const { page } = visit;
  await visit.open('/');
  await petLink(page, 'Luna').waitFor();
  assert.equal(await petLink(page, 'Clover').count(), 0, 'reserved');
  // New results replace the old ones.
  await visit.expectShifts(async () => {
    await page.getByRole('button', { name: 'Remove Available' }).click();
    await page.waitForURL(/\?status=any$/);
    await petLink(page, 'Clover').waitFor();
    await page.reload();
    await petLink(page, 'Clover').waitFor();
    await page.getByRole('checkbox', { name: /^Available/ }).check();
    await page.waitForURL(/\/$/);
    await petLink(page, 'Clover').waitFor({ state: 'detached' });
    await page.getByRole('combobox', { name: 'Name, category or tag' }).fill('kito');
    await page.getByRole('link', { name: 'Without Available' }).click();
    await petLink(page, 'Kito').waitFor();
  });
});

void test(
  'visitor: an unknown address and an unknown pet link to the catalogue',
  { skip: skipWithoutBrowser },
  async (t) => {
    const visit = await openVisit(t, service);
    visit.expect(/status of 404/);
    await visit.open('/nowhere');
    await visit.page.getByRole('heading', { name: 'Page not found' }).waitFor();
    await visit.open('/pets/999999');
    await visit.page.getByRole('heading', { name: 'Pet not found' }).waitFor();
    await visit.page.getByRole('main').getByRole('link', { name: 'View all pets' }).click();
    await petLink(visit.page, 'Luna').waitFor();
  },
);

void test(
  'visitor: sees that the connection is lost, and continues when it is back',
  { skip: skipWithoutBrowser },
  async (t) => {
    const visit = await openVisit(t, service);
    const { page } = visit;
    visit.allow(/ERR_INTERNET_DISCONNECTED/);
    await visit.open('/');
    // Code that is loaded later and fails without a connection would reload the page when the connection is back.
    await page.getByRole('contentinfo').getByRole('link').first().waitFor();
    await visit.waitForIdle();
    await visit.context.setOffline(true);
    await page.getByText('You are offline.').first().waitFor();
    await visit.context.setOffline(false);
    await page.getByText('You are offline.').first().waitFor({ state: 'detached' });
    // New results replace the old ones.
    await visit.expectShifts(async () => {
      await page.getByRole('combobox', { name: 'Name, category or tag' }).fill('luna');
      await petLink(page, 'Biscuit').waitFor({ state: 'detached' });
    });
  },
);

void test('visitor: a slow connection causes no layout shifts', { skip: skipWithoutBrowser }, async (t) => {
  const visit = await openVisit(t, service, { width: 375, isSlow: true });
  await visit.open('/');
  await visit.page.getByRole('article').first().waitFor();
  await visit.waitForIdle();
});

function petLink(page: Page, name: string) {
  return page.getByRole('article').getByRole('link', { name, exact: true });
}
