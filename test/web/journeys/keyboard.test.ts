import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { PASSWORDS } from '../../support/secured.ts';
import { checkAccessibility } from '../support/accessibility.ts';
import { skipWithoutBrowser } from '../support/browser.ts';
import { checkFocus, tabTo } from '../support/keyboard.ts';
import { addPet, startStaffedService } from '../support/stock.ts';
import { openVisit, type Visit } from '../support/visit.ts';
import { waitFor } from '../support/waiting.ts';

/*
 * Journeys without a mouse. After each step, the focus is visible and in the expected place.
 */

const { service, call, root } = await startStaffedService({ after });
const options = { skip: skipWithoutBrowser };

await addPet(call, { name: 'Luna', category: { name: 'Cats' }, status: 'available', tags: [{ name: 'calm' }] }, root);
await addPet(call, { name: 'Biscuit', category: { name: 'Dogs' }, status: 'available' }, root);

void test('keyboard: a visitor searches, filters, opens a pet and goes back', options, async (t) => {
  const visit = await openVisit(t, service, { width: 1280 });
  const { page } = visit;
  await skipToContent(visit);
  const field = page.getByRole('combobox', { name: 'Name, category or tag' });
  await tabTo(page, field);
  // New results replace the old ones, here and below.
  await visit.expectShifts(async () => {
    await page.keyboard.type('lun');
    await page.waitForURL(/\?text=lun$/);
    await petLink(page, 'Biscuit').waitFor({ state: 'detached' });
  });
  await checkFocus(page, field);
  await tabTo(page, page.getByRole('button', { name: 'Clear search text' }));
  await visit.expectShifts(async () => {
    await page.keyboard.press('Enter');
    await petLink(page, 'Biscuit').waitFor();
  });
  await checkFocus(page, field);

  const dogs = page.getByRole('checkbox', { name: /^Dogs/ });
  await tabTo(page, dogs);
  await visit.expectShifts(async () => {
    await page.keyboard.press('Space');
    await page.waitForURL(/category=Dogs/);
    await petLink(page, 'Luna').waitFor({ state: 'detached' });
  });
  await checkFocus(page, dogs);
  await openPet(page, 'Biscuit');
  await tabTo(page, page.getByRole('link', { name: 'Back to pets' }), 'Shift+Tab');
  await page.keyboard.press('Enter');
  await page.waitForURL(/category=Dogs/);
  await checkFocus(page, petLink(page, 'Biscuit'));

  await tabTo(page, page.getByRole('button', { name: 'Remove Dogs' }), 'Shift+Tab');
  await visit.expectShifts(async () => {
    await page.keyboard.press('Enter');
    await petLink(page, 'Luna').waitFor();
  });
  await page.waitForFunction(() => document.activeElement !== document.body);
});

void test('keyboard: the search field is the first stop of the content; the key / leads to it', options, async (t) => {
  const visit = await openVisit(t, service, { width: 1280 });
  const { page } = visit;
  await skipToContent(visit);
  const field = page.getByRole('combobox', { name: 'Name, category or tag' });
  await page.keyboard.press('Tab');
  await checkFocus(page, field);
  assert.equal(await field.getAttribute('aria-keyshortcuts'), '/');

  const dogs = page.getByRole('checkbox', { name: /^Dogs/ });
  await tabTo(page, dogs);
  for (const modifier of ['Control', 'Alt', 'Meta']) {
    await page.keyboard.press(`${modifier}+/`);
    await checkFocus(page, dogs);
  }
  await page.keyboard.press('/');
  await checkFocus(page, field);
  assert.equal(await field.inputValue(), '');
  await visit.expectShifts(async () => {
    await page.keyboard.type('luna/');
    await page.waitForURL(/\?text=luna%2F$/);
    await petLink(page, 'Biscuit').waitFor({ state: 'detached' });
  });
  assert.equal(await field.inputValue(), 'luna/', 'the key types where text is typed');
});

void test('keyboard: an editor logs in, adds a pet, and changes it', options, async (t) => {
  const visit = await openVisit(t, service, { width: 1280 });
  const { page } = visit;
  await visit.open('/');
  await tabTo(page, inNavigation(page, 'Log in'));
  await page.keyboard.press('Enter');
  // The first field has the focus.
  await checkFocus(page, page.getByLabel('Username'));
  await page.keyboard.type('edna');
  await tabTo(page, page.getByLabel(/^Password/));
  await page.keyboard.type(PASSWORDS['edna'] ?? '');
  await page.keyboard.press('Enter');
  await checkFocus(page, heading(page, 'Meet the pets'));

  await tabTo(page, inNavigation(page, 'Add pet'), 'Shift+Tab');
  await page.keyboard.press('Enter');
  await checkFocus(page, page.getByRole('textbox', { name: /^Name/ }));
  await page.keyboard.type('Juno');
  await fillStatus(page);
  await fillLabels(page);
  // The links to the sections of the long form skip its fields.
  await tabTo(page, page.getByRole('link', { name: 'Listing', exact: true }));
  await page.keyboard.press('Enter');
  await tabTo(page, page.getByRole('button', { name: 'Publish' }));
  await page.keyboard.press('Enter');
  await checkFocus(page, heading(page, 'Juno'));
  const id = /\/pets\/(\d+)$/.exec(page.url())?.[1] ?? assert.fail(page.url());
  assert.match(await textOf(id), /"category":\{.*"name":"Cats"\}.*"tags":\[\{.*"name":"calm"\}\].*"status":"pending"/);

  await tabTo(page, page.getByRole('link', { name: 'Edit', exact: true }));
  await page.keyboard.press('Enter');
  await checkFocus(page, heading(page, 'Edit Juno'));
  await tabTo(page, page.getByRole('textbox', { name: /^Name/ }));
  await page.keyboard.press('End');
  await page.keyboard.type(' Bell');
  await page.keyboard.press('Control+Enter');
  await checkFocus(page, heading(page, 'Juno Bell'));
  assert.match(await textOf(id), /"name":"Juno Bell"/);
});

void test('keyboard: an editor changes the status in the list, and undoes it in the notice', options, async (t) => {
  const id = await addPet(call, { name: 'Ziggy', status: 'available' }, root);
  const visit = await openVisit(t, service, { width: 1280, loggedInAs: 'edna' });
  const { page } = visit;
  await visit.open('/');
  const opener = page.getByRole('button', { name: 'Actions for Ziggy' });
  await tabTo(page, opener);
  await page.keyboard.press('Enter');
  await checkFocus(page, page.getByRole('menuitemradio', { name: 'Available' }));
  await page.keyboard.press('Escape');
  await checkFocus(page, opener);
  await page.keyboard.press('Enter');
  await checkFocus(page, page.getByRole('menuitemradio', { name: 'Available' }));
  await checkAccessibility(page, 'The list with the menu of a pet');
  for (const name of ['Pending', 'Adopted']) {
    await page.keyboard.press('ArrowDown');
    await checkFocus(page, page.getByRole('menuitemradio', { name }));
  }
  await page.keyboard.press('Enter');
  await page.getByText('Status of Ziggy changed to Adopted.').waitFor();
  assert.match(await textOf(id), /"status":"sold"/);
  await checkFocus(page, opener);
  await undo(page);
  await page.getByText('Status of Ziggy changed back to Available.').waitFor();
  await checkFocus(page, opener);
  await waitFor(async () => /"status":"available"/.test(await textOf(id)), 'Ziggy is available again');
});

void test('keyboard: an editor deletes pets on the page and in the list, and restores them', options, async (t) => {
  const id = await addPet(call, { name: 'Miso', status: 'available' }, root);
  const visit = await openVisit(t, service, { width: 1280, loggedInAs: 'edna' });
  const { page } = visit;
  visit.allow(/status of 404/);
  await visit.open('/');
  await openPet(page, 'Miso');
  await tabTo(page, page.getByRole('button', { name: 'Delete pet' }));
  await page.keyboard.press('Enter');
  await page.getByText('Miso was deleted.').waitFor();
  await checkFocus(page, heading(page, 'Meet the pets'));
  await undo(page);
  await checkFocus(page, heading(page, 'Miso'));
  assert.match(await textOf(id), /"name":"Miso"/);

  await visit.open('/');
  await tabTo(page, page.getByRole('checkbox', { name: 'Select Miso' }));
  await page.keyboard.press('Space');
  const remove = page.getByRole('region', { name: 'Selected pets' }).getByRole('button', { name: 'Delete' });
  await tabTo(page, remove);
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Delete 1 pet?' });
  await dialog.waitFor();
  await checkFocusInside(page, dialog);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await checkFocus(page, remove);
  await page.keyboard.press('Enter');
  await tabTo(page, dialog.getByRole('button', { name: 'Delete 1 pet' }));
  await page.keyboard.press('Enter');
  await page.getByText('Miso was deleted.').waitFor();
  assert.match(await textOf(id), /Pet not found/);
  await undo(page);
  await petLink(page, 'Miso').waitFor();
  await waitFor(async () => /"name":"Miso"/.test(await textOf(id)), 'Miso is restored');
});

void test('keyboard: on a small screen, the filter sheet returns the focus', options, async (t) => {
  const visit = await openVisit(t, service, { width: 375 });
  const { page } = visit;
  await skipToContent(visit);
  const opener = page.getByRole('button', { name: /Filters|filters/ });
  await tabTo(page, opener);
  await page.keyboard.press('Enter');
  const sheet = page.getByRole('dialog');
  await sheet.waitFor();
  await checkFocusInside(page, sheet);
  await tabTo(page, sheet.getByRole('checkbox', { name: /^Dogs/ }));
  await page.keyboard.press('Space');
  await page.waitForURL(/category=Dogs/);
  await page.keyboard.press('Escape');
  await sheet.waitFor({ state: 'detached' });
  await checkFocus(page, opener);
  await openPet(page, 'Biscuit');
});

void test('keyboard: a link skips to the results of the catalogue', options, async (t) => {
  const visit = await openVisit(t, service, { width: 1280 });
  const { page } = visit;
  // Without the filter that visitors see first, which comes before the cards.
  await visit.open('/?status=any');
  await petLink(page, 'Biscuit').waitFor();
  await tabTo(page, page.getByRole('link', { name: 'Skip to results' }));
  await page.keyboard.press('Enter');
  await checkFocus(page, page.locator('#results'));
  // The next stop is a card, not a filter.
  await page.keyboard.press('Tab');
  await checkFocus(page, page.getByRole('main').locator('article a').first());
  await visit.open('/dashboard');
  await page.getByRole('heading', { name: 'Dashboard', level: 1 }).waitFor();
  assert.equal(await page.getByRole('link', { name: 'Skip to results' }).count(), 0);
});

async function skipToContent(visit: Visit): Promise<void> {
  const { page } = visit;
  await visit.open('/');
  await petLink(page, 'Luna').waitFor();
  await tabTo(page, page.getByRole('link', { name: 'Skip to content' }));
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.activeElement?.id === 'content');
}

async function openPet(page: Page, name: string): Promise<void> {
  await tabTo(page, petLink(page, name));
  await page.keyboard.press('Enter');
  await checkFocus(page, heading(page, name));
}

async function fillStatus(page: Page): Promise<void> {
  const available = page.getByRole('radio', { name: /^Available/ });
  await page.keyboard.press('Tab');
  // There are three statuses; by default, none is selected.
  for (let step = 0; step < 3 && !(await available.isChecked()); step++) await page.keyboard.press('ArrowDown');
  await checkFocus(page, available);
  await page.keyboard.press('ArrowDown');
  await checkFocus(page, page.getByRole('radio', { name: /^Pending/ }));
}

async function fillLabels(page: Page): Promise<void> {
  const category = page.getByRole('combobox', { name: /^Category/ });
  await tabTo(page, category);
  await page.keyboard.type('ca');
  await page.getByRole('option', { name: /^Cats/ }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  assert.equal(await category.inputValue(), 'Cats');
  await checkFocus(page, category);
  const tags = page.getByRole('combobox', { name: /^Tags/ });
  await tabTo(page, tags);
  await page.keyboard.type('calm');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Remove tag calm' }).waitFor();
  await checkFocus(page, tags);
}

/** Uses the shortcut that leads to notices. */
async function undo(page: Page): Promise<void> {
  const button = page.getByRole('button', { name: 'Undo', exact: true });
  await button.waitFor();
  await page.keyboard.press('F8');
  await checkFocus(page, button);
  await page.keyboard.press('Enter');
}

async function checkFocusInside(page: Page, dialog: Locator): Promise<void> {
  const isInside = () => dialog.evaluate((element) => element.contains(document.activeElement));
  await waitFor(isInside, 'the focus is in the dialog');
  for (let step = 0; step < 4; step++) {
    await page.keyboard.press('Tab');
    assert.ok(await isInside(), 'Tab does not lead out of the dialog');
  }
}

function inNavigation(page: Page, name: string): Locator {
  return page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name });
}

function heading(page: Page, name: string): Locator {
  return page.getByRole('heading', { level: 1, name, exact: true });
}

function petLink(page: Page, name: string): Locator {
  return page.getByRole('main').getByRole('link', { name, exact: true });
}

async function textOf(id: string): Promise<string> {
  return (await call('GET', `pet/${id}`)).text;
}
