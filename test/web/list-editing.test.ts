import assert from 'node:assert/strict';
import { after, test, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { clientOf } from '../support/client.ts';
import { bearer, logIn, startSecuredService } from '../support/secured.ts';
import { checkAccessibility } from './support/accessibility.ts';
import { skipWithoutBrowser } from './support/browser.ts';
import { keepScreenshot } from './support/screenshots.ts';
import { addPet, patchPet } from './support/stock.ts';
import { openVisit, type Visit, type VisitOptions } from './support/visit.ts';

/*
 * What staff do right in the list. Each test has a category of its own, so that none sees the pets of another. Where a card goes or comes back, the others
 * take another place: that is what was asked for.
 */

const service = await startSecuredService({ after }, { web: true });
const call = clientOf(service.base);
const root = bearer(await logIn(call, 'root'));

const STATUSES = ['available', 'available', 'pending'] as const;

void test('the status of a pet is changed in the list, and taken back', { skip: skipWithoutBrowser }, async (t) => {
  const { page, ids } = await openList(t, 'Quick', ['Rex']);
  await page.getByRole('button', { name: 'What to do with Rex' }).press('Enter');
  await page.getByRole('menuitemradio', { name: 'Adopted' }).waitFor();
  await checkAccessibility(page, 'The list with the menu of a pet');
  // From the first one, two further.
  for (const _ of [1, 2]) await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByText('Rex is now: Adopted.').waitFor();
  assert.match(await page.getByRole('article').innerText(), /Adopted/);
  assert.equal(await statusOf(ids.get('Rex')), 'sold');
  await page.keyboard.press('F8');
  await page.keyboard.press('Enter');
  await page.getByText('Rex is again: Available.').waitFor();
  assert.equal(await statusOf(ids.get('Rex')), 'available');
});

void test(
  'a status that is chosen while the one before it is under way comes after it, on the pet that it made',
  { skip: skipWithoutBrowser },
  async (t) => {
    const { page, visit, ids } = await openList(t, 'Twice', ['Rex']);
    const id = ids.get('Rex');
    // With its entity tag, as from its page, which shows what the list knows before the tag comes.
    const tagged = page.waitForResponse((response) => response.url().endsWith(`/v2/pet/${id}`));
    await page.getByRole('link', { name: /Rex/ }).click();
    await tagged;
    await visit.waitForQuiet();
    await page.getByRole('heading', { name: 'Rex' }).waitFor();
    await page.goBack();
    const sent: (string | undefined)[] = [];
    const held = Promise.withResolvers<void>();
    await page.route('**/v2/pet/*', async (route) => {
      if (route.request().method() === 'PATCH') {
        sent.push(
          await route
            .request()
            .headerValue('if-match')
            .then((value) => value ?? undefined),
        );
        if (sent.length === 1) await held.promise;
      }
      await route.continue();
    });
    const article = page.getByRole('article');
    for (const status of ['Adopted', 'Pending']) {
      await page.getByRole('button', { name: 'What to do with Rex' }).click();
      await page.getByRole('menuitemradio', { name: status }).click();
      await article.getByText(status).waitFor();
    }
    assert.equal(sent.length, 1, 'the second waits');
    held.resolve();
    await page.getByText('Rex is now: Pending.').waitFor();
    assert.match(await article.innerText(), /Pending/);
    assert.equal(await statusOf(id), 'pending');
    assert.equal(sent.length, 2);
    assert.ok(sent[0] !== undefined && sent[1] !== undefined && sent[0] !== sent[1], sent.join());
    assert.equal(await page.getByRole('alert').filter({ hasText: 'not changed' }).count(), 0);
  },
);

void test('a status that the service refuses is taken back by itself', { skip: skipWithoutBrowser }, async (t) => {
  const { page, visit, ids } = await openList(t, 'Refused', ['Rex']);
  visit.expect(/status of 404/);
  await page.route('**/v2/pet/*', async (route) => {
    // Somebody else is faster by a moment.
    await call('DELETE', `pet/${ids.get('Rex')}`, { headers: root });
    await route.continue();
  });
  await page.getByRole('button', { name: 'What to do with Rex' }).click();
  await page.getByRole('menuitemradio', { name: 'Pending' }).click();
  await page
    .getByRole('alert')
    .filter({ hasText: 'The status of Rex was not changed. It is not there any more.' })
    .waitFor();
  await page.getByRole('article').waitFor({ state: 'detached' });
});

void test(
  'many pets are changed at once; one that fails is named, the others can be undone',
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
    const report = page.getByRole('dialog', { name: 'Not everything worked' });
    await visit.moving(async () => {
      await chooseStatus(page, 'Adopted');
      await report.getByText('2 pets were changed, 1 was not:').waitFor();
      await page.getByRole('article').nth(2).waitFor({ state: 'detached' });
    });
    assert.match(await report.getByRole('listitem').innerText(), /Cleo\s+It is not there any more\./);
    await checkAccessibility(page, 'What a change of many pets did not do');
    assert.deepEqual([await statusOf(ids.get('Ada')), await statusOf(ids.get('Ben'))], ['sold', 'sold']);
    await report.getByRole('button', { name: 'Undo the 2 that were changed' }).click();
    await page.getByText('2 pets are what they were before.').waitFor();
    assert.deepEqual([await statusOf(ids.get('Ada')), await statusOf(ids.get('Ben'))], ['available', 'available']);
  },
);

void test('undoing leaves alone what others have changed since', { skip: skipWithoutBrowser }, async (t) => {
  const { page, ids } = await openList(t, 'Since', ['Ada', 'Ben', 'Cleo']);
  await page.getByRole('checkbox', { name: 'Select Ada' }).click();
  await page.getByRole('button', { name: 'Select all 3' }).click();
  await page.getByRole('button', { name: 'Tags', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Change tags' });
  await dialog.getByLabel('Add tags').fill('quiet');
  await page.keyboard.press('Enter');
  await dialog.getByRole('checkbox', { name: /^shy/ }).check();
  await checkAccessibility(page, 'The dialog of tags');
  await dialog.getByRole('button', { name: 'Change 3 pets' }).click();
  await page.getByText('The tags of 3 pets were changed.').waitFor();
  assert.deepEqual(await tagsOf(ids.get('Ada')), ['big', 'quiet']);
  await patchPet(call, ids.get('Ben') ?? '', { name: 'Benjamin' }, root);
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  const report = page.getByRole('dialog', { name: 'Not everything worked' });
  assert.match(await report.getByRole('listitem').innerText(), /Ben\s+This has changed meanwhile\./);
  assert.deepEqual(await tagsOf(ids.get('Ada')), ['big', 'shy']);
  assert.deepEqual(await tagsOf(ids.get('Ben')), ['big', 'quiet']);
});

void test('many pets are removed after a question, and brought back', { skip: skipWithoutBrowser }, async (t) => {
  const { page, visit, ids } = await openList(t, 'Removal', ['Ada', 'Ben', 'Cleo'], { width: 375, theme: 'dark' });

  await page.getByRole('button', { name: 'Select', exact: true }).click();
  for (const name of ['Ada', 'Ben']) await page.getByRole('checkbox', { name: `Select ${name}` }).click();
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await checkAccessibility(page, 'The question before pets are removed');
  await visit.moving(async () => {
    await page.getByRole('button', { name: 'Remove 2 pets' }).click();
    await page.getByText('2 pets were removed.').waitFor();
    await page.getByRole('article').nth(1).waitFor({ state: 'detached' });
    assert.equal((await call('GET', `pet/${ids.get('Ada')}`)).status, 404);
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await page.getByText('2 pets are what they were before.').waitFor();
    await page.getByRole('article').nth(2).waitFor();
  });
  assert.equal(await statusOf(ids.get('Ada')), 'available');
});

void test(
  'the focus is kept by what is done with many pets, and brought to the list when all are gone',
  { skip: skipWithoutBrowser },
  async (t) => {
    const { page, visit } = await openList(t, 'Focus', ['Ada', 'Ben', 'Cleo']);
    for (const name of ['Ada', 'Ben']) await page.getByRole('checkbox', { name: `Select ${name}` }).press('Space');
    await page.getByRole('button', { name: 'Status', exact: true }).press('Enter');
    await page.getByRole('menuitemradio', { name: 'Adopted' }).press('Enter');
    await page.getByText('The status of 2 pets was changed.').waitFor();
    await page.waitForFunction(() => document.activeElement?.closest('section')?.ariaLabel === 'Selected pets');
    await page.getByRole('button', { name: 'Remove', exact: true }).press('Enter');
    await visit.moving(async () => {
      await page.getByRole('button', { name: 'Remove 2 pets' }).press('Enter');
      await page.getByText('2 pets were removed.').waitFor();
      await page.getByRole('article').nth(1).waitFor({ state: 'detached' });
    });
    await page.waitForFunction(() => document.activeElement?.textContent === '1 pet');
  },
);

void test('a pet is removed by its menu, and the others stay selected', { skip: skipWithoutBrowser }, async (t) => {
  const { page, visit, ids } = await openList(t, 'Menu', ['Ada', 'Ben']);
  await page.getByRole('checkbox', { name: 'Select Ben' }).click();
  await page.getByRole('button', { name: 'What to do with Ada' }).click();
  await visit.moving(async () => {
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    await page.getByText('Ada was removed.').waitFor();
    await page.getByText('1 selected').waitFor();
    assert.equal((await call('GET', `pet/${ids.get('Ada')}`)).status, 404);
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await page.getByText('1 pet is what it was before.').waitFor();
    await page.getByRole('article').nth(1).waitFor();
  });
  assert.equal(await statusOf(ids.get('Ada')), 'available');
});

void test('what is selected before the bar for it is there stays selected', { skip: skipWithoutBrowser }, async (t) => {
  const bar = Promise.withResolvers<void>();
  const { page } = await openList(t, 'Early', ['Ada', 'Ben'], {}, async ({ page: opened }) => {
    await opened.route('**/selection-bar-*.js', async (route) => {
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

void test('another search is another selection', { skip: skipWithoutBrowser }, async (t) => {
  const { page } = await openList(t, 'Search', ['Ada', 'Ben', 'Cleo'], { width: 1440 });
  await page.getByRole('checkbox', { name: 'Select Ada' }).click();
  await page.getByText('1 selected').waitFor();
  await page.getByRole('checkbox', { name: /^Pending/ }).check();
  await page.getByText('1 selected').waitFor({ state: 'detached' });
  assert.equal(await page.getByRole('checkbox', { name: 'Select Cleo' }).isChecked(), false);
});

void test('visitors and viewers have nothing to select', { skip: skipWithoutBrowser }, async (t) => {
  const { page } = await openList(t, 'Viewers', ['Ada'], { signedInAs: 'vera' });
  assert.equal(await page.getByRole('checkbox', { name: 'Select Ada' }).count(), 0);
  assert.equal(await page.getByRole('link', { name: 'Removed pets' }).count(), 0);
});

interface List {
  page: Page;
  visit: Visit;
  ids: ReadonlyMap<string, string>;
}

/** Opens the list of a category, with these pets in their order: by name. */
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
  const visit = await openVisit(t, service, { signedInAs: 'edna', ...options });
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

async function readPet(id: string | undefined): Promise<{ status?: string; tags: { name: string }[] }> {
  const answer = await call('GET', `pet/${id}`);
  assert.equal(answer.status, 200, answer.text);
  return JSON.parse(answer.text);
}

async function statusOf(id: string | undefined): Promise<string | undefined> {
  return (await readPet(id)).status;
}

async function tagsOf(id: string | undefined): Promise<readonly string[]> {
  return (await readPet(id)).tags.map(({ name }) => name);
}

void test(
  'controls on cards: shown on hover and focus, on a telephone while pets are selected',
  { skip: skipWithoutBrowser },
  async (t) => {
    const { page } = await openList(t, 'Corner', ['Rex', 'Max']);
    const opacityOf = (name: string) =>
      page
        .getByRole('article')
        .filter({ hasText: name })
        .getByRole('checkbox')
        .evaluate((box) => getComputedStyle(box.closest('[class*=corner]') ?? box).opacity);
    await page.getByRole('heading', { level: 1 }).hover();
    await page.getByRole('checkbox', { name: 'Select Rex' }).waitFor();
    assert.deepEqual([await opacityOf('Rex'), await opacityOf('Max')], ['0', '0']);
    await page.getByRole('article').filter({ hasText: 'Rex' }).hover();
    assert.deepEqual([await opacityOf('Rex'), await opacityOf('Max')], ['1', '0']);
    await page.getByRole('button', { name: 'What to do with Max' }).focus();
    assert.equal(await opacityOf('Max'), '1');
    await page.getByRole('checkbox', { name: 'Select Rex' }).check();
    await page.getByRole('heading', { level: 1 }).hover();
    assert.deepEqual([await opacityOf('Rex'), await opacityOf('Max')], ['1', '1']);

    const telephone = await openVisit(t, service, { signedInAs: 'edna', width: 375 });
    await telephone.page.goto('/?category=Corner');
    const select = telephone.page.getByRole('button', { name: 'Select', exact: true });
    const boxes = telephone.page.getByRole('checkbox', { name: /^Select / });
    await select.waitFor();
    await telephone.page.getByRole('link', { name: 'Rex' }).waitFor();
    assert.equal(await boxes.count(), 0);
    await select.tap();
    await boxes.first().waitFor();
    await checkAccessibility(telephone.page, 'The list while pets are selected');
    await keepScreenshot(telephone.page, 'selecting 375');
    await boxes.first().tap();
    await telephone.page.getByText('1 selected').waitFor();
    await select.tap();
    await boxes.first().waitFor({ state: 'hidden' });
    assert.equal(await telephone.page.getByText('1 selected').count(), 0);
  },
);
