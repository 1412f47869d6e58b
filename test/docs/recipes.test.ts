import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { test } from 'node:test';

const ROOT = resolve(import.meta.dirname, '../..');
const PATH = /`((?:src|test|docs|scripts|bench|interop)\/[^`\s*]*|[A-Z]+\.md)`/g;

void test('CONTRIBUTING.md: every path exists', async () => {
  const text = await readFile(resolve(ROOT, 'CONTRIBUTING.md'), 'utf8');
  const paths = [...text.matchAll(PATH)].map(([, path = '']) => path);
  assert.ok(paths.length > 40, String(paths.length));
  assert.deepEqual(
    paths.filter((path) => !existsSync(resolve(ROOT, path))),
    [],
  );
});

void test('ARCHITECTURE.md: names every folder at the top of src/, and every path exists', async () => {
  const text = await readFile(resolve(ROOT, 'ARCHITECTURE.md'), 'utf8');
  const folders = await readdir(resolve(ROOT, 'src'), { withFileTypes: true });
  const names = folders.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  assert.deepEqual(
    names.filter((name) => !text.includes(`\`src/${name}/\``)),
    [],
  );
  const paths = [...text.matchAll(/`((?:domain|api|http|storage|services|server|web)\/[\w/.-]+)`/g)].map(
    ([, path = '']) => path,
  );
  assert.ok(paths.length > 40, String(paths.length));
  assert.deepEqual(
    paths.filter((path) => !existsSync(resolve(ROOT, 'src', path))),
    [],
  );
});
