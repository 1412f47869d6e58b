import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { firstScripts } from './support/first-load.ts';
import { ensureWebBuilt } from '../support/web-build.ts';

/** Gzipped size of all JavaScript that the page requests before it shows the catalogue. */
const MAX_FIRST_LOAD_KB = 200;

void test('first load of the catalogue: JavaScript within the limit', async () => {
  const folder = await ensureWebBuilt();
  const scripts = await firstScripts(folder, 'catalogue/catalogue-page.tsx');
  const bytes = scripts.reduce((sum, script) => sum + script.gzippedBytes, 0);
  const list = scripts.map(({ file, gzippedBytes }) => `${file} ${gzippedBytes}`).join('\n');
  assert.ok(scripts.length > 1, 'the scripts were found');
  assert.ok(bytes <= MAX_FIRST_LOAD_KB * 1000, `${Math.ceil(bytes / 1000)} KB:\n${list}`);
});

void test('first load of the catalogue: no code for staff', async () => {
  const folder = await ensureWebBuilt();
  const scripts = await firstScripts(folder, 'catalogue/catalogue-page.tsx');
  const texts = await Promise.all(scripts.map(({ file }) => readFile(join(folder, file), 'utf8')));
  for (const text of texts) assert.doesNotMatch(text, /DndContext|aria-roledescription/);
});
