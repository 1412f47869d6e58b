import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { startTestService } from '../../support/service.ts';
import { skipWithoutBrowser } from '../support/browser.ts';
import { openVisit } from '../support/visit.ts';
import { waitFor, waitForValue } from '../support/waiting.ts';

/*
 * The manifest and the theme colour, which determine the browser interface around a page.
 */

const service = await startTestService({ after }, { web: true, flags: ['--empty'] });
const options = { skip: skipWithoutBrowser };

void test('manifest: the browser reads it without an error', options, async (t) => {
  const visit = await openVisit(t, service);
  const { page } = visit;
  await visit.open('/');
  const devtools = await page.context().newCDPSession(page);
  const { url, errors, data = '' } = await devtools.send('Page.getAppManifest');
  assert.deepEqual(errors, []);
  assert.equal(new URL(url).pathname, '/manifest.webmanifest');
  assert.equal((JSON.parse(data) as { name: string }).name, 'Menagerie');
  const { installabilityErrors } = await devtools.send('Page.getInstallabilityErrors');
  assert.deepEqual(
    installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito'),
    [],
  );
});

for (const theme of ['light', 'dark'] as const)
  void test(`theme-color: the colour of the header, in the ${theme} theme of the device`, options, async (t) => {
    const visit = await openVisit(t, service, { theme });
    const { page } = visit;
    await visit.open('/');
    const choice = page.getByLabel('Appearance');
    await choice.waitFor();
    const ofDevice = await headerColour(page);
    await waitForValue(() => themeColours(page), [ofDevice, ofDevice]);
    await choice.selectOption(theme === 'light' ? 'dark' : 'light');
    await waitFor(async () => (await headerColour(page)) !== ofDevice, 'the header has the colour of the other theme');
    const chosen = await headerColour(page);
    await waitForValue(() => themeColours(page), [chosen, chosen]);
    // The selected theme applies before the scripts have loaded.
    await page.reload({ waitUntil: 'commit' });
    await page.locator('meta[name="theme-color"]').first().waitFor({ state: 'attached' });
    await waitForValue(() => themeColours(page), [chosen, chosen]);
  });

function headerColour(page: Page): Promise<string> {
  return page
    .locator('header')
    .first()
    .evaluate((header) => getComputedStyle(header).backgroundColor);
}

/** In the format of the browser. */
function themeColours(page: Page): Promise<readonly string[]> {
  return page.locator('meta[name="theme-color"]').evaluateAll((metas) =>
    metas.map((meta) => {
      const probe = document.createElement('i');
      probe.style.color = meta.getAttribute('content') ?? '';
      document.body.append(probe);
      const { color } = getComputedStyle(probe);
      probe.remove();
      return color;
    }),
  );
}
