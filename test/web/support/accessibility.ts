import assert from 'node:assert/strict';
import axe from 'axe-core';
import type { Page } from 'playwright-core';

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/**
 * Checks the page against the rules of WCAG 2.2 AA and best practices.
 *
 * @param name of the page, for error messages
 */
export async function checkAccessibility(page: Page, name: string): Promise<void> {
  await check(page, name, { type: 'tag', values: TAGS });
}

/** Checks the rules whose result may depend on the theme. */
export async function checkContrast(page: Page, name: string): Promise<void> {
  await check(page, name, { type: 'rule', values: ['color-contrast', 'link-in-text-block'] });
}

async function check(page: Page, name: string, runOnly: { type: 'tag' | 'rule'; values: string[] }): Promise<void> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  // Passed rules are not reported: on a large page, that takes longer than the check.
  const { violations } = await page.evaluate((options) => window.axe.run(options), {
    resultTypes: ['violations' as const],
    // The pages in frames have tests of their own. In a sandbox, axe could not reach them.
    iframes: false,
    runOnly,
  });
  const messages = violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, html, failureSummary = '' }) => {
      return `${id}: ${help}\n  ${target.join(' ')}  ${html.slice(0, 200)}\n  ${failureSummary.replaceAll('\n', '\n  ')}`;
    }),
  );
  if (messages.length > 0) assert.fail(`${name} is not accessible:\n\n${messages.join('\n\n')}`);
}

declare global {
  interface Window {
    /** Set after the first check of a page. */
    axe: typeof axe;
  }
}
