import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { FORMER_SETTINGS } from '../../src/server/configuration/former-settings.ts';
import { explainUnknownNames } from '../../src/server/configuration/setting-sources.ts';
import { SETTINGS } from '../../src/server/configuration/settings.ts';
import { problemsOf } from '../support/read-config.ts';
import { temporaryFolder } from '../support/service.ts';

/* Settings that no longer exist are never ignored without a word. */

const variableOf = (name: string) => `MENAGERIE_${name.toUpperCase().replaceAll('-', '_')}`;

void test('former flag: ends the start with one sentence that says what to do instead', () => {
  for (const [name, instead] of FORMER_SETTINGS) {
    const problem = `Option --${name} no longer exists. ${instead}`;
    for (const args of [[`--${name}`, '2'], [`--${name}=2`], [`--${name}`]])
      assert.deepEqual(problemsOf(args), [problem]);
    assert.match(problem, /^[^\n]+\.$/);
    assert.ok(!SETTINGS.some((setting) => setting.name === name), `${name} exists`);
  }
});

void test('former variable or credential: is reported with what to do instead, by name and never by value', async (t) => {
  const folder = await temporaryFolder(t);
  await writeFile(join(folder, 'menagerie.workers'), 'hunter2');
  for (const [name, instead] of FORMER_SETTINGS)
    for (const variable of [variableOf(name), `${variableOf(name)}_FILE`, variableOf(name).toLowerCase()])
      assert.deepEqual(explainUnknownNames({ [variable]: 'hunter2' }), [
        `The environment variable ${variable} is ignored, as it no longer exists. ${instead}`,
      ]);
  assert.deepEqual(explainUnknownNames({ CREDENTIALS_DIRECTORY: folder }), [
    `The credential menagerie.workers is ignored, as it no longer exists. ${FORMER_SETTINGS.get('workers')}`,
  ]);
});

void test('former key of the config file: ends the start with one sentence that says what to do instead', async (t) => {
  const path = join(await temporaryFolder(t), 'menagerie.toml');
  for (const [name, instead] of FORMER_SETTINGS) {
    await writeFile(path, `port = 1\n${name} = 2\n`);
    assert.deepEqual(problemsOf(['--config', path]), [`${name} (${path}, line 2) no longer exists. ${instead}`]);
  }
});
