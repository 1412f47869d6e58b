import type { BrowserContext, Page, Request } from 'playwright-core';

/** Waits until a page has all that it asked for and has shown it. */
export type WaitForQuiet = (page: Page) => Promise<void>;

/** Counts what is under way in this context. A stream of events has no end and is not waited for. */
export function watchTraffic(context: BrowserContext): WaitForQuiet {
  const underWay = new Set<Request>();
  context.on('request', (request) => {
    if (!/\/v2\/events\b/.test(request.url())) underWay.add(request);
  });
  context.on('requestfinished', (request) => underWay.delete(request));
  context.on('requestfailed', (request) => underWay.delete(request));
  return async (page) => {
    do {
      await page.waitForFunction(isShown);
      // An answer becomes a picture on the screen in the next two frames, and they may ask for more.
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    } while (underWay.size > 0 || !(await page.evaluate(isShown)));
  };
}

/** Runs in the browser: there is a heading, nothing says that it is being loaded, and the pictures and fonts on the screen are there. */
function isShown(): boolean {
  const pictures = [...document.images].filter((each) => {
    const { top, bottom } = each.getBoundingClientRect();
    return bottom > 0 && top < innerHeight && each.offsetParent !== null;
  });
  return (
    document.querySelector('h1') !== null &&
    document.querySelector('[aria-busy="true"]') === null &&
    document.fonts.status === 'loaded' &&
    pictures.every(({ complete }) => complete)
  );
}
