import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { skipWithoutBrowser } from '../support/browser.ts';
import { samplePhoto, type PhotoFile } from '../support/photo-files.ts';
import { checkState } from '../support/pages.ts';
import { addPet, startStaffedService } from '../support/stock.ts';
import { openVisit } from '../support/visit.ts';
import { waitForValue } from '../support/waiting.ts';

/*
 * Uploads that end with the page, and photos that are larger than the service accepts.
 */

const { service, call, root } = await startStaffedService({ after });
const options = { skip: skipWithoutBrowser };

async function choose(page: Page, files: readonly PhotoFile[]): Promise<void> {
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Choose photos' }).click(),
  ]);
  await chooser.setFiles([...files]);
}

async function photosOf(id: string): Promise<readonly { width: number; height: number }[]> {
  return JSON.parse((await call('GET', `pet/${id}/photos`)).text) as { width: number; height: number }[];
}

for (const how of ['reloaded', 'closed'] as const)
  void test(`lost uploads: listed after the page was ${how}`, options, async (t) => {
    const id = await addPet(call, { name: 'Luna' }, root);
    const visit = await openVisit(t, service, { loggedInAs: 'edna', width: how === 'closed' ? 375 : 1440 });
    visit.allow(/ERR_ABORTED|ERR_FAILED/);
    const { page, context } = visit;
    // The first photo arrives, the others wait.
    let uploads = 0;
    await context.route('**/uploadImage', async (route) => {
      uploads += 1;
      if (uploads === 1) await route.continue();
    });
    await visit.open(`/pets/${id}/edit`);
    const sent = [
      await samplePhoto('cat-luna.jpg'),
      await samplePhoto('cat-miso.jpg'),
      await samplePhoto('cat-ziggy.jpg'),
    ];
    await visit.expectShifts(async () => {
      await choose(page, sent);
      await page.getByText('cat-luna.jpg').waitFor({ state: 'detached' });
      await waitForValue(async () => (await photosOf(id)).length, 1);
      await waitForValue(() => Promise.resolve(uploads), 2);
    });
    page.on('dialog', (dialog) => void dialog.accept());
    let next = page;
    if (how === 'reloaded') await page.goto('/');
    else {
      await page.close({ runBeforeUnload: true });
      next = await context.newPage();
      await next.goto('/');
    }
    await context.unroute('**/uploadImage');
    const notice = next.getByRole('alert').filter({ hasText: '2 photos of Luna were not added.' });
    await notice.getByRole('button', { name: 'View' }).click();
    await next.getByText('These photos were not uploaded, because the page was closed.').waitFor();
    assert.deepEqual(await next.getByRole('region', { name: 'Uploads' }).getByRole('listitem').allTextContents(), [
      'cat-miso.jpg',
      'cat-ziggy.jpg',
    ]);
    await checkState(next, `lost uploads ${how}`);
    // A photo that is added again disappears from the list.
    await choose(next, [await samplePhoto('cat-miso.jpg')]);
    await next.getByText('This photo was not uploaded').waitFor();
    await next.getByRole('button', { name: 'Hide list' }).click();
    await next.getByText('This photo was not uploaded').waitFor({ state: 'detached' });
    assert.deepEqual(await next.evaluate(() => Object.keys(localStorage).filter((key) => key.includes('uploads'))), []);
  });
