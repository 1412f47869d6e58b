import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** npm writes this file last, when the installation is complete. */
const INSTALLED = join(import.meta.dirname, 'node_modules/.package-lock.json');
const LOCK = join(import.meta.dirname, 'package-lock.json');

function havePeerPackages(): boolean {
  return existsSync(INSTALLED) && statSync(INSTALLED).mtimeMs >= statSync(LOCK).mtimeMs;
}

/** Installs the packages of bench/, unless they are installed already. @returns whether they are installed */
export function installPeerPackages(): boolean {
  if (havePeerPackages()) return true;
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel', 'error'];
  const options = { cwd: import.meta.dirname, stdio: 'ignore', shell: process.platform === 'win32' } as const;
  return spawnSync('npm', args, options).status === 0;
}
