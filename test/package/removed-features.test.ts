import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { cp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { checkContract } from '../playgrounds/contract-check.ts';
import { startServer } from '../support/menagerie-process.ts';
import { temporaryFolder } from '../support/service.ts';

/*
 * Each feature can be taken out: without its folder and its names in the lists of features, the project passes types
 * and layout, and the service holds the contract.
 */

const ROOT = resolve(import.meta.dirname, '../..');
const FEATURES = join(ROOT, 'src/features');

const names = readdirSync(FEATURES, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== 'texts')
  .map(({ name }) => name);

const lists = readdirSync(FEATURES, { recursive: true, encoding: 'utf8' }).filter((path) =>
  /^(?:texts\/)?[\w-]+\.ts$/.test(path),
);

void test('features: there are some, and lists of them', () => {
  assert.ok(names.length > 0 && lists.length > 5);
});

for (const name of names)
  void test(`features: ${name} can be taken out`, async (t) => {
    const folder = await copyWithout(t, name);
    await run(folder, ['node_modules/typescript/bin/tsc', '--noEmit', '--project', 'tsconfig.removed.json']);
    await run(folder, ['node_modules/typescript/bin/tsc', '--noEmit', '--project', 'src/web']);
    await run(folder, ['--test', 'test/layout.test.ts']);
    const executable = join(folder, 'src/cli/menagerie.js');
    const server = await startServer(t, join(folder, 'data'), ['--empty'], { executable });
    assert.deepEqual([...(await checkContract({ base: server.base }))], []);
    assert.equal((await server.end('SIGTERM')).code, 0);
  });

async function copyWithout(t: TestContext, name: string): Promise<string> {
  const folder = await temporaryFolder(t);
  for (const path of ['src', 'package.json', 'tsconfig.json', 'test/layout.test.ts', 'test/support'])
    await cp(join(ROOT, path), join(folder, path), { recursive: true });
  for (const path of ['assets', 'bench', 'node_modules', 'scripts'])
    await symlink(join(ROOT, path), join(folder, path));
  const features = join(folder, 'src/features');
  await rm(join(features, name), { recursive: true });
  for (const list of lists)
    await writeFile(join(features, list), without(name, await readFile(join(features, list), 'utf8')));
  // Tests of a feature go with it, and are not told apart yet.
  const types = { extends: './tsconfig.json', compilerOptions: { incremental: false }, include: ['src'] };
  await writeFile(join(folder, 'tsconfig.removed.json'), JSON.stringify(types));
  return folder;
}

/** The text of a list without the imports from the feature and what they import. */
function without(name: string, list: string): string {
  const imports = new RegExp(String.raw`import (?:\{([^}]*)\}|\* as (\w+)|(\w+)) from '\.{1,2}/${name}/[^']*';\n`, 'g');
  const imported = [...list.matchAll(imports)].flatMap(
    ([, several, whole, one]) => (several ?? whole ?? one ?? '').match(/\w+/g) ?? [],
  );
  const rest = list.replaceAll(imports, '');
  return imported.reduce(
    (text, each) => text.replaceAll(new RegExp(String.raw`(?:\.\.\.)?\b${each}\b(?:\.\w+)?,?\s*`, 'g'), ''),
    rest,
  );
}

async function run(folder: string, args: readonly string[]): Promise<void> {
  await promisify(execFile)(process.execPath, args, { cwd: folder, maxBuffer: 10_000_000 }).catch(
    ({ stdout = '', stderr = '' }: { stdout?: string; stderr?: string }) =>
      assert.fail(`${args.join(' ')}\n${stdout}${stderr}`),
  );
}
