import { chromium, type Browser } from 'playwright-core';
import { unpackChromium } from './chromium-folder.ts';

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

/** Starts the browser of the tests. @throws Error where it does not start, as when a library of the system is missing */
export async function startChromium(): Promise<Browser> {
  const { executable, fonts } = await unpackChromium();
  return chromium.launch({
    executablePath: executable,
    env: { ...process.env, FONTCONFIG_PATH: fonts },
    args: ARGUMENTS,
    // With Playwright's flag an open fetch keeps a page out of the back/forward cache; without it, Chromium pauses the fetch.
    ignoreDefaultArgs: ['--disable-back-forward-cache'],
    timeout: START_TIMEOUT_MS,
  });
}
