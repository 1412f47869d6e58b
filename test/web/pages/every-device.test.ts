import { after, test } from 'node:test';
import { checkAccessibility } from '../support/accessibility.ts';
import { skipWithoutBrowser } from '../support/browser.ts';
import { changeScreen, startPages, USERS, visitPages } from '../support/pages.ts';

/*
 * Each page on large screens and on the smallest one. `every-page.test.ts` has the usual phone, and contrast in both
 * themes.
 */

const pages = await startPages({ after });

for (const user of USERS) {
  const whose = `pages for ${user ?? 'anonymous users'}`;

  void test(
    `${whose}, at 1440 px: structure, accessibility, and width after a resize`,
    { skip: skipWithoutBrowser },
    (t) =>
      visitPages(t, pages, user, { width: 1440, theme: 'light' }, async (visit, page) => {
        await checkAccessibility(visit.page, `${page} at 1440 px`);
        for (const width of [768, 2560]) await changeScreen(visit, page, { width, theme: 'dark' });
      }),
  );

  void test(`${whose}, at 320 px: structure and width`, { skip: skipWithoutBrowser }, (t) =>
    visitPages(t, pages, user, { width: 320, theme: 'dark', language: 'de' }, async () => {}),
  );
}
