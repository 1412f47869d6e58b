import { randomUUID } from 'node:crypto';
import { createReadStream, type Stats } from 'node:fs';
import { lstat, opendir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { PhotoContent, PhotoStore, StoredOriginal } from '../../domain/photos/ports.ts';
import type { SizeName } from '../../domain/photos/photo.ts';
import { flushFolder, ifExists, makeFolder, orFailure, placeDurably, renameInto } from './durable-file.ts';
import { isSound, listSizeFiles, sizeFileName } from './size-files.ts';

const DIGEST = /^[0-9a-f]{64}$/;

/** Called with a size of a photo that was found damaged, and counts as missing. */
type OnDamagedSize = (digest: string, name: string) => void;

/**
 * @param folder an absolute path
 * @param isFirst deletes the unfinished files of an earlier server; must be false while other processes are writing
 */
export async function openPhotoStore(
  folder: string,
  isFirst = true,
  onDamagedSize: OnDamagedSize = () => {},
): Promise<PhotoStore> {
  const incoming = join(folder, INCOMING);
  if (isFirst) await rm(incoming, { recursive: true, force: true });
  const made = await makeFolder(incoming);
  if (made.length > 0) await flushFolder(dirname(folder));
  return new FilePhotoStore(folder, onDamagedSize);
}

/** The subfolder for files that are being written or deleted. */
const INCOMING = 'incoming';

/**
 * Photos as files: `ab/abcd.../original`, and next to it the sizes created so far (`size-files.ts`). In the trash they
 * have the same names, so that copying `trash` over its parent folder restores them. Nothing is ever deleted in
 * `aside`. `installation-id` has the id of the installation to which they belong.
 */
class FilePhotoStore implements PhotoStore {
  readonly #folder: string;
  readonly #incoming: string;
  readonly #trash: string;
  readonly #idPath: string;
  readonly #onDamagedSize: OnDamagedSize;

  constructor(folder: string, onDamagedSize: OnDamagedSize) {
    this.#onDamagedSize = onDamagedSize;
    this.#folder = folder;
    this.#incoming = join(folder, INCOMING);
    this.#trash = join(folder, 'trash');
    this.#idPath = join(folder, 'installation-id');
  }

  put(digest: string, bytes: Uint8Array): Promise<void> {
    return orFailure(this.#putFile(this.#pathOf(digest), bytes));
  }

  putSize(digest: string, size: SizeName, bytes: Uint8Array): Promise<void> {
    return orFailure(this.#putSize(digest, size, bytes));
  }

  async open(digest: string, size?: SizeName): Promise<PhotoContent | undefined> {
    if (size !== undefined) return orFailure(this.#openSize(digest, size));
    const path = this.#pathOf(digest);
    const file = await orFailure(findFile(path));
    // The folder may be unmounted.
    if (file === undefined) await orFailure(stat(this.#incoming));
    return file && contentOf(path, file);
  }

  async findDamagedSizes(digest: string): Promise<readonly string[]> {
    const folder = folderOf(digest, this.#folder);
    const damaged: string[] = [];
    for (const file of await orFailure(listSizeFiles(folder)))
      if (!(await orFailure(isSound(folder, file)))) damaged.push(file.name);
    return damaged;
  }

  async deleteSizes(digest: string, names: readonly string[]): Promise<void> {
    const folder = folderOf(digest, this.#folder);
    for (const name of names) await orFailure(rm(join(folder, name), { force: true }));
  }

  async read(digest: string): Promise<Uint8Array | undefined> {
    const path = this.#pathOf(digest);
    const isStored = (await orFailure(findFile(path))) !== undefined;
    const bytes = isStored ? await orFailure(ifExists(readFile(path))) : undefined;
    if (bytes === undefined) await orFailure(stat(this.#incoming));
    return bytes;
  }

  async trash(digest: string): Promise<void> {
    const original = this.#pathOf(digest);
    if ((await ifExists(stat(original))) !== undefined) {
      // The trash is emptied by modification time, which a rename does not change.
      const now = new Date();
      await utimes(original, now, now);
      const trashFolder = folderOf(digest, this.#trash);
      await ifExists(renameInto(trashFolder, original, join(trashFolder, 'original')));
    }
    // Moved first, because another node may be storing the same photo in the folder, which then could not be deleted.
    const moved = join(this.#incoming, randomUUID());
    await ifExists(rename(folderOf(digest, this.#folder), moved));
    await rm(moved, { recursive: true, force: true });
  }

  async setAside(digest: string, subfolder: string): Promise<void> {
    const target = folderOf(digest, join(this.#folder, 'aside', subfolder));
    // In one step, with all sizes: a photo is never in both places.
    await orFailure(ifExists(renameInto(dirname(target), folderOf(digest, this.#folder), target)));
    await orFailure(ifExists(flushFolder(dirname(target))));
  }

  async emptyTrash(beforeMs: number, isStopping = () => false): Promise<void> {
    for await (const { digest } of listOriginals(this.#trash, beforeMs)) {
      if (isStopping()) return;
      await rm(folderOf(digest, this.#trash), { recursive: true, force: true });
    }
  }

  async *listStoredBefore(timeMs: number): AsyncGenerator<string> {
    for await (const { digest } of listOriginals(this.#folder, timeMs)) yield digest;
  }

  listWithSizes(): AsyncIterable<StoredOriginal> {
    return listOriginals(this.#folder, Infinity);
  }

  async findInstallationId(): Promise<string | undefined> {
    return (await ifExists(readFile(this.#idPath, 'utf8')))?.trim();
  }

  setInstallationId(id: string): Promise<void> {
    return this.#putFile(this.#idPath, `${id}\n`);
  }

  async #putSize(digest: string, size: SizeName, bytes: Uint8Array): Promise<void> {
    const folder = folderOf(digest, this.#folder);
    await this.#putFile(join(folder, sizeFileName(size, bytes)), bytes);
    // That of an earlier version, which is no longer read.
    await rm(join(folder, size), { force: true });
  }

  async #openSize(digest: string, size: SizeName): Promise<PhotoContent | undefined> {
    const folder = folderOf(digest, this.#folder);
    for (const stored of await listSizeFiles(folder)) {
      if (stored.size !== size) continue;
      const path = join(folder, stored.name);
      const file = await findFile(path);
      if (file?.size === stored.byteLength) return contentOf(path, file);
      if (file !== undefined) this.#onDamagedSize(digest, stored.name);
    }
    return undefined;
  }

  async #putFile(path: string, bytes: Uint8Array | string): Promise<void> {
    const temporaryPath = join(this.#incoming, randomUUID());
    try {
      await writeFile(temporaryPath, bytes);
      await placeDurably(temporaryPath, path, this.#folder);
    } finally {
      await rm(temporaryPath, { force: true });
    }
  }

  #pathOf(digest: string): string {
    return join(folderOf(digest, this.#folder), 'original');
  }
}

function contentOf(path: string, file: Stats): PhotoContent {
  return { byteLength: file.size, chunks: () => createReadStream(path) };
}

/** A link in the place of a photo could lead to any file of the machine, so it counts as missing. */
async function findFile(path: string): Promise<Stats | undefined> {
  const file = await ifExists(lstat(path));
  return file?.isFile() === true ? file : undefined;
}

function folderOf(digest: string, root: string): string {
  return join(root, digest.slice(0, 2), digest);
}

/** The originals in a folder that were last modified before this time. */
async function* listOriginals(root: string, timeMs: number): AsyncGenerator<StoredOriginal> {
  for await (const shelf of (await ifExists(opendir(root))) ?? []) {
    if (!/^[0-9a-f]{2}$/.test(shelf.name)) continue;
    for await (const { name } of await opendir(join(root, shelf.name))) {
      const original = DIGEST.test(name) ? await findFile(join(root, shelf.name, name, 'original')) : undefined;
      if (original !== undefined && original.mtimeMs < timeMs) yield { digest: name, byteLength: original.size };
    }
  }
}
