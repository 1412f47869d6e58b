import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { firstScripts } from './support/first-load.ts';
import { ensureWebBuilt } from '../support/web-build.ts';

/** Gzipped size of all JavaScript that a page requests before it is shown to a visitor, in KiB. */
const MAX_FIRST_LOADS = {
  'catalogue/catalogue-page.tsx': 150,
  'dashboard/dashboard-page.tsx': 137,
  'pet/pet-page.tsx': 143,
} as const;

/** Gzipped size of the style sheet, which all pages share. */
const MAX_STYLES_KIB = 14;

const TEXTS = 'texts/en/texts.ts';

for (const [page, maxKib] of Object.entries(MAX_FIRST_LOADS))
  void test(`first load of ${page}: JavaScript within the limit`, async () => {
    const folder = await ensureWebBuilt();
    const scripts = await firstScripts(folder, page, TEXTS);
    const kib = scripts.reduce((sum, script) => sum + script.gzippedBytes, 0) / 1024;
    const list = scripts.map(({ file, gzippedBytes }) => `${file} ${gzippedBytes}`).join('\n');
    assert.ok(scripts.length > 1, 'the scripts were found');
    assert.ok(kib <= maxKib, `${kib.toFixed(1)} KiB:\n${list}`);
  });

void test('first load of the catalogue: no code for staff', async () => {
  const folder = await ensureWebBuilt();
  const scripts = await firstScripts(folder, 'catalogue/catalogue-page.tsx');
  const texts = await Promise.all(scripts.map(({ file }) => readFile(join(folder, file), 'utf8')));
  for (const text of texts) assert.doesNotMatch(text, /DndContext|aria-roledescription|role:"menu"|Affenpinscher/);
});

void test('styles: within the limit', async () => {
  const folder = join(await ensureWebBuilt(), 'assets');
  const [file, ...others] = (await readdir(folder)).filter((name) => /^style-.*\.css$/.test(name));
  assert.ok(file !== undefined && others.length === 0, 'one style sheet');
  const kib = gzipSync(await readFile(join(folder, file))).length / 1024;
  assert.ok(kib <= MAX_STYLES_KIB, `${kib.toFixed(1)} KiB`);
});
