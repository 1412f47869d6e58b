import type { Browser } from 'playwright-core';
import { atProcessEnd } from '../../support/shared-services.ts';
import { startChromium } from './chromium.ts';

/*
 * The browser of this test process. A file that imports this module has it started, or skips its tests where it does not start.
 */

/** CI wants no test left out. */
const IS_REQUIRED = process.env['MENAGERIE_TEST_BROWSER'] === 'required';

let browser: Browser | undefined;
let trouble: string | undefined;

try {
  browser = await startChromium();
} catch (error) {
  if (IS_REQUIRED) throw error;
  trouble = /error while loading shared libraries: \S+|.*/.exec(
    error instanceof Error ? error.message : String(error),
  )?.[0];
}

atProcessEnd('the browser', async () => browser?.close());

/** For `{ skip: skipWithoutBrowser }` of every test that needs it: why there is no browser on this machine, or false. */
export const skipWithoutBrowser: string | false =
  browser === undefined && `Chromium does not start on this machine: ${trouble ?? ''}`;

/** The browser of this test process. */
export function getBrowser(): Browser {
  if (browser === undefined) throw new Error('There is no browser; the test should have been skipped.');
  return browser;
}
