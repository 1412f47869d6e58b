import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { killAll } from './processes.ts';

/** A folder for the data of this run. It goes, and all processes that were started, however the run ends. */
export function openWorkplace(): string {
  const folder = mkdtempSync(join(tmpdir(), 'menagerie-bench-'));
  process.once('exit', () => {
    killAll();
    // A server that is just being killed may write one more file.
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  // Exit codes of what a signal ended: 128 and the number of the signal.
  process.once('SIGINT', () => process.exit(130));
  process.once('SIGTERM', () => process.exit(143));
  return folder;
}
