import { open, mkdir, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Puts a finished file in its place so that it is there after a power cut: its bytes are on the disk before its name is, and its name is
 * before this answers.
 */
export async function placeDurably(temporaryPath: string, path: string): Promise<void> {
  await flush(temporaryPath);
  const folder = dirname(path);
  const firstMade = await mkdir(folder, { recursive: true });
  await rename(temporaryPath, path);
  await flushFolder(folder);
  if (firstMade !== undefined) await flushFolder(dirname(firstMade));
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
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
