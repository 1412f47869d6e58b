import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

const FOLDER = join(import.meta.dirname, '../../../test-results/screenshots');

/** Screenshots take a tenth of the time of the browser tests, so they are only taken on demand. */
const ARE_WANTED = process.env['MENAGERIE_TEST_SCREENSHOTS'] === '1';

/** With MENAGERIE_TEST_SCREENSHOTS=1, writes `test-results/screenshots/NAME.png`. Nothing compares it. */
export async function keepScreenshot(page: Page, name: string, { isWhole = false } = {}): Promise<void> {
  if (ARE_WANTED) await writeScreenshot(page, name, isWhole);
}

/** Writes `test-results/screenshots/failed-NAME.png`. */
export function keepFailure(page: Page, name: string): Promise<void> {
  return writeScreenshot(page, `failed-${name.replaceAll(/\W+/g, '-')}`, false);
}

async function writeScreenshot(page: Page, name: string, isWhole: boolean): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  await page.screenshot({ path: join(FOLDER, `${name}.png`), fullPage: isWhole, animations: 'disabled' });
}
