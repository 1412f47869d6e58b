import { copyFile, cp, glob, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { BUNDLE_FOLDER, isBundled, STAMP_FILE, stampOfBundle } from '../src/cli/build-stamp.js';
import { buildOnce } from './build-once.ts';
import { bundleLayout } from './bundle-layout.ts';
import { LINK_OPTIONS } from './plain-path.ts';

/*
 * Bundles the command line and the service, with their packages, into bundle/: a start takes three quarters of the
 * processor time, and 25 MiB less memory (decision 48). With --if-stale, only if the bundle is missing or outdated.
 * With --clean, without files of earlier bundles.
 */

const ROOT = join(import.meta.dirname, '..');
const SOURCES = join(ROOT, 'src');

/** `sharp` is native code, and installed beside the bundle. The others are optional, and not installed. */
const EXTERNAL = ['sharp', 'pg-native', 'cpu-features'];

const INPUT = {
  main: join(SOURCES, 'cli/main.ts'),
  // The exports of the package.
  client: join(SOURCES, 'client/client.ts'),
  testing: join(SOURCES, 'testing/menagerie.ts'),
};

/** A service that was started before a later build loads some of its files afterwards. */
const KEPT_MS = 7 * 24 * 60 * 60_000;

await buildOnce({
  name: 'the server',
  script: import.meta.filename,
  folder: BUNDLE_FOLDER,
  workFolder: join(ROOT, 'dist/.bundle-building'),
  isBuilt: isBundled,
  buildIn,
});

async function buildIn(outDir: string): Promise<void> {
  // Before reading the sources, so that changes during the build make it outdated.
  const stamp = stampOfBundle();
  // Loaded on demand: most starts do not build.
  const { build } = await import('vite');
  await build({
    ...LINK_OPTIONS,
    configFile: false,
    root: ROOT,
    logLevel: 'warn',
    plugins: [bundleLayout()],
    define: {
      // React, for e-mail, is large without it.
      'process.env.NODE_ENV': '"production"',
      // ssh2 reads it while it loads.
      __dirname: 'import.meta.dirname',
    },
    ssr: { noExternal: true, external: EXTERNAL },
    build: {
      outDir,
      ssr: true,
      target: 'node24',
      sourcemap: 'hidden',
      license: { fileName: 'licenses.json' },
      rolldownOptions: {
        input: INPUT,
        external: [...builtinModules],
        output: {
          entryFileNames: '[name].js',
          chunkFileNames: '[name]-[hash].js',
          sourcemapExcludeSources: true,
          // As from the final place.
          sourcemapPathTransform: (path, map) => relative(BUNDLE_FOLDER, resolve(dirname(map), path)),
        },
      },
    },
  });
  for await (const path of glob('storage/*/migrations/*.sql', { cwd: SOURCES })) {
    await mkdir(dirname(join(outDir, path)), { recursive: true });
    await copyFile(join(SOURCES, path), join(outDir, path));
  }
  if (!process.argv.includes('--clean')) await keepFilesOfEarlierBuild(outDir);
  await writeFile(join(outDir, STAMP_FILE), stamp);
}

async function keepFilesOfEarlierBuild(outDir: string): Promise<void> {
  const names = new Set(await readdir(outDir));
  for (const name of await readdir(BUNDLE_FOLDER).catch(() => [])) {
    const path = join(BUNDLE_FOLDER, name);
    const isRecent = Date.now() - (await stat(path)).mtimeMs < KEPT_MS;
    if (isRecent && !names.has(name)) await cp(path, join(outDir, name), { recursive: true, preserveTimestamps: true });
  }
}
