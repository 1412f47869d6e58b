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
