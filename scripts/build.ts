import { spawnSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

/* Builds what the package contains beside its assets: the bundle, its types, and the web application. */

const ROOT = join(import.meta.dirname, '..');
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');

await rm(join(ROOT, 'dist/types'), { recursive: true, force: true });
run(TSC, '--project', join(ROOT, 'tsconfig.build.json'));
run(join(ROOT, 'scripts/build-bundle.ts'), '--clean');
run(join(ROOT, 'scripts/build-web.ts'), '--if-stale');

function run(...args: readonly string[]): void {
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}
