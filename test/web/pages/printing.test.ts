import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { skipWithoutBrowser } from '../support/browser.ts';
import { addManyPets, addPet, patchPet, addShelter, startStaffedService } from '../support/stock.ts';
import { openVisit, type Visit } from '../support/visit.ts';

/*
 * Printed pages. The user is an editor with the dark theme: the most controls, and colours unsuitable for paper.
 */

const { service, call, root } = await startStaffedService({ after });
const ADDED = 40;
await addManyPets(call, ADDED, root);
const ids = await addShelter(call, root);
const luna = ids['Luna'] ?? '';
await patchPet(call, luna, { status: 'pending' }, root);
const count = ADDED + Object.keys(ids).length;

const options = { skip: skipWithoutBrowser };

/** A4 between margins of 1 cm, in CSS pixels. */
const PAPER = { width: 718, height: 1047 };

/** Opens the page on a large screen, and lays it out for paper. */
async function openPrinted(visit: Visit, path: string): Promise<void> {
  const { page } = visit;
  await visit.open(path);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await visit.waitForIdle();
  await visit.expectShifts(async () => {
    await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
    await page.emulateMedia({ media: 'print' });
    await page.setViewportSize(PAPER);
    await visit.waitForIdle();
  });
}

const CONTROLS = 'button:not(:has(img)), input, select, nav, aside, footer, [role="search"]';

/** Elements of the kennel card that are cut or overlap, in pixels. */
function cutElements(page: Page): Promise<readonly string[]> {
  return page.locator('article h2').evaluate((name) => {
    const about = name.parentElement?.getBoundingClientRect();
    return [...(name.parentElement?.children ?? [])].flatMap((element) => {
      const { lineHeight, paddingTop, paddingBottom, webkitLineClamp } = getComputedStyle(element);
      const lines =
        (element.clientHeight - parseFloat(paddingTop) - parseFloat(paddingBottom)) / parseFloat(lineHeight);
      const isSqueezed = webkitLineClamp !== 'none' && (lines < 0.9 || Math.abs(lines - Math.round(lines)) > 0.1);
      const isBelow = element.getBoundingClientRect().bottom > (about?.bottom ?? 0) + 1;
      return isSqueezed || isBelow ? [`${element.className}: ${lines} lines${isBelow ? ', below the end' : ''}`] : [];
    });
  });
}

/** Reports controls, content beyond the sides of the page, and text that is too light for paper. */
async function faultsOf(page: Page): Promise<readonly string[]> {
  const controls = await page.locator(CONTROLS).filter({ visible: true }).allTextContents();
  const elements = await page
    .locator('main *:not(svg *)')
    .filter({ visible: true })
    .evaluateAll((all) =>
      all.map((element) => {
        const { left, right, width } = element.getBoundingClientRect();
        const { color } = getComputedStyle(element);
        return { text: element.textContent, left, right, width, color };
      }),
    );
  const isWide = ({ left, right, width }: (typeof elements)[number]) =>
    width > 1 && (left < -1 || right > PAPER.width + 1);
  const isPale = ({ text, color }: (typeof elements)[number]) =>
    text !== '' && (color.match(/\d+/g) ?? []).slice(0, 3).every((part) => Number(part) > 190);
  return [
    ...controls.map((text) => `control: ${text}`),
    ...elements.filter(isWide).map(({ text }) => `too wide: ${text}`),
    ...elements.filter(isPale).map(({ text }) => `too light: ${text}`),
  ];
}

void test('printed list: every loaded pet, side by side and in order', options, async (t) => {
  const visit = await openVisit(t, service, { theme: 'dark', loggedInAs: 'edna' });
  const { page } = visit;
  await openPrinted(visit, '/');
  assert.deepEqual(await faultsOf(page), []);
  const cards = await page.locator('main li article').evaluateAll((articles) =>
    articles.map((article) => {
      const { left, right, top, bottom } = article.getBoundingClientRect();
      return { name: article.querySelector('h2')?.textContent ?? '', left, right, top, bottom };
    }),
  );
  assert.equal(cards.length, count);
  for (const [place, card] of cards.entries()) {
    assert.ok(card.left >= 0 && card.right <= PAPER.width, `${card.name} is on the page`);
    const next = cards[place + 1];
    if (next !== undefined)
      assert.ok(next.left >= card.right || next.top >= card.bottom, `${next.name} is beside ${card.name} or below`);
  }
});

void test('printed list: the browser prints all cards, not only the visible ones', options, async (t) => {
  const visit = await openVisit(t, service, { loggedInAs: 'edna' });
  const { page } = visit;
  await visit.open('/');
  await visit.waitForIdle();
  const shown = await page.locator('main li article').count();
  assert.ok(shown < count, 'the screen has a part of the list only');
  const printed = await visit.expectShifts(async () => {
    await page.evaluate(() => {
      window.addEventListener('beforeprint', () =>
        queueMicrotask(
          () => (document.body.dataset['printed'] = String(document.querySelectorAll('main li article').length)),
        ),
      );
    });
    return page.pdf({ format: 'A4', margin: { top: '1cm', right: '1cm', bottom: '1cm', left: '1cm' } });
  });
  assert.equal(await page.evaluate(() => document.body.dataset['printed']), String(count));
  const pages = printed.toString('latin1').match(/\/Type \/Page\b/g)?.length ?? 0;
  // Three cards a row, three or four rows a page.
  assert.ok(pages >= count / 12 && pages <= count / 6, `${pages} pages`);
});

for (const [name, path] of [
  ['page of a pet', `/pets/${luna}`],
  ['page of a pet without photos', `/pets/${ids['Shadow']}`],
  ['history of a pet', `/pets/${luna}/history`],
] as const)
  void test(`printed ${name}: dark text, no controls, nothing beyond the page`, options, async (t) => {
    const visit = await openVisit(t, service, { theme: 'dark', loggedInAs: 'edna' });
    await openPrinted(visit, path);
    assert.deepEqual(await faultsOf(visit.page), []);
  });

void test(
  'kennel card: has a QR code, and prints on one page of A5; no other page has that size',
  options,
  async (t) => {
    const visit = await openVisit(t, service);
    const { page } = visit;
    await visit.open(`/pets/${luna}/card`);
    const card = page.getByRole('article', { name: 'Kennel card of Luna' });
    await card.getByRole('img', { name: 'QR code with a link to Luna' }).waitFor();
    await card.getByText(`${service.origin}/pets/${luna}`).waitFor();
    const sizesOf = async (path: string) => {
      await visit.open(path);
      await page.getByRole('heading').first().waitFor();
      await visit.waitForIdle();
      const printed = await visit.expectShifts(() => page.pdf({ preferCSSPageSize: true }));
      return [...printed.toString('latin1').matchAll(/\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/g)].map(
        ([, width, height]) => [Math.round(Number(width)), Math.round(Number(height))].join(' x '),
      );
    };
    // In points: 210 mm by 148 mm, and the default of the browser.
    assert.deepEqual(await sizesOf(`/pets/${luna}/card`), ['595 x 420']);
    assert.deepEqual([...new Set(await sizesOf(`/pets/${luna}`))], ['612 x 792']);
  },
);

// They add pets, so they come last.
const LONG = 'Joggy Pygmy Gyppy Quagga ';
const CARDS = [
  { name: 'Gypsy', category: 'Dogs', tags: 3 },
  { name: 'Wolfgang Schmidtma', category: LONG, tags: 30 },
  { name: LONG.repeat(8).trim(), category: LONG.repeat(8).trim(), tags: 30 },
  { name: 'M'.repeat(90), category: 'M'.repeat(90), tags: 30 },
];

for (const { name, category, tags } of CARDS)
  void test(`kennel card of ${name.slice(0, 30)}: cuts no letter`, options, async (t) => {
    const names = Array.from({ length: tags }, (_, index) => ({ name: `gypsy ${index}` }));
    const id = await addPet(call, { name, category: { name: category }, tags: names, status: 'available' }, root);
    const visit = await openVisit(t, service, { width: 768 });
    await visit.open(`/pets/${id}/card`);
    await visit.page.getByRole('article').waitFor();
    assert.deepEqual(await cutElements(visit.page), []);
  });
