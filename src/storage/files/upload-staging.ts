import { randomUUID } from 'node:crypto';
import { mkdir, open, rm, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../../domain/failure.ts';
import type { UploadStaging } from '../../domain/pets/ports.ts';
import { orFailure } from './disk-troubles.ts';
import { isNotThere } from './durable-file.ts';

/** After this long, a staged file belongs to an upload that will never end: the server that took it in was killed. */
const ABANDONED_AFTER_MS = 24 * 3_600_000;

/** The names that uploads get here: whatever else lies in the folder is not ours to remove. */
const STAGED_NAME = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A folder for uploads that are being checked. Several processes may use it: what the others have in work is young, and is left alone. */
export async function openUploadStaging(folder: string): Promise<UploadStaging> {
  await mkdir(folder, { recursive: true });
  await removeAbandoned(folder);
  return {
    async stage(chunks, maxBytes) {
      const path = join(folder, randomUUID());
      // A file that a failing disk keeps is removed at a later start.
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
      if (byteLength > maxBytes) throw new Failure('too-large', `A picture may have at most ${maxBytes} bytes.`);
      await orFailure(file.writeFile(chunk));
    }
    return byteLength;
  } finally {
    await orFailure(file.close());
  }
}

async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!STAGED_NAME.test(name)) continue;
    const path = join(folder, name);
    if (await isAbandoned(path)) await rm(path, { force: true });
  }
}

/** What another process has done with in the meantime is not abandoned. */
async function isAbandoned(path: string): Promise<boolean> {
  try {
    return (await stat(path)).mtimeMs < Date.now() - ABANDONED_AFTER_MS;
  } catch (error) {
    if (isNotThere(error)) return false;
    throw error;
  }
}
