import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { unpackedPackages } from './debian-packages.ts';

/** @returns the path of the command, or why it is not available */
export async function findAge(): Promise<{ program: string } | { reason: string }> {
  try {
    return { program: join(await unpackedPackages('age', async () => ['age']), 'usr', 'bin', 'age') };
  } catch (error) {
    return { reason: `The age command could not be downloaded: ${String(error).split('\n', 1)[0]}` };
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
