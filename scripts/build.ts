import { spawnSync } from 'node:child_process';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';

/*
 * Makes JavaScript of src/, for the package: below node_modules, Node.js takes no TypeScript. In a checkout nothing of it is needed.
 */

const ROOT = join(import.meta.dirname, '..');
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');

await rm(join(ROOT, 'dist'), { recursive: true, force: true });
const { status } = spawnSync(process.execPath, [TSC, '--project', join(ROOT, 'tsconfig.build.json')], {
  stdio: 'inherit',
});
if (status !== 0) process.exit(1);

// What is no program: migrations, pages, and whatever else is read from beside one.
await cp(join(ROOT, 'src'), join(ROOT, 'dist'), {
  recursive: true,
  filter: (path) => !/\.[jt]s$/.test(path),
});
