import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { firstFiles, type BuiltFile } from './support/first-load.ts';
import { ensureWebBuilt } from '../support/web-build.ts';

/** Gzipped size of all JavaScript and styles that a page requests before it is shown to a visitor, in KiB. */
const MAX_FIRST_LOADS = {
  'catalogue/catalogue-page.tsx': 163,
  'dashboard/dashboard-page.tsx': 149,
  'pet/pet-page.tsx': 157,
} as const;

/** Gzipped size of the styles that block the rendering of a visitor's page, and of those of staff, in KiB. */
const MAX_STYLES = { visitors: 10.5, staff: 8 } as const;

const TEXTS = 'texts/en/texts.ts';

const kibOf = (files: readonly BuiltFile[]) => files.reduce((sum, { gzippedBytes }) => sum + gzippedBytes, 0) / 1024;

const listOf = (files: readonly BuiltFile[]) =>
  files.map(({ file, gzippedBytes }) => `${file} ${gzippedBytes}`).join('\n');

for (const [page, maxKib] of Object.entries(MAX_FIRST_LOADS))
  void test(`first load of ${page}: within the limit, with one style sheet`, async () => {
    const { scripts, styleSheets } = await firstFiles(await ensureWebBuilt(), page, TEXTS);
    const files = [...scripts, ...styleSheets];
    assert.ok(scripts.length > 1, 'the scripts were found');
    assert.equal(styleSheets.length, 1, listOf(styleSheets));
    assert.ok(kibOf(styleSheets) <= MAX_STYLES.visitors, listOf(styleSheets));
    assert.ok(kibOf(files) <= maxKib, `${kibOf(files).toFixed(1)} KiB:\n${listOf(files)}`);
  });

for (const page of ['catalogue/search/filter-sheet.tsx', 'account/entry/login-page.tsx', 'about/about-page.tsx'])
  void test(`styles of ${page}: no more than other pages of visitors have`, async () => {
    const folder = await ensureWebBuilt();
    const of = async (source: string) => (await firstFiles(folder, source)).styleSheets;
    assert.deepEqual(await of(page), await of('pet/pet-page.tsx'));
  });

void test('styles of staff: one further style sheet, within the limit', async () => {
  const { styleSheets } = await firstFiles(await ensureWebBuilt(), 'administration/users/users-page.tsx');
  const [, staff, ...others] = styleSheets;
  assert.ok(staff !== undefined && others.length === 0, listOf(styleSheets));
  assert.ok(kibOf([staff]) <= MAX_STYLES.staff, listOf([staff]));
});

void test('first load of the catalogue: no code for staff', async () => {
  const folder = await ensureWebBuilt();
  const { scripts } = await firstFiles(folder, 'catalogue/catalogue-page.tsx');
  const texts = await Promise.all(scripts.map(({ file }) => readFile(join(folder, file), 'utf8')));
  for (const text of texts) assert.doesNotMatch(text, /DndContext|aria-roledescription|role:"menu"|Affenpinscher/);
});
