import { spawnSync } from 'node:child_process';
import { cp, mkdir, readdir, rm } from 'node:fs/promises';
import { join, sep } from 'node:path';

/*
 * Compiles src/ to JavaScript for the package, because Node.js does not run TypeScript below node_modules. Also builds
 * the web application if it is outdated; a checkout needs nothing else of dist/.
 */

const ROOT = join(import.meta.dirname, '..');
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');

/** The web application, which a starting service may be reading. */
const KEPT: ReadonlySet<string> = new Set(['web', '.web-building']);

const DIST = join(ROOT, 'dist');
await mkdir(DIST, { recursive: true });
for (const name of await readdir(DIST)) if (!KEPT.has(name)) await rm(join(DIST, name), { recursive: true });
run(TSC, '--project', join(ROOT, 'tsconfig.build.json'));
run(join(ROOT, 'scripts/build-web.ts'), '--if-stale');

// Files that are not compiled, such as migrations and pages.
const WEB_SOURCES = join(ROOT, 'src/web');
await cp(join(ROOT, 'src'), DIST, {
  recursive: true,
  filter: (path) => !/\.[jt]s$/.test(path) && path !== WEB_SOURCES && !path.startsWith(`${WEB_SOURCES}${sep}`),
});

function run(...args: readonly string[]): void {
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}
