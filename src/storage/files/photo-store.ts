import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, opendir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { PhotoStore } from '../../domain/pets/ports.ts';
import type { SizeName } from '../../domain/photos/photo.ts';
import { orFailure } from './disk-troubles.ts';
import { flushFolder, isNotThere, placeDurably, renameInto } from './durable-file.ts';

const DIGEST = /^[0-9a-f]{64}$/;

/**
 * Photos as files: `ab/abcd.../original`, and beside it the sizes made so far. In the trash they have the same names, so that copying `trash` over its
 * parent folder restores them. `installation-id` names the installation that they belong to.
 *
 * @param folder an absolute path
 * @param isFirst clears away what an earlier server was writing when it ended; not where others are writing
 */
export async function openPhotoStore(folder: string, isFirst = true): Promise<PhotoStore> {
  const incoming = join(folder, 'incoming');
  if (isFirst) await rm(incoming, { recursive: true, force: true });
  const isNew = (await mkdir(incoming, { recursive: true })) !== undefined;
  if (isNew) await flushFolder(dirname(folder));

  const trashFolder = join(folder, 'trash');
  const idPath = join(folder, 'installation-id');
  const folderOf = (digest: string, root = folder) => join(root, digest.slice(0, 2), digest);
  const pathOf = (digest: string, size: SizeName | 'original' = 'original') => join(folderOf(digest), size);

  async function putFile(path: string, bytes: Uint8Array | string): Promise<void> {
    const temporaryPath = join(incoming, randomUUID());
    try {
      await writeFile(temporaryPath, bytes);
      await placeDurably(temporaryPath, path, folder);
    } finally {
      await rm(temporaryPath, { force: true });
    }
  }

  return {
    put: (digest, bytes) => orFailure(putFile(pathOf(digest), bytes)),

    putSize: (digest, size, bytes) => orFailure(putFile(pathOf(digest, size), bytes)),

    async open(digest, size) {
      const path = pathOf(digest, size);
      const file = await orFailure(ifThere(stat(path)));
      // Sizes are missing every day; an original that is missing may mean that the folder is.
      if (file === undefined && size === undefined) await orFailure(stat(incoming));
      return file && { byteLength: file.size, chunks: () => createReadStream(path) };
    },

    async read(digest) {
      const bytes = await orFailure(ifThere(readFile(pathOf(digest))));
      if (bytes === undefined) await orFailure(stat(incoming));
      return bytes;
    },

    async trash(digest) {
      const original = pathOf(digest);
      if ((await ifThere(stat(original))) !== undefined) {
        // A rename keeps the time of the file, and the trash is emptied by that time.
        const now = new Date();
        await utimes(original, now, now);
        await ifThere(
          renameInto(folderOf(digest, trashFolder), original, join(folderOf(digest, trashFolder), 'original')),
        );
      }
      // Out of the way first: another node may be putting the same picture into the folder at this moment, and it would not be empty.
      const outOfTheWay = join(incoming, randomUUID());
      await ifThere(rename(folderOf(digest), outOfTheWay));
      await rm(outOfTheWay, { recursive: true, force: true });
    },

    async emptyTrash(beforeMs, isStopping = () => false) {
      for await (const digest of listOriginals(trashFolder, beforeMs)) {
        if (isStopping()) return;
        await rm(folderOf(digest, trashFolder), { recursive: true, force: true });
      }
    },

    listStoredBefore: (timeMs) => listOriginals(folder, timeMs),

    findInstallationId: async () => (await ifThere(readFile(idPath, 'utf8')))?.trim(),
    setInstallationId: (id) => putFile(idPath, `${id}\n`),
  };
}

/** The digests of the originals below a folder whose files were last changed before the time. */
async function* listOriginals(root: string, timeMs: number): AsyncGenerator<string> {
  for await (const shelf of (await ifThere(opendir(root))) ?? []) {
    if (!/^[0-9a-f]{2}$/.test(shelf.name)) continue;
    for await (const { name } of await opendir(join(root, shelf.name))) {
      const original = DIGEST.test(name) ? await ifThere(stat(join(root, shelf.name, name, 'original'))) : undefined;
      if (original !== undefined && original.mtimeMs < timeMs) yield name;
    }
  }
}

async function ifThere<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (isNotThere(error)) return undefined;
    throw error;
  }
}
