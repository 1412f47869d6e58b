import assert from 'node:assert/strict';
import type { Locator, Page, Request } from 'playwright-core';
import { ENDPOINTS, type OperationId } from '../../../src/api/endpoints.ts';
import type { Visit } from './visit.ts';

/*
 * Two clicks on a button, or two Enters in a form, before the page can render the first one.
 */

export interface QuickCase {
  name: string;
  path: string;
  /** Fills the form. @returns the button that sends it */
  prepare: (page: Page) => Promise<Locator> | Locator;
  /** The operations of one click that change something. */
  sent: readonly OperationId[];
  /** Shown afterwards, and not replaced by an error. */
  done: (page: Page) => Locator;
}

/** A button on the page. */
export function pageButton(page: Page, name: string | RegExp): Locator {
  return page.getByRole('main').getByRole('button', { name }).first();
}

export function dialogButton(page: Page, name: string | RegExp): Locator {
  return page.getByRole('dialog').getByRole('button', { name });
}

/** Opens a dialog. @returns the button that confirms it */
export function confirmed(opener: string | RegExp, name: string | RegExp): QuickCase['prepare'] {
  return async (page) => {
    await pageButton(page, opener).click();
    return dialogButton(page, name);
  };
}

/** Runs a case, and asserts that the second click did nothing. */
export async function checkQuickClicks(visit: Visit, { name, path, prepare, sent, done }: QuickCase): Promise<void> {
  const { page } = visit;
  await visit.open(path);
  const button = await prepare(page);
  const seen: OperationId[] = [];
  const record = (request: Request) => {
    const operation = operationOf(request);
    if (operation !== undefined && ENDPOINTS[operation].changes) seen.push(operation);
  };
  page.on('request', record);
  // Clicks of a script are no user input, after which shifts are expected.
  await visit.expectShifts(async () => {
    await button.evaluate(activateTwice);
    await done(page).first().waitFor();
    await visit.waitForIdle();
  });
  page.off('request', record);
  assert.deepEqual(seen, sent, name);
  assert.ok(await done(page).first().isVisible(), `${name}: the outcome is still visible`);
  assert.equal(await page.locator('[role=alert]:not(:empty) p').count(), 0, `${name}: an error`);
}

/** Runs in the browser. A submit button is activated by Enter in the form, other buttons and inputs by clicks. */
export function activateTwice(element: Element): void {
  for (const _ of [1, 2])
    if (element instanceof HTMLButtonElement && element.type === 'submit' && element.form !== null)
      element.form.requestSubmit(element);
    else (element as HTMLElement).click();
}

function operationOf(request: Request): OperationId | undefined {
  const { pathname } = new URL(request.url());
  const ids = Object.keys(ENDPOINTS) as OperationId[];
  return ids.find((id) => {
    const { method, path } = ENDPOINTS[id];
    const pattern = path.replaceAll(/\{\w+\}/g, '[^/]+');
    return method === request.method() && new RegExp(`^${pattern}$`).test(pathname);
  });
}
