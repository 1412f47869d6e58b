import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { firstScripts } from './support/first-load.ts';
import { ensureWebBuilt } from '../support/web-build.ts';

/** Gzipped size of all JavaScript that a page requests before it is shown to a visitor, in KiB. */
const MAX_FIRST_LOADS = {
  'catalogue/catalogue-page.tsx': 150,
  'dashboard/dashboard-page.tsx': 140,
  'pet/pet-page.tsx': 145,
} as const;

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
  for (const text of texts) assert.doesNotMatch(text, /DndContext|aria-roledescription|role:"menu"/);
});
