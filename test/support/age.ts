import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/* The `age` command of Debian, unpacked into a folder of this checkout. Nothing is installed. */

const CACHE = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'menagerie-age');
const PROGRAM = join(CACHE, 'root', 'usr', 'bin', 'age');
const run = promisify(execFile);

/** @returns the path of the command, or why it is not available */
export async function findAge(): Promise<{ program: string } | { reason: string }> {
  try {
    if (!existsSync(PROGRAM)) await unpack();
    return { program: PROGRAM };
  } catch (error) {
    return { reason: `The age command could not be downloaded: ${String(error).split('\n', 1)[0]}` };
  }
}

async function unpack(): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  const work = await mkdtemp(join(CACHE, 'unpacking-'));
  try {
    await run('/usr/bin/apt-get', ['download', '--quiet', 'age'], { cwd: work });
    for (const file of await readdir(work)) await run('/usr/bin/dpkg', ['--extract', join(work, file), `${work}/root`]);
    await rename(join(work, 'root'), join(CACHE, 'root')).catch((error: unknown) => {
      // Another process was first.
      if (!existsSync(PROGRAM)) throw error;
    });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Decrypts a file. It reads a passphrase only from a terminal, which `script` provides. */
export async function decryptWithAge(age: string, from: string, to: string, passphrase: string): Promise<void> {
  const child = spawn('script', ['-qec', `'${age}' -d -o '${to}' '${from}'`, '/dev/null'], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  child.stdin.end(`${passphrase}\n`);
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`age ended with ${code}.`);
}
