import { after } from 'node:test';
import { chromium, type Browser } from 'playwright-core';
import { unpackChromium } from './chromium-folder.ts';

/*
 * One browser for a test file. Whoever imports this has it started, and closed at the end.
 */

/** CI wants no test left out. */
const IS_REQUIRED = process.env['MENAGERIE_TEST_BROWSER'] === 'required';

/** It asks nobody anything, wherever a page or the browser itself would like to. */
const ARGUMENTS = [
  // The tests may run as root, whom Chromium gives no sandbox. It sees no pages but ours.
  '--no-sandbox',
  '--no-zygote',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-domain-reliability',
  '--no-pings',
  '--font-render-hinting=none',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
];

/** On a busy machine. */
const START_TIMEOUT_MS = 60_000;

let browser: Browser | undefined;
let trouble: string | undefined;

try {
  const { executable, fonts } = await unpackChromium();
  browser = await chromium.launch({
    executablePath: executable,
    env: { ...process.env, FONTCONFIG_PATH: fonts },
    args: ARGUMENTS,
    timeout: START_TIMEOUT_MS,
  });
} catch (error) {
  if (IS_REQUIRED) throw error;
  trouble = /error while loading shared libraries: \S+|.*/.exec(
    error instanceof Error ? error.message : String(error),
  )?.[0];
}

after(() => browser?.close());

/** For `{ skip: skipWithoutBrowser }` of every test that needs it: why there is no browser on this machine, or false. */
export const skipWithoutBrowser: string | false =
  browser === undefined && `Chromium does not start on this machine: ${trouble ?? ''}`;

/** The browser of this test file. */
export function getBrowser(): Browser {
  if (browser === undefined) throw new Error('There is no browser; the test should have been skipped.');
  return browser;
}
