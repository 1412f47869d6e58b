import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { PASSWORDS } from '../../support/secured.ts';
import { getBrowser } from './browser.ts';
import { slowDown } from './network.ts';
import { watchPage, type PageNotes } from './page-watch.ts';
import { trackRequests } from './idle.ts';
import { keepFailure } from './screenshots.ts';
import { watchCrashes, watchPageErrors, type PageErrors } from './page-errors.ts';

/** Enough for a machine with ten times more work than it can handle. */
const TIMEOUT_MS = 30_000;

/** Maximum Cumulative Layout Shift. */
const MAX_LAYOUT_SHIFT = 0.05;

/** Narrower screens are emulated as phones with touch. */
const PHONE_WIDTH = 600;

export interface VisitOptions {
  /** In CSS pixels. Tests use 320, 375, 768, 1440 and 2560. */
  width?: number;
  height?: number;
  theme?: 'light' | 'dark';
  language?: 'en' | 'de';
  reducedMotion?: boolean;
  /** A username of `STAFF`, the accounts of `startSecuredService`. */
  loggedInAs?: string;
  /** A slow connection: 1.6 Mbit/s, 150 ms. */
  isSlow?: boolean;
}

/** A user with a browser of their own. */
export interface Visit {
  page: Page;
  context: BrowserContext;
  /** Opens a path of the service in the same tab, after checking the previous page for layout shifts. */
  open(path: string): Promise<void>;
  /** The same for an editor, and waits until the page follows changes. By then, the code for staff is loaded. */
  openFollowing(path: string): Promise<void>;
  /** Waits until the page has received all responses and rendered them. */
  waitForIdle(): Promise<void>;
  /** Runs an action whose layout shifts are expected, such as changes of other users or scrolling. */
  expectShifts<T>(action: () => Promise<T>): Promise<T>;
  /** Expects an error: it does not fail the visit, but its absence does. */
  expect(error: RegExp): void;
  /** Allows an error. */
  allow(error: RegExp): void;
  /** The notes of the page since it was loaded. */
  readNotes(): Promise<PageNotes>;
  /** Ends the visit, and fails on unexpected errors. Called at the end of the test at the latest. */
  end(): Promise<void>;
}

/** Opens a fresh browser context. Unexpected errors fail the test. */
export async function openVisit(
  t: TestContext,
  { origin }: { origin: string },
  options: VisitOptions = {},
): Promise<Visit> {
  const context = await newContext(origin, options);
  const errors = watchPageErrors(context, origin);
  await context.exposeFunction('reportViolation', (text: string) =>
    errors.add(`Content Security Policy violation: ${text}`),
  );
  await context.addInitScript(watchPage, { isSlow: options.isSlow === true });
  if (options.loggedInAs !== undefined) await logInAs(context, options.loggedInAs);
  const page = await context.newPage();
  watchCrashes(page, errors);
  if (options.isSlow === true) await slowDown(page);
  const waitForIdle = trackRequests(context);
  const expected: RegExp[] = [];
  const allowed: RegExp[] = [];
  let ended: Promise<void> | undefined;
  const visit: Visit = {
    page,
    context,
    open: async (path) => {
      await checkLayoutShift(page, errors);
      await page.waitForFunction(isHistorySettled);
      await page.goto(path);
    },
    openFollowing: async (path) => {
      const followed = page.waitForResponse('**/v2/events*');
      await visit.open(path);
      assert.equal((await followed).status(), 200);
    },
    waitForIdle: () => waitForIdle(page),
    expectShifts: async (action) => {
      await page.evaluate(() => window.setShiftsExpected(true));
      const result = await action();
      // A shift is reported with the frame in which it is painted.
      await page.evaluate(nextFrame);
      await page.evaluate(() => window.setShiftsExpected(false));
      return result;
    },
    expect: (error) => void expected.push(error),
    allow: (error) => void allowed.push(error),
    readNotes: () => page.evaluate(() => window.pageNotes),
    end: () => (ended ??= endVisit(visit, errors, { expected, allowed })),
  };
  t.after(async () => {
    if (!t.passed && !page.isClosed()) await keepFailure(page, t.name);
    await visit.end();
  });
  return visit;
}

/** Runs in the browser. A closed dialog goes back in the history, which would abort the navigation. */
function isHistorySettled(): boolean {
  const { cover } = (history.state ?? {}) as { cover?: string };
  // A page that was loaded again has the entry of the dialog that was open before.
  const isOfPage = cover?.startsWith(`${performance.timeOrigin}-`) ?? false;
  return !isOfPage || document.querySelector('dialog[open]') !== null;
}

/** Runs in the browser: resolves when the last change is painted. */
async function nextFrame(): Promise<void> {
  for (const _ of [1, 2]) await new Promise(requestAnimationFrame);
}

async function newContext(origin: string, options: VisitOptions): Promise<BrowserContext> {
  const { width = 1440, theme = 'light', language = 'en', reducedMotion = true } = options;
  const isPhone = width < PHONE_WIDTH;
  const context = await getBrowser().newContext({
    baseURL: origin,
    viewport: { width, height: options.height ?? (isPhone ? 800 : 900) },
    hasTouch: isPhone,
    isMobile: isPhone,
    colorScheme: theme,
    locale: language === 'en' ? 'en-GB' : 'de-DE',
    timezoneId: 'Europe/Berlin',
    reducedMotion: reducedMotion ? 'reduce' : 'no-preference',
  });
  context.setDefaultTimeout(TIMEOUT_MS);
  return context;
}

/** Logs in with a request, without opening the login page. */
async function logInAs(context: BrowserContext, username: string): Promise<void> {
  const response = await context.request.post('/v2/user/login', { data: { username, password: PASSWORDS[username] } });
  assert.equal(response.status(), 200, await response.text());
}

async function endVisit(
  visit: Visit,
  errors: PageErrors,
  { expected, allowed }: { expected: readonly RegExp[]; allowed: readonly RegExp[] },
): Promise<void> {
  const { page, context } = visit;
  await checkLayoutShift(page, errors);
  await context.close();
  const faults = errors.all.filter((text) => ![...expected, ...allowed].some((pattern) => pattern.test(text)));
  for (const pattern of expected)
    if (!errors.all.some((text) => pattern.test(text))) faults.push(`Expected error missing: ${pattern}`);
  if (faults.length > 0) assert.fail(`The visit failed:\n${faults.join('\n')}`);
}

async function checkLayoutShift(page: Page, errors: PageErrors): Promise<void> {
  if (page.isClosed() || page.url() === 'about:blank') return;
  const { layoutShift, shifted } = await page.evaluate(() => window.pageNotes);
  if (layoutShift > MAX_LAYOUT_SHIFT)
    errors.add(`Layout shift of ${layoutShift.toFixed(3)} (${page.url()}):\n  ${shifted.slice(-8).join('\n  ')}`);
}
