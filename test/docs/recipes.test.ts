import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
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
