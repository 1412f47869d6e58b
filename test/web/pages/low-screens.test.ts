import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { skipWithoutBrowser } from '../support/browser.ts';
import { describeFocus, findFocusFaults } from '../support/keyboard.ts';
import { checkWidth, startPages, USERS, visitPages } from '../support/pages.ts';
import { keepScreenshot } from '../support/screenshots.ts';
import { waitFor } from '../support/waiting.ts';
import { openVisit, type Visit } from '../support/visit.ts';

/*
 * Low screens: a zoom of 400 % (1280 x 1024 becomes 320 x 256, WCAG 2.2, 1.4.10) and a phone in landscape. Bars scroll
 * away there. On all screens, no bar covers what has the focus (2.4.11).
 */

const SCREENS = [
  { width: 320, height: 256 },
  { width: 640, height: 360 },
  { width: 375, height: 667 },
] as const;

/** Enough for all kinds of elements of a page. */
const FORWARD = 30;
const BACKWARD = 12;

const pages = await startPages({ after });
const options = { skip: skipWithoutBrowser };

for (const user of USERS)
  void test(`low screens, pages for ${user ?? 'anonymous users'}: no bar covers the focus`, options, (t) =>
    visitPages(t, pages, user, { width: 320, theme: 'light' }, async (visit, path) => {
      for (const screen of SCREENS) await checkScreen(visit, path, screen);
    }),
  );

void test('low screens: no bar covers the focus while pets are selected, or in a dialog', options, async (t) => {
  const visit = await openVisit(t, pages.service, { width: 640, height: 360, loggedInAs: 'edna' });
  const { page } = visit;
  await visit.openFollowing('/');
  await page
    .getByRole('checkbox', { name: /^Select/ })
    .first()
    .check({ force: true });
  const selection = page.getByRole('region', { name: 'Selected pets' });
  await selection.getByRole('button', { name: 'Tags' }).waitFor();
  for (const screen of SCREENS) await checkScreen(visit, 'selection', screen);
  await visit.expectShifts(() => selection.getByRole('button', { name: 'Tags' }).click());
  await page.getByRole('dialog').waitFor();
  for (const screen of SCREENS) await checkScreen(visit, 'dialog', screen);
});

interface Screen {
  width: number;
  height: number;
}

async function checkScreen(visit: Visit, path: string, { width, height }: Screen): Promise<void> {
  const name = `${path} at ${width} x ${height}`;
  const { page } = visit;
  await visit.expectShifts(async () => {
    await page.setViewportSize({ width, height });
    await checkWidth(page, name);
    await page.evaluate(() => scrollTo(0, 0));
    await keepScreenshot(page, `low ${name.replaceAll(/\W+/g, ' ').trim()}`);
    const faults: string[] = [];
    for (let step = 0; step < FORWARD + BACKWARD; step++) {
      await page.keyboard.press(step < FORWARD ? 'Tab' : 'Shift+Tab');
      if (await page.evaluate(() => document.activeElement === document.body)) continue;
      faults.push(...(await findCover(page)));
    }
    if (height < 400) faults.push(...(await findBars(page)));
    assert.deepEqual([...new Set(faults)], [], name);
  });
}

/** The page may scroll after the focus has moved. `keyboard.test.ts` checks the outlines. */
async function findCover(page: Page): Promise<string[]> {
  let faults: string[] = [];
  const isSeen = async () => {
    faults = (await findFocusFaults(page)).filter((fault) => fault !== 'it has no outline');
    return faults.length === 0;
  };
  await waitFor(isSeen, 'the focus is visible').catch(() => undefined);
  return Promise.all(faults.map(async (fault) => `${fault}: ${await describeFocus(page)}`));
}

/** @returns the bars that stay on the screen at the end of the page */
function findBars(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    scrollTo(0, document.documentElement.scrollHeight);
    return [...document.querySelectorAll<HTMLElement>('body *')]
      .filter((element) => /sticky|fixed/.test(getComputedStyle(element).position) && element.checkVisibility())
      .filter((element) => {
        const { top, bottom, width, height } = element.getBoundingClientRect();
        const isSeen = getComputedStyle(element).pointerEvents !== 'none' && !element.closest('dialog');
        return isSeen && width > innerWidth / 2 && height > 0 && bottom > 0 && top < innerHeight;
      })
      .map((element) => `stays on the screen: ${(element.cloneNode(false) as Element).outerHTML.slice(0, 160)}`);
  });
}
