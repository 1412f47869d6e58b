import assert from 'node:assert/strict';
import { spawnSync, execFile } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { skipWithoutPlaygrounds } from '../support/nodes.ts';
import { startTestService, temporaryFolder } from '../support/service.ts';

const EXAMPLE = resolve(import.meta.dirname, '../../examples/pytest');

const isMissing = spawnSync('python3', ['-m', 'pytest', '--version']).status !== 0;
const skip = isMissing ? 'pytest is not installed' : skipWithoutPlaygrounds();

void test('example for pytest: its tests pass', { skip }, async (t) => {
  const { origin } = await startTestService(t);
  const folder = join(await temporaryFolder(t), 'pytest');
  await cp(EXAMPLE, folder, { recursive: true });
  const env = { ...process.env, MENAGERIE_URL: origin };
  const run = promisify(execFile)('python3', ['-m', 'pytest', '--tb=short'], { cwd: folder, env });
  const { stdout } = await run.catch((error: unknown) => error as { stdout: string });
  assert.match(stdout, /3 passed/);
});
