import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { waitFor } from './waiting.ts';

/** More key presses to reach a control would be unusable. */
const MAX_STEPS = 60;

/**
 * The focus outline may be drawn this many levels around the element: on its replacement, its label, or the card of a
 * link.
 */
const LEVELS_AROUND = 3;

/**
 * Presses Tab or Shift+Tab until the element has the focus.
 *
 * @throws AssertionError if it cannot be reached
 */
export async function tabTo(page: Page, goal: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  await goal.waitFor({ state: 'attached' });
  const passed: string[] = [];
  for (let step = 0; step < MAX_STEPS; step++) {
    await page.keyboard.press(key);
    if (await isFocused(goal)) return checkFocus(page, goal);
    passed.push(await describeFocus(page));
  }
  assert.fail(`${String(goal)} cannot be reached by keyboard; passed:\n  ${passed.join('\n  ')}`);
}

/**
 * Waits until the element has the focus, and checks that the focus is visible: on the screen, uncovered, with an
 * outline. A heading focused by script needs no outline, because it is not interactive.
 */
export async function checkFocus(page: Page, goal: Locator): Promise<void> {
  try {
    await waitFor(() => isFocused(goal), `the focus is at ${String(goal)}`);
  } catch (error) {
    assert.fail(`${String(error)} It is at: ${await describeFocus(page)}`);
  }
  let faults: readonly string[] = [];
  const isSeen = async () => (faults = await findFocusFaults(page)).length === 0;
  await waitFor(isSeen, 'the focus is visible').catch(() => undefined);
  assert.deepEqual(faults, [], `The focus at ${await describeFocus(page)} is not visible.`);
}

async function isFocused(goal: Locator): Promise<boolean> {
  if ((await goal.count()) !== 1) return false;
  return goal.evaluate((element) => element === document.activeElement);
}

export function describeFocus(page: Page): Promise<string> {
  return page.evaluate(() => {
    const { activeElement } = document;
    const clone = activeElement?.cloneNode(false) as Element | undefined;
    return `${clone?.outerHTML.slice(0, 160) ?? ''} ${activeElement?.textContent.slice(0, 40) ?? ''}`;
  });
}

/** Why the focus is not visible: off the screen, covered, or without an outline. */
export function findFocusFaults(page: Page): Promise<string[]> {
  return page.evaluate((levels) => {
    const { activeElement } = document;
    if (activeElement === null || activeElement === document.body) return ['nothing has the focus'];
    const around: Element[] = [activeElement];
    for (let next = activeElement.parentElement; next !== null && around.length <= levels; next = next.parentElement)
      around.push(next);
    const marked = [...around, ...(activeElement.parentElement?.children ?? [])].find((element) => {
      const { outlineStyle, outlineWidth } = getComputedStyle(element);
      return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2;
    });
    if (marked === undefined && activeElement.getAttribute('tabindex') !== '-1') return ['it has no outline'];
    const seen = marked ?? activeElement;
    const { left, right, top, bottom } = seen.getBoundingClientRect();
    const x = (Math.max(left, 0) + Math.min(right, innerWidth)) / 2;
    const y = (Math.max(top, 0) + Math.min(bottom, innerHeight)) / 2;
    const hit = document.elementFromPoint(x, y);
    if (hit === null || right <= 0 || bottom <= 0 || left >= innerWidth || top >= innerHeight)
      return ['it is not on the screen'];
    const isOwn = seen.contains(hit) || hit.contains(seen) || around.some((element) => hit === element);
    return isOwn ? [] : [`it is covered by ${(hit.cloneNode(false) as Element).outerHTML.slice(0, 160)}`];
  }, LEVELS_AROUND);
}
