import assert from 'node:assert/strict';
import { after, test, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { clientOf } from '../../support/client.ts';
import { startTestService } from '../../support/service.ts';
import { checkAccessibility } from '../support/accessibility.ts';
import { skipWithoutBrowser } from '../support/browser.ts';
import { checkFocus } from '../support/keyboard.ts';
import { keepScreenshot } from '../support/screenshots.ts';
import { openVisit, type Visit, type VisitOptions } from '../support/visit.ts';
import { waitForValue } from '../support/waiting.ts';

const samples = await startTestService({ after }, { web: true, flags: [] });
const options = { skip: skipWithoutBrowser };

/** Of use-draft.ts. */
const PAUSE_MS = 220;

const field = (page: Page) =>
  page.getByRole('combobox', { name: /^(?:Name, category or tag|Name, Kategorie oder Tag)$/ });
const list = (page: Page) => page.getByRole('listbox');
const option = (page: Page, name: string) => list(page).getByRole('option', { name, exact: true });
const cards = (page: Page) => page.getByRole('list', { name: 'Search results' }).getByRole('heading');
const waitForCount = (page: Page, text: string) => page.getByRole('status').getByText(text, { exact: true }).waitFor();

async function openCatalogue(t: TestContext, visitOptions: VisitOptions = {}, path = '/'): Promise<Visit> {
  const visit = await openVisit(t, samples, visitOptions);
  await visit.open(path);
  await visit.waitForIdle();
  return visit;
}

/** The texts that suggestions were requested for. */
function watchRequests(page: Page): string[] {
  const texts: string[] = [];
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname === '/v2/suggestions') texts.push(searchParams.get('text') ?? '');
  });
  return texts;
}

const C_NAMES = ['Clementine 1 pet', 'Clover 1 pet'];
const C_OTHERS = ['Cats 6 pets', 'calm 5 pets', 'clever 3 pets', 'curious 2 pets'];

for (const [width, theme] of [
  [375, 'dark'],
  [1440, 'light'],
] as const)
  void test(
    `suggestions at ${width} px, ${theme}: list names, categories and tags, and move nothing`,
    options,
    async (t) => {
      const visit = await openCatalogue(t, { width, theme });
      const { page } = visit;
      const toolbar = await field(page).boundingBox();
      await field(page).pressSequentially('c');
      await list(page).waitFor();
      // In their groups, each with its count for screen readers.
      await list(page).getByRole('group', { name: 'Names' }).getByRole('option', { name: 'Clover 1 pet' }).waitFor();
      await list(page)
        .getByRole('group', { name: 'Categories' })
        .getByRole('option', { name: 'Cats 6 pets' })
        .waitFor();
      await list(page).getByRole('group', { name: 'Tags' }).getByRole('option', { name: 'calm 5 pets' }).waitFor();
      for (const name of [...C_NAMES, ...C_OTHERS]) await option(page, name).waitFor();
      await waitForValue(() => list(page).getByRole('option').count(), 6);
      await waitForCount(page, '6 suggestions');
      await waitForValue(() => field(page).boundingBox(), toolbar);
      await page.keyboard.press('ArrowDown');
      await visit.waitForIdle();
      await checkAccessibility(page, 'The suggestions');
      await keepScreenshot(page, `suggestions ${width} ${theme}`);
    },
  );

void test('suggestions: are reached and chosen with the keyboard', options, async (t) => {
  const { page } = await openCatalogue(t);
  await field(page).pressSequentially('c');
  await list(page).waitFor();
  assert.equal(await field(page).getAttribute('aria-expanded'), 'true');
  assert.equal(await field(page).getAttribute('aria-controls'), await list(page).getAttribute('id'));
  const activeName = async () => {
    const id = await field(page).getAttribute('aria-activedescendant');
    const selected = list(page).getByRole('option', { selected: true });
    if (id === null) return (await selected.count()) === 0 ? undefined : assert.fail('an option is selected');
    assert.equal(await selected.getAttribute('id'), id);
    return (await selected.textContent())?.replace(/\d.*/, '');
  };
  const passed: (string | undefined)[] = [await activeName()];
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowUp', 'ArrowUp', 'ArrowUp', 'ArrowDown', 'ArrowDown']) {
    await page.keyboard.press(key);
    passed.push(await activeName());
  }
  assert.deepEqual(passed, [
    undefined,
    'Clementine',
    'Clover',
    'Clementine',
    undefined,
    'curious',
    undefined,
    'Clementine',
  ]);
  await checkFocus(page, field(page));
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/\?text=Clementine$/);
  await list(page).waitFor({ state: 'detached' });
  assert.equal(await field(page).inputValue(), 'Clementine');
  await waitForCount(page, '1 pet');
  await waitForValue(() => cards(page).allTextContents(), ['Clementine']);
  await checkFocus(page, field(page));
  // The arrow key opens the list again, Escape closes it, and then clears the text.
  await page.keyboard.press('ArrowDown');
  await option(page, 'Clementine 1 pet').waitFor();
  await page.keyboard.press('Escape');
  await list(page).waitFor({ state: 'detached' });
  assert.equal(await field(page).getAttribute('aria-expanded'), 'false');
  assert.equal(await field(page).inputValue(), 'Clementine');
  await page.keyboard.press('Escape');
  await waitForCount(page, '20 pets');
  await checkFocus(page, field(page));
});

void test('suggestions: Enter without a chosen one searches, and typing leaves the chosen one', options, async (t) => {
  const { page } = await openCatalogue(t);
  await field(page).pressSequentially('c');
  await list(page).waitFor();
  await page.keyboard.press('ArrowDown');
  await field(page).pressSequentially('l');
  assert.equal(await field(page).getAttribute('aria-activedescendant'), null);
  await page.keyboard.press('Enter');
  await list(page).waitFor({ state: 'detached' });
  await page.waitForURL(/\/\?text=cl$/);
  await waitForCount(page, '5 pets');
  assert.equal(await list(page).count(), 0);
});

void test('suggestions: a category takes the place of its words, and is a filter', options, async (t) => {
  const visit = await openCatalogue(t);
  const { page } = visit;
  await field(page).pressSequentially('calm c');
  await option(page, 'Cats 2 pets').click();
  await page.waitForURL(/\/\?text=calm&category=Cats$/);
  await waitForCount(page, '2 pets');
  assert.equal(await field(page).inputValue(), 'calm');
  await page.getByRole('button', { name: 'Remove Cats' }).waitFor();
  // It replaces the other category, as it was counted.
  await field(page).fill('rab');
  await option(page, 'Rabbits 4 pets').click();
  await page.waitForURL(/\/\?category=Rabbits$/);
  await waitForCount(page, '4 pets');
  assert.equal(await field(page).inputValue(), '');
  await page.goBack();
  await page.waitForURL(/\/\?text=rab&category=Cats$/);
  await waitForValue(() => field(page).inputValue(), 'rab');
  assert.equal(await list(page).count(), 0);
});

void test('suggestions: a tag replaces the tags, or is added if all have to match', options, async (t) => {
  const { page } = await openCatalogue(t, {}, '/?tag=big');
  await field(page).fill('cl');
  await option(page, 'clever 3 pets').click();
  await page.waitForURL(/\/\?tag=clever$/);
  await waitForCount(page, '3 pets');
  const all = await openCatalogue(t, {}, '/?tag=big&tag=playful&match=all');
  await field(all.page).fill('ac');
  await option(all.page, 'active 1 pet').click();
  await all.page.waitForURL(/\/\?tag=big&tag=playful&tag=active&match=all$/);
  await waitForCount(all.page, '1 pet');
});

void test('suggestions: are counted with the filters of the page', options, async (t) => {
  const { page } = await openCatalogue(t, {}, '/?status=available');
  await field(page).fill('c');
  for (const name of ['Clover 1 pet', 'Cats 4 pets', 'calm 2 pets']) await option(page, name).waitFor();
  assert.equal(await option(page, 'Clementine 1 pet').count(), 0);
});

void test('suggestions: the first letter is requested at once, the others after a pause', options, async (t) => {
  const visit = await openVisit(t, samples);
  const { page } = visit;
  await page.clock.install();
  await visit.open('/');
  await visit.waitForIdle();
  await page.clock.pauseAt(Date.now() + 60_000);
  const texts = watchRequests(page);
  const requested = (text: string) =>
    page.waitForRequest((request) => request.url().includes(`suggestions?text=${text}`));
  const first = requested('c');
  await field(page).press('c');
  await page.clock.runFor(1);
  await first;
  await field(page).pressSequentially('lev');
  await page.clock.runFor(PAUSE_MS - 1);
  assert.deepEqual(texts, ['c']);
  const last = requested('clev');
  await page.clock.runFor(1);
  await last;
  assert.deepEqual(texts, ['c', 'clev']);
  await page.clock.resume();
  await option(page, 'clever 3 pets').waitFor();
});

void test('suggestions: none are requested for a chosen word', options, async (t) => {
  const visit = await openCatalogue(t);
  const { page } = visit;
  const texts = watchRequests(page);
  await field(page).fill('clev');
  await option(page, 'clever 3 pets').waitFor();
  await option(page, 'clever 3 pets').click();
  await page.waitForURL(/\/\?tag=clever$/);
  await visit.waitForIdle();
  await field(page).fill('!!');
  await page.keyboard.press('ArrowDown');
  await visit.waitForIdle();
  assert.deepEqual(texts, ['clev']);
});

void test('suggestions: a late response is ignored, and the list stays until the next one', options, async (t) => {
  const visit = await openCatalogue(t);
  const { page } = visit;
  visit.allow(/ERR_ABORTED/);
  const [late, next] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const ended = Promise.withResolvers<void>();
  await page.route(/suggestions\?text=cl&/, async (route) => {
    await late.promise;
    await route.continue().catch(() => {});
    ended.resolve();
  });
  await page.route(/suggestions\?text=clo&/, async (route) => {
    await next.promise;
    await route.continue();
  });
  const removals = () =>
    page.evaluate(() => {
      document.body.dataset['gone'] = '0';
      new MutationObserver(() => {
        if (document.querySelector('[role=listbox]') === null) document.body.dataset['gone'] = '1';
      }).observe(document.body, { childList: true, subtree: true });
    });
  await field(page).pressSequentially('c');
  await option(page, 'Clementine 1 pet').waitFor();
  await removals();
  await Promise.all([page.waitForRequest(/suggestions\?text=cl&/), field(page).pressSequentially('l')]);
  await Promise.all([page.waitForRequest(/suggestions\?text=clo&/), field(page).pressSequentially('o')]);
  assert.equal(await list(page).getByRole('option').count(), 6);
  next.resolve();
  await option(page, 'Clementine 1 pet').waitFor({ state: 'detached' });
  late.resolve();
  await ended.promise;
  await visit.waitForIdle();
  assert.deepEqual(await list(page).getByRole('option').count(), 1);
  assert.equal(await page.evaluate(() => document.body.dataset['gone']), '0');
});

void test('suggestions: close when the field loses the focus, also before they arrive', options, async (t) => {
  const visit = await openCatalogue(t);
  const { page } = visit;
  await field(page).pressSequentially('c');
  await list(page).waitFor();
  await page.keyboard.press('Tab');
  await list(page).waitFor({ state: 'detached' });
  await field(page).fill('clo');
  await page.keyboard.press('Tab');
  await page.waitForURL(/\/\?text=clo$/);
  await visit.waitForIdle();
  await field(page).focus();
  assert.equal(await list(page).count(), 0);
});

void test('suggestions: a failure leaves the search as it is', options, async (t) => {
  const visit = await openCatalogue(t);
  const { page } = visit;
  visit.expect(/status of 500/);
  await page.route(/\/v2\/suggestions\?/, (route) =>
    route.fulfill({ status: 500, json: { code: 500, type: 'error', message: '' } }),
  );
  await field(page).fill('clover');
  await waitForCount(page, '1 pet');
  await visit.waitForIdle();
  assert.equal(await list(page).count(), 0);
});

void test('suggestions: are in German as well, and can be tapped', options, async (t) => {
  const { page } = await openCatalogue(t, { width: 375, language: 'de' });
  await field(page).pressSequentially('kätzchen');
  await list(page).getByRole('group', { name: 'Kategorien' }).waitFor();
  await waitForCount(page, '1 Vorschlag');
  await keepScreenshot(page, 'suggestions in German');
  await option(page, 'Katzen 6 Tiere').tap();
  await page.waitForURL(/\/\?category=Cats$/);
  await waitForCount(page, '6 Tiere');
});

void test('suggestions: a tag with a comma, which the page cannot filter by, is not suggested', options, async (t) => {
  const call = clientOf(samples.base);
  const json = { id: 9001, name: 'Quux', tags: ['quux, or not', 'quux'] };
  assert.equal((await call('POST', 'pet', { json })).status, 200);
  t.after(() => call('DELETE', 'pet/9001'));
  const { page } = await openCatalogue(t);
  await field(page).fill('quux');
  // The name and one tag.
  await waitForValue(() => list(page).getByRole('option').count(), 2);
});

for (const [language, count, note] of [
  ['en', '6 pets', 'Including Cats'],
  ['de', '6 Tiere', 'Einschließlich Katzen'],
] as const)
  void test(`synonyms in ${language}: are named beside the count, and move no cards`, options, async (t) => {
    const visit = await openCatalogue(t, { width: 375, language }, '/?category=Cats');
    const { page } = visit;
    await waitForCount(page, count);
    await visit.waitForIdle();
    const place = () => page.locator('[data-index="0"]').boundingBox();
    const before = await place();
    await page.goto('/?text=kitten');
    await page
      .getByRole('status')
      .filter({ hasText: new RegExp(`^${count} ${note}$`) })
      .waitFor();
    await waitForValue(place, before);
    await keepScreenshot(page, `synonyms ${language}`);
  });
