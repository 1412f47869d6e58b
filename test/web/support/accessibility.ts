import assert from 'node:assert/strict';
import axe from 'axe-core';
import type { Page } from 'playwright-core';

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/**
 * Checks the page by the rules of WCAG 2.2 AA and of good practice.
 *
 * @param name what is checked, for the message of a failure
 */
export async function checkAccessibility(page: Page, name: string): Promise<void> {
  await check(page, name, { type: 'tag', values: TAGS });
}

/** Checks what can differ between the themes. */
export async function checkContrast(page: Page, name: string): Promise<void> {
  await check(page, name, { type: 'rule', values: ['color-contrast', 'link-in-text-block'] });
}

async function check(page: Page, name: string, runOnly: { type: 'tag' | 'rule'; values: string[] }): Promise<void> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  // Passed rules are not reported: on a large page that takes longer than the check.
  const { violations } = await page.evaluate((options) => window.axe.run(options), {
    resultTypes: ['violations' as const],
    runOnly,
  });
  const told = violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, html, failureSummary = '' }) => {
      return `${id}: ${help}\n  ${target.join(' ')}  ${html.slice(0, 200)}\n  ${failureSummary.replaceAll('\n', '\n  ')}`;
    }),
  );
  if (told.length > 0) assert.fail(`${name} is not accessible to all:\n\n${told.join('\n\n')}`);
}

declare global {
  interface Window {
    /** In a page that has been checked. */
    axe: typeof axe;
  }
}
