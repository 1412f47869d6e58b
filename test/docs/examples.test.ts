import assert from 'node:assert/strict';
import { spawnSync, execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, glob, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { skipWithoutPlaygrounds } from '../support/nodes.ts';
import { startTestService, temporaryFolder } from '../support/service.ts';

/* The examples in other languages. Those that need the package are tested with it (test/package/). */

const ROOT = resolve(import.meta.dirname, '../..');
const EXAMPLES = join(ROOT, 'examples');

/** Of Debian's package `junit5`. */
const JUNIT = '/usr/share/java/junit-platform-console-standalone.jar';

const run = promisify(execFile);

const isMissing = (program: string, ...args: readonly string[]) => spawnSync(program, args).status !== 0;

const withoutPytest = isMissing('python3', '-m', 'pytest', '--version') && 'pytest is not installed';
const withoutJunit =
  (isMissing('javac', '-version') && 'a JDK is not installed') || (!existsSync(JUNIT) && `${JUNIT} does not exist`);

void test('example for pytest: its tests pass', { skip: withoutPytest || skipWithoutPlaygrounds() }, async (t) => {
  const { origin } = await startTestService(t);
  const folder = join(await temporaryFolder(t), 'pytest');
  await cp(join(EXAMPLES, 'pytest'), folder, { recursive: true });
  const env = { ...process.env, MENAGERIE_URL: origin };
  assert.match(await outputOf('python3', ['-m', 'pytest', '--tb=short'], { cwd: folder, env }), /3 passed/);
});

void test('example for JUnit: its tests pass', { skip: withoutJunit || skipWithoutPlaygrounds() }, async (t) => {
  const { origin } = await startTestService(t);
  const folder = await temporaryFolder(t);
  const env = { ...process.env, MENAGERIE_URL: origin };
  await run('javac', ['-classpath', JUNIT, '-d', folder, join(EXAMPLES, 'junit/PetsTest.java')]);
  const flags = ['--class-path', folder, '--select-class', 'PetsTest', '--details', 'tree'];
  assert.match(await outputOf('java', ['-jar', JUNIT, ...flags], { cwd: folder, env }), /2 tests successful/);
});

void test('guide to testing: shows examples as they are', async () => {
  const guide = await readFile(join(ROOT, 'docs/guides/testing-with-it.md'), 'utf8');
  const files: string[] = [];
  for await (const path of glob('*/*.{java,yaml}', { cwd: EXAMPLES }))
    files.push(await readFile(join(EXAMPLES, path), 'utf8'));
  const shown = [...guide.matchAll(/^```(?:java|yaml)\n(.*?)^```$/gms)].map(([, code = '']) => code);
  assert.deepEqual(
    shown.filter((code) => !files.some((file) => file.includes(code))),
    [],
  );
  assert.equal(shown.length, 2);
});

/** Also of a run that fails. */
async function outputOf(program: string, args: readonly string[], options: { cwd: string; env: NodeJS.ProcessEnv }) {
  const { stdout } = await run(program, args, options).catch((error: unknown) => error as { stdout: string });
  return stdout;
}
