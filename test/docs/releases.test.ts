import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { releaseNotes } from '../../scripts/release-notes.ts';
import { readYaml, type Yaml } from '../deploy/read-yaml.ts';
import { temporaryFolder } from '../support/service.ts';

/* Checks of the workflows that need no GitHub. `interop/workflow.test.ts` runs a linter. */

const WORKFLOWS = resolve(import.meta.dirname, '../../.github/workflows');

const PINNED = /^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;

const FILES = {
  'package.json': '{ "version": "1.2.0" }',
  Dockerfile: 'FROM node\nARG VERSION=1.2.0\nRUN true\n',
  'CHANGELOG.md': '# Changelog\n\n## 1.2.0 - 2027-01-31\n\n### Added\n\n- Bees.\n\n## 1.1.0 - 2026-12-01\n\n- Ants.\n',
};

void test('release notes: are the section of the version', async (t) => {
  const folder = await temporaryFolder(t);
  await writeAll(folder, FILES);
  assert.equal(await releaseNotes('v1.2.0', folder), '### Added\n\n- Bees.\n');
});

void test('release notes: a checkout that is not ready is refused', async (t) => {
  const folder = await temporaryFolder(t);
  for (const [name, from, to, message] of [
    ['package.json', '1.2.0', '1.3.0', /The tag is v1\.2\.0, but package\.json has the version 1\.3\.0/],
    ['Dockerfile', '1.2.0', '1.1.0', /Dockerfile needs the line "ARG VERSION=1\.2\.0"/],
    ['CHANGELOG.md', '2027-01-31', 'not released yet', /needs the section "## 1\.2\.0 - YYYY-MM-DD"/],
    ['CHANGELOG.md', '1.2.0', '1.2.0-beta', /needs the section "## 1\.2\.0 - YYYY-MM-DD"/],
  ] as const) {
    await writeAll(folder, { ...FILES, [name]: FILES[name].replace(from, to) });
    await assert.rejects(releaseNotes('v1.2.0', folder), { message });
  }
});

for (const name of await readdir(WORKFLOWS)) {
  void test(`workflow ${name}: actions are pinned by commit`, async () => {
    const text = await readFile(join(WORKFLOWS, name), 'utf8');
    const uses = [...text.matchAll(/\buses: (.*)/g)].map(([, action = '']) => action);
    assert.ok(uses.length > 0);
    assert.deepEqual(
      uses.filter((action) => !action.startsWith('./') && !PINNED.test(action)),
      [],
    );
  });

  void test(`workflow ${name}: scripts are valid, and get values from the environment only`, async () => {
    const scripts = scriptsOf(await readYaml(await readFile(join(WORKFLOWS, name), 'utf8')));
    assert.ok(scripts.length > 0);
    for (const script of scripts) {
      // GitHub would insert the value into the script, whatever it contains.
      assert.doesNotMatch(script, /\$\{\{/);
      const { status, stderr } = spawnSync('bash', ['-n'], { input: script, encoding: 'utf8' });
      assert.equal(status, 0, `${script}\n${stderr}`);
    }
  });
}

async function writeAll(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(folder, name), text)));
}

/** The values of all keys `run`. */
function scriptsOf(yaml: Yaml): readonly string[] {
  if (yaml === undefined || typeof yaml === 'string') return [];
  return Object.entries(yaml).flatMap(([key, value]) =>
    key === 'run' && typeof value === 'string' ? [value] : scriptsOf(value),
  );
}
