import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const CACHE = join(import.meta.dirname, '..', '..', 'node_modules', '.cache');
const run = promisify(execFile);

/**
 * Debian's packages, unpacked into a folder of this checkout. Nothing is installed; later runs download nothing.
 *
 * @param name of the folder
 * @param edit changes the unpacked files
 * @returns the folder
 */
export async function unpackedPackages(
  name: string,
  packages: () => Promise<Iterable<string>>,
  edit?: (root: string) => Promise<void>,
): Promise<string> {
  const root = join(CACHE, `menagerie-${name}`, 'root');
  if (existsSync(root)) return root;
  await mkdir(dirname(root), { recursive: true });
  const work = await mkdtemp(join(dirname(root), 'unpacking-'));
  try {
    await run('/usr/bin/apt-get', ['download', '--quiet', ...(await packages())], { cwd: work, timeout: 300_000 });
    const unpacked = join(work, 'root');
    await mkdir(unpacked);
    for (const file of await readdir(work))
      if (file.endsWith('.deb')) await run('/usr/bin/dpkg', ['--extract', join(work, file), unpacked]);
    await edit?.(unpacked);
    // Of several processes, the first to rename its folder wins.
    await rename(unpacked, root).catch((error: unknown) => {
      if (!existsSync(root)) throw error;
    });
    return root;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
