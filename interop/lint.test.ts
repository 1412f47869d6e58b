import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { temporaryFolder } from '../test/support/service.ts';

const MODULES = join(import.meta.dirname, 'node_modules');
const DOCUMENT = join(import.meta.dirname, '../docs/openapi.json');

interface Linter {
  args: (file: string, folder: string) => Promise<readonly string[]>;
  /** The names of the rules that the document breaks. */
  brokenRules: (output: string) => readonly string[];
}

const LINTERS: Readonly<Record<string, Linter>> = {
  'recommended rules of Redocly': {
    args: async (file) => [
      join(MODULES, '@redocly/cli/bin/cli.js'),
      'lint',
      '--extends',
      'recommended',
      '--format',
      'json',
      file,
    ],
    brokenRules: (output) =>
      (JSON.parse(output) as { problems: { ruleId: string }[] }).problems.map(({ ruleId }) => ruleId),
  },
  'spectral:oas': {
    args: async (file, folder) => {
      const rules = join(folder, 'rules.yaml');
      await writeFile(rules, 'extends: ["spectral:oas"]\n');
      return [
        join(MODULES, '@stoplight/spectral-cli/dist/index.js'),
        'lint',
        file,
        '--ruleset',
        rules,
        '--format',
        'json',
        '--quiet',
      ];
    },
    brokenRules: (output) => (JSON.parse(output) as { code: string }[]).map(({ code }) => code),
  },
};

void describe('openapi.json', () => {
  for (const [name, { args, brokenRules }] of Object.entries(LINTERS)) {
    void it(`${name}: nothing is reported`, async (t) => {
      const folder = await temporaryFolder(t);
      assert.deepEqual(brokenRules(await run(await args(DOCUMENT, folder))), []);
      const document = JSON.parse(await readFile(DOCUMENT, 'utf8')) as object;
      const broken = join(folder, 'broken.json');
      await writeFile(broken, JSON.stringify({ ...document, info: { title: 'Broken', version: '1' } }));
      assert.notDeepEqual(brokenRules(await run(await args(broken, folder))), []);
    });
  }
});

/** The standard output of a linter, whatever its exit code. */
function run(args: readonly string[]): Promise<string> {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { env, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      if (stdout === '') reject(error ?? new Error(stderr));
      else resolve(stdout);
    });
  });
}
