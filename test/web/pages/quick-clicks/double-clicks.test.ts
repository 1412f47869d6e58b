import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { skipWithoutBrowser } from '../../support/browser.ts';
import { DocsOperation } from '../../support/docs-page.ts';
import { pageButton } from '../../support/quick-clicks.ts';
import { addPet, startStaffedService } from '../../support/stock.ts';
import { openVisit, type Visit } from '../../support/visit.ts';

/*
 * A double click whose first click replaces the control. The second click is made after the page has rendered that, and
 * must not reach what has taken the place.
 */

const { service, call, root } = await startStaffedService({ after });
const options = { skip: skipWithoutBrowser };

interface Replacement {
  name: string;
  path: string;
  prepare?: (page: Page) => Promise<unknown>;
  control: (page: Page) => Locator;
  /** Appears in the place of the control. */
  opposite: (page: Page) => Locator;
}

/** The second click of a double click, in the same place as the first. */
async function clickAgain(page: Page): Promise<void> {
  await page.mouse.down({ clickCount: 2 });
  await page.mouse.up({ clickCount: 2 });
}

async function clickFirst(page: Page, control: Locator): Promise<void> {
  await control.scrollIntoViewIfNeeded();
  const { x, y, width, height } = (await control.boundingBox()) ?? assert.fail();
  await page.mouse.click(x + width / 2, y + height / 2);
}

async function checkReplacements(visit: Visit, replacements: readonly Replacement[]): Promise<void> {
  const { page } = visit;
  for (const { name, path, prepare, control, opposite } of replacements) {
    await visit.open(path);
    await visit.expectShifts(async () => {
      await prepare?.(page);
      await visit.waitForIdle();
      await clickFirst(page, control(page));
      await opposite(page).waitFor();
      await visit.waitForIdle();
      await clickAgain(page);
      await visit.waitForIdle();
    });
    assert.ok(await opposite(page).isVisible(), `${name}: the second click was ignored`);
  }
}

const button = (name: string) => (page: Page) => pageButton(page, name);

void test('double click: an action and its opposite, in each place', options, async (t) => {
  await addPet(call, { name: 'Luna', status: 'available' }, root);
  const json = { url: 'https://shelter.example.org/hooks/menagerie', events: ['account.deleted'] };
  const webhook = JSON.parse((await call('POST', 'admin/webhooks', { headers: root, json })).text) as { id: string };
  const visit = await openVisit(t, service, { loggedInAs: 'root' });
  await checkReplacements(visit, [
    { name: 'webhook', path: `/admin/webhooks/${webhook.id}`, control: button('Pause'), opposite: button('Resume') },
    { name: 'site', path: '/admin/listings/petfinder', control: button('Switch on'), opposite: button('Switch off') },
    {
      name: 'pet of a site',
      path: '/admin/listings/petfinder',
      control: button('Keep out: Luna'),
      opposite: button('Let in: Luna'),
    },
    {
      name: 'favourite',
      path: '/',
      control: (page) => page.getByRole('button', { name: 'Favourite: Luna', pressed: false }).first(),
      opposite: (page) => page.getByRole('button', { name: 'Favourite: Luna', pressed: true }).first(),
    },
    {
      name: 'dialog',
      path: '/admin/users/vera',
      control: button('Close account'),
      opposite: (page) => page.getByRole('dialog', { name: 'Close' }),
    },
    {
      name: 'link to a page',
      path: '/',
      control: (page) => page.getByRole('link', { name: 'Luna' }).first(),
      opposite: (page) => page.getByRole('heading', { name: 'Luna', level: 1 }),
    },
  ]);
});

void test('double click: an import is not cancelled', options, async (t) => {
  const visit = await openVisit(t, service, { loggedInAs: 'root' });
  const { page } = visit;
  await visit.open('/pets/transfer');
  const rows = Array.from({ length: 39 }, (_, at) => `Rex ${at}`).join('\n');
  const file = { name: 'pets.csv', mimeType: 'text/csv', buffer: Buffer.from(`name\n${rows}\n`) };
  const held = Promise.withResolvers<void>();
  await visit.expectShifts(async () => {
    await page.locator('input[type=file]').first().setInputFiles(file);
    const start = pageButton(page, 'Import 39 rows');
    await start.waitFor();
    await page.route('**/v2/bulk*', async (route) => {
      await held.promise;
      await route.continue();
    });
    await clickFirst(page, start);
    const { x, y, width, height } = (await pageButton(page, 'Cancel').boundingBox()) ?? assert.fail();
    // Wherever the layout puts it.
    await page.mouse.move(x + width / 2, y + height / 2);
    await clickAgain(page);
    held.resolve();
    await page.getByRole('heading', { name: 'Import finished' }).waitFor();
  });
});

void test('double click: the API page does not cancel what it starts', options, async (t) => {
  const visit = await openVisit(t, service);
  const { page } = visit;
  await visit.open('/docs');
  await visit.expectShifts(async () => {
    const { place } = await DocsOperation.open(page, 'getPetById');
    const opener = place.locator('.try-out__btn');
    const before = await opener.textContent();
    await clickFirst(page, opener);
    await opener.filter({ hasNotText: before ?? '' }).waitFor();
    await clickAgain(page);
    await page.evaluate(() => new Promise(requestAnimationFrame));
    assert.notEqual(await opener.textContent(), before);
  });
});

void test('double click: a control that stays the same gets both clicks', options, async (t) => {
  const visit = await openVisit(t, service, { loggedInAs: 'root' });
  const { page } = visit;
  await visit.open('/admin/users/vera');
  const editor = page.getByRole('radio', { name: 'Editor' });
  await editor.evaluate((element) => {
    element.addEventListener('click', () => element.setAttribute('data-clicks', `${element.dataset['clicks'] ?? ''}+`));
  });
  await editor.dblclick();
  assert.equal(await editor.getAttribute('data-clicks'), '++');
});

void test('double click: two taps on a phone, which does not count them', options, async (t) => {
  const rex = await addPet(call, { name: 'Rex', status: 'available' }, root);
  const visit = await openVisit(t, service, { width: 375 });
  const { page } = visit;
  await visit.open(`/pets/${rex}`);
  const heart = (pressed: boolean) => page.getByRole('button', { name: 'Rex', pressed }).first();
  await heart(false).scrollIntoViewIfNeeded();
  const tap = await tapsOn(visit, heart(false));
  await tap(0);
  await heart(true).waitFor();
  await tap(0.2);
  await visit.waitForIdle();
  assert.ok(await heart(true).isVisible(), 'the second tap was ignored');
  await tap(1);
  await heart(false).waitFor();
});

/** Taps whose times are given, independent of the speed of the machine. In seconds after now. */
async function tapsOn({ context, page }: Visit, control: Locator): Promise<(atSeconds: number) => Promise<void>> {
  const { x, y, width, height } = (await control.boundingBox()) ?? assert.fail();
  const point = { x: x + width / 2, y: y + height / 2 };
  const session = await context.newCDPSession(page);
  const startSeconds = Date.now() / 1000;
  return async (atSeconds) => {
    const timestamp = startSeconds + atSeconds;
    await session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [point], timestamp });
    await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [], timestamp });
  };
}
