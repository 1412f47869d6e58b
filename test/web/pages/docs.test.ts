import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { clientOf } from '../../support/client.ts';
import { startTestService } from '../../support/service.ts';
import { checkContrast } from '../support/accessibility.ts';
import { skipWithoutBrowser } from '../support/browser.ts';
import { checkExactIntegers, DocsOperation } from '../support/docs-page.ts';
import { checkWidth } from '../support/pages.ts';
import { keepScreenshot } from '../support/screenshots.ts';
import { openVisit } from '../support/visit.ts';

/* The API page: its second document, on every screen, in both themes. */

void test('API page, Swagger 2.0: integers are shown and sent exactly', { skip: skipWithoutBrowser }, (t) =>
  checkExactIntegers(t, 'swagger'),
);

for (const document of ['openapi', 'swagger'])
  void test(
    `API page, ${document}.json: width and contrast in both themes`,
    { skip: skipWithoutBrowser },
    async (t) => {
      const service = await startTestService(t, { web: true });
      await clientOf(service.base)('POST', 'pet', { json: { id: 1, name: 'Rex' } });
      const visit = await openVisit(t, service, { width: 375 });
      await visit.open(`/docs?document=${document}`);
      const { page } = visit;
      await visit.expectShifts(() => showStates(page));
      for (const theme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme: theme });
        await page.locator(theme === 'dark' ? 'html.dark-mode' : 'html:not(.dark-mode)').waitFor();
        await checkContrast(page, `${document}, ${theme}`);
        await page.locator('.btn.authorize').first().click();
        await checkContrast(page, `credentials, ${theme}`);
        await checkWidth(page, `credentials, ${theme}`);
        await page.locator('.close-modal').click();
        await visit.expectShifts(() => checkWidths(page, `${document} ${theme}`));
      }
    },
  );

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
      await target.getByRole('link', { name: 'Open its pages' }).waitFor();
      // The same playground, also after a reload.
      await page.reload();
      const get = await DocsOperation.open(page, 'getPetById');
      await get.execute('"message": "Pet not found"');
      assert.match(await metrics(), /^menagerie_playgrounds_created_total 1$/m);

      await page.locator('.servers select').selectOption({ label: `${service.base} - This service and its pets` });
      await target.filter({ hasText: 'go to this service' }).waitFor();
      await get.execute('"id": 1,');
    });
    visit.expect(/404/);
    await keepScreenshot(page, 'docs playground');
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

/** A deprecated operation, a form, schemas and a response. */
async function showStates(page: Page): Promise<void> {
  for (const id of ['findPetsByTags', 'updatePetWithForm', 'updatePet']) {
    const { place } = await DocsOperation.open(page, id);
    const schema = place.getByRole('tab', { name: /^(?:Schema|Model)$/ });
    await schema.first().click();
  }
  const get = await DocsOperation.open(page, 'getPetById');
  await get.fill('petId', '1');
  await get.execute('"id": 1,');
}

async function checkWidths(page: Page, name: string): Promise<void> {
  for (const width of [320, 768, 1440, 375]) {
    await page.setViewportSize({ width, height: 800 });
    await checkWidth(page, `${name}, ${width} px`);
    await keepScreenshot(page, `docs ${name} ${width}`);
  }
}
