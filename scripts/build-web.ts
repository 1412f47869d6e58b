import { readdir, readFile, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { buildOnce } from './build-once.ts';
import { completeLicenses } from './bundled-licenses.ts';
import { LINK_OPTIONS } from './plain-path.ts';
import { isWebBuilt, STAMP_FILE, stampOfSources, WEB_FOLDER } from './web-stamp.ts';

/*
 * Builds the web application and the API page into dist/web, with a compressed copy of each file. With --if-stale, only
 * if the build is missing or outdated.
 */

const ROOT = join(import.meta.dirname, '..');

/** Other formats are compressed already, except the manifest, in which the service replaces addresses. */
const COMPRESSED = new Set(['.js', '.css', '.svg', '.json', '.txt']);

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

await buildOnce({
  name: 'the web application',
  script: import.meta.filename,
  folder: WEB_FOLDER,
  workFolder: join(ROOT, 'dist/.web-building'),
  isBuilt: isWebBuilt,
  buildIn,
});

async function buildIn(outDir: string): Promise<void> {
  // Before reading the sources, so that changes during the build make it outdated.
  const stamp = stampOfSources();
  // Loaded on demand: most starts do not build.
  const vite = await import('vite');
  const options = { ...LINK_OPTIONS, configFile: join(ROOT, 'vite.config.ts'), logLevel: 'warn' } as const;
  await vite.build({ ...options, build: { outDir } });
  await vite.build({ ...options, build: { outDir, ssr: true } });
  await vite.build({ ...options, mode: 'docs', build: { outDir } });
  await completeLicenses(outDir);
  await compressBelow(outDir);
  await writeFile(join(outDir, STAMP_FILE), stamp);
}

async function compressBelow(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() && COMPRESSED.has(extname(entry.name)))
    .map(({ parentPath, name }) => join(parentPath, name));
  await Promise.all(paths.map(compress));
}

async function compress(path: string): Promise<void> {
  const content = await readFile(path);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.byteLength };
  const forms = { br: await brotli(content, { params }), gz: await zip(content, { level: 9 }) };
  for (const [ending, bytes] of Object.entries(forms))
    if (bytes.byteLength < content.byteLength) await writeFile(`${path}.${ending}`, bytes);
}
