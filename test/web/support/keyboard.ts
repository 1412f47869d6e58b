import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { waitFor } from './waiting.ts';

/** Nobody presses a key more often to come to something. */
const MOST_STEPS = 60;

/** How far from an element its outline may be drawn: on what is shown instead of it, around its label, or around the card whose link it is. */
const LEVELS_AROUND = 3;

/** Goes on with Tab, or back with Shift+Tab, until it is there. @throws AssertionError where it cannot be come to */
export async function tabTo(page: Page, goal: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  await goal.waitFor({ state: 'attached' });
  const passed: string[] = [];
  for (let step = 0; step < MOST_STEPS; step++) {
    await page.keyboard.press(key);
    if (await isFocused(goal)) return checkFocus(page, goal);
    passed.push(await tellFocus(page));
  }
  assert.fail(`No way by keyboard to ${String(goal)}; passed:\n  ${passed.join('\n  ')}`);
}

/**
 * Waits until the focus is there, and looks whether somebody would see it: on the screen, uncovered, with an outline. A heading that the focus was
 * brought to needs none, as nobody can do anything with it.
 */
export async function checkFocus(page: Page, goal: Locator): Promise<void> {
  try {
    await waitFor(() => isFocused(goal), `the focus is at ${String(goal)}`);
  } catch (error) {
    assert.fail(`${String(error)} It is at: ${await tellFocus(page)}`);
  }
  let faults: readonly string[] = [];
  const isSeen = async () => (faults = await findFocusFaults(page)).length === 0;
  await waitFor(isSeen, 'the focus is seen').catch(() => undefined);
  assert.deepEqual(faults, [], `The focus at ${await tellFocus(page)} is not seen.`);
}

async function isFocused(goal: Locator): Promise<boolean> {
  if ((await goal.count()) !== 1) return false;
  return goal.evaluate((element) => element === document.activeElement);
}

function tellFocus(page: Page): Promise<string> {
  return page.evaluate(() => {
    const { activeElement } = document;
    const clone = activeElement?.cloneNode(false) as Element | undefined;
    return `${clone?.outerHTML.slice(0, 160) ?? ''} ${activeElement?.textContent.slice(0, 40) ?? ''}`;
  });
}

function findFocusFaults(page: Page): Promise<string[]> {
  return page.evaluate((levels) => {
    const { activeElement } = document;
    if (activeElement === null || activeElement === document.body) return ['nothing has it'];
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
