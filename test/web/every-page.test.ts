import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { PAGE_PATHS, type PagePath } from '../../src/api/web/page-addresses.ts';
import { bearer, logIn, startSecuredService } from '../support/secured.ts';
import { checkAccessibility, checkContrast } from './support/accessibility.ts';
import { skipWithoutBrowser } from './support/browser.ts';
import { keepScreenshot } from './support/screenshots.ts';
import { addManyPets, patchPet, addShelter } from './support/stock.ts';
import { openVisit, type Visit, type VisitOptions } from './support/visit.ts';

/*
 * Checks of each page: the WCAG rules that can be automated in both themes, one top-level heading, landmarks, a title,
 * no layout shifts, no console messages, and no horizontal overflow, from 320 to 2,560 px.
 */

const service = await startSecuredService({ after }, { web: true });
const { call } = service;
const root = bearer(await logIn(call, 'root'));
const ids = await addShelter(call, root);
await patchPet(call, ids['Luna'] ?? '', { name: 'Luna Lovegood' }, root);
await patchPet(call, ids['Luna'] ?? '', { status: 'pending', tags: [{ name: 'calm' }] }, root);
await call('DELETE', `pet/${ids['Pepper'] ?? ''}`, { headers: root });
await addManyPets(call, 60, root);

const HEIGHT = 900;

/** The parameters of a path, and the user of a page. Other pages are visited anonymously. */
const PLACES: Readonly<Partial<Record<PagePath, { path?: string; as?: string }>>> = {
  '/pets/new': { as: 'edna' },
  '/pets/deleted': { as: 'edna' },
  '/pets/transfer': { as: 'root' },
  '/pets/$petId': { path: `/pets/${ids['Luna']}` },
  '/pets/$petId/edit': { path: `/pets/${ids['Luna']}/edit`, as: 'edna' },
  '/pets/$petId/history': { path: `/pets/${ids['Luna']}/history`, as: 'edna' },
  '/pets/$petId/card': { path: `/pets/${ids['Luna']}/card` },
  '/account': { as: 'edna' },
  '/admin/users': { as: 'root' },
  '/admin/users/$username': { path: '/admin/users/edna', as: 'root' },
  '/admin/audit': { as: 'root' },
  '/admin/health': { as: 'root' },
  '/admin/backups': { as: 'root' },
  '/admin/system': { as: 'root' },
  '/admin/webhooks': { as: 'root' },
  '/admin/webhooks/$webhookId': { path: `/admin/webhooks/${await addWebhook()}`, as: 'root' },
};

interface Screen {
  width: number;
  theme: 'light' | 'dark';
}

/**
 * Each page is loaded once on a phone and once on a large screen, checked for accessibility in both themes, and then
 * resized. The phone is German: the longest words have the least space.
 */
const DEVICES: readonly { language: 'en' | 'de'; loaded: Screen; resized: readonly Screen[] }[] = [
  { language: 'de', loaded: { width: 375, theme: 'light' }, resized: [{ width: 320, theme: 'dark' }] },
  {
    language: 'en',
    loaded: { width: 1440, theme: 'light' },
    resized: [
      { width: 768, theme: 'dark' },
      { width: 2560, theme: 'dark' },
    ],
  },
];

for (const { language, loaded, resized } of DEVICES)
  for (const who of [undefined, 'edna', 'root'] as const)
    void test(
      `pages for ${who ?? 'anonymous users'}, loaded at ${loaded.width} px: structure, accessibility, width`,
      { skip: skipWithoutBrowser },
      async (t) => {
        const options: VisitOptions = { ...loaded, language };
        const visit = await openVisit(t, service, who === undefined ? options : { ...options, loggedInAs: who });
        const faults: string[] = [];
        for (const page of PAGE_PATHS)
          if (PLACES[page]?.as === who)
            await checkPage(visit, page, loaded, resized).catch((error: Error) => faults.push(error.message));
        if (faults.length > 0) assert.fail(faults.join('\n\n'));
      },
    );

/** A webhook that sends nothing in these tests. @returns its ID */
async function addWebhook(): Promise<string> {
  const json = { url: 'https://shelter.example.org/hooks/menagerie', events: ['account.deleted'] };
  const { text } = await call('POST', 'admin/webhooks', { headers: root, json });
  return (JSON.parse(text) as { id: string }).id;
}

async function checkPage(visit: Visit, page: PagePath, loaded: Screen, resized: readonly Screen[]): Promise<void> {
  await visit.page.setViewportSize({ width: loaded.width, height: HEIGHT });
  await visit.page.emulateMedia({ colorScheme: loaded.theme });
  await visit.open(PLACES[page]?.path ?? page);
  await checkScreen(visit, page, loaded);
  await checkAccessibility(visit.page, `${page} at ${loaded.width} px, ${loaded.theme}`);
  for (const theme of ['dark', 'light'] as const) {
    if (theme === loaded.theme) continue;
    await visit.page.emulateMedia({ colorScheme: theme });
    await checkScreen(visit, page, { width: loaded.width, theme });
    await checkContrast(visit.page, `${page} at ${loaded.width} px, ${theme}`);
  }
  for (const screen of resized)
    await visit.expectShifts(async () => {
      await visit.page.setViewportSize({ width: screen.width, height: HEIGHT });
      await visit.page.emulateMedia({ colorScheme: screen.theme });
      await checkScreen(visit, page, screen);
    });
}

async function checkScreen(visit: Visit, page: PagePath, { width, theme }: Screen): Promise<void> {
  await visit.waitForIdle();
  // Plots are drawn when the page is idle.
  if (page === '/dashboard') await visit.page.locator('.recharts-surface').first().waitFor();
  await checkStructure(visit.page, `${page} at ${width} px`);
  await keepScreenshot(visit.page, `${page.slice(1).replaceAll(/[$/]+/g, '-') || 'catalogue'} ${width} ${theme}`);
}

async function checkStructure(page: Page, name: string): Promise<void> {
  assert.equal(await page.getByRole('heading', { level: 1 }).count(), 1, `${name}: one heading above all others`);
  for (const landmark of ['main', 'navigation', 'contentinfo'] as const)
    assert.ok((await page.getByRole(landmark).count()) > 0, `${name}: no ${landmark}`);
  assert.match(await page.title(), /\S - Menagerie$/, `${name}: a title of its own`);
  const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.ok(wider <= 0, `${name}: ${wider} px wider than the screen`);
}
