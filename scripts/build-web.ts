import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { completeLicenses } from './bundled-licenses.ts';
import { HAS_PLAIN_PATH, LINK_OPTIONS, runThroughLink } from './plain-path.ts';
import { isWebBuilt, STAMP_FILE, stampOfSources, WEB_FOLDER } from './web-stamp.ts';

/*
 * Builds the web application and the API page into dist/web, with a compressed copy of each file. With --if-stale, only
 * if the build is missing or outdated.
 */

const ROOT = join(import.meta.dirname, '..');

/**
 * The folder of the build, and its lock: the process that creates it builds, others wait. On the same file system as
 * the result, to rename it.
 */
const WORK_FOLDER = join(ROOT, 'dist/.web-building');
const OWNER = join(WORK_FOLDER, 'owner');

const WAIT_MS = 100;

/** The owner writes its process ID immediately; a folder without one for longer was abandoned. */
const NO_OWNER_MS = 5000;

/** No build takes longer, even on a slow machine. */
const MAX_BUILD_MS = 15 * 60_000;

/** Other formats are compressed already, except the manifest, in which the service replaces addresses. */
const COMPRESSED = new Set(['.js', '.css', '.svg', '.json', '.txt']);

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

// Started by `npm start`: ends with it.
process.on('disconnect', () => process.exit(1));
process.channel?.unref();
if (!process.argv.includes('--if-stale') || !isWebBuilt())
  await (HAS_PLAIN_PATH ? buildOnce() : runThroughLink(import.meta.filename));

async function buildOnce(): Promise<void> {
  while (!(await claimWorkFolder())) await delay(WAIT_MS);
  try {
    // Another process may have built it meanwhile.
    if (process.argv.includes('--if-stale') && isWebBuilt()) return;
    const startedAtMs = performance.now();
    process.stderr.write('Building the web application... ');
    await build();
    process.stderr.write(`done in ${((performance.now() - startedAtMs) / 1000).toFixed(1)} s\n`);
  } finally {
    await rm(WORK_FOLDER, { recursive: true, force: true });
  }
}

async function build(): Promise<void> {
  // Before reading the sources, so that changes during the build make it outdated.
  const stamp = stampOfSources();
  // Loaded on demand: most starts do not build.
  const vite = await import('vite');
  const outDir = join(WORK_FOLDER, 'web');
  const options = { ...LINK_OPTIONS, configFile: join(ROOT, 'vite.config.ts'), logLevel: 'warn' } as const;
  await vite.build({ ...options, build: { outDir } });
  await vite.build({ ...options, build: { outDir, ssr: true } });
  await vite.build({ ...options, mode: 'docs', build: { outDir } });
  await completeLicenses(outDir);
  await compressBelow(outDir);
  await writeFile(join(outDir, STAMP_FILE), stamp);
  await rename(WEB_FOLDER, join(WORK_FOLDER, 'old')).catch(ignoreMissing);
  await rename(outDir, WEB_FOLDER);
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

/** @returns whether this process has created the folder */
async function claimWorkFolder(): Promise<boolean> {
  await mkdir(join(ROOT, 'dist'), { recursive: true });
  try {
    await mkdir(WORK_FOLDER);
    await writeFile(OWNER, String(process.pid));
    return true;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    if (await isAbandoned()) await rm(WORK_FOLDER, { recursive: true, force: true });
    return false;
  }
}

/**
 * Whether the process that created the folder was killed. In a container, process IDs repeat at each start: the ID of
 * this process, or that of a build which would have taken too long, belongs to an earlier one.
 */
async function isAbandoned(): Promise<boolean> {
  try {
    const owner = await readFile(OWNER, 'utf8').catch(ignoreMissing);
    if (owner === String(process.pid)) return true;
    const hasNoOwner = owner === undefined || owner === '';
    const ageMs = Date.now() - (await stat(hasNoOwner ? WORK_FOLDER : OWNER)).mtimeMs;
    if (ageMs > (hasNoOwner ? NO_OWNER_MS : MAX_BUILD_MS)) return true;
    if (!hasNoOwner) process.kill(Number(owner), 0);
    return false;
  } catch (error) {
    return codeOf(error) === 'ESRCH';
  }
}

function ignoreMissing(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error;
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
