import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { skipWithoutBrowser } from '../support/browser.ts';
import { checkState } from '../support/pages.ts';
import { addShelter, patchPet, startStaffedService } from '../support/stock.ts';
import { openVisit } from '../support/visit.ts';

/*
 * Favourites: marked on cards and pages, kept in the browser, and shared as a link.
 */

const { service, call, root } = await startStaffedService({ after });
const ids = await addShelter(call, root);
const { Luna: luna = '', Pepper: pepper = '' } = ids;
const options = { skip: skipWithoutBrowser };

const heart = (page: Page, name: string) => page.getByRole('button', { name: `Favourite: ${name}`, exact: true });
const isPressed = (page: Page, name: string) => heart(page, name).getAttribute('aria-pressed');

void test('favourites: are marked by keyboard, stay after a reload, and can be unmarked', options, async (t) => {
  const visit = await openVisit(t, service);
  const { page } = visit;
  const requests: string[] = [];
  page.on('request', (request) => request.method() !== 'GET' && requests.push(request.url()));
  await visit.open('/');
  assert.equal(await page.getByRole('link', { name: /^Favourites/ }).count(), 0);
  await heart(page, 'Luna').focus();
  assert.equal(await isPressed(page, 'Luna'), 'false');
  await page.keyboard.press('Enter');
  assert.equal(await isPressed(page, 'Luna'), 'true');
  await page.getByRole('link', { name: 'Favourites (1)' }).waitFor();
  await visit.open(`/pets/${pepper}`);
  await heart(page, 'Pepper').click();
  await page.getByRole('link', { name: 'Favourites (2)' }).click();
  await page.getByRole('heading', { level: 1, name: 'Favourites' }).waitFor();
  await page.getByRole('link', { name: 'Luna' }).waitFor();
  await page.reload();
  const names = page.getByRole('list', { name: 'Favourites' }).getByRole('heading');
  await page.getByRole('link', { name: 'Luna' }).waitFor();
  assert.deepEqual(await names.allTextContents(), ['Pepper', 'Luna'], 'the newest first');
  await visit.waitForIdle();
  await checkState(page, 'favourites');
  await heart(page, 'Luna').focus();
  await page.keyboard.press('Space');
  assert.equal(await isPressed(page, 'Luna'), 'false', 'it stays, so that the focus stays');
  await page.getByRole('link', { name: 'Favourites (1)' }).waitFor();
  await page.reload();
  await page.getByRole('link', { name: 'Pepper' }).waitFor();
  assert.deepEqual(await names.allTextContents(), ['Pepper']);
  assert.deepEqual(requests, [], 'the service stores nothing');
});

void test('favourites: a shared list is read-only, and can be added to the own one', options, async (t) => {
  const sender = await openVisit(t, service);
  await sender.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await sender.open('/');
  for (const name of ['Luna', 'Pepper']) await heart(sender.page, name).click();
  await sender.page.getByRole('link', { name: 'Favourites (2)' }).click();
  const own = (await sender.page.getByRole('link', { name: 'Send to myself' }).getAttribute('href')) ?? '';
  assert.match(decodeURIComponent(own), /^mailto:\?subject=Favourites - .*Pepper, Luna\n\nhttp.*\/favourites\?pets=/s);
  await sender.page.getByRole('button', { name: 'Share' }).click();
  await sender.page.getByText('Link copied.').waitFor();
  const link = await sender.page.evaluate(() => navigator.clipboard.readText());
  assert.equal(link, `${service.origin}/favourites?pets=${pepper},${luna}`);

  const visit = await openVisit(t, service);
  const { page } = visit;
  await visit.open(link);
  await page.getByRole('heading', { level: 1, name: 'Shared favourites' }).waitFor();
  await page.getByRole('link', { name: 'Luna' }).waitFor();
  assert.equal(await page.getByRole('button', { name: /^Favourite:/ }).count(), 0);
  await visit.waitForIdle();
  await checkState(page, 'shared favourites');
  await page.getByRole('button', { name: 'Add to my favourites' }).click();
  await page.getByText('Added to your favourites.').waitFor();
  await page.getByRole('link', { name: 'My favourites' }).click();
  await page.getByRole('heading', { level: 1, name: 'Favourites', exact: true }).waitFor();
  assert.equal(await isPressed(page, 'Pepper'), 'true');
});

void test('favourites: an adopted pet says so, a deleted one can be dropped', options, async (t) => {
  const pets = await addShelter(call, root);
  const [adopted = '', deleted = ''] = [pets['Luna'], pets['Pepper']];
  await patchPet(call, adopted, { name: 'Adopted Luna' }, root);
  await patchPet(call, deleted, { name: 'Gone Pepper' }, root);
  const visit = await openVisit(t, service);
  const { page } = visit;
  for (const [id, name] of [
    [adopted, 'Adopted Luna'],
    [deleted, 'Gone Pepper'],
  ] as const) {
    await visit.open(`/pets/${id}`);
    await heart(page, name).click();
  }
  await patchPet(call, adopted, { status: 'sold' }, root);
  await call('DELETE', `pet/${deleted}`, { headers: root });
  visit.expect(/status of 404/);
  await visit.open('/favourites');
  await page.getByText('Gone Pepper is no longer in the catalogue.').waitFor();
  await page.getByRole('article').filter({ hasText: 'Adopted Luna' }).getByText('Adopted', { exact: true }).waitFor();
  await visit.waitForIdle();
  await checkState(page, 'favourites that are gone');
  await heart(page, 'Gone Pepper').click();
  await page.reload();
  await page.getByRole('link', { name: 'Adopted Luna' }).waitFor();
  assert.equal(await page.getByText('Gone Pepper').count(), 0);
});

void test('favourites: links with something else show the own list', options, async (t) => {
  const visit = await openVisit(t, service, { width: 320 });
  for (const path of ['/favourites?pets=', '/favourites?pets=a,b', `/favourites?pets=${'1,'.repeat(100)}1`]) {
    await visit.open(path);
    await visit.page.getByRole('heading', { level: 1, name: 'No favourites yet' }).waitFor();
  }
});

void test('favourites: each path of a host has its own', options, async (t) => {
  const visit = await openVisit(t, service);
  const { page } = visit;
  await visit.open('/');
  await page.evaluate(() => localStorage.setItem('menagerie-favourites:/zoo', '[{"id":"1","name":"Other"}]'));
  await heart(page, 'Luna').click();
  await page.getByRole('link', { name: 'Favourites (1)' }).waitFor();
  const keys = await page.evaluate(() => Object.keys(localStorage).filter((key) => key.includes('favourites')));
  assert.deepEqual(keys.toSorted(), ['menagerie-favourites:', 'menagerie-favourites:/zoo']);
});
