import type { Browser } from 'playwright-core';
import { atProcessEnd } from '../../support/shared-services.ts';
import { startChromium } from './chromium.ts';

/*
 * The browser of this test process. A file that imports this module starts it, or skips its tests if it does not start.
 */

/** In CI, no test may be skipped. */
const IS_REQUIRED = process.env['MENAGERIE_TEST_BROWSER'] === 'required';

let browser: Browser | undefined;
let startError: string | undefined;

try {
  browser = await startChromium();
} catch (error) {
  if (IS_REQUIRED) throw error;
  startError = /error while loading shared libraries: \S+|.*/.exec(
    error instanceof Error ? error.message : String(error),
  )?.[0];
}

atProcessEnd('the browser', async () => browser?.close());

/** Why there is no browser on this machine, or false. For the option `skip` of every test that needs one. */
export const skipWithoutBrowser: string | false =
  browser === undefined && `Chromium does not start on this machine: ${startError ?? ''}`;

/** The browser of this test process. */
export function getBrowser(): Browser {
  if (browser === undefined) throw new Error('No browser: the test should have been skipped.');
  return browser;
}
