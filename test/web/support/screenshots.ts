import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

const FOLDER = join(import.meta.dirname, '../../../test-results/screenshots');

/** Keeps what is on the screen, to look at: `test-results/screenshots/NAME.png`. Nothing compares it. */
export async function keepScreenshot(page: Page, name: string, { isWhole = false } = {}): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  await page.screenshot({ path: join(FOLDER, `${name}.png`), fullPage: isWhole, animations: 'disabled' });
}
