import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { clientOf } from '../../support/client.ts';
import { startTestService } from '../../support/service.ts';
import { checkAccessibility, checkContrast } from '../support/accessibility.ts';
import { skipWithoutBrowser } from '../support/browser.ts';
import { checkExactIntegers, DocsOperation } from '../support/docs-page.ts';
import { checkFocus, tabTo } from '../support/keyboard.ts';
import { checkWidth } from '../support/pages.ts';
import { keepScreenshot } from '../support/screenshots.ts';
import { openVisit, type Visit } from '../support/visit.ts';

/* The API page: its second document, on every screen, in both themes. */

void test('API page, Swagger 2.0: integers are shown and sent exactly', { skip: skipWithoutBrowser }, (t) =>
  checkExactIntegers(t, 'swagger'),
);

for (const document of ['openapi', 'swagger'])
  void test(
    `API page, ${document}.json: accessibility and width in both themes`,
    { skip: skipWithoutBrowser },
    async (t) => {
      const service = await startTestService(t, { web: true });
      await clientOf(service.base)('POST', 'pet', { json: { id: 1, name: 'Rex' } });
      const visit = await openVisit(t, service, { width: 375 });
      await visit.open(`/docs?document=${document}`);
      const { page } = visit;
      await page.locator('#operations-pet-getPetById').waitFor();
      await checkScreens(visit, `docs ${document}`);
      await visit.expectShifts(() => showStates(page));
      await checkScreens(visit, `docs ${document} expanded`);
      await page.locator('.btn.authorize').first().click();
      const dialog = page.getByRole('dialog', { name: 'Available authorizations' });
      await visit.expectShifts(async () => {
        const scheme = dialog.locator('form').last();
        await scheme.getByRole('textbox').fill('secret');
        await scheme.getByRole('button', { name: 'Authorize' }).click();
        await scheme.getByRole('button', { name: 'Logout' }).waitFor();
      });
      await checkScreens(visit, `docs ${document} credentials`);
      await dialog.getByRole('button', { name: 'Close' }).first().click();
      await dialog.waitFor({ state: 'detached' });
    },
  );

for (const width of [375, 1440])
  void test(`API page at ${width} px: usable with the keyboard`, { skip: skipWithoutBrowser }, async (t) => {
    const visit = await openVisit(t, await startTestService(t, { web: true }), { width });
    await visit.open('/docs');
    const { page } = visit;
    const authorize = page.locator('.btn.authorize').first();
    const dialog = page.getByRole('dialog', { name: 'Available authorizations' });
    await tabTo(page, authorize);
    await page.keyboard.press('Enter');
    const close = dialog.getByRole('button', { name: 'Close' });
    await checkFocus(page, close.first());
    // The controls behind it are not reachable: from the last one, the focus leaves the page.
    await tabTo(page, close.last());
    await page.keyboard.press('Tab');
    assert.equal(await authorize.evaluate((element) => element === document.activeElement), false);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await checkFocus(page, authorize);

    const place = page.locator('#operations-pet-updatePet');
    const summary = place.getByRole('button', { name: 'PUT /pet' }).first();
    await tabTo(page, summary);
    await visit.expectShifts(async () => {
      await page.keyboard.press('Enter');
      await place.getByRole('textbox', { name: 'Request body' }).waitFor();
      await checkFocus(page, summary);
      await tabTo(page, place.getByRole('textbox', { name: 'Request body' }));
      await tabTo(page, place.getByRole('button', { name: 'Execute' }));
      await tabTo(page, summary, 'Shift+Tab');
      await page.keyboard.press('Enter');
      await place.getByRole('textbox').waitFor({ state: 'detached' });
      await checkFocus(page, summary);
    });
  });

void test(
  'API page, sandbox access: requests go to a playground until the service is selected',
  { skip: skipWithoutBrowser },
  async (t) => {
    const service = await startTestService(t, { flags: ['--access=sandbox'], web: true });
    const call = clientOf(service.base);
    const visit = await openVisit(t, service);
    await visit.open('/docs');
    const { page } = visit;
    const target = page.locator('.docs-target');
    await target.filter({ hasText: 'a playground of your own' }).waitFor();
    const metrics = async () => (await call('GET', `${service.origin}/metrics`)).text;
    assert.match(await metrics(), /^menagerie_playgrounds_created_total 0$/m);
    await visit.expectShifts(async () => {
      const remove = await DocsOperation.open(page, 'deletePet');
      await remove.execute('"message": "1"');
      assert.equal((await call('GET', 'pet/1')).status, 200);
      const link = target.getByRole('link', { name: 'Open its pages' });
      const playground = new URL((await link.getAttribute('href')) ?? '').pathname;
      await checkAccessibility(page, 'docs with a playground');
      // The same playground, also after a reload.
      await page.reload();
      const get = await DocsOperation.open(page, 'getPetById');
      await get.execute('"message": "Pet not found"');
      assert.match(await metrics(), /^menagerie_playgrounds_created_total 1$/m);

      await page.locator('.servers select').selectOption({ label: `${service.base} - This service and its pets` });
      await target.filter({ hasText: 'go to this service' }).waitFor();
      await get.execute('"id": 1,');
      await keepScreenshot(page, 'docs playground');
      await visit.open(`${playground.replace(/\/$/, '')}/docs`);
      await page.locator('#operations-pet-getPetById').waitFor();
      await checkAccessibility(page, 'docs of a playground');
    });
    visit.expect(/404/);
  },
);

for (const [access, flags] of Object.entries({ open: [], playgrounds: ['--access=sandbox', '--max-playgrounds=0'] }))
  void test(`API page, ${access}: requests go to the service`, { skip: skipWithoutBrowser }, async (t) => {
    const visit = await openVisit(t, await startTestService(t, { flags: ['--empty', ...flags], web: true }));
    await visit.open('/docs');
    await visit.page.locator('.docs-target').filter({ hasText: 'go to this service' }).waitFor();
    const options = await visit.page.locator('.servers select option').allTextContents();
    assert.equal(options.length, access === 'open' ? 2 : 1, options.join('\n'));
  });

/** A deprecated operation, forms, schemas and a response. */
async function showStates(page: Page): Promise<void> {
  for (const id of ['findPetsByTags', 'updatePetWithForm', 'updatePet', 'uploadFile']) {
    const { place } = await DocsOperation.open(page, id);
    const schema = place.getByRole('tab', { name: /^(?:Schema|Model)$/ });
    await schema.first().click();
  }
  const get = await DocsOperation.open(page, 'getPetById');
  await get.fill('petId', '1');
  await get.execute('"id": 1,');
  await page.locator('.models :is(.json-schema-2020-12-accordion, .model-box-control)').first().click();
}

/** Checks what the page shows on each screen, and ends with the first screen in the light theme. */
async function checkScreens(visit: Visit, name: string): Promise<void> {
  const { page } = visit;
  await visit.expectShifts(async () => {
    for (const theme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme: theme });
      await page.locator(theme === 'dark' ? 'html.dark-mode' : 'html:not(.dark-mode)').waitFor({ state: 'attached' });
      for (const width of [320, 768, 1440, 375]) {
        await page.setViewportSize({ width, height: 800 });
        await checkWidth(page, `${name} ${theme}, ${width} px`);
        await keepScreenshot(page, `${name} ${width} ${theme}`);
        if (![375, 1440].includes(width)) continue;
        const check = theme === 'light' ? checkAccessibility : checkContrast;
        await check(page, `${name} ${theme}, ${width} px`);
      }
    }
  });
}
