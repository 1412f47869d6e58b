import { setTimeout as delay } from 'node:timers/promises';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { SLOW } from '../../test/web/support/network.ts';

export interface ShownPhoto {
  type: string;
  body: Buffer;
  /** Encoded bytes, with headers. */
  bytes: number;
  /** In CSS pixels. */
  width: number;
}

export interface Load {
  /** From the start of the navigation until the largest photo is shown. */
  shownMs: number;
  /** Of all responses that were complete by then. */
  bytes: number;
  /** The same, by path. */
  responses: ReadonlyMap<string, number>;
  photo: ShownPhoto;
}

interface Response {
  url: string;
  bytes: number;
  /** Since the request for the page. */
  atMs: number;
}

/** Longer than any page takes at this rate. */
const TIMEOUT_MS = 60_000;

const POLL_MS = 200;

/** The largest photo is final if nothing larger is shown in this time after everything has loaded. */
const SETTLED_MS = 1000;

/** Runs in the browser. As text, because this folder is compiled without the types of browsers. */
const WATCH = `
  window.photos = [];
  new PerformanceObserver((list) => {
    for (const { url, startTime, element } of list.getEntries())
      if (url !== '') photos.push({ url, atMs: startTime, width: element?.clientWidth ?? 0 });
  }).observe({ type: 'largest-contentful-paint', buffered: true });
`;

const IS_SETTLED = `
  photos.length > 0 && performance.now() - photos.at(-1).atMs > ${SETTLED_MS} &&
    [...document.images].every((each) => each.complete || each.getBoundingClientRect().top > innerHeight)
`;

/**
 * Loads a page like a phone with an empty cache on a slow connection.
 * @throws Error if the largest element is not a photo
 */
export async function loadPage(browser: Browser, url: string): Promise<Load> {
  const context = await browser.newContext({
    viewport: { width: 412, height: 823 },
    deviceScaleFactor: 1.75,
    isMobile: true,
    hasTouch: true,
  });
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(TIMEOUT_MS);
    await page.addInitScript(WATCH);
    const session = await context.newCDPSession(page);
    const responses = await watchResponses(session);
    await session.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: SLOW.latencyMs,
      downloadThroughput: SLOW.bytesPerSecond,
      uploadThroughput: SLOW.bytesPerSecond,
    });
    await page.goto(url, { waitUntil: 'load' });
    return await readLoad(page, responses);
  } finally {
    await context.close();
  }
}

async function watchResponses(session: CDPSession): Promise<readonly Response[]> {
  const responses: Response[] = [];
  const urls = new Map<string, string>();
  let startedAt: number | undefined;
  session.on('Network.requestWillBeSent', ({ requestId, request, timestamp }) => {
    startedAt ??= timestamp;
    urls.set(requestId, request.url);
  });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength, timestamp }) => {
    const atMs = (timestamp - (startedAt ?? timestamp)) * 1000;
    responses.push({ url: urls.get(requestId) ?? '', bytes: encodedDataLength, atMs });
  });
  await session.send('Network.enable');
  return responses;
}

async function readLoad(page: Page, responses: readonly Response[]): Promise<Load> {
  while (!(await page.evaluate<boolean>(IS_SETTLED))) await delay(POLL_MS);
  const largest: { url: string; atMs: number; width: number } = await page.evaluate('photos.at(-1)');
  const until = responses.filter(({ atMs }) => atMs <= largest.atMs);
  const sent = responses.find(({ url }) => url === largest.url);
  const response = await page.request.get(largest.url, { headers: { accept: 'image/avif,image/webp,*/*' } });
  return {
    shownMs: largest.atMs,
    bytes: until.reduce((sum, { bytes }) => sum + bytes, 0),
    responses: new Map(
      until.filter(({ url }) => url.startsWith('http')).map(({ url, bytes }) => [new URL(url).pathname, bytes]),
    ),
    photo: {
      type: response.headers()['content-type'] ?? '',
      body: await response.body(),
      bytes: sent?.bytes ?? 0,
      width: largest.width,
    },
  };
}
