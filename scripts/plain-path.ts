import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

/*
 * Vite takes `#` and `?` in paths for parts of a URL, so it does not work in a checkout below a folder such as `C#`. A
 * script that uses Vite runs itself again, through a link to the checkout.
 */

const ROOT = join(import.meta.dirname, '..');

/** Whether Vite works in this checkout. */
export const HAS_PLAIN_PATH = !/[#?]/.test(ROOT);

/**
 * Vite resolves links by default, also of its configuration, which would lead it back. Node.js does not with the flags
 * below.
 */
export const LINK_OPTIONS = {
  configLoader: 'native',
  resolve: { preserveSymlinks: process.execArgv.includes('--preserve-symlinks') },
} as const;

/**
 * Runs a script of this folder through a link to the checkout, with the same arguments. Ends this process with its exit
 * code.
 */
export async function runThroughLink(script: string): Promise<never> {
  const folder = mkdtempSync(join(tmpdir(), 'menagerie-web-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(1));
  const link = join(folder, 'checkout');
  // On Windows, a junction needs no privilege.
  symlinkSync(ROOT, link, 'junction');
  const flags = ['--preserve-symlinks', '--preserve-symlinks-main', join(link, relative(ROOT, script))];
  // The other process ends when the channel closes: when this process ends.
  const stdio = ['inherit', 'inherit', 'inherit', 'ipc'] as const;
  const child = spawn(process.execPath, [...flags, ...process.argv.slice(2)], { stdio: [...stdio] });
  const [code] = (await once(child, 'exit')) as [number | null];
  process.exit(code ?? 1);
}
