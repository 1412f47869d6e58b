import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { PAGE_PATHS, type PagePath } from '../../src/contract/web/page-addresses.ts';
import { bearer, logIn, startSecuredService } from '../support/secured.ts';
import { checkAccessibility } from './support/accessibility.ts';
import { skipWithoutBrowser } from './support/browser.ts';
import { keepScreenshot } from './support/screenshots.ts';
import { addManyPets, patchPet, stockShelter } from './support/stock.ts';
import { openVisit, type Visit, type VisitOptions } from './support/visit.ts';

/*
 * What goes for each page: all of WCAG that a machine can see in both themes, one heading above all others, landmarks, a title, nothing that jumps, complains or is
 * wider than the screen, from 320 to 2,560 px.
 */

const service = await startSecuredService({ after }, { web: true });
const { call } = service;
const root = bearer(await logIn(call, 'root'));
const ids = await stockShelter(call, root);
await patchPet(call, ids['Luna'] ?? '', { name: 'Luna Lovegood' }, root);
await patchPet(call, ids['Luna'] ?? '', { status: 'pending', tags: [{ name: 'calm' }] }, root);
await call('DELETE', `pet/${ids['Pepper'] ?? ''}`, { headers: root });
await addManyPets(call, 60, root);

/** Where a path has parameters, and for whom a page is. The others are for everybody. */
const PLACES: Readonly<Partial<Record<PagePath, { path?: string; as?: string }>>> = {
  '/pets/new': { as: 'edna' },
  '/pets/removed': { as: 'edna' },
  '/pets/$petId': { path: `/pets/${ids['Luna']}` },
  '/pets/$petId/edit': { path: `/pets/${ids['Luna']}/edit`, as: 'edna' },
  '/pets/$petId/history': { path: `/pets/${ids['Luna']}/history`, as: 'edna' },
  '/pets/$petId/card': { path: `/pets/${ids['Luna']}/card` },
  '/account': { as: 'edna' },
  '/admin/users': { as: 'root' },
  '/admin/users/$username': { path: '/admin/users/edna', as: 'root' },
  '/admin/audit': { as: 'root' },
};

/** Each width in one theme as it is loaded; the other theme is put on afterwards, as the footer does. The longest words have the least room. */
const SCREENS: readonly { width: number; theme: 'light' | 'dark'; language?: 'de'; isLookedOver: boolean }[] = [
  { width: 320, theme: 'dark', language: 'de', isLookedOver: false },
  { width: 375, theme: 'light', isLookedOver: true },
  { width: 768, theme: 'dark', isLookedOver: false },
  { width: 1440, theme: 'light', isLookedOver: true },
  { width: 2560, theme: 'dark', isLookedOver: false },
];

for (const screen of SCREENS)
  for (const who of [undefined, 'edna', 'root'] as const)
    void test(`pages of ${who ?? 'everybody'} at ${screen.width} px`, { skip: skipWithoutBrowser }, async (t) => {
      const { width, theme, language = 'en' } = screen;
      const options: VisitOptions = { width, theme, language };
      const visit = await openVisit(t, service, who === undefined ? options : { ...options, signedInAs: who });
      const faults: string[] = [];
      for (const page of PAGE_PATHS)
        if (PLACES[page]?.as === who)
          await lookAt(visit, page, screen).catch((error: Error) => faults.push(error.message));
      if (faults.length > 0) assert.fail(faults.join('\n\n'));
    });

async function lookAt(visit: Visit, page: PagePath, { width, theme, isLookedOver }: (typeof SCREENS)[number]) {
  const name = `${page.slice(1).replaceAll(/[$/]+/g, '-') || 'catalogue'} ${width}`;
  await visit.open(PLACES[page]?.path ?? page);
  await visit.waitForQuiet();
  // Plots are drawn once the page rests.
  if (page === '/dashboard') await visit.page.locator('.recharts-surface').first().waitFor();
  await checkStructure(visit.page, `${page} at ${width} px`);
  await keepScreenshot(visit.page, `${name} ${theme}`);
  if (!isLookedOver) return;
  await checkAccessibility(visit.page, `${page} at ${width} px, ${theme}`);
  const other = theme === 'light' ? 'dark' : 'light';
  await visit.page.emulateMedia({ colorScheme: other });
  await visit.waitForQuiet();
  await checkAccessibility(visit.page, `${page} at ${width} px, ${other}`);
  await keepScreenshot(visit.page, `${name} ${other}`);
  await visit.page.emulateMedia({ colorScheme: theme });
}

async function checkStructure(page: Page, name: string): Promise<void> {
  assert.equal(await page.getByRole('heading', { level: 1 }).count(), 1, `${name}: one heading above all others`);
  for (const landmark of ['main', 'navigation', 'contentinfo'] as const)
    assert.ok((await page.getByRole(landmark).count()) > 0, `${name}: no ${landmark}`);
  assert.match(await page.title(), /\S - Menagerie$/, `${name}: a title of its own`);
  const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.ok(wider <= 0, `${name}: ${wider} px wider than the screen`);
}
