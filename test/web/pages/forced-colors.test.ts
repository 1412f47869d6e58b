import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { skipWithoutBrowser } from '../support/browser.ts';
import { startPages, USERS, visitPages } from '../support/pages.ts';
import { keepScreenshot } from '../support/screenshots.ts';
import { openVisit } from '../support/visit.ts';

/*
 * With the colours of the system (`forced-colors: active`), backgrounds and shadows of pages are not shown. What is
 * selected must differ in another way.
 */

const pages = await startPages({ after });
const options = { skip: skipWithoutBrowser };

for (const user of USERS)
  void test(`forced colours, pages for ${user ?? 'anonymous users'}: selected elements are visible`, options, (t) =>
    visitPages(t, pages, user, { width: 1440, theme: 'light' }, async ({ page }, path) => {
      await checkSelected(page, path);
      const current = await page
        .locator('main a[aria-current]:not(nav a)')
        .evaluateAll((links) => links.map((link) => link.outerHTML));
      assert.deepEqual(current, [], `${path}: links to other pages are not the current one`);
    }),
  );

for (const width of [375, 1440])
  void test(`forced colours at ${width} px: filters, photos and selected pets are visible`, options, async (t) => {
    const visit = await openVisit(t, pages.service, { width, loggedInAs: 'edna' });
    const { page } = visit;
    await visit.open('/?category=Cats&tag=calm&status=pending');
    await page.getByRole('link', { name: 'Luna Lovegood' }).first().waitFor();
    await visit.waitForIdle();
    if (width === 375) await page.getByRole('button', { name: 'Select', exact: true }).click();
    assert.ok((await checkSelected(page, `filters at ${width} px`)) >= 2);
    await page.getByRole('link', { name: 'Luna Lovegood' }).first().click();
    // The first photo, and the status in the panel of staff.
    await page.locator('main button[aria-current="true"]').waitFor();
    await page.locator('main input:checked').waitFor();
    assert.ok((await checkSelected(page, `photos at ${width} px`)) >= 2);
  });

/** @returns the number of selected elements */
async function checkSelected(page: Page, name: string): Promise<number> {
  await page.emulateMedia({ forcedColors: 'active' });
  await keepScreenshot(page, `forced colours ${name.replaceAll(/\W+/g, ' ').trim() || 'catalogue'}`);
  const { count, hidden } = await page.evaluate(findHiddenSelection);
  await page.emulateMedia({ forcedColors: 'none' });
  assert.deepEqual(hidden, [], `${name}: selected elements look like the others`);
  return count;
}

/** Runs in the browser: elements that look the same when they are not selected. */
function findHiddenSelection(): { count: number; hidden: string[] } {
  const marks = ['aria-pressed', 'aria-selected', 'aria-checked', 'aria-current', 'data-chosen'];
  const selected = [
    ...document.querySelectorAll<HTMLElement>(`input:checked, ${marks.map((mark) => `[${mark}]`).join()}`),
  ]
    .filter((element) => element.checkVisibility())
    .filter((element) => !marks.some((mark) => element.getAttribute(mark) === 'false'));
  // Shadows and other backgrounds of pages are not shown.
  const looks = ['border-width', 'border-color', 'outline', 'background-color', 'text-decoration'];

  const isHidden = (element: HTMLElement) => {
    const isInput = element instanceof HTMLInputElement;
    // Checkboxes and radio buttons of the browser show their state.
    if (isInput && getComputedStyle(element).opacity === '1' && element.offsetWidth > 9) return false;
    const style = getComputedStyle(element.closest('label') ?? element);
    const readLook = () => looks.map((look) => style.getPropertyValue(look)).join();
    const selectedLook = readLook();
    const before = marks.map((mark) => [mark, element.getAttribute(mark)] as const);
    for (const mark of marks) element.removeAttribute(mark);
    if (isInput) element.checked = false;
    const isSame = readLook() === selectedLook;
    for (const [mark, value] of before) if (value !== null) element.setAttribute(mark, value);
    if (isInput) element.checked = true;
    return isSame;
  };

  return {
    count: selected.length,
    hidden: selected.filter(isHidden).map((element) => element.outerHTML.slice(0, 200)),
  };
}
