import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { clientOf } from '../../support/client.ts';
import { startTestService } from '../../support/service.ts';
import { checkAccessibility } from '../support/accessibility.ts';
import { getBrowser, skipWithoutBrowser } from '../support/browser.ts';
import { keepScreenshot } from '../support/screenshots.ts';
import { addPet, addShelter } from '../support/stock.ts';
import { openVisit } from '../support/visit.ts';
import { waitForValue } from '../support/waiting.ts';

/*
 * The first view: a page before its scripts have loaded.
 */

interface BackForwardCacheNotUsed {
  notRestoredExplanations: readonly { type: string; reason: string }[];
}

const service = await startTestService({ after }, { web: true, flags: ['--empty'] });
let ids: Readonly<Record<string, string>> = {};

before(async () => {
  ids = await addShelter(clientOf(service.base));
});

/**
 * Blocks the scripts of a page.
 *
 * @returns unblocks them
 */
async function blockScripts(page: Page): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  await page.route(/\/assets\/[^/]+\.js$/, async (route) => {
    await promise;
    await route.continue();
  });
  return () => resolve(undefined);
}

/** The positions of visible headings, cards, links and photos, in whole pixels. */
function positionsOn(page: Page): Promise<readonly string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('h1, li h2, li article, article img, main li a, [data-quick]')]
      .filter((each) => each.getBoundingClientRect().top < innerHeight && each.getClientRects().length > 0)
      .map((each) => {
        const { x, y, width, height } = each.getBoundingClientRect();
        const what = each.hasAttribute('data-quick') ? 'FILTER' : each.tagName;
        return [what, ...[x, y, width, height].map(Math.round)].join(' ');
      })
      .toSorted(),
  );
}

// Only small screens have quick filters, and a long name has the least space there.
for (const [width, name, pet] of [
  [375, 'the catalogue'],
  [1440, 'a pet with photos', 'Luna'],
  [768, 'a pet that is pending', 'Clover'],
  [375, 'a pet with a long name', 'Bartholomew Maximilian Featherstonehaugh of Long-Winded Lane'],
] as const)
  void test(
    `first view of ${name} at ${width} px: nothing moves when the application starts`,
    { skip: skipWithoutBrowser },
    async (t) => {
      const visit = await openVisit(t, service, { width });
      const { page } = visit;
      const unblockScripts = await blockScripts(page);
      const photos: string[] = [];
      page.on('request', (request) => {
        if (request.resourceType() === 'image') photos.push(request.url());
      });
      await page.goto(pet === undefined ? '/' : `/pets/${ids[pet]}`, { waitUntil: 'commit' });
      await page.locator('.first-view img').first().waitFor();
      await page.waitForFunction(() =>
        [...document.images].every((image) => image.complete || image.loading === 'lazy'),
      );
      await page.evaluate(() => document.fonts.ready);
      const before = await positionsOn(page);
      assert.ok(before.filter((place) => place.startsWith('IMG')).length >= 1, before.join('\n'));
      await keepScreenshot(page, `first view of ${name} ${width}`);
      unblockScripts();
      await page.locator('.first-view').waitFor({ state: 'detached' });
      await visit.waitForIdle();
      await waitForValue(async () => {
        const afterwards = await positionsOn(page);
        return before.filter((place) => !afterwards.includes(place));
      }, []);
      assert.equal(new Set(photos).size, photos.length, 'no photo is requested twice');
    },
  );

void test('first view: accessible, and in the language of the user', { skip: skipWithoutBrowser }, async (t) => {
  const visit = await openVisit(t, service, { language: 'de', width: 375, theme: 'dark' });
  const { page } = visit;
  const unblockScripts = await blockScripts(page);
  await page.goto('/', { waitUntil: 'commit' });
  await page.getByRole('heading', { level: 1, name: 'Unsere Tiere', exact: true }).waitFor();
  assert.equal(await page.getByText('Meet the pets').isVisible(), false);
  await checkAccessibility(page, 'The first view of the catalogue');
  await page.goto(`/pets/${ids['Clover']}`, { waitUntil: 'commit' });
  await page.getByRole('heading', { level: 1, name: 'Clover', exact: true }).waitFor();
  await page.getByText('Reserviert').waitFor();
  await checkAccessibility(page, 'The first view of a pet');
  unblockScripts();
  await page.locator('.first-view').waitFor({ state: 'detached' });
});

void test(
  'without scripts: one language, no text that waits for scripts, and every photo',
  { skip: skipWithoutBrowser },
  async (t) => {
    for (const [locale, title] of [
      ['en-GB', 'Meet the pets'],
      ['de-DE', 'Unsere Tiere'],
    ] as const) {
      const context = await getBrowser().newContext({ baseURL: service.origin, javaScriptEnabled: false, locale });
      t.after(() => context.close());
      context.setDefaultTimeout(30_000);
      const page = await context.newPage();
      await page.goto('/');
      await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
      assert.equal(await page.locator('html').getAttribute('lang'), locale.slice(0, 2));
      const text = (await page.locator('body').textContent()) ?? '';
      for (const other of ['Meet the pets', 'Unsere Tiere', 'Searching', 'Tiere werden gesucht'])
        if (other !== title) assert.ok(!text.includes(other), other);
      await page.goto(`/pets/${ids['Luna']}`);
      await page.getByRole('heading', { level: 1, name: 'Luna' }).waitFor();
      await page.waitForFunction(() => [...document.images].filter((image) => image.complete).length === 4);
      await keepScreenshot(page, `without scripts ${locale}`);
      await page.getByRole('link', { name: /3 (?:of|von) Luna/ }).click();
      await page.waitForURL(/\/v2\/photo\/[0-9a-f]{64}\/large$/);
    }
  },
);

void test(
  'without scripts: links to photos on other sites, and a message on pages that need scripts',
  { skip: skipWithoutBrowser },
  async (t) => {
    const pet = { name: 'Milo', category: { name: 'Dogs' }, photoUrls: ['https://photos.example/milo.jpg'] };
    const id = await addPet(clientOf(service.base), pet);
    const context = await getBrowser().newContext({ baseURL: service.origin, javaScriptEnabled: false });
    t.after(() => context.close());
    context.setDefaultTimeout(30_000);
    const page = await context.newPage();
    await page.goto(`/pets/${id}`);
    const link = page.getByRole('link', { name: 'milo.jpg on photos.example' });
    assert.equal(await link.getAttribute('href'), 'https://photos.example/milo.jpg');
    // Playwright finds no texts in `noscript`.
    assert.equal(await page.locator('noscript p').textContent(), 'No photo yet');
    for (const path of ['/login', '/pets/987654', '/?text=nothing+of+that+kind']) {
      await page.goto(path);
      assert.match((await page.locator('noscript p').textContent()) ?? '', /This page requires JavaScript\./);
      await page.getByRole('link', { name: 'Meet the pets' }).click();
      await page.getByRole('heading', { level: 1, name: 'Meet the pets', exact: true }).waitFor();
    }
  },
);

void test(
  'canonical address: of the page that was loaded, until another one is opened',
  { skip: skipWithoutBrowser },
  async (t) => {
    const visit = await openVisit(t, service);
    const { page } = visit;
    await visit.open('/?utm_source=mail');
    await visit.waitForIdle();
    const canonical = page.locator('link[rel=canonical]');
    assert.equal(await canonical.getAttribute('href'), `${service.origin}/`);
    await page.getByRole('link', { name: 'Luna' }).click();
    await page.getByRole('heading', { level: 1, name: 'Luna' }).waitFor();
    await canonical.waitFor({ state: 'detached' });
    await page.reload();
    assert.equal(await canonical.getAttribute('href'), `${service.origin}/pets/${ids['Luna']}`);
  },
);

void test('back/forward cache: no page prevents it', { skip: skipWithoutBrowser }, async (t) => {
  const visit = await openVisit(t, service, { width: 375 });
  const { page } = visit;
  const session = await page.context().newCDPSession(page);
  await session.send('Page.enable');
  for (const path of ['/', `/pets/${ids['Luna']}`]) {
    // The event stream is still open when the page is left.
    await Promise.all([page.waitForResponse(/\/v2\/events\b/), page.goto(path)]);
    await visit.waitForIdle();
    await page.goto('/livez');
    // The test browser has no back/forward cache, but it lists the reasons of the page against it.
    const [{ notRestoredExplanations }] = await Promise.all([
      new Promise<BackForwardCacheNotUsed>((resolve) => session.once('Page.backForwardCacheNotUsed', resolve)),
      page.goBack({ waitUntil: 'commit' }),
    ]);
    assert.deepEqual(
      notRestoredExplanations.filter(({ type }) => type !== 'Circumstantial'),
      [],
    );
    assert.ok(
      !notRestoredExplanations.some(({ reason }) => /NoStore/.test(reason)),
      JSON.stringify(notRestoredExplanations),
    );
  }
});

void test('first view: links work before the application starts', { skip: skipWithoutBrowser }, async (t) => {
  const visit = await openVisit(t, service, { width: 375 });
  const { page } = visit;
  const unblockScripts = await blockScripts(page);
  await page.goto('/', { waitUntil: 'commit' });
  await page.getByRole('link', { name: 'Luna' }).click();
  await page.waitForURL(`**/pets/${ids['Luna']}`, { waitUntil: 'commit' });
  await page.getByRole('heading', { level: 1, name: 'Luna' }).waitFor();
  await page.getByRole('link', { name: 'Cats' }).click();
  await page.waitForURL('**/?category=Cats', { waitUntil: 'commit' });
  await page.getByRole('link', { name: 'Shadow' }).waitFor();
  assert.equal(await page.getByRole('link', { name: 'Biscuit' }).count(), 0);
  // Quick filters can be removed and combined.
  await page.getByRole('link', { name: 'Dogs', exact: true }).click();
  await page.waitForURL('**/?category=Cats&category=Dogs', { waitUntil: 'commit' });
  await page.locator('[data-chosen]', { hasText: 'Cats' }).click();
  await page.waitForURL('**/?category=Dogs', { waitUntil: 'commit' });
  await page.getByRole('link', { name: 'Biscuit' }).waitFor();
  unblockScripts();
  await page.locator('.first-view').waitFor({ state: 'detached' });
});

void test(
  'back to the pets: leads to the search left before the application started',
  { skip: skipWithoutBrowser },
  async (t) => {
    const { page } = await openVisit(t, service);
    const unblockScripts = await blockScripts(page);
    await page.goto('/?category=Dogs', { waitUntil: 'commit' });
    await page.getByRole('link', { name: /Biscuit/ }).click();
    await page.waitForURL('**/pets/*', { waitUntil: 'commit' });
    unblockScripts();
    await page.locator('.first-view').waitFor({ state: 'detached' });
    const entries = await page.evaluate(() => history.length);
    await page.getByRole('link', { name: 'Back to pets' }).click();
    await page.waitForURL('**/?category=Dogs');
    assert.equal(await page.evaluate(() => history.length), entries);
  },
);
