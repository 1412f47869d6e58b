import { open, mkdir, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

const MAX_TRIES = 5;

/**
 * Puts a finished file in its place so that it is there after a power cut: its bytes are on the disk before its name is, and its name is
 * before this answers.
 */
export async function placeDurably(temporaryPath: string, path: string): Promise<void> {
  await flush(temporaryPath);
  const folder = dirname(path);
  const firstMade = await renameInto(folder, temporaryPath, path);
  await flushFolder(folder);
  if (firstMade !== undefined) await flushFolder(dirname(firstMade));
}

/** @returns the first folder that had to be made, if any */
async function renameInto(folder: string, temporaryPath: string, path: string): Promise<string | undefined> {
  for (let triesLeft = MAX_TRIES; ; triesLeft--) {
    try {
      const firstMade = await mkdir(folder, { recursive: true });
      await rename(temporaryPath, path);
      return firstMade;
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

async function flushFolder(path: string): Promise<void> {
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
