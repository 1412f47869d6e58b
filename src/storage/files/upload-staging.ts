import { randomUUID } from 'node:crypto';
import { open, rm, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../../domain/failure.ts';
import type { UploadStaging } from '../../domain/photos/ports.ts';
import { ifExists, makeFolder, orFailure } from './durable-file.ts';

/** Uploads older than this belong to a server that was killed. */
const ABANDONED_AFTER_MS = 24 * 3_600_000;

/** The names of uploads. Other files in the folder are not deleted. */
const STAGED_NAME = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Opens a folder for unchecked uploads. Several processes may share it: only old files are deleted, so those in use by
 * others are safe.
 */
export async function openUploadStaging(folder: string): Promise<UploadStaging> {
  await makeFolder(folder);
  await deleteAbandoned(folder);
  return {
    async stage(chunks, maxBytes) {
      const path = join(folder, randomUUID());
      // A file that cannot be deleted now is deleted at a later start.
      const discard = () => rm(path, { force: true }).catch(() => {});
      try {
        return { source: path, byteLength: await writeChunks(path, chunks, maxBytes), discard };
      } catch (error) {
        await discard();
        throw error;
      }
    },
  };
}

async function writeChunks(path: string, chunks: AsyncIterable<Uint8Array>, maxBytes: number): Promise<number> {
  const file = await orFailure(open(path, 'wx'));
  try {
    let byteLength = 0;
    for await (const chunk of chunks) {
      byteLength += chunk.byteLength;
      if (byteLength > maxBytes) throw new Failure('too-large', `A photo may have at most ${maxBytes} bytes.`);
      await orFailure(file.writeFile(chunk));
    }
    return byteLength;
  } finally {
    await orFailure(file.close());
  }
}

async function deleteAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!STAGED_NAME.test(name)) continue;
    const path = join(folder, name);
    if (await isAbandoned(path)) await rm(path, { force: true });
  }
}

/** False if another process has deleted the file in the meantime. */
async function isAbandoned(path: string): Promise<boolean> {
  const file = await ifExists(stat(path));
  return file !== undefined && file.mtimeMs < Date.now() - ABANDONED_AFTER_MS;
}
