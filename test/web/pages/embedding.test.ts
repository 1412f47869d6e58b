import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test, type TestContext } from 'node:test';
import type { Frame, Page } from 'playwright-core';
import { clientOf } from '../../support/client.ts';
import { createPlayground } from '../../support/playgrounds.ts';
import { getBrowser, skipWithoutBrowser } from '../support/browser.ts';
import { checkState } from '../support/pages.ts';
import { keepScreenshot } from '../support/screenshots.ts';
import { addShelter, startStaffedService } from '../support/stock.ts';
import { openVisit } from '../support/visit.ts';
import { waitFor, waitForValue } from '../support/waiting.ts';

/* A website on another origin that shows the pets of the service in frames. */

const { service, call, root } = await startStaffedService({ after });
await addShelter(call, root);
const options = { skip: skipWithoutBrowser };

/** The pages of the website, by path. */
const pages = new Map<string, string>();
const website = createServer((request, response) => {
  const text = pages.get(request.url ?? '');
  response.writeHead(text === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' }).end(text);
});
website.listen(0, '127.0.0.1');
await once(website, 'listening');
after(() => website.close());
// Another site as well: cookies of the service would be those of a third party.
const websiteOrigin = `http://localhost:${(website.address() as AddressInfo).port}`;

const script = (attributes: string) => `<script ${attributes} src="${service.origin}/embed.js"></script>`;

interface Opened {
  page: Page;
  /** The messages of the console. */
  said: readonly string[];
}

/** Opens a page of the website with this content. */
async function openWebsite(
  t: TestContext,
  body: string,
  { theme = 'light', width = 1000 }: { theme?: 'light' | 'dark'; width?: number } = {},
): Promise<Opened> {
  pages.set('/', `<!doctype html><html lang="en"><title>Shelter</title><body>${body}`);
  const context = await getBrowser().newContext({ colorScheme: theme, viewport: { width, height: 800 } });
  t.after(() => context.close());
  context.setDefaultTimeout(30_000);
  const page = await context.newPage();
  const said: string[] = [];
  page.on('console', (message) => said.push(message.text()));
  page.on('pageerror', (error) => said.push(error.message));
  await page.goto(`${websiteOrigin}/`);
  return { page, said };
}

async function frameAt(page: Page, index: number): Promise<Frame> {
  const element = await page.locator('iframe').nth(index).elementHandle();
  return (await element?.contentFrame()) ?? assert.fail();
}

/** Whether the preview has a photo. Its frame has a sandbox, as those of some editors. */
async function hasLoadedPhoto(page: Page): Promise<boolean> {
  const photos = page.frameLocator('iframe').locator('img');
  return photos.evaluateAll((images) => images.some((image) => (image as HTMLImageElement).naturalWidth > 0));
}

async function allow(json: object): Promise<void> {
  assert.equal((await call('PUT', 'embedding', { headers: root, json })).status, 200);
}

/** Runs in the browser. */
const contentHeight = () => Math.ceil(document.documentElement.getBoundingClientRect().height);

/** Waits until the frame is as high as its content, and returns the height. */
async function settledHeight(page: Page, index: number): Promise<number> {
  const frame = await frameAt(page, index);
  await frame.getByRole('link', { name: 'Show all pets' }).waitFor();
  const heights = async () => {
    const inside = await frame.evaluate(contentHeight);
    const outside = await page
      .locator('iframe')
      .nth(index)
      .evaluate((element) => element.clientHeight);
    return { inside, outside };
  };
  await waitFor(async () => {
    const { inside, outside } = await heights();
    return inside === outside;
  }, 'the frame is as high as its content');
  return (await heights()).outside;
}

void test('embedding: two scripts on one page, each with a frame as high as its pets', options, async (t) => {
  const before = '<script>window.before = Object.keys(window)</script>';
  const list = script('async data-query="limit=4&amp;theme=light" data-title="Our pets"');
  const cats = script('data-query="category=Cats" data-height="300"');
  const { page, said } = await openWebsite(t, `${before}<main>${list}<p>Between</p>${cats}</main>`);
  await page.locator('iframe').nth(1).waitFor();
  assert.deepEqual(
    await page.locator('main > *').evaluateAll((elements) => elements.map(({ localName }) => localName)),
    ['script', 'iframe', 'p', 'script', 'iframe'],
  );
  assert.equal(await page.locator('iframe').first().getAttribute('title'), 'Our pets');
  const first = await settledHeight(page, 0);
  await settledHeight(page, 1);
  await keepScreenshot(page, 'embedded 1000 light', { isWhole: true });

  // Fewer columns need more height, and more columns less.
  await page.setViewportSize({ width: 375, height: 800 });
  await waitFor(async () => (await settledHeight(page, 0)) > first, 'a narrow frame is higher');
  await keepScreenshot(page, 'embedded 375 light', { isWhole: true });
  await page.setViewportSize({ width: 1000, height: 800 });
  await waitFor(async () => (await settledHeight(page, 0)) === first, 'the wide frame is lower again');

  const frame = await frameAt(page, 0);
  const link = frame.getByRole('heading', { level: 2 }).getByRole('link').first();
  const name = await link.textContent();
  const [opened] = await Promise.all([page.context().waitForEvent('page'), link.click()]);
  await opened.getByRole('heading', { level: 1, name: name ?? '' }).waitFor();
  assert.match(opened.url(), new RegExp(`^${service.origin}/pets/\\d+$`));
  assert.equal(await opened.evaluate(() => window.opener), null);
  await opened.close();

  assert.deepEqual(await page.context().cookies(), []);
  const added = await page.evaluate(() => {
    const { before } = window as unknown as { before: readonly string[] };
    // The frames themselves are properties of the window, by their numbers.
    return Object.keys(window).filter((key) => !before.includes(key) && key !== 'before' && !/^\d+$/.test(key));
  });
  assert.deepEqual(added, []);
  assert.deepEqual(said, []);
});

void test('embedding: one pet of a playground, whose path the script finds in its own address', options, async (t) => {
  const { base } = await createPlayground(call, { contents: 'empty' }, root);
  await clientOf(base)('POST', 'pet', { json: { id: 7, name: 'Ada', status: 'available' } });
  const address = base.replace(/\/v2$/, '/embed.js?version=2#x');
  const { page, said } = await openWebsite(t, `<script defer src="${address}" data-pet="7"></script><p>After</p>`);
  await settledHeight(page, 0);
  const frame = await frameAt(page, 0);
  assert.equal(frame.url(), base.replace(/\/v2$/, '/embed/pets/7'));
  const [list, card] = await Promise.all(
    ['ul', 'li'].map((name) => frame.locator(name).evaluate((element) => element.clientWidth)),
  );
  // The border of the card is not part of its width.
  assert.equal(card, (list ?? 0) - 2);
  const link = frame.getByRole('link', { name: 'Ada' });
  assert.equal(await link.getAttribute('href'), new URL(base).pathname.replace(/\/v2$/, '/pets/7'));
  assert.deepEqual(said, []);
});

void test('embedding: ignores heights from other windows and other origins', options, async (t) => {
  const { page } = await openWebsite(t, script('data-query="limit=2"'));
  const height = await settledHeight(page, 0);
  await page.evaluate(() => {
    for (const menagerieHeight of [5000, '1e9', -1, null]) window.postMessage({ menagerieHeight }, '*');
    window.postMessage('text', '*');
    window.postMessage(null, '*');
  });
  // A message of the frame itself arrives after them.
  await (await frameAt(page, 0)).evaluate(() => parent.postMessage({ menagerieHeight: 700.2 }, '*'));
  await waitForValue(() => page.locator('iframe').evaluate((element) => element.clientHeight), 701);
  assert.notEqual(height, 701);
});

void test('embedding: a site that is not in the list is refused', options, async (t) => {
  t.after(() => allow({ sites: 'all' }));
  for (const json of [{ sites: 'none' }, { sites: 'listed', origins: ['https://www.example.org'] }]) {
    await allow(json);
    const { page, said } = await openWebsite(t, script('data-query="limit=2"'));
    await waitFor(
      () => Promise.resolve(said.some((text) => /frame-ancestors 'self'/.test(text))),
      'the browser refuses the frame',
    );
    assert.equal(await (await frameAt(page, 0)).getByRole('link').count(), 0);
  }
  await allow({ sites: 'listed', origins: ['https://www.example.org', websiteOrigin] });
  const { page, said } = await openWebsite(t, script('data-query="limit=2"'));
  await settledHeight(page, 0);
  assert.deepEqual(said, []);
});

/** What WordPress does with the messages of frames that it has found by oEmbed (the script `wp-embed`). */
const WORDPRESS = `<script>
  window.messages = [];
  addEventListener('message', ({ data, source }) => {
    const frame = document.querySelector('iframe');
    if (data.secret !== frame.dataset.secret || source !== frame.contentWindow) return;
    messages.push(data);
    if (data.message === 'height') frame.height = Math.max(200, Math.min(1000, data.value));
    const isOwn = data.message === 'link' && new URL(data.value).host === new URL(frame.src).host;
    if (isOwn && document.activeElement === frame) top.location.href = data.value;
  });
</script>`;

void test('embedding: a frame in the sandbox of WordPress gets its height, and its links open', options, async (t) => {
  const secret = 'aB3dE6gH9k';
  const src = `${service.origin}/embed/pets?limit=2&amp;theme=light#?secret=${secret}`;
  const frame = `<iframe sandbox="allow-scripts" data-secret="${secret}" src="${src}" width="600" height="300"></iframe>`;
  const { page } = await openWebsite(t, WORDPRESS + frame);
  const embedded = page.frameLocator('iframe');
  await waitFor(async () => (await page.locator('iframe').getAttribute('height')) !== '300', 'the frame has a height');
  const inside = await (await frameAt(page, 0)).evaluate(contentHeight);
  assert.equal(await page.locator('iframe').getAttribute('height'), String(Math.max(200, Math.min(1000, inside))));
  assert.ok(await hasLoadedPhoto(page));
  const link = embedded.getByRole('heading', { level: 2 }).getByRole('link').first();
  const name = await link.textContent();
  await link.click();
  await page.getByRole('heading', { level: 1, name: name ?? '' }).waitFor();
  assert.match(page.url(), new RegExp(`^${service.origin}/pets/\\d+$`));
});

void test(
  'embedding: without the secret of WordPress, no message but the height leaves the frame',
  options,
  async (t) => {
    const { page } = await openWebsite(t, `${WORDPRESS}<iframe src="${service.origin}/embed/pets?limit=2"></iframe>`);
    const link = page.frameLocator('iframe').getByRole('heading', { level: 2 }).getByRole('link').first();
    const [opened] = await Promise.all([page.context().waitForEvent('page'), link.click()]);
    await opened.close();
    assert.deepEqual(await page.evaluate('messages.filter(({ message }) => message !== undefined)'), []);
  },
);

void test('embedding: the theme is that of the reader, or the one of the snippet', options, async (t) => {
  const snippets = script('data-query="limit=2"') + script('data-query="limit=2&amp;theme=light"');
  const body = `<style>:root{color-scheme:light dark}</style>${snippets}`;
  const { page } = await openWebsite(t, body, { theme: 'dark', width: 375 });
  const surface = async (index: number) =>
    (await frameAt(page, index))
      .locator('li')
      .first()
      .evaluate((card) => getComputedStyle(card).backgroundColor);
  await settledHeight(page, 1);
  await keepScreenshot(page, 'embedded 375 dark', { isWhole: true });
  assert.deepEqual([await surface(0), await surface(1)], ['rgb(26, 34, 30)', 'rgb(255, 253, 249)']);
});

void test('embedding: the page is accessible in both themes, also without pets', options, async (t) => {
  await call('PUT', 'organisation', { headers: root, json: { accentColour: '#ffcc00' } });
  t.after(() => call('PUT', 'organisation', { headers: root, json: {} }));
  const visit = await openVisit(t, service, { width: 375 });
  await visit.open('/embed/pets?status=any');
  const ratios = await visit.page
    .locator('.photo')
    .evaluateAll((photos) => photos.map((photo) => (photo.clientWidth / photo.clientHeight).toFixed(1)));
  assert.deepEqual([...new Set(ratios)], ['1.3'], 'with and without a photo');
  await checkState(visit.page, 'embedded pets');
  await visit.open('/embed/pets?text=nothing-like-this');
  await checkState(visit.page, 'no embedded pets');
});

void test('embedding: an administrator copies a snippet that works on another website', options, async (t) => {
  const visit = await openVisit(t, service, { loggedInAs: 'root' });
  const { page } = visit;
  // The document of another page forbids the preview: the page is loaded again.
  await visit.open('/admin/users');
  await visit.expectShifts(async () => {
    await page.getByRole('link', { name: 'Embedding' }).click();
    await page.getByRole('heading', { level: 1, name: 'Embedding' }).waitFor();
    await page.frameLocator('iframe').getByRole('link', { name: 'Show all pets' }).waitFor();
  });
  await waitFor(() => hasLoadedPhoto(page), 'the preview shows photos');
  await checkState(page, 'embedding');
  const main = page.getByRole('main');
  const snippet = page.getByLabel('For most websites');
  assert.equal(
    await snippet.inputValue(),
    `<script async src="${service.origin}/embed.js" data-title="Pets of Menagerie"></script>`,
  );
  await visit.expectShifts(async () => {
    await page.getByText('Filters', { exact: true }).click();
    await page.getByRole('group', { name: 'Category' }).getByLabel(/^Cats/).check();
    await main.getByLabel('Appearance').selectOption('Dark');
    await page.getByLabel('Number of pets').selectOption('3');
    await page.getByLabel('Columns').selectOption('At most 2');
    await main.getByLabel('Language').selectOption('German');
    await page.frameLocator('iframe').getByRole('link', { name: 'Alle Tiere zeigen' }).waitFor();
  });
  const text = await snippet.inputValue();
  assert.match(text, /data-query="category=Cats&amp;limit=3&amp;columns=2&amp;theme=dark&amp;language=de"/);
  await keepScreenshot(page, 'embedding with filters', { isWhole: true });
  const plain = await page.getByLabel('For websites that allow no scripts').inputValue();
  for (const pasted of [text, plain]) {
    const { page: other, said } = await openWebsite(t, pasted);
    const frame = await frameAt(other, 0);
    await frame.getByRole('link', { name: 'Alle Tiere zeigen' }).waitFor();
    assert.ok((await frame.getByRole('listitem').count()) > 0);
    assert.deepEqual(said, []);
  }
});

void test('embedding: an administrator chooses the websites', options, async (t) => {
  t.after(() => allow({ sites: 'all' }));
  const visit = await openVisit(t, service, { loggedInAs: 'root', language: 'de', width: 375 });
  const { page } = visit;
  await visit.open('/admin/embedding');
  await page.frameLocator('iframe').getByRole('link', { name: 'Alle Tiere zeigen' }).waitFor();
  await visit.expectShifts(async () => {
    await page.getByLabel('Erlaubte Websites').selectOption('Nur diese');
    await page.getByRole('button', { name: 'Websites speichern' }).press('Enter');
    await page.getByText('Geben Sie mindestens eine Adresse an.').waitFor();
    visit.allow(/400/);
    await page.getByLabel('Adressen').fill(`https://www.example.org/\n\n${websiteOrigin}`);
    await page.getByRole('button', { name: 'Websites speichern' }).press('Enter');
    await page.getByText('Die Websites wurden gespeichert.').waitFor();
  });
  await checkState(page, 'embedding german');
  assert.equal(
    (await call('GET', 'embedding')).text,
    JSON.stringify({ sites: 'listed', origins: ['https://www.example.org', websiteOrigin] }),
  );
  // The preview is a page of the service, and is never refused.
  await visit.open('/admin/embedding');
  await page.frameLocator('iframe').getByRole('link', { name: 'Alle Tiere zeigen' }).waitFor();
});
