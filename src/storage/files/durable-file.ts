import { open, mkdir, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { becauseOf, Failure } from '../../domain/failure.ts';

const MAX_TRIES = 5;

/**
 * Moves a complete file to its path so that it survives a power cut: first its bytes are flushed to the disk, then its
 * name and the names of the folders between `root` and the file.
 */
export async function placeDurably(temporaryPath: string, path: string, root: string): Promise<void> {
  await flush(temporaryPath);
  await renameInto(dirname(path), temporaryPath, path);
  for (let folder = dirname(path); folder.length >= root.length; folder = dirname(folder)) await flushFolder(folder);
}

/**
 * Creates a folder, and those above it that do not exist. The option `recursive` of Node never ends in places such as
 * /proc, which report that the new folder does not exist.
 *
 * @returns the created folders, from the top
 */
export async function makeFolder(path: string, hasFolderAbove = false): Promise<readonly string[]> {
  try {
    await mkdir(path);
    return [path];
  } catch (error) {
    if (await isFolder(path)) return [];
    if (!isMissing(error) || hasFolderAbove) throw error;
  }
  const above = await makeFolder(dirname(path));
  return [...above, ...(await makeFolder(path, true))];
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/** Renames a file, and creates the target folder if it does not exist. */
export async function renameInto(folder: string, temporaryPath: string, path: string): Promise<void> {
  for (let triesLeft = MAX_TRIES; ; triesLeft--) {
    try {
      await makeFolder(folder);
      return await rename(temporaryPath, path);
    } catch (error) {
      // Another node may have deleted the folder in between.
      if (!isMissing(error) || triesLeft === 1) throw error;
    }
  }
}

export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

async function flush(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Flushes the names in a folder to the disk. */
export async function flushFolder(path: string): Promise<void> {
  // On Windows, names need no flush, and folders cannot be opened.
  if (process.platform === 'win32') return;
  // Another node may have deleted the folder meanwhile.
  const folder = await open(path, 'r').catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  });
  if (folder === undefined) return;
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Undefined if the file or folder does not exist. */
export async function ifExists<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

const NO_SPACE = new Set(['ENOSPC', 'EDQUOT']);

const RETRY_AFTER_SECONDS = 5;

/**
 * Converts file system errors to failures. Other errors are bugs, and pass unchanged.
 *
 * @throws Failure `insufficient-storage` if the disk is full, else `unavailable`
 */
export async function orFailure<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw toFailure(error);
  }
}

function toFailure(error: unknown): unknown {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return error;
  if (NO_SPACE.has(String(error.code)))
    return becauseOf(
      `the disk is full (${error.message})`,
      new Failure('insufficient-storage', 'Not enough storage for the photo. Try again later.'),
    );
  return becauseOf(
    error.message,
    new Failure('unavailable', 'Photos cannot be stored or read at the moment. Try again in a few seconds.', {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    }),
  );
}
