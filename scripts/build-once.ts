import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { HAS_PLAIN_PATH, runThroughLink } from './plain-path.ts';

/* Builds a folder in one of several concurrent processes, and replaces the earlier build when it is complete. */

const WAIT_MS = 100;

/** The owner writes its process ID immediately; a folder without one for longer was abandoned. */
const NO_OWNER_MS = 5000;

/** No build takes longer, even on a slow machine. */
const MAX_BUILD_MS = 15 * 60_000;

export interface Build {
  /** In the output: `the web application`. */
  name: string;
  /** The script that builds it, which is run again if Vite does not work here. */
  script: string;
  /** The result. */
  folder: string;
  /**
   * The folder of the build in progress, and its lock: the process that creates it builds, others wait. On the same
   * file system as the result, to rename it.
   */
  workFolder: string;
  isBuilt: () => boolean;
  buildIn: (folder: string) => Promise<void>;
}

/** With the flag --if-stale, builds only if the result is missing or outdated. */
export async function buildOnce(build: Build): Promise<void> {
  // Started by `npm start`: ends with it.
  process.on('disconnect', () => process.exit(1));
  process.channel?.unref();
  const isNeeded = () => !process.argv.includes('--if-stale') || !build.isBuilt();
  if (!isNeeded()) return;
  if (!HAS_PLAIN_PATH) await runThroughLink(build.script);
  while (!(await claim(build.workFolder))) await delay(WAIT_MS);
  try {
    // Another process may have built it meanwhile.
    if (isNeeded()) await buildHere(build);
  } finally {
    await rm(build.workFolder, { recursive: true, force: true });
  }
}

async function buildHere({ name, folder, workFolder, buildIn }: Build): Promise<void> {
  const startedAtMs = performance.now();
  process.stderr.write(`Building ${name}... `);
  const built = join(workFolder, 'built');
  await buildIn(built);
  await rename(folder, join(workFolder, 'old')).catch(ignoreMissing);
  await rename(built, folder);
  process.stderr.write(`done in ${((performance.now() - startedAtMs) / 1000).toFixed(1)} s\n`);
}

/** @returns whether this process has created the folder */
async function claim(workFolder: string): Promise<boolean> {
  const owner = join(workFolder, 'owner');
  await mkdir(dirname(workFolder), { recursive: true });
  try {
    await mkdir(workFolder);
    await writeFile(owner, String(process.pid));
    return true;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    if (await isAbandoned(workFolder, owner)) await rm(workFolder, { recursive: true, force: true });
    return false;
  }
}

/**
 * Whether the process that created the folder was killed. In a container, process IDs repeat at each start: the ID of
 * this process, or that of a build which would have taken too long, belongs to an earlier one.
 */
async function isAbandoned(workFolder: string, ownerFile: string): Promise<boolean> {
  try {
    const owner = await readFile(ownerFile, 'utf8').catch(ignoreMissing);
    if (owner === String(process.pid)) return true;
    const hasNoOwner = owner === undefined || owner === '';
    const ageMs = Date.now() - (await stat(hasNoOwner ? workFolder : ownerFile)).mtimeMs;
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
