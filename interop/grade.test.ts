import assert from 'node:assert/strict';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { runMenagerie } from '../test/support/menagerie-process.ts';
import { temporaryFolder } from '../test/support/service.ts';

const ROOT = resolve(import.meta.dirname, '..');

void test('menagerie grade: a suite of Vitest, started with npx, notices what it meets', async (t) => {
  const folder = await temporaryFolder(t);
  await symlink(join(ROOT, 'interop/node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  const suite = await readFile(join(ROOT, 'examples/grading/petstore.test.js'), 'utf8');
  await writeFile(join(folder, 'petstore.test.js'), suite.replace("'node:test'", "'vitest'"));
  // Vitest caches in node_modules, which is that of other tests.
  const command = ['npx', 'vitest', 'run', '--cache=false'];
  const { code, stdout, stderr } = await runMenagerie(
    t,
    ['grade', '--bugs', 'petstore', '--contents', 'empty', '--', ...command],
    { cwd: folder, environment: { PATH: process.env['PATH'] ?? '', HOME: folder } },
  );
  assert.equal(code, 0, stdout + stderr);
  assert.match(stdout, /The suite noticed 10 of the 10 bugs that it met\.\n/);
});
