import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { isWebBuilt, STAMP_FILE, stampOfSources, WEB_FOLDER } from './web-stamp.ts';

/*
 * Builds the web application into dist/web, with each file compressed beside it. With --if-stale only where that is missing or older than its sources.
 */

const ROOT = join(import.meta.dirname, '..');

/** Where it is made: who makes this folder builds, all others wait. Its place is beside the result, which is then a mere change of name. */
const WORKSHOP = join(ROOT, 'dist/.web-building');
const OWNER = join(WORKSHOP, 'owner');

const WAIT_MS = 100;

/** An owner's number is written at once; a workshop without one for so long belongs to nobody. */
const NAMELESS_MS = 5000;

/** No build takes so long, on whatever machine. */
const MAX_BUILD_MS = 15 * 60_000;

/** What is compressed already gains nothing. */
const COMPRESSED = new Set(['.js', '.css', '.svg', '.json', '.webmanifest', '.txt']);

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

if (!process.argv.includes('--if-stale') || !isWebBuilt()) await buildOnce();

async function buildOnce(): Promise<void> {
  while (!(await openWorkshop())) await delay(WAIT_MS);
  try {
    // Somebody else may have built it while this one waited.
    if (process.argv.includes('--if-stale') && isWebBuilt()) return;
    const startedAtMs = performance.now();
    process.stderr.write('Building the web application... ');
    await buildAnew();
    process.stderr.write(`done in ${((performance.now() - startedAtMs) / 1000).toFixed(1)} s\n`);
  } finally {
    await rm(WORKSHOP, { recursive: true, force: true });
  }
}

async function buildAnew(): Promise<void> {
  // Before anything is read: what changes meanwhile makes the build stale.
  const stamp = stampOfSources();
  // It takes its time to load, and most starts need nothing of it.
  const { build } = await import('vite');
  const outDir = join(WORKSHOP, 'web');
  const options = { configFile: join(ROOT, 'vite.config.ts'), logLevel: 'warn' } as const;
  await build({ ...options, build: { outDir } });
  await build({ ...options, build: { outDir, ssr: true } });
  await compressBelow(outDir);
  await writeFile(join(outDir, STAMP_FILE), stamp);
  await rename(WEB_FOLDER, join(WORKSHOP, 'old')).catch(ignoreMissing);
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

/** @returns whether it is this one's now */
async function openWorkshop(): Promise<boolean> {
  await mkdir(join(ROOT, 'dist'), { recursive: true });
  try {
    await mkdir(WORKSHOP);
    await writeFile(OWNER, String(process.pid));
    return true;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    if (await isAbandoned()) await rm(WORKSHOP, { recursive: true, force: true });
    return false;
  }
}

/**
 * Was whoever built there ended on the way? In a container, processes get the same numbers at each start: who finds its own was not there before, and
 * who finds one that is somebody else's by now does not wait for it forever.
 */
async function isAbandoned(): Promise<boolean> {
  try {
    const owner = await readFile(OWNER, 'utf8').catch(ignoreMissing);
    if (owner === String(process.pid)) return true;
    const isNameless = owner === undefined || owner === '';
    const ageMs = Date.now() - (await stat(isNameless ? WORKSHOP : OWNER)).mtimeMs;
    if (ageMs > (isNameless ? NAMELESS_MS : MAX_BUILD_MS)) return true;
    if (!isNameless) process.kill(Number(owner), 0);
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
