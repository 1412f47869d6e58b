import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ifExists } from '../../storage/files/durable-file.ts';

/**
 * A temporary file without a newer write belongs to a process that was killed. Longer than a statement of the database
 * may take.
 */
const ABANDONED_MS = 900_000;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Deletes the files of a folder that killed processes left. Their names are the prefix and a UUID. */
export async function deleteAbandonedFiles(folder: string, prefix: string): Promise<void> {
  for (const name of (await ifExists(readdir(folder))) ?? []) {
    if (!name.startsWith(prefix) || !UUID.test(name.slice(prefix.length))) continue;
    const path = join(folder, name);
    // Another process may have finished it meanwhile.
    const file = await ifExists(stat(path));
    if (file !== undefined && file.mtimeMs < Date.now() - ABANDONED_MS) await rm(path, { force: true });
  }
}
