import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, opendir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { PhotoStore } from '../domain/pets/ports.ts';
import type { SizeName } from '../domain/pets/photo.ts';
import { flushFolder, isNotThere, placeDurably } from './durable-file.ts';

const DIGEST = /^[0-9a-f]{64}$/;

/**
 * Pictures as files: `ab/abcd.../original`, and beside it the sizes that were asked for.
 *
 * @param folder an absolute path
 * @param isFirst clears away what an earlier server was writing when it ended; not where others are writing
 */
export async function openPhotoStore(folder: string, isFirst = true): Promise<PhotoStore> {
  const incoming = join(folder, 'incoming');
  if (isFirst) await rm(incoming, { recursive: true, force: true });
  const isNew = (await mkdir(incoming, { recursive: true })) !== undefined;
  if (isNew) await flushFolder(dirname(folder));

  const folderOf = (digest: string) => join(folder, digest.slice(0, 2), digest);
  const pathOf = (digest: string, size: SizeName | 'original' = 'original') => join(folderOf(digest), size);

  async function putFile(path: string, bytes: Uint8Array): Promise<void> {
    const temporaryPath = join(incoming, randomUUID());
    try {
      await writeFile(temporaryPath, bytes);
      await placeDurably(temporaryPath, path, folder);
    } finally {
      await rm(temporaryPath, { force: true });
    }
  }

  return {
    put: (digest, bytes) => putFile(pathOf(digest), bytes),

    putSize: (digest, size, bytes) => putFile(pathOf(digest, size), bytes),

    async open(digest, size) {
      const path = pathOf(digest, size);
      const file = await ifThere(stat(path));
      return file && { byteLength: file.size, chunks: () => createReadStream(path) };
    },

    read: (digest) => ifThere(readFile(pathOf(digest))),

    async remove(digest) {
      // Out of the way first: another node may be putting the same picture into the folder at this moment, and it would not be empty.
      const outOfTheWay = join(incoming, randomUUID());
      await ifThere(rename(folderOf(digest), outOfTheWay));
      await rm(outOfTheWay, { recursive: true, force: true });
    },

    async *listStoredBefore(timeMs) {
      for await (const shelf of await opendir(folder)) {
        if (!/^[0-9a-f]{2}$/.test(shelf.name)) continue;
        for await (const { name } of await opendir(join(folder, shelf.name))) {
          const original = DIGEST.test(name) ? await ifThere(stat(pathOf(name))) : undefined;
          if (original !== undefined && original.mtimeMs < timeMs) yield name;
        }
      }
    },
  };
}

async function ifThere<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (isNotThere(error)) return undefined;
    throw error;
  }
}
