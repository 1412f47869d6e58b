import { chromium, type Browser } from 'playwright-core';
import { unpackChromium } from './chromium-folder.ts';

/** Prevents requests to other hosts, by pages or by the browser itself. */
export const CHROMIUM_ARGUMENTS = [
  // The tests may run as root, for whom Chromium has no sandbox. It opens only our pages.
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

/** Enough for a busy machine. */
const START_TIMEOUT_MS = 60_000;

/**
 * Starts the browser of the tests.
 *
 * @throws Error if it does not start, for example because a system library is missing
 */
export async function startChromium(): Promise<Browser> {
  const { executable, fonts } = await unpackChromium();
  return chromium.launch({
    executablePath: executable,
    env: { ...process.env, FONTCONFIG_PATH: fonts },
    args: CHROMIUM_ARGUMENTS,
    // With Playwright's flag, a pending fetch keeps a page out of the back/forward cache; without it, Chromium pauses
    // the fetch.
    ignoreDefaultArgs: ['--disable-back-forward-cache'],
    timeout: START_TIMEOUT_MS,
  });
}
