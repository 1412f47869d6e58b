import { spawnSync } from 'node:child_process';
import { cp, mkdir, readdir, rm } from 'node:fs/promises';
import { join, sep } from 'node:path';

/*
 * Makes JavaScript of src/, for the package: below node_modules, Node.js takes no TypeScript. In a checkout nothing of it is needed but the web
 * application, which is built if need be.
 */

const ROOT = join(import.meta.dirname, '..');
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');

/** Of the web application: a service that starts at this moment may be reading it. */
const KEPT: ReadonlySet<string> = new Set(['web', '.web-building']);

const DIST = join(ROOT, 'dist');
await mkdir(DIST, { recursive: true });
for (const name of await readdir(DIST)) if (!KEPT.has(name)) await rm(join(DIST, name), { recursive: true });
run(TSC, '--project', join(ROOT, 'tsconfig.build.json'));
run(join(ROOT, 'scripts/build-web.ts'), '--if-stale');

// What is no program: migrations, pages, and whatever else is read from beside one.
const WEB_SOURCES = join(ROOT, 'src/web');
await cp(join(ROOT, 'src'), DIST, {
  recursive: true,
  filter: (path) => !/\.[jt]s$/.test(path) && path !== WEB_SOURCES && !path.startsWith(`${WEB_SOURCES}${sep}`),
});

function run(...args: readonly string[]): void {
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}
