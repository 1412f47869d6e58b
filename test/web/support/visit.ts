import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { PASSWORDS } from '../../support/secured.ts';
import { getBrowser } from './browser.ts';
import { slowDown } from './network.ts';
import { watchPage, type PageNotes } from './page-watch.ts';
import { watchTraffic } from './quiet.ts';
import { keepFailure } from './screenshots.ts';
import { watchCrashes, watchTroubles, type Troubles } from './troubles.ts';

/** A machine with ten times too much to do still manages this. */
const PATIENCE_MS = 30_000;

/** Cumulative Layout Shift that nobody minds. */
const MAX_LAYOUT_SHIFT = 0.05;

/** Below it, a telephone that one touches. */
const TELEPHONE_WIDTH = 600;

export interface VisitOptions {
  /** In CSS pixels: 320, 375, 768, 1440 and 2560 are what pages are tried in. */
  width?: number;
  height?: number;
  theme?: 'light' | 'dark';
  language?: 'en' | 'de';
  reducedMotion?: boolean;
  /** A user name of `STAFF`, the accounts of `startSecuredService`. */
  signedInAs?: string;
  /** On a slow connection: 1.6 Mbit/s, 150 ms. */
  isSlow?: boolean;
}

/** Somebody with a browser of their own at the service. */
export interface Visit {
  page: Page;
  context: BrowserContext;
  /** Opens a path of the service, in the tab that is open: what was noted of the page before is looked at first. */
  open(path: string): Promise<void>;
  /** Waits until the page has all that it asked for, and has shown it. */
  waitForQuiet(): Promise<void>;
  /** Does what moves the page, until it has moved: others change what is seen, or more comes as one scrolls. */
  moving<T>(action: () => Promise<T>): Promise<T>;
  /** Something that will go wrong, and must: a trouble that matches is no fault, and none that does is. */
  expect(trouble: RegExp): void;
  /** Something that may go wrong. */
  allow(trouble: RegExp): void;
  /** What the page has noted about itself since it was loaded. */
  readNotes(): Promise<PageNotes>;
  /** Ends it, and fails with what went wrong; at the latest at the end of the test. */
  end(): Promise<void>;
}

/** Opens a browser with nothing remembered. What goes wrong without being expected fails the test. */
export async function openVisit(
  t: TestContext,
  { origin }: { origin: string },
  options: VisitOptions = {},
): Promise<Visit> {
  const context = await newContext(origin, options);
  const troubles = watchTroubles(context, origin);
  await context.exposeFunction('reportViolation', (text: string) => troubles.add(`The policy was broken: ${text}`));
  await context.addInitScript(watchPage, { isSlow: options.isSlow === true });
  if (options.signedInAs !== undefined) await signIn(context, options.signedInAs);
  const page = await context.newPage();
  watchCrashes(page, troubles);
  if (options.isSlow === true) await slowDown(page);
  const waitForQuiet = watchTraffic(context);
  const expected: RegExp[] = [];
  const allowed: RegExp[] = [];
  let ended: Promise<void> | undefined;
  const visit: Visit = {
    page,
    context,
    open: async (path) => {
      await checkLayoutShift(page, troubles);
      await page.goto(path);
    },
    waitForQuiet: () => waitForQuiet(page),
    moving: async (action) => {
      await page.evaluate(() => window.meanMoves(true));
      const result = await action();
      // A move is told with the frame in which it is seen.
      await page.evaluate(nextFrame);
      await page.evaluate(() => window.meanMoves(false));
      return result;
    },
    expect: (trouble) => void expected.push(trouble),
    allow: (trouble) => void allowed.push(trouble),
    readNotes: () => page.evaluate(() => window.pageNotes),
    end: () => (ended ??= endVisit(visit, troubles, { expected, allowed })),
  };
  t.after(async () => {
    if (!t.passed && !page.isClosed()) await keepFailure(page, t.name);
    await visit.end();
  });
  return visit;
}

/** In the page: when what has been drawn last is seen. */
async function nextFrame(): Promise<void> {
  for (const _ of [1, 2]) await new Promise(requestAnimationFrame);
}

async function newContext(origin: string, options: VisitOptions): Promise<BrowserContext> {
  const { width = 1440, theme = 'light', language = 'en', reducedMotion = true } = options;
  const isTelephone = width < TELEPHONE_WIDTH;
  const context = await getBrowser().newContext({
    baseURL: origin,
    viewport: { width, height: options.height ?? (isTelephone ? 800 : 900) },
    hasTouch: isTelephone,
    isMobile: isTelephone,
    colorScheme: theme,
    locale: language === 'en' ? 'en-GB' : 'de-DE',
    timezoneId: 'Europe/Berlin',
    reducedMotion: reducedMotion ? 'reduce' : 'no-preference',
  });
  context.setDefaultTimeout(PATIENCE_MS);
  return context;
}

/** As the page for it does, without looking at it. */
async function signIn(context: BrowserContext, username: string): Promise<void> {
  const answer = await context.request.post('/v2/user/login', { data: { username, password: PASSWORDS[username] } });
  assert.equal(answer.status(), 200, await answer.text());
}

async function endVisit(
  visit: Visit,
  troubles: Troubles,
  { expected, allowed }: { expected: readonly RegExp[]; allowed: readonly RegExp[] },
): Promise<void> {
  const { page, context } = visit;
  await checkLayoutShift(page, troubles);
  await context.close();
  const faults = troubles.all.filter((text) => ![...expected, ...allowed].some((pattern) => pattern.test(text)));
  for (const pattern of expected)
    if (!troubles.all.some((text) => pattern.test(text))) faults.push(`It should have gone wrong: ${pattern}`);
  if (faults.length > 0) assert.fail(`The visit went wrong:\n${faults.join('\n')}`);
}

async function checkLayoutShift(page: Page, troubles: Troubles): Promise<void> {
  if (page.isClosed() || page.url() === 'about:blank') return;
  const { layoutShift, shifted } = await page.evaluate(() => window.pageNotes);
  if (layoutShift > MAX_LAYOUT_SHIFT)
    troubles.add(`The page jumped by ${layoutShift.toFixed(3)} (${page.url()}):\n  ${shifted.slice(-8).join('\n  ')}`);
}
