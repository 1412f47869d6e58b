import { AxeBuilder } from '@axe-core/playwright';
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/**
 * Looks the page over by the rules of WCAG 2.2 AA, and what is good practice beside.
 *
 * @param name what is being looked at, for who reads that it failed
 */
export async function checkAccessibility(page: Page, name: string): Promise<void> {
  // Without legacy mode it opens a page of its own for each check, for frames that we do not have.
  // Of what is as it should be nothing is kept: to write it all down takes a large page longer than to look at it.
  const builder = new AxeBuilder({ page }).options({ resultTypes: ['violations'] }).withTags(RULES);
  const { violations } = await builder.setLegacyMode(true).analyze();
  const told = violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, html, failureSummary = '' }) => {
      return `${id}: ${help}\n  ${target.join(' ')}  ${html.slice(0, 200)}\n  ${failureSummary.replaceAll('\n', '\n  ')}`;
    }),
  );
  if (told.length > 0) assert.fail(`${name} is not accessible to all:\n\n${told.join('\n\n')}`);
}
