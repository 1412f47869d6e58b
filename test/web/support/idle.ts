import type { BrowserContext, Page, Request } from 'playwright-core';

const TIMEOUT_MS = 30_000;

/** Waits until a page has received all responses and rendered them. */
export type WaitForIdle = (page: Page) => Promise<void>;

/** Tracks the pending requests of the context, except event streams, which do not end. */
export function trackRequests(context: BrowserContext): WaitForIdle {
  const pending = new Set<Request>();
  context.on('request', (request) => {
    if (!/\/v2\/events\b/.test(request.url())) pending.add(request);
  });
  context.on('requestfinished', (request) => pending.delete(request));
  context.on('requestfailed', (request) => pending.delete(request));
  return async (page) => {
    const endMs = performance.now() + TIMEOUT_MS;
    do {
      if (performance.now() > endMs)
        throw new Error(`The page is not idle; pending: ${[...pending].map((request) => request.url()).join(', ')}`);
      await page.waitForFunction(isShown);
      // A response is rendered in the next two frames, which may send further requests.
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    } while (pending.size > 0 || !(await page.evaluate(isShown)));
  };
}

/** Runs in the browser: there is a heading, nothing is loading, and the visible photos and fonts are loaded. */
function isShown(): boolean {
  const photos = [...document.images].filter((each) => {
    const { top, bottom } = each.getBoundingClientRect();
    return bottom > 0 && top < innerHeight && each.offsetParent !== null;
  });
  return (
    document.querySelector('h1') !== null &&
    document.querySelector('[aria-busy="true"]') === null &&
    document.fonts.status === 'loaded' &&
    photos.every(({ complete }) => complete)
  );
}
