import assert from 'node:assert/strict';
import { after, test, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { checkAccessibility } from '../support/accessibility.ts';
import { skipWithoutBrowser } from '../support/browser.ts';
import { chunkOf } from '../support/chunk-files.ts';
import { keepScreenshot } from '../support/screenshots.ts';
import { addPet, patchPet, readPet, startStaffedService } from '../support/stock.ts';
import { openVisit, type Visit, type VisitOptions } from '../support/visit.ts';
import { waitForValue } from '../support/waiting.ts';

/*
 * Editing in the list. Each test has a category of its own, so that it does not see the pets of another. When a card
 * disappears or returns, the others move as intended.
 */

const { service, call, root } = await startStaffedService({ after });

const STATUSES = ['available', 'available', 'pending'] as const;

void test(
  'status in the list: a second change waits for the first one, and sends its entity tag',
  { skip: skipWithoutBrowser },
  async (t) => {
    const { page, visit, ids } = await openList(t, 'Twice', ['Rex']);
    const id = ids.get('Rex');
    // Opening the page of the pet loads its entity tag, which the list does not have.
    const tagged = page.waitForResponse((response) => response.url().endsWith(`/v2/pet/${id}`));
    await page.getByRole('link', { name: /Rex/ }).click();
    await tagged;
    await page.getByRole('heading', { name: 'Rex', level: 1 }).waitFor();
    await visit.waitForIdle();
    await page.goBack();
    const tags: (string | undefined)[] = [];
    const order: string[] = [];
    const held = Promise.withResolvers<void>();
    await page.route('**/v2/pet/*', async (route) => {
      if (route.request().method() !== 'PATCH') return route.continue();
      tags.push(route.request().headers()['if-match']);
      order.push('request');
      await held.promise;
      const response = await route.fetch();
      order.push('response');
      return route.fulfill({ response });
    });
    const article = page.getByRole('article');
    for (const status of ['Adopted', 'Pending']) {
      await page.getByRole('button', { name: 'Actions for Rex' }).click();
      await page.getByRole('menuitemradio', { name: status }).click();
      await article.getByText(status).waitFor();
    }
    held.resolve();
    await page.getByText('Status of Rex changed to Pending.').waitFor();
    await article.getByText('Pending').waitFor();
    assert.equal(await statusOf(id), 'pending');
    assert.deepEqual(order, ['request', 'response', 'request', 'response']);
    assert.ok(tags[0] !== undefined && tags[1] !== undefined && tags[0] !== tags[1], tags.join());
    assert.equal(await page.getByRole('alert').filter({ hasText: 'not changed' }).count(), 0);
  },
);

void test('status in the list: reverted if the service refuses it', { skip: skipWithoutBrowser }, async (t) => {
  const { page, visit, ids } = await openList(t, 'Refused', ['Rex']);
  visit.expect(/status of 404/);
  await page.route('**/v2/pet/*', async (route) => {
    // Another user deletes the pet just before.
    await call('DELETE', `pet/${ids.get('Rex')}`, { headers: root });
    await route.continue();
  });
  await page.getByRole('button', { name: 'Actions for Rex' }).click();
  await page.getByRole('menuitemradio', { name: 'Pending' }).click();
  await page
    .getByRole('alert')
    .filter({ hasText: 'The status of Rex was not changed. This no longer exists.' })
    .waitFor();
  await page.getByRole('article').waitFor({ state: 'detached' });
});

void test(
  'bulk change: a failure is reported, and the others can be undone',
  { skip: skipWithoutBrowser },
  async (t) => {
    const { page, visit, ids } = await openList(t, 'Bulk', ['Ada', 'Ben', 'Cleo'], { width: 768 });

    visit.expect(/status of 404/);
    await page.getByRole('checkbox', { name: 'Select Ada' }).click();
    await page.getByRole('checkbox', { name: 'Select Cleo' }).click({ modifiers: ['Shift'] });
    await page.getByText('3 selected').waitFor();
    await checkAccessibility(page, 'The list with a selection');
    await keepScreenshot(page, 'selection');
    assert.equal((await call('DELETE', `pet/${ids.get('Cleo')}`, { headers: root })).status, 200);
    const report = page.getByRole('dialog', { name: 'Some changes failed' });
    await visit.expectShifts(async () => {
      await chooseStatus(page, 'Adopted');
      await report.getByText('2 pets were changed, 1 was not:').waitFor();
      await page.getByRole('article').nth(2).waitFor({ state: 'detached' });
    });
    assert.match(await report.getByRole('listitem').innerText(), /Cleo\s+This no longer exists\./);
    await checkAccessibility(page, 'The report of a bulk change');
    assert.deepEqual([await statusOf(ids.get('Ada')), await statusOf(ids.get('Ben'))], ['sold', 'sold']);
    await report.getByRole('button', { name: 'Undo 2 changes' }).click();
    await page.getByText('Changes to 2 pets undone.').waitFor();
    assert.deepEqual([await statusOf(ids.get('Ada')), await statusOf(ids.get('Ben'))], ['available', 'available']);
  },
);

void test('bulk undo: skips pets that others have changed since', { skip: skipWithoutBrowser }, async (t) => {
  const { page, ids } = await openList(t, 'Since', ['Ada', 'Ben', 'Cleo']);
  await page.getByRole('checkbox', { name: 'Select Ada' }).click();
  await page.getByRole('button', { name: 'Select all 3' }).click();
  await page.getByRole('button', { name: 'Tags', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Edit tags' });
  await dialog.getByLabel('Add tags').fill('quiet');
  await page.keyboard.press('Enter');
  await dialog.getByRole('checkbox', { name: /^shy/ }).check();
  await checkAccessibility(page, 'The dialog of tags');
  await dialog.getByRole('button', { name: 'Update 3 pets' }).click();
  await page.getByText('Tags of 3 pets changed.').waitFor();
  assert.deepEqual(await tagsOf(ids.get('Ada')), ['big', 'quiet']);
  await patchPet(call, ids.get('Ben') ?? '', { name: 'Benjamin' }, root);
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  const report = page.getByRole('dialog', { name: 'Some changes failed' });
  assert.match(await report.getByRole('listitem').innerText(), /Ben\s+This was changed in the meantime\./);
  assert.deepEqual(await tagsOf(ids.get('Ada')), ['big', 'shy']);
  assert.deepEqual(await tagsOf(ids.get('Ben')), ['big', 'quiet']);
});

void test('bulk deletion: needs a confirmation, and can be undone', { skip: skipWithoutBrowser }, async (t) => {
  const { page, visit, ids } = await openList(t, 'Removal', ['Ada', 'Ben', 'Cleo'], { width: 375, theme: 'dark' });

  await page.getByRole('button', { name: 'Select', exact: true }).click();
  for (const name of ['Ada', 'Ben']) await page.getByRole('checkbox', { name: `Select ${name}` }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await checkAccessibility(page, 'The confirmation of a deletion');
  await visit.expectShifts(async () => {
    await page.getByRole('button', { name: 'Delete 2 pets' }).click();
    await page.getByText('2 pets were deleted.').waitFor();
    await page.getByRole('article').nth(1).waitFor({ state: 'detached' });
    assert.equal((await call('GET', `pet/${ids.get('Ada')}`)).status, 404);
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await page.getByText('Changes to 2 pets undone.').waitFor();
    await page.getByRole('article').nth(2).waitFor();
  });
  assert.equal(await statusOf(ids.get('Ada')), 'available');
});

void test(
  'bulk change: keeps the focus, and moves it to the list when no pet is selected',
  { skip: skipWithoutBrowser },
  async (t) => {
    const { page, visit } = await openList(t, 'Focus', ['Ada', 'Ben', 'Cleo']);
    for (const name of ['Ada', 'Ben']) await page.getByRole('checkbox', { name: `Select ${name}` }).press('Space');
    await page.getByRole('button', { name: 'Status', exact: true }).press('Enter');
    // The menu moves the focus to its first entry when it has opened; a key pressed before would reach that entry.
    await page.locator('[role="menuitemradio"]:focus').waitFor();
    await page.getByRole('menuitemradio', { name: 'Adopted' }).press('Enter');
    await page.getByText('Status of 2 pets changed.').waitFor();
    await page.waitForFunction(() => document.activeElement?.closest('section')?.ariaLabel === 'Selected pets');
    await page.getByRole('button', { name: 'Delete', exact: true }).press('Enter');
    await visit.expectShifts(async () => {
      await page.getByRole('button', { name: 'Delete 2 pets' }).press('Enter');
      await page.getByText('2 pets were deleted.').waitFor();
      await page.getByRole('article').nth(1).waitFor({ state: 'detached' });
    });
    await page.waitForFunction(() => document.activeElement?.textContent === '1 pet');
  },
);

void test('menu of a pet: deletes it, and the others stay selected', { skip: skipWithoutBrowser }, async (t) => {
  const { page, visit, ids } = await openList(t, 'Menu', ['Ada', 'Ben']);
  await page.getByRole('checkbox', { name: 'Select Ben' }).click();
  await page.getByRole('button', { name: 'Actions for Ada' }).click();
  await visit.expectShifts(async () => {
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByText('Ada was deleted.').waitFor();
    await page.getByText('1 selected').waitFor();
    assert.equal((await call('GET', `pet/${ids.get('Ada')}`)).status, 404);
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await page.getByText('Change to 1 pet undone.').waitFor();
    await page.getByRole('article').nth(1).waitFor();
  });
  assert.equal(await statusOf(ids.get('Ada')), 'available');
});

void test('selection: pets selected before the bar has loaded are kept', { skip: skipWithoutBrowser }, async (t) => {
  const bar = Promise.withResolvers<void>();
  const { page } = await openList(t, 'Early', ['Ada', 'Ben'], {}, async ({ page: opened }) => {
    await opened.route(`**/${await chunkOf('selection-bar.tsx')}`, async (route) => {
      await bar.promise;
      await route.continue();
    });
  });
  await page.getByRole('checkbox', { name: 'Select Ada' }).click();
  assert.equal(await page.getByText('1 selected').count(), 0);
  bar.resolve();
  await page.getByText('1 selected').waitFor();
  assert.equal(await page.getByRole('checkbox', { name: 'Select Ada' }).isChecked(), true);
});

void test('selection: cleared by another search', { skip: skipWithoutBrowser }, async (t) => {
  const { page } = await openList(t, 'Search', ['Ada', 'Ben', 'Cleo'], { width: 1440 });
  await page.getByRole('checkbox', { name: 'Select Ada' }).click();
  await page.getByText('1 selected').waitFor();
  await page.getByRole('checkbox', { name: /^Pending/ }).check();
  await page.getByText('1 selected').waitFor({ state: 'detached' });
  assert.equal(await page.getByRole('checkbox', { name: 'Select Cleo' }).isChecked(), false);
});

void test('selection: not available to visitors and viewers', { skip: skipWithoutBrowser }, async (t) => {
  const { page } = await openList(t, 'Viewers', ['Ada'], { loggedInAs: 'vera' });
  assert.equal(await page.getByRole('checkbox', { name: 'Select Ada' }).count(), 0);
  assert.equal(await page.getByRole('link', { name: 'Deleted pets' }).count(), 0);
});

interface List {
  page: Page;
  visit: Visit;
  ids: ReadonlyMap<string, string>;
}

/** Opens the list of a category with the given pets, sorted by name. */
async function openList(
  t: TestContext,
  category: string,
  names: readonly string[],
  options: VisitOptions = {},
  prepare: (visit: Visit) => Promise<void> = async () => {},
): Promise<List> {
  const ids = new Map<string, string>();
  for (const [place, name] of names.entries()) {
    const pet = {
      name,
      category: { name: category },
      tags: [{ name: 'big' }, { name: 'shy' }],
      status: STATUSES[place],
    };
    ids.set(name, await addPet(call, pet, root));
  }
  const visit = await openVisit(t, service, { loggedInAs: 'edna', ...options });
  await prepare(visit);
  await visit.open(`/?category=${category}&sort=name`);
  await visit.page
    .getByRole('article')
    .nth(names.length - 1)
    .waitFor();
  return { visit, page: visit.page, ids };
}

async function chooseStatus(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Status', exact: true }).click();
  await page.getByRole('menuitemradio', { name }).click();
}

async function statusOf(id: string | undefined): Promise<string | undefined> {
  return (await readPet(call, id ?? '')).status;
}

async function tagsOf(id: string | undefined): Promise<readonly string[]> {
  return (await readPet(call, id ?? '')).tags.map(({ name }) => name);
}

void test(
  'controls on cards: shown on hover and focus, on a phone while pets are selected',
  { skip: skipWithoutBrowser },
  async (t) => {
    const { page } = await openList(t, 'Corner', ['Rex', 'Max']);
    const opacityOf = (name: string) =>
      page
        .getByRole('article')
        .filter({ hasText: name })
        .getByRole('checkbox')
        .evaluate((box) => getComputedStyle(box.closest('label')?.parentElement ?? box).opacity);
    const opacities = async () => [await opacityOf('Rex'), await opacityOf('Max')];
    await page.getByRole('heading', { level: 1 }).hover();
    await page.getByRole('checkbox', { name: 'Select Rex' }).waitFor();
    await waitForValue(opacities, ['0', '0']);
    await page.getByRole('article').filter({ hasText: 'Rex' }).hover();
    await waitForValue(opacities, ['1', '0']);
    await page.getByRole('button', { name: 'Actions for Max' }).focus();
    await waitForValue(opacities, ['1', '1']);
    await page.getByRole('checkbox', { name: 'Select Rex' }).check();
    await page.getByRole('heading', { level: 1 }).hover();
    await waitForValue(opacities, ['1', '1']);

    const phone = await openVisit(t, service, { loggedInAs: 'edna', width: 375 });
    await phone.page.goto('/?category=Corner');
    const select = phone.page.getByRole('button', { name: 'Select', exact: true });
    const boxes = phone.page.getByRole('checkbox', { name: /^Select / });
    await select.waitFor();
    await phone.page.getByRole('link', { name: 'Rex' }).waitFor();
    assert.equal(await boxes.count(), 0);
    await select.tap();
    await boxes.first().waitFor();
    await checkAccessibility(phone.page, 'The list while pets are selected');
    await keepScreenshot(phone.page, 'selecting 375');
    await boxes.first().tap();
    await phone.page.getByText('1 selected').waitFor();
    await select.tap();
    await boxes.first().waitFor({ state: 'hidden' });
    await phone.page.getByText('1 selected').waitFor({ state: 'detached' });
  },
);
