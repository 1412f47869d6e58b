import { open, mkdir, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

const MAX_TRIES = 5;

/**
 * Puts a finished file in its place so that it is there after a power cut: its bytes are on the disk before its name is, and its name is
 * before this answers. So are the names of the folders on the way to it, whoever has made them.
 *
 * @param root the folder that holds all of them
 */
export async function placeDurably(temporaryPath: string, path: string, root: string): Promise<void> {
  await flush(temporaryPath);
  await renameInto(dirname(path), temporaryPath, path);
  for (let folder = dirname(path); folder.length >= root.length; folder = dirname(folder)) await flushFolder(folder);
}

/** Renames a file, and creates the target folder if it does not exist. */
export async function renameInto(folder: string, temporaryPath: string, path: string): Promise<void> {
  for (let triesLeft = MAX_TRIES; ; triesLeft--) {
    try {
      await mkdir(folder, { recursive: true });
      return await rename(temporaryPath, path);
    } catch (error) {
      // Another node may have removed the folder in between.
      if (!isNotThere(error) || triesLeft === 1) throw error;
    }
  }
}

export function isNotThere(error: unknown): boolean {
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

/** Puts the names in a folder on the disk. */
export async function flushFolder(path: string): Promise<void> {
  // Windows keeps names durable by itself, and lets nobody open a folder.
  if (process.platform === 'win32') return;
  // A folder that another node has removed meanwhile is gone with what was in it: as if it were removed now.
  const folder = await open(path, 'r').catch((error: unknown) => {
    if (!isNotThere(error)) throw error;
  });
  if (folder === undefined) return;
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
