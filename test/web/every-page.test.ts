import { after, test } from 'node:test';
import { checkAccessibility, checkContrast } from './support/accessibility.ts';
import { skipWithoutBrowser } from './support/browser.ts';
import { changeScreen, startPages, USERS, visitPages } from './support/pages.ts';

/*
 * Each page on a phone, in both themes. It is German: the longest words have the least space. `every-device.test.ts`
 * has the other screens.
 */

const pages = await startPages({ after });

const PHONE = { width: 375, theme: 'light', language: 'de' } as const;

for (const user of USERS)
  void test(
    `pages for ${user ?? 'anonymous users'}: structure, width, and accessibility in both themes`,
    { skip: skipWithoutBrowser },
    (t) =>
      visitPages(t, pages, user, PHONE, async (visit, page) => {
        await checkAccessibility(visit.page, `${page}, light`);
        await changeScreen(visit, page, { ...PHONE, theme: 'dark' });
        await checkContrast(visit.page, `${page}, dark`);
      }),
  );
