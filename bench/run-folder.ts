import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { killAll } from './tools/processes.ts';

/** Creates a folder for the data of this run. It is deleted, and all processes are killed, however the run ends. */
export function createRunFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'menagerie-bench-'));
  process.once('exit', () => {
    killAll();
    // Retries, because a server that is being killed may write another file.
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  // 128 plus the number of the signal, as in shells.
  process.once('SIGINT', () => process.exit(130));
  process.once('SIGTERM', () => process.exit(143));
  return folder;
}
